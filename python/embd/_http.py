"""HTTP requests by the standard library, for embd.get_model(). Nothing else in the package reaches for a network."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator

_PATIENCE = 30  # seconds without a byte
_BLOCK = 1 << 18


def get(url: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Iterator[bytes]]:
    """Sends a GET request. Returns the status, the answer's headers by their names in lower case, and its body in blocks.

    Follows no redirect. Proxies and certificates are those that urllib and ssl find in the environment. Raises OSError where no
    whole answer comes, ValueError for what is no http or https address.
    """
    try:
        request = urllib.request.Request(url, headers=headers)
        answer = _opener().open(request, timeout=_PATIENCE)
    except http.client.InvalidURL as error:
        raise ValueError(f"{url!r}: {error}") from None
    except urllib.error.URLError as error:
        raise OSError(f"{url}: no connection to {request.host}: {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise OSError(f"{url}: no answer: {error}") from None
    if answer is None:
        raise ValueError(f"{url!r} is no http or https address")
    return answer.status, {name.lower(): value for name, value in answer.headers.items()}, _blocks(url, answer)


def _opener() -> urllib.request.OpenerDirector:
    """An opener without the handlers that follow redirects and raise for a status."""
    opener = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
        opener.add_handler(handler())
    return opener


def _blocks(url: str, answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yields bytes as soon as they come, so that those of a download which is interrupted are kept."""
    missing = answer.length  # None where the answer does not say
    with answer:
        try:
            while missing != 0 and (block := answer.read1(_BLOCK)):
                missing = None if missing is None else missing - len(block)
                yield block
        except (OSError, http.client.HTTPException) as error:
            raise OSError(f"{url}: the answer was cut off: {error}") from None
    if missing:
        raise OSError(f"{url}: the answer was cut off: {missing} bytes are missing")
