#!/usr/bin/env python3
"""`embd model get` against a hub of its own on the loopback address:  get_model_test.py EMBD TEST_DATA

The hub speaks the routes of Hugging Face's: a listing, and files behind a redirect to another host. Its faults are set by each test."""
import gzip
import hashlib
import http.server
import json
import pathlib
import shutil
import ssl
import subprocess
import threading
import unittest
import urllib.parse

from folder_case import BAD_INPUT, DATA, EMBD, GOOD, IO, USAGE, FolderCase

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "someone/small"
LARGE = "model.safetensors"


def small_model(folder):
    """The folder of a small model, with files that embd does not read."""
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

    def __init__(self, folder, tls=False):
        self.folder, self.faults, self.asked = folder, {}, []
        self.scheme, self.host = ("https", "localhost") if tls else ("http", "127.0.0.1")
        self.listed_hash = {}  # other hashes than the files have
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                hub.answer(self)

        self.servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
        for server in self.servers:
            if tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(DATA / "hub" / "certificate.pem", DATA / "hub" / "key.pem")
                server.socket = context.wrap_socket(server.socket, server_side=True)
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def url(self, which=0):
        return f"{self.scheme}://{self.host}:{self.servers[which].server_address[1]}"

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def takes(self, fault):
        left = self.faults.get(fault, 0)
        self.faults[fault] = left - 1
        return left > 0

    def listing(self):
        files = []
        for path in sorted(p for p in self.folder.rglob("*") if p.is_file()):
            name, content = path.relative_to(self.folder).as_posix(), path.read_bytes()
            entry = {"rfilename": name, "size": len(content),
                     "blobId": hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()}
            if name == LARGE:
                entry["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 1}
            if name in self.listed_hash:
                entry = {**entry, "blobId": self.listed_hash[name]}
            files.append(entry)
        return {"id": NAME, "sha": COMMIT, "siblings": files}

    def answer(self, request):
        path = urllib.parse.unquote(urllib.parse.urlparse(request.path).path)
        is_store = path.startswith("/store/")
        self.asked.append((path, request.headers.get("Range"), request.headers.get("Authorization"), is_store))
        for status in (401, 404, 429, 503):
            if self.takes(status):
                return self.send(request, status, b"no", {"Retry-After": "1"} if status == 429 else {})
        if path == f"/api/models/{NAME}/revision/main":
            return self.send(request, 200, json.dumps(self.listing()).encode())
        prefix = f"/{NAME}/resolve/{COMMIT}/"
        if is_store:
            return self.send_file(request, self.folder / path.removeprefix("/store/"))
        if not path.startswith(prefix):
            return self.send(request, 404, b"no")
        name = path.removeprefix(prefix)
        if name == LARGE and "loop" in self.faults:
            return self.send(request, 302, b"", {"Location": path})
        if name == LARGE:
            return self.send(request, 302, b"there", {"Location": f"{self.url(1)}/store/{name}"})
        return self.send_file(request, self.folder / name)

    def send_file(self, request, path):
        content = path.read_bytes()
        if self.takes("wrong bytes"):
            content = bytes([content[0] ^ 1]) + content[1:]
        begin, status, headers = 0, 200, {}
        asked = request.headers.get("Range")
        if asked and "no ranges" not in self.faults:
            begin, status = int(asked.removeprefix("bytes=").removesuffix("-")), 206
            headers = {"Content-Range": f"bytes {begin}-{len(content) - 1}/{len(content)}"}
        content = content[begin:]
        if path.name == LARGE and self.takes("cut"):
            self.send(request, status, content[:len(content) // 2], headers, length=len(content))
            request.close_connection = True
            return None
        return self.send(request, status, content, headers)

    def send(self, request, status, body, headers=None, length=None):
        request.send_response(status)
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body) if length is None else length))
        request.end_headers()
        request.wfile.write(body)


