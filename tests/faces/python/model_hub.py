"""A hub of models on the loopback address, and what every face that fetches from it is asked. Standard library only.

The hub speaks the routes of Hugging Face's: a listing, and files behind a redirect to another host. Its faults are set by each test.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import http.server
import json
import select
import shutil
import socket
import ssl
import threading
import unittest
import urllib.parse
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "data"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "someone/small"
LARGE = "model.safetensors"
CERTIFICATE = DATA / "hub" / "certificate.pem"
# Variables that no test inherits.
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
VARIABLES = ("HF_TOKEN", "HF_TOKEN_PATH", "HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME", *PROXIES)


def small_model(folder: Path) -> None:
    """Makes the folder of a small model, with files that embd does not read."""
    shutil.copytree(DATA / "unigram" / "bert_mean", folder)
    with gzip.open(folder / "model.safetensors.gz") as packed:
        (folder / LARGE).write_bytes(packed.read())
    with gzip.open(DATA / "unigram" / "tokenizer_words.json.gz") as packed:
        (folder / "tokenizer.json").write_bytes(packed.read())
    (folder / "model.safetensors.gz").unlink()
    (folder / "README.md").write_text("not read")
    (folder / "pytorch_model.bin").write_bytes(b"not read")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "config.json").write_text("{}")


class Hub:
    """A hub with one model. `faults` holds what goes wrong, by name; each is a number of times."""

    def __init__(self, folder: Path, tls: bool = False, ipv6: bool = False) -> None:
        self.folder = folder
        self.faults: dict[str | int, int] = {}
        self.elsewhere = ""  # where the large file is said to be, instead of in the store
        self.asked: list[tuple[str, str | None, str | None, bool]] = []  # path, range, authorization, whether by the store
        self.scheme, self.host = ("https", "localhost") if tls else ("http", "[::1]" if ipv6 else "127.0.0.1")
        self.hosts: list[str | None] = []  # the headers Host
        self.connections = 0
        self.pause = threading.Event()  # set: for those who wait behind the fault "hangs"
        self.marker: Path | None = None  # a file that appears when something goes wrong, for other processes
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                hub.answer(self)

        class Server(http.server.ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ipv6 else socket.AF_INET

            def get_request(self) -> Any:
                hub.connections += 1
                return super().get_request()

        self.servers = [Server(("::1" if ipv6 else "127.0.0.1", 0), Handler) for _ in range(2)]
        for server in self.servers:
            if tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(CERTIFICATE, DATA / "hub" / "key.pem")
                server.socket = context.wrap_socket(server.socket, server_side=True)
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def url(self, which: int = 0) -> str:
        return f"{self.scheme}://{self.host}:{self.servers[which].server_address[1]}"

    def close(self) -> None:
        self.pause.set()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def takes(self, fault: str | int) -> bool:
        left = self.faults.get(fault, 0)
        self.faults[fault] = left - 1
        if left > 0 and self.marker:
            self.marker.touch()
        return left > 0

    def listing(self) -> dict[str, Any]:
        files: list[dict[str, Any]] = []
        for path in sorted(p for p in self.folder.rglob("*") if p.is_file()):
            name, content = path.relative_to(self.folder).as_posix(), path.read_bytes()
            entry: dict[str, Any] = {
                "rfilename": name,
                "size": len(content),
                "blobId": hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(),
            }
            if name == LARGE:
                entry["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 1}
            files.append(entry)
        return {"id": NAME, "sha": COMMIT, "siblings": files}

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        path = urllib.parse.unquote(urllib.parse.urlparse(request.path).path)
        is_store = path.startswith("/store/")
        self.hosts.append(request.headers.get("Host"))
        self.asked.append((path, request.headers.get("Range"), request.headers.get("Authorization"), is_store))
        for status in (401, 404, 429, 503):
            if self.takes(status):
                return self.send(request, status, b"no", {"Retry-After": "1"} if status == 429 else {})
        if path.startswith(f"/api/models/{NAME}/revision/"):
            return self.send(request, 200, json.dumps(self.listing()).encode())
        prefix = f"/{NAME}/resolve/{COMMIT}/"
        if is_store:
            return self.send_file(request, self.folder / path.removeprefix("/store/"))
        if not path.startswith(prefix):
            return self.send(request, 404, b"no")
        name = path.removeprefix(prefix)
        if name == LARGE and "loop" in self.faults:
            return self.send(request, 302, b"", {"Location": path})
        if name == LARGE and self.elsewhere:
            return self.send(request, 302, b"", {"Location": self.elsewhere})
        if name == LARGE:
            return self.send(request, 302, b"there", {"Location": f"{self.url(1)}/store/{name}"})
        return self.send_file(request, self.folder / name)

    def send_file(self, request: http.server.BaseHTTPRequestHandler, path: Path) -> None:
        content = path.read_bytes()
        if self.takes("wrong bytes"):
            content = bytes([content[0] ^ 1]) + content[1:]
        begin, status, headers = 0, 200, {}
        asked = request.headers.get("Range")
        if asked and "no ranges" not in self.faults:
            begin, status = int(asked.removeprefix("bytes=").removesuffix("-")), 206
            headers = {"Content-Range": f"bytes {begin}-{len(content) - 1}/{len(content)}"}
        content = content[begin:]
        if path.name == LARGE and self.takes("hangs"):
            self.send(request, status, content[: len(content) // 2], headers, length=len(content))
            self.pause.wait(60)
            request.close_connection = True
            return
        if path.name == LARGE and self.takes("cut"):
            self.send(request, status, content[: len(content) // 2], headers, length=len(content))
            request.close_connection = True
            return
        self.send(request, status, content, headers)

    def send(
        self,
        request: http.server.BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        request.send_response(status)
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body) if length is None else length))
        request.end_headers()
        request.wfile.write(body)


class Proxy:
    """A proxy that asks for a name and a password. Requests without encryption are answered by `hub`, whatever their host."""

    def __init__(self, hub: Hub, user: str) -> None:
        self.asked: list[tuple[str, str | None]] = []  # the method with its target, and the header Host
        self.refused = 0
        expected = "Basic " + base64.b64encode(user.encode()).decode()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *_: Any) -> None:
                pass

            def is_refused(self) -> bool:
                proxy.asked.append((f"{self.command} {self.path}", self.headers.get("Host")))
                if self.headers.get("Proxy-Authorization") == expected:
                    return False
                proxy.refused += 1
                hub.send(self, 407, b"no", {"Proxy-Authenticate": "Basic"})
                return True

            def do_GET(self) -> None:
                if not self.is_refused():
                    hub.answer(self)

            def do_CONNECT(self) -> None:
                if self.is_refused():
                    return
                host, _, port = self.path.rpartition(":")
                with socket.create_connection((host.strip("[]"), int(port)), timeout=30) as there:
                    self.send_response(200)
                    self.end_headers()
                    ends = {self.connection: there, there: self.connection}
                    while ready := select.select(list(ends), [], [], 30)[0]:
                        for end in ready:
                            if not (data := end.recv(65536)):
                                self.close_connection = True
                                return
                            ends[end].sendall(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, user: str) -> str:
        return f"http://{user}@127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Cases(unittest.TestCase):
    """The questions that every face which fetches models is asked. The test of a face derives from this.

    It sets `path` (a folder of the test's own) and `environment`, then calls begin().
    """

    path: Path
    environment: dict[str, str]
    message: str

    def get(self, name: str = NAME, *, error: str = "", **environment: str) -> str:
        """Calls the face, and keeps what it says in self.message. Returns the folder.

        error: the name of the ErrorCode that is expected instead. environment: variables beside self.environment.
        """
        raise NotImplementedError

    def begin(self) -> None:
        small_model(self.path / "source")
        self.hub = Hub(self.path / "source")
        self.addCleanup(self.hub.close)
        for name in VARIABLES:
            self.environment.pop(name, None)
        self.environment |= {"HF_ENDPOINT": self.hub.url(), "HF_HOME": str(self.path / "hf"), "NO_PROXY": "127.0.0.1"}
        self.model = self.path / "hf" / "hub" / "models--someone--small"

    def blobs(self) -> list[str]:
        return sorted(p.name for p in (self.model / "blobs").iterdir())

    def blobs_hash(self) -> str:
        return hashlib.sha256((self.path / "source" / LARGE).read_bytes()).hexdigest()

    def test_the_cache_is_that_of_the_hubs_tools(self) -> None:
        folder = Path(self.get())
        self.assertEqual(folder, self.model / "snapshots" / COMMIT)
        self.assertEqual((self.model / "refs" / "main").read_text(), COMMIT)
        for name in ("config.json", "modules.json", "1_Pooling/config.json", LARGE, "tokenizer.json"):
            self.assertTrue((folder / name).is_symlink(), name)
            self.assertEqual((folder / name).read_bytes(), (self.path / "source" / name).read_bytes())

    def test_files_that_are_not_read_are_not_fetched(self) -> None:
        self.get()
        asked = " ".join(path for path, *_ in self.hub.asked)
        for name in ("README.md", "pytorch_model.bin", "onnx"):
            self.assertNotIn(name, asked)

    def test_a_second_time_asks_for_the_listing_alone(self) -> None:
        self.get()
        self.hub.asked.clear()
        self.get()
        self.assertEqual(len(self.hub.asked), 1)

    def test_a_download_that_is_cut_off_goes_on_where_it_ended(self) -> None:
        self.hub.faults["cut"] = 2
        self.get()
        ranges = [asked for _, asked, _, is_store in self.hub.asked if is_store]
        self.assertEqual(len(ranges), 3)
        self.assertEqual(ranges[0], None)
        self.assertTrue(all(r and r != "bytes=0-" for r in ranges[1:]), ranges)
        self.assertNotIn("incomplete", " ".join(self.blobs()))

    def test_the_next_run_goes_on_too(self) -> None:
        self.hub.faults["cut"] = 100
        self.get(error="io_failed")
        self.assertIn("cut off", self.message)
        self.assertEqual([b for b in self.blobs() if b.endswith(".incomplete")], [self.blobs_hash() + ".incomplete"])
        self.assertFalse((self.model / "snapshots").exists())
        self.hub.faults.clear()
        self.hub.asked.clear()
        self.get()
        self.assertTrue([asked for _, asked, _, is_store in self.hub.asked if is_store][0])

    def test_a_hub_without_ranges_begins_anew(self) -> None:
        self.hub.faults |= {"cut": 1, "no ranges": 1}
        self.get()
        self.assertEqual((self.model / "blobs" / self.blobs_hash()).read_bytes(), (self.path / "source" / LARGE).read_bytes())

    def test_wrong_bytes_are_refused_and_gone(self) -> None:
        self.hub.faults["wrong bytes"] = 100
        self.get(error="checksum_mismatch")
        self.assertIn("but the hub's listing says", self.message)
        self.assertEqual(self.blobs(), [])
        self.assertFalse((self.model / "refs").exists())

    def give_it_the_known_name(self) -> None:
        """Has the hub answer for all-MiniLM-L6-v2 with its model."""
        real = self.hub.answer

        def answer(request: http.server.BaseHTTPRequestHandler) -> None:
            request.path = request.path.replace("sentence-transformers/all-MiniLM-L6-v2", NAME)
            real(request)

        self.hub.answer = answer  # type: ignore[method-assign]

    def test_a_known_model_has_the_hashes_that_embd_knows(self) -> None:
        self.give_it_the_known_name()
        self.get("all-MiniLM-L6-v2", error="checksum_mismatch")
        self.assertIn("it is not the model that embd knows", self.message)

    def test_the_token_goes_to_the_hub_alone(self) -> None:
        self.get(HF_TOKEN="hf_secret")
        tokens = {is_store: token for _, _, token, is_store in self.hub.asked}
        self.assertEqual(tokens, {False: "Bearer hf_secret", True: None})
        self.assertNotIn("hf_secret", self.message)

    def test_a_token_cannot_begin_another_header(self) -> None:
        for token in ("hf_secret\r\nHost: elsewhere", "hf_secret\n", "hf secret", "hf_sécret"):
            self.get(error="invalid_argument", HF_TOKEN=token)
            self.assertIn("token", self.message)
            self.assertNotIn("cret", self.message)
        self.assertEqual(self.hub.asked, [])

    def test_a_token_that_was_kept_is_used(self) -> None:
        (self.path / "hf").mkdir()
        (self.path / "hf" / "token").write_text("hf_kept\n")
        self.get()
        self.assertEqual(self.hub.asked[0][2], "Bearer hf_kept")

    def test_refusals_say_why(self) -> None:
        for status, times, error, words in (
            (401, 1, "io_failed", "token"),
            (404, 1, "not_found", "does not exist"),
            (429, 100, "io_failed", "too many requests"),
            (503, 100, "io_failed", "503"),
        ):
            self.hub.faults = {status: times}
            self.get(error=error)
            self.assertIn(words, self.message)
            self.assertFalse((self.model / "refs").exists())

    def test_a_hub_that_is_busy_for_a_moment_is_asked_again(self) -> None:
        self.hub.faults = {429: 2, 503: 2}
        self.get()

    def test_redirects_end(self) -> None:
        self.hub.faults["loop"] = 1
        self.get(error="io_failed")
        self.assertIn("redirects", self.message)

    def test_a_redirect_leads_to_an_address(self) -> None:
        for self.hub.elsewhere in ("file:///etc/passwd", "http://", "//"):
            self.get(error="io_failed")
            self.assertRegex(self.message, f'{LARGE} redirects to ".*", which is no http or https address')

    def test_no_hub_at_all(self) -> None:
        self.get(error="io_failed", HF_ENDPOINT="http://127.0.0.1:9")
        self.assertIn("the connection to 127.0.0.1:9 could not be made", self.message)
        self.get(error="invalid_argument", HF_ENDPOINT="ftp://127.0.0.1")
        self.assertIn("is not an address that begins with http", self.message)

    def test_over_tls_with_a_certificate_that_is_trusted(self) -> None:
        hub = Hub(self.path / "source", tls=True)
        self.addCleanup(hub.close)
        trusted = {"SSL_CERT_FILE": str(CERTIFICATE), "NO_PROXY": "*"}
        self.get(error="io_failed", HF_ENDPOINT=hub.url(), NO_PROXY="*")
        self.assertIn("certificate verify failed", self.message)
        self.get(error="io_failed", HF_ENDPOINT=hub.url().replace("localhost", "127.0.0.1"), **trusted)
        self.assertIn("certificate verify failed", self.message)
        self.get(HF_ENDPOINT=hub.url(), **trusted)

    def test_a_redirect_does_not_lead_out_of_tls(self) -> None:
        hub = Hub(self.path / "source", tls=True)
        self.addCleanup(hub.close)
        hub.scheme, hub.host = "http", "127.0.0.1"  # of the store alone
        endpoint = f"https://localhost:{hub.servers[0].server_address[1]}"
        self.get(error="io_failed", HF_ENDPOINT=endpoint, SSL_CERT_FILE=str(CERTIFICATE), NO_PROXY="*")
        self.assertIn("which is not encrypted", self.message)

    def test_by_a_proxy(self) -> None:
        self.get(HF_ENDPOINT="http://hub.invalid", HTTP_PROXY=self.hub.url(), NO_PROXY="127.0.0.1")
        self.assertTrue(self.hub.asked)

    def proxy(self) -> Proxy:
        proxy = Proxy(self.hub, "me:p@ss/w\u00f6rd")
        self.addCleanup(proxy.close)
        return proxy

    def test_by_a_proxy_with_a_password(self) -> None:
        proxy = self.proxy()
        user = "me:p%40ss%2Fw%C3%B6rd"
        self.get(HF_ENDPOINT="http://hub.invalid", HTTP_PROXY=proxy.url(user), NO_PROXY="127.0.0.1")
        self.assertEqual(proxy.refused, 0)
        self.assertEqual({host for _, host in proxy.asked}, {"hub.invalid"})

    def test_by_a_proxy_with_a_password_over_tls(self) -> None:
        hub = Hub(self.path / "source", tls=True)
        self.addCleanup(hub.close)
        proxy = self.proxy()
        address = proxy.url("me:p%40ss%2Fw%C3%B6rd")
        self.get(HF_ENDPOINT=hub.url(), HTTPS_PROXY=address, NO_PROXY="", SSL_CERT_FILE=str(CERTIFICATE))
        self.assertEqual(proxy.refused, 0)
        connected = {f"CONNECT localhost:{server.server_address[1]}" for server in hub.servers}
        self.assertEqual({asked for asked, _ in proxy.asked}, connected)
        self.assertTrue(hub.asked)

    def test_a_proxy_that_refuses_is_asked_once(self) -> None:
        proxy = self.proxy()
        wrong = proxy.url("me:wrong%20secret")
        self.get(HF_ENDPOINT="http://hub.invalid", HTTP_PROXY=wrong, NO_PROXY="", error="io_failed")
        self.assertIn("407", self.message)
        self.get(HF_ENDPOINT="https://hub.invalid", HTTPS_PROXY=wrong, NO_PROXY="", error="io_failed")
        self.assertIn("407", self.message)
        self.assertEqual(proxy.refused, 2)
        self.assertNotIn("secret", self.message)

    def test_a_proxy_whose_address_is_none_keeps_its_password(self) -> None:
        for address in ("http://me:secret@proxy:x", "me:secret@proxy:x"):
            self.get(HF_ENDPOINT="http://hub.invalid", HTTP_PROXY=address, NO_PROXY="", error="invalid_argument")
            self.assertNotIn("secret", self.message)

    def test_who_needs_no_proxy(self) -> None:
        ports = [server.server_address[1] for server in self.hub.servers]
        dead = {"HTTP_PROXY": "http://127.0.0.1:9"}
        for names in ("*", "x, 127.0.0.1", ",".join(f"127.0.0.1:{port}" for port in ports)):
            self.get(**dead, NO_PROXY=names)
        self.get(**dead, NO_PROXY=".LocalHost,127.0.0.1", HF_ENDPOINT=f"http://LOCALHOST:{ports[0]}")
        for names in ("", "x", "27.0.0.1", "127.0.0.1:9"):
            self.get(**dead, NO_PROXY=names, error="io_failed")

    def test_an_ipv6_address(self) -> None:
        try:
            hub = Hub(self.path / "source", ipv6=True)
        except OSError as error:
            self.skipTest(f"this machine has no IPv6: {error}")
        self.addCleanup(hub.close)
        self.get(HF_ENDPOINT=hub.url(), NO_PROXY="::1")
        self.assertEqual(set(hub.hosts), {hub.url(which).removeprefix("http://") for which in range(2)})

    def test_a_redirect_may_be_relative(self) -> None:
        for place in (
            f"/store/{LARGE}?from=https://hub/x",
            f"../../../../store/{LARGE}?from=/a/b",
            f"//127.0.0.1:{self.hub.servers[1].server_address[1]}/store/./x/../{LARGE}",
        ):
            self.hub.elsewhere = place
            self.get()
            self.assertIn("/store/" + LARGE, [path for path, *_ in self.hub.asked])
            self.hub.asked.clear()
            shutil.rmtree(self.path / "hf")

    def test_a_certificate_that_is_not_trusted_is_asked_for_once(self) -> None:
        hub = Hub(self.path / "source", tls=True)
        self.addCleanup(hub.close)
        self.get(error="io_failed", HF_ENDPOINT=hub.url(), NO_PROXY="*")
        self.assertEqual(hub.connections, 1)

    def test_a_blob_that_was_cut_is_fetched_again(self) -> None:
        self.get()
        blob = self.model / "blobs" / self.blobs_hash()
        whole = blob.read_bytes()
        blob.write_bytes(whole[:1000])
        self.get()
        self.assertEqual(blob.read_bytes(), whole)

    def test_a_model_without_configuration_is_refused_before_the_download(self) -> None:
        (self.path / "source" / "config.json").unlink()
        self.get(error="unsupported")
        self.assertIn("has no config.json", self.message)
        self.assertEqual(len(self.hub.asked), 1)

    def test_names_that_are_none(self) -> None:
        for name in ("../x", "a/b/c", "/etc", "a--b", "a b", "ä", "./b", "a/.b", ""):
            self.get(name, error="invalid_argument")
        self.assertEqual(self.hub.asked, [])

    def test_a_listing_cannot_lead_outside(self) -> None:
        for path in ("../../config.json", "/config.json", "a/../../config.json"):
            file = {"rfilename": path, "size": 1, "blobId": "0" * 40}
            self.hub.listing = lambda file=file: {"sha": COMMIT, "siblings": [file]}  # type: ignore[method-assign, misc]
            self.get(error="bad_value")
        self.hub.listing = lambda: {"sha": "../../x", "siblings": []}  # type: ignore[method-assign]
        self.get(error="missing")
        self.assertFalse((self.path / "hf").exists())
