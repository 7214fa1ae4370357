"""Sends HTTP requests with the standard library, for embd.get_model().

No other module of the package uses a network.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator

_PATIENCE = 30  # seconds without a byte
_BLOCK = 1 << 18


def get(url: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Iterator[bytes]]:
    """Sends a GET request. Returns the status, the headers of the answer and an iterator over its body in blocks.

    The names of headers are in lower case. Redirects are not followed. Proxies and certificates come from the
    environment, as urllib and ssl read it. Raises OSError if no complete answer comes: a ConnectionError if the same
    request may succeed later. Raises ValueError if `url` is no http or https address.
    """
    try:
        request = urllib.request.Request(url, headers=headers)
        answer = _opener().open(request, timeout=_PATIENCE)
    except (http.client.InvalidURL, ValueError):  # whose message may contain the password of the proxy
        raise ValueError(f"{url!r}, or the address of its proxy in the environment, is not valid") from None
    except urllib.error.URLError as error:
        kind = ConnectionError if _may_pass(error.reason) else OSError
        raise kind(f"{url}: the connection to {request.host} could not be made: {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionError(f"{url}: the server did not answer: {error}") from None
    if answer is None:
        raise ValueError(f"{url!r} is not an address that begins with http:// or https://")
    return answer.status, {name.lower(): value for name, value in answer.headers.items()}, _blocks(url, answer)


def _may_pass(reason: object) -> bool:
    """Returns False for a failure to connect that another attempt would meet again."""
    if isinstance(reason, ssl.SSLCertVerificationError):
        return False
    if isinstance(reason, socket.gaierror):
        return reason.errno == socket.EAI_AGAIN
    return type(reason) is not OSError  # which http.client raises if a proxy refuses


def _opener() -> urllib.request.OpenerDirector:
    """Returns an opener that neither follows redirects nor raises an error for a status."""
    opener = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
        opener.add_handler(handler())
    return opener


def _blocks(url: str, answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yields the bytes of an answer as soon as they arrive, so that an interrupted download keeps them."""
    missing = answer.length  # None if the answer does not give its length
    with answer:
        try:
            while missing != 0 and (block := answer.read1(_BLOCK)):
                missing = None if missing is None else missing - len(block)
                yield block
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionError(f"{url}: the answer was cut off: {error}") from None
    if missing:
        raise ConnectionError(f"{url}: the answer was cut off: {missing} bytes are missing")