class GetModelTest(FolderCase):
    def setUp(self):
        super().setUp()
        small_model(self.path / "source")
        self.hub = Hub(self.path / "source")
        self.addCleanup(self.hub.close)
        for name in ("HF_TOKEN", "HF_TOKEN_PATH", "HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME"):
            self.environment.pop(name, None)
        self.environment |= {"HF_ENDPOINT": self.hub.url(), "HF_HOME": str(self.path / "hf"), "NO_PROXY": "127.0.0.1",
                             "EMBD_RETRY_SECONDS": "0.01"}
        self.model = self.path / "hf" / "hub" / "models--someone--small"

    def get(self, *arguments, expect=GOOD, **environment):
        return self.run_embd("model", "get", NAME, *arguments, expect=expect, **environment).decode().strip()

    def blobs(self):
        return sorted(p.name for p in (self.model / "blobs").iterdir())

    def test_it_is_found_by_its_name_afterwards(self):
        folder = pathlib.Path(self.get())
        self.assertEqual(folder, self.model / "snapshots" / COMMIT)
        self.assertEqual((self.model / "refs" / "main").read_text(), COMMIT)
        for name in ("config.json", "modules.json", "1_Pooling/config.json", LARGE, "tokenizer.json"):
            self.assertTrue((folder / name).is_symlink(), name)
            self.assertEqual((folder / name).read_bytes(), (self.path / "source" / name).read_bytes())
        self.write("texts.txt", "a\nb\n")
        self.run_embd("embed", "texts.txt", "-m", NAME, "-o", "by_name.npy")
        self.run_embd("embed", "texts.txt", "-m", "source", "-o", "by_folder.npy")
        self.assertEqual(self.bytes("by_name.npy"), self.bytes("by_folder.npy"))

    def test_files_that_are_not_read_are_not_fetched(self):
        self.get()
        asked = " ".join(path for path, *_ in self.hub.asked)
        for name in ("README.md", "pytorch_model.bin", "onnx"):
            self.assertNotIn(name, asked)

    def test_a_second_time_asks_for_the_listing_alone(self):
        self.get()
        self.hub.asked.clear()
        self.get()
        self.assertEqual(len(self.hub.asked), 1)

    def test_it_may_become_a_weight_file(self):
        self.assertEqual(self.get("-o", "small.weights"), "small.weights")
        self.run_embd("model", "convert", self.model / "snapshots" / COMMIT, "again.weights", SOURCE_DATE_EPOCH="0")
        self.run_embd("model", "verify", "small.weights")

    def test_a_download_that_is_cut_off_goes_on_where_it_ended(self):
        self.hub.faults["cut"] = 2
        self.get()
        ranges = [asked for path, asked, _, is_store in self.hub.asked if is_store]
        self.assertEqual(len(ranges), 3)
        self.assertEqual(ranges[0], None)
        self.assertTrue(all(r and r != "bytes=0-" for r in ranges[1:]), ranges)
        self.assertNotIn("incomplete", " ".join(self.blobs()))

    def test_the_next_run_goes_on_too(self):
        self.hub.faults["cut"] = 100
        self.get(expect=IO)
        self.assertIn("cut off", self.message)
        self.assertEqual([b for b in self.blobs() if b.endswith(".incomplete")], [self.blobs_hash() + ".incomplete"])
        self.assertFalse((self.model / "snapshots").exists())
        self.hub.faults.clear()
        self.hub.asked.clear()
        self.get()
        self.assertTrue([asked for _, asked, _, is_store in self.hub.asked if is_store][0])

    def blobs_hash(self):
        return hashlib.sha256((self.path / "source" / LARGE).read_bytes()).hexdigest()

    def test_a_hub_without_ranges_begins_anew(self):
        self.hub.faults |= {"cut": 1, "no ranges": 1}
        self.get()
        self.assertEqual((self.model / "blobs" / self.blobs_hash()).read_bytes(), (self.path / "source" / LARGE).read_bytes())

    def test_wrong_bytes_are_refused_and_gone(self):
        self.hub.faults["wrong bytes"] = 100
        self.get(expect=BAD_INPUT)
        self.assertIn("the hub says", self.message)
        self.assertEqual(self.blobs(), [])
        self.assertFalse((self.model / "refs").exists())

    def test_a_known_model_has_the_hashes_that_embd_knows(self):
        source = self.path / "source"
        listing = self.hub.listing

        def answer(request, real=self.hub.answer):
            request.path = request.path.replace("sentence-transformers/all-MiniLM-L6-v2", NAME)
            return real(request)

        self.hub.answer, self.hub.listing = answer, listing
        self.run_embd("model", "get", "all-MiniLM-L6-v2", expect=BAD_INPUT)
        self.assertIn("it is not the model that embd knows", self.message)
        self.assertTrue(source.exists())

    def test_the_token_goes_to_the_hub_alone(self):
        self.get(HF_TOKEN="hf_secret")
        tokens = {is_store: token for _, _, token, is_store in self.hub.asked}
        self.assertEqual(tokens, {False: "Bearer hf_secret", True: None})
        self.assertNotIn("hf_secret", self.message)

    def test_a_token_that_was_kept_is_used(self):
        (self.path / "hf").mkdir()
        self.write("hf/token", "hf_kept\n")
        self.get()
        self.assertEqual(self.hub.asked[0][2], "Bearer hf_kept")

    def test_refusals_say_why(self):
        for status, times, expect, words in ((401, 1, IO, "token"), (404, 1, IO, "no such model"), (429, 100, IO, "too many requests"),
                                             (503, 100, IO, "503")):
            self.hub.faults = {status: times}
            self.get(expect=expect)
            self.assertIn(words, self.message)
            self.assertFalse((self.model / "refs").exists())

    def test_a_hub_that_is_busy_for_a_moment_is_asked_again(self):
        self.hub.faults = {429: 2, 503: 2}
        self.get()

    def test_redirects_end(self):
        self.hub.faults["loop"] = 1
        self.get(expect=IO)
        self.assertIn("redirects", self.message)

    def test_no_hub_at_all(self):
        self.get(expect=IO, HF_ENDPOINT="http://127.0.0.1:9")
        self.assertIn("no connection to 127.0.0.1:9", self.message)

    def test_over_tls_with_a_certificate_that_is_trusted(self):
        hub = Hub(self.path / "source", tls=True)
        self.addCleanup(hub.close)
        trusted = {"SSL_CERT_FILE": str(DATA / "hub" / "certificate.pem"), "NO_PROXY": "*"}
        self.get(expect=IO, HF_ENDPOINT=hub.url(), NO_PROXY="*")
        self.assertIn("certificate verify failed", self.message)
        self.get(expect=IO, HF_ENDPOINT=hub.url().replace("localhost", "127.0.0.1"), **trusted)
        self.assertIn("certificate verify failed", self.message)
        self.get(HF_ENDPOINT=hub.url(), **trusted)

    def test_a_redirect_does_not_lead_out_of_tls(self):
        hub = Hub(self.path / "source", tls=True)
        self.addCleanup(hub.close)
        hub.scheme, hub.host = "http", "127.0.0.1"  # of the store alone
        endpoint = f"https://localhost:{hub.servers[0].server_address[1]}"
        self.get(expect=IO, HF_ENDPOINT=endpoint, SSL_CERT_FILE=str(DATA / "hub" / "certificate.pem"), NO_PROXY="*")
        self.assertIn("which is not encrypted", self.message)

    def test_by_a_proxy(self):
        self.get(HF_ENDPOINT="http://hub.invalid", HTTP_PROXY=self.hub.url(), NO_PROXY="127.0.0.1")
        self.assertTrue(self.hub.asked)

    def test_names_that_are_none(self):
        for name in ("../x", "a/b/c", "/etc", "a--b", "a b", "ä", ""):
            self.run_embd("model", "get", name, expect=USAGE)
        self.assertEqual(self.hub.asked, [])

    def test_a_listing_cannot_lead_outside(self):
        for path in ("../../config.json", "/config.json", "a/../../config.json"):
            self.hub.listing = lambda path=path: {"sha": COMMIT, "siblings": [{"rfilename": path, "size": 1, "blobId": "0" * 40}]}
            self.get(expect=BAD_INPUT)
        self.hub.listing = lambda: {"sha": "../../x", "siblings": []}
        self.get(expect=BAD_INPUT)
        self.assertFalse((self.path / "hf").exists())

    def test_two_processes_at_once(self):
        runs = [subprocess.Popen([EMBD, "model", "get", NAME], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                for _ in range(4)]
        said = [run.communicate(timeout=60)[1] for run in runs]
        codes = [(run.returncode, text) for run, text in zip(runs, said)]
        self.assertIn(0, [code for code, _ in codes])
        for code, said in codes:
            self.assertIn(code, (GOOD, IO), said)
        self.get()
        self.assertEqual(len(self.blobs()), len({p.resolve() for p in (self.model / "snapshots" / COMMIT).rglob("*") if p.is_file()}))


if __name__ == "__main__":
    import sys

    unittest.main(argv=sys.argv[:1])
