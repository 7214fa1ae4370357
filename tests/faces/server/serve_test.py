#!/usr/bin/env python3
"""embd serve, the real program over real sockets:  serve_test.py EMBD TEST_DATA

Standard library only. What the routes answer is tests/faces/server/service_test.cc's; here it is HTTP: odd
and hostile requests, keys, signals, clients that go away."""
import base64
import concurrent.futures
import functools
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from server_process import ServerProcess, die_with_parent

EMBD = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(sys.argv[2]).resolve()
MODEL = DATA / "embd" / "plain.weights"
JSON = {"Content-Type": "application/json"}


class Server(ServerProcess):
    def __init__(self, *arguments, environment=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("EMBD_")}
        clean.update(environment or {})
        super().__init__([EMBD, "serve", "-m", MODEL, "--port", "0", *arguments], env=clean)

    def connect(self):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.connect()
        return connection

    def ask(self, method, path, body=None, headers=None):
        """Of any ServerProcess."""
        connection = Server.connect(self)
        try:
            sent = dict(JSON if body is not None else {}, **(headers or {}))
            connection.request(method, path, json.dumps(body) if not isinstance(
                body, (bytes, str, type(None))) else body, sent)
            response = connection.getresponse()
            return response.status, response.read(), response.headers
        finally:
            connection.close()

    def raw(self, *parts, timeout=20):
        """Sends bytes as they are and returns all that comes back until the server closes."""
        with socket.create_connection((self.host, self.port), timeout=timeout) as client:
            for part in parts:
                client.sendall(part)
            answer = b""
            while True:
                try:
                    piece = client.recv(65536)
                except ConnectionResetError:
                    return answer
                if not piece:
                    return answer
                answer += piece


def statuses(answer):
    return [int(code) for code in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answer)]


def embed(text):
    return embed_text(text, MODEL)


def embed_text(text, model):
    """Returns the vectors that the command line makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npy"
        subprocess.run([EMBD, "embed", "-m", model, "-o", out], input=text + "\n",
                       text=True, check=True, capture_output=True)
        data = out.read_bytes()
        return data[10 + struct.unpack_from("<H", data, 8)[0]:]


BODY = b'{"model":"m","input":"a cat"}'


def post(body=BODY, *fields, version="1.1", path="/v1/embeddings", length=True, host=True):
    lines = [f"POST {path} HTTP/{version}".encode()]
    lines += [b"Host: localhost"] if host else []
    lines += [b"Content-Type: application/json", b"Connection: close"]
    lines += [b"Content-Length: %d" % len(body)] if length else []
    lines += [f.encode() if isinstance(f, str) else f for f in fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def chunked(body=BODY, *fields, extension=b"", trailer=b"", version="1.1"):
    pieces = b"".join(b"%x%s\r\n%s\r\n" % (len(part), extension, part)
                      for part in (body[:5], body[5:]))
    return post(pieces + b"0\r\n" + trailer + b"\r\n", "Transfer-Encoding: chunked", *fields,
                length=False, version=version)


def mutated(good):
    text = bytearray(good)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(text)) if text else 0
        kind = random.randrange(3)
        if kind == 0:
            text[at:at + 1] = random.randbytes(1)
        elif kind == 1:
            del text[at:at + random.randint(1, 5)]
        else:
            start = random.randrange(len(good))
            text[at:at] = good[start:start + random.randint(1, 12)]
    return bytes(text)


def read_response(stream):
    """Status and body of the next answer on a connection."""
    status = int(stream.readline().split()[1])
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return status, stream.read(length)


class RequestTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        index = pathlib.Path(cls.folder.name) / "docs.usearch"
        texts = pathlib.Path(cls.folder.name) / "docs.txt"
        texts.write_text("a cat\na dog\na house\n")
        subprocess.run([EMBD, "embed", "-m", MODEL, "-o", index, texts], check=True, capture_output=True)
        cls.server = Server("--max-body", "100000", "--index", f"docs={index}", "--texts", f"docs={texts}")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None)

    def test_vectors_are_those_of_the_command_line(self):
        status, body, _ = self.server.ask("POST", "/v1/embeddings", {
            "model": "m", "input": "a cat", "encoding_format": "base64"})
        self.assertEqual(status, 200, body)
        self.assertEqual(base64.b64decode(json.loads(body)["data"][0]["embedding"]), embed("a cat"))

    def test_good_requests_of_every_form(self):
        good = {
            "plain": post(),
            "chunked": chunked(),
            "a chunk with an extension": chunked(extension=b";name=value"),
            "a chunk with a trailer": chunked(trailer=b"X-Sum: 1\r\n"),
            "HTTP/1.0": post(version="1.0", host=False),
            "an offer of HTTP/2": post(BODY, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
            "the whole URL as target": post(path="http://localhost/v1/embeddings"),
            "a query": post(path="/v1/embeddings?api-version=1"),
            "bytes of a BOM": post(b"\xef\xbb\xbf" + BODY),
            "odd case": post(BODY, "X-REQUEST-id: a").replace(b"Content-Length", b"cOnTeNt-LeNgTh"),
        }
        for name, request in good.items():
            with self.subTest(name):
                answer = self.server.raw(request)
                self.assertEqual(statuses(answer), [200], answer[:300])
                self.assertTrue(answer.startswith(b"HTTP/1."))
        for cut in (1, 10, 30, 60, 100, 140):
            with self.subTest(f"in two parts, {cut}"):
                request = post()
                self.assertEqual(statuses(self.server.raw(request[:cut], request[cut:])), [200])

    def test_slashes_that_are_doubled_or_at_the_end_change_nothing(self):
        name = json.loads(self.server.ask("GET", "/v1/models")[1])["data"][0]["id"]
        described = json.loads(self.server.ask("GET", "/openapi.json")[1])["paths"]
        for path, methods in described.items():
            path = path.replace("{deployment}", "m").replace("{id}", name)
            for method in methods:
                body = {"input": "a", "inputs": "a", "model": name} if method == "post" else None
                plain = self.server.ask(method.upper(), path, body)
                self.assertNotIn(plain[0], (404, 405), path)
                for other in ("/" + path, path.replace("/", "///"), path + "/", "/" + path + "//", path + "/?a=b"):
                    with self.subTest(f"{method} {other}"):
                        self.assertEqual(self.server.ask(method.upper(), other, body)[0], plain[0])
        for path in ("//v1//embeddings//", "/v1/embeddings/"):
            self.assertEqual(self.server.ask("GET", path)[2]["Allow"], "POST")
            self.assertEqual(self.server.ask("POST", path, {"input": "a"})[1], self.server.ask("POST", "/v1/embeddings", {"input": "a"})[1])
        self.assertEqual(self.server.ask("HEAD", "//health/")[0], 200)
        self.assertEqual(self.server.ask("POST", "/v1/embeddingsx/", {"input": "a"})[0], 404)

    def test_requests_one_after_the_other_and_at_once(self):
        keep = post().replace(b"Connection: close\r\n", b"")
        self.assertEqual(statuses(self.server.raw(keep + keep + keep + post())), [200] * 4)
        connection = self.server.connect()
        for _ in range(3):
            connection.request("POST", "/v1/embeddings", BODY, JSON)
            response = connection.getresponse()
            self.assertEqual((response.status, bool(response.read())), (200, True))
        connection.close()

    def test_odd_framing_is_refused(self):
        bad = {
            "length and encoding": post(chunked().split(b"\r\n\r\n", 1)[1], "Transfer-Encoding: chunked"),
            "lengths that differ": post(BODY, "Content-Length: 5"),
            "the length twice": post(BODY, f"Content-Length: {len(BODY)}"),
            "a list of lengths": post(BODY, "Content-Length: 29, 29", length=False),
            "+5": post(BODY, "Content-Length: +5", length=False),
            "-5": post(BODY, "Content-Length: -5", length=False),
            "0x5": post(BODY, "Content-Length: 0x5", length=False),
            "an empty length": post(BODY, "Content-Length:", length=False),
            "a huge length": post(BODY, "Content-Length: 99999999999999999999", length=False),
            "gzip": post(BODY, "Transfer-Encoding: gzip", length=False),
            "gzip, chunked": post(BODY, "Transfer-Encoding: gzip, chunked", length=False),
            "chunked, gzip": post(BODY, "Transfer-Encoding: chunked, gzip", length=False),
            "chunked, chunked": post(BODY, "Transfer-Encoding: chunked, chunked", length=False),
            "chunked twice": chunked(BODY, "Transfer-Encoding: chunked"),
            "identity and a length": post(BODY, "Transfer-Encoding: identity"),
            "xchunked": post(BODY, "Transfer-Encoding: xchunked", length=False),
            "chunked in HTTP/1.0": chunked(version="1.0"),
            "no Host": post(host=False),
            "two Hosts": post(BODY, "Host: localhost"),
            "a bad chunk size": post(b"zz\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked", length=False),
            "a chunk size of 0x5": post(b"0x5\r\nabcde\r\n0\r\n\r\n", "Transfer-Encoding: chunked",
                                        length=False),
            "a chunk longer than its size": post(b"3\r\nabcdef\r\n0\r\n\r\n",
                                                 "Transfer-Encoding: chunked", length=False),
            "a chunk size that overflows": post(b"ffffffffffffffffff\r\na\r\n0\r\n\r\n",
                                                "Transfer-Encoding: chunked", length=False),
            "a NUL in a field": post(BODY, b"X-A: a\0b"),
            "a NUL in a name": post(BODY, b"X\0A: b"),
            "a space before the colon": post(BODY, "X-A : b"),
            "bare LF": post().replace(b"\r\n", b"\n"),
            "a field without a colon": post(BODY, "nonsense"),
            "a space in the target": post(path="/v1/ embeddings"),
            "HTTP/2.0": post(version="2.0"),
            "HTTP/0.9": b"GET /health\r\n\r\n",
            "no version": b"GET /health HTTP\r\n\r\n",
            "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 512,
            "HTTP/2's opening": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "noise": bytes(range(256)) * 4,
            "a target that is no path": post(path="v1/embeddings"),
            "a blank before the method": b" " + post(),
            "a blank before the first field": post().replace(b"Host", b" Host"),
            "two blanks before the target": post().replace(b" /v1", b"  /v1"),
            "a blank after the version": post().replace(b"/1.1\r\n", b"/1.1 \r\n"),
            "bare CR": post().replace(b"/1.1\r\n", b"/1.1\r"),
            "an empty line first": b"\r\n" + post(),
            "a control character in the encoding": post(BODY, "Transfer-Encoding: \x0bchunked", length=False),
            "a negative chunk size": post(b"-5\r\nabcde\r\n0\r\n\r\n", "Transfer-Encoding: chunked",
                                          length=False),
            "a blank after a chunk size": post(b"5 \r\nabcde\r\n0\r\n\r\n", "Transfer-Encoding: chunked",
                                               length=False),
            "CONNECT": b"CONNECT a:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        }
        for name, request in bad.items():
            with self.subTest(name):
                answer = self.server.raw(request)
                self.assertEqual(statuses(answer), [400], answer[:300])
                self.assertIn(b"Connection: close", answer)
                self.assertEqual(json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]["type"],
                                 "invalid_request_error")

    def test_what_is_too_long_is_refused(self):
        for name, request, status in (
                ("a field", post(BODY, "X-A: " + "a" * 10000), 431),
                ("many fields", post(BODY, *(f"X-{i}: a" for i in range(2000))), 431),
                ("the target", post(path="/" + "a" * 10000), 431),
                ("a body", post(b" " * 200000), 413),
                ("a body in chunks", chunked(b" " * 200000), 413)):
            with self.subTest(name):
                answer = self.server.raw(request)
                self.assertEqual(statuses(answer), [status], answer[:300])
        answer = self.server.raw(chunked(extension=b";" + b"x" * 100000))
        self.assertIn(statuses(answer), ([400], [431], []))
        # The limit is named, and the body is not waited for.
        answer = self.server.raw(post(b"", "Content-Length: 10000000", length=False))
        self.assertEqual(statuses(answer), [413])
        self.assertIn(b"100000", answer)

    def test_continue_is_said_before_the_body(self):
        head, body = post(BODY, "Expect: 100-continue").split(b"\r\n\r\n", 1)
        with socket.create_connection((self.server.host, self.server.port), timeout=20) as client:
            client.sendall(head + b"\r\n\r\n")
            self.assertEqual(client.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            client.sendall(body)
            self.assertEqual(statuses(client.recv(1000)), [200])
        answer = self.server.raw(post(b"", "Expect: 100-continue", "Content-Length: 10000000",
                                      length=False))
        self.assertEqual(statuses(answer), [413])

    def test_mutated_requests_never_hurt(self):
        random.seed(19)
        forms = [post(), chunked(), post(version="1.0")]
        for _ in range(1000):
            request = bytearray(random.choice(forms))
            for _ in range(random.randint(1, 4)):
                at = random.randrange(len(request))
                request[at:at + random.randint(0, 3)] = random.randbytes(random.randint(0, 3))
            with socket.create_connection((self.server.host, self.server.port), timeout=20) as client:
                client.sendall(bytes(request))
                client.shutdown(socket.SHUT_WR)
                answer = b""
                try:
                    while piece := client.recv(65536):
                        answer += piece
                except ConnectionResetError:
                    pass
            for status in statuses(answer):
                self.assertTrue(200 <= status < 500, (bytes(request), answer[:200]))
        self.assertEqual(self.server.ask("GET", "/health")[0], 200)

    def test_mutated_bodies_get_an_answer_in_the_right_form(self):
        bodies = {
            "/v1/embeddings": {"model": "m", "input": ["a", "b"], "dimensions": 4,
                               "encoding_format": "base64"},
            "/embed": {"inputs": ["a"], "truncate": True, "normalize": False},
            "/embed_all": {"inputs": "a"},
            "/similarity": {"inputs": {"source_sentence": "a", "sentences": ["b"]}},
            "/tokenize": {"inputs": "a", "add_special_tokens": True},
            "/decode": {"ids": [1, 2]},
            "/api/embed": {"model": "m", "input": "a", "options": {"a": None}},
            "/api/embeddings": {"model": "m", "prompt": "a"},
            "/v2/embed": {"model": "m", "texts": ["a"], "input_type": "search_query"},
            "/search": {"index": "docs", "texts": ["a"], "k": 2, "filter": {"ids": [0, 1], "columns": {"level": ["a", 1]}}},
            "/map": {"index": "docs", "texts": ["a"], "truncate": False},
        }
        openai = lambda e: e["error"]["message"] and e["error"]["type"]
        forms = {"/v1/embeddings": openai, "/search": openai, "/map": openai,
                 "/api/embed": lambda e: e["error"], "/api/embeddings": lambda e: e["error"],
                 "/v2/embed": lambda e: e["message"]}
        for path, body in bodies.items():
            with self.subTest(path):
                self.mutate(path, json.dumps(body).encode(),
                            forms.get(path, lambda e: e["error"] and e["error_type"]))

    def mutate(self, path, good, form):
        """A thousand changed bodies; each connection sends what it has without waiting for answers."""
        random.seed(path)
        refused = 0
        for _ in range(20):
            bodies = [mutated(good) for _ in range(50)]
            sent = b"".join(post(body, path=path).replace(b"Connection: close\r\n", b"") for body in bodies[:-1])
            with socket.create_connection((self.server.host, self.server.port), timeout=60) as client:
                client.sendall(sent + post(bodies[-1], path=path))
                with client.makefile("rb") as stream:
                    for body in bodies:
                        response = read_response(stream)
                        if response[0] == 200:
                            continue
                        refused += 1
                        self.assertIn(response[0], (400, 404, 413, 422), (body, response))
                        self.assertTrue(form(json.loads(response[1])), (body, response))
        self.assertGreater(refused, 300)

    def test_request_ids(self):
        _, _, headers = self.server.ask("GET", "/health", headers={"X-Request-Id": "ours-1"})
        self.assertEqual(headers["x-request-id"], "ours-1")
        ids = {self.server.ask("GET", "/health", headers={"X-Request-Id": "a\tb"})[2]["x-request-id"]
               for _ in range(3)}
        self.assertEqual(len(ids), 3)
        self.assertNotIn("a\tb", ids)

    def test_clients_that_go_away_do_not_keep_the_workers(self):
        texts = ["word " * 200] * 200
        body = json.dumps({"input": texts}).encode()
        for _ in range(5):
            client = socket.create_connection((self.server.host, self.server.port))
            client.sendall(post(body[:50000]))
            client.close()
            client = socket.create_connection((self.server.host, self.server.port))
            client.sendall(post(json.dumps({"input": texts[:90]}).encode()))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        end = time.monotonic() + 30
        while time.monotonic() < end:
            metrics = self.server.ask("GET", "/metrics")[1].decode()
            if "\nembd_queue_tokens 0\n" in metrics and "\nembd_connections 1\n" in metrics:
                return
            time.sleep(0.1)
        self.fail(metrics)

    def test_a_page_that_was_made_to_mean_this_address_is_refused(self):
        self.assertEqual(self.server.ask("GET", "/health", headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(self.server.ask("GET", "/v1/models",
                                         headers={"Origin": "https://evil.example"})[0], 403)


class ProgramTest(unittest.TestCase):
    def test_keys_from_file_and_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys"
            keys.write_text("one\n")
            with Server("--api-key-file", str(keys), environment={"EMBD_API_KEY": "two"}) as server:
                for key, status in (("one", 200), ("two", 200), ("three", 401)):
                    self.assertEqual(server.ask("GET", "/v1/models", headers={
                        "Authorization": f"Bearer {key}"})[0], status)
                # Neither a trailer nor an unread body opens it.
                answer = server.raw(chunked(trailer=b"Authorization: Bearer one\r\n"))
                self.assertEqual(statuses(answer), [401])

    def test_logs_have_no_texts(self):
        with Server("--log") as server:
            server.ask("POST", "/v1/embeddings?secret=words", {"input": "secret words"},
                       {"X-Request-Id": "r1", "traceparent": "00-1-2-01"})
        records = [json.loads(line) for line in server.lines if line.startswith("{")]
        self.assertEqual([r["request_id"] for r in records], ["r1"])
        self.assertEqual((records[0]["path"], records[0]["status"], records[0]["traceparent"]),
                         ("/v1/embeddings", 200, "00-1-2-01"))
        self.assertNotIn("secret", "".join(server.lines))

    def test_wrong_options_are_usage_errors(self):
        for arguments, code in ((["--host", "example.com"], 2), (["--port", "70000"], 2),
                                (["--drain", "nan"], 2), (["--drain", "-1"], 2), (["--queue", "0"], 2),
                                (["--request-timeout", "1e300"], 2), (["--max-inputs", "0"], 2),
                                (["--max-body", "1GiB"], 2), (["--index", "docs"], 2),
                                (["--texts", "docs=texts.txt"], 2), (["--cors-origin", "app.example"], 2),
                                (["--allowed-host", "http://embeddings.lan"], 2),
                                (["--api-key-file", "/nonexistent"], 6), (["--vocab", "/nonexistent"], 6)):
            with self.subTest(arguments):
                result = subprocess.run([EMBD, "serve", "-m", str(MODEL), "--port", "0", *arguments],
                                        capture_output=True, text=True, timeout=60)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn("embd: ", result.stderr)

    def test_a_map_that_is_being_made_delays_no_other_request(self):
        with tempfile.TemporaryDirectory() as folder:
            texts, index = pathlib.Path(folder) / "texts.txt", pathlib.Path(folder) / "rows.npy"
            texts.write_text("".join(f"a text of the number {i} and {i * i}\n" for i in range(4000)))
            subprocess.run([EMBD, "embed", "-m", MODEL, "-o", index, texts], check=True, capture_output=True)
            with Server("--index", f"docs={index}", "--threads", "2") as server, concurrent.futures.ThreadPoolExecutor() as pool:
                maps = [pool.submit(server.ask, "GET", "/map") for _ in range(3)]
                places = pool.submit(server.ask, "POST", "/map", {"texts": ["a text of the number 7 and 49"]})
                # The queue has the map as a work.
                while b"\nembd_queue_tokens 0\n" in server.ask("GET", "/metrics")[1]:
                    self.assertFalse(any(answer.done() for answer in maps), "the map is no work of the queue")
                large = {"input": ["a text that is embedded " * 8] * 300}
                self.assertGreater(len(json.dumps(large)), 40000)
                status, body, _ = server.ask("POST", "/v1/embeddings", large)
                self.assertEqual((status, len(json.loads(body)["data"])), (200, 300))
                self.assertEqual(server.ask("GET", "/info")[0], 200)
                self.assertFalse(any(answer.done() for answer in maps), "the map was made before the large request was answered")
                drawn = [answer.result() for answer in maps]
                self.assertEqual([status for status, _, _ in drawn], [200] * 3)
                self.assertEqual(len({body for _, body, _ in drawn}), 1)
                self.assertEqual(json.loads(places.result()[1])["results"][0]["near"][0]["point"], 7)

    def test_texts_have_a_place_on_the_map(self):
        with tempfile.TemporaryDirectory() as folder:
            texts, index = pathlib.Path(folder) / "texts.txt", pathlib.Path(folder) / "rows.npy"
            lines = [f"{word} number {i}" for i in range(7) for word in ("bread", "river", "engine")]
            texts.write_text("\n".join(lines) + "\n")
            subprocess.run([EMBD, "embed", "-m", MODEL, "-o", index, texts], check=True, capture_output=True)
            with Server("--index", f"docs={index}", "--texts", f"docs={texts}") as server:
                drawn = json.loads(server.ask("GET", "/map")[1])
                self.assertEqual([point["text"] for point in drawn["points"]], lines)
                self.assertEqual([point["id"] for point in drawn["points"]], list(range(21)))
                self.assertEqual(len(drawn["groups"]), 2)
                for point in drawn["points"]:
                    self.assertIn(point["group"], (0, 1))
                    self.assertEqual(len(point["near"]), 6)
                placed = json.loads(server.ask("POST", "/map", {"texts": lines})[1])
                for i, place in enumerate(placed["results"]):
                    self.assertEqual(place["near"][0]["point"], i)
                    self.assertGreater(place["near"][0]["similarity"], 0.999)
                    self.assertAlmostEqual(place["x"], drawn["points"][i]["x"], delta=0.05)
                    self.assertAlmostEqual(place["y"], drawn["points"][i]["y"], delta=0.05)
                self.assertEqual(server.ask("POST", "/map", {"texts": [""]})[0], 400)
                self.assertEqual(server.ask("POST", "/map", {})[0], 400)
                self.assertEqual(server.ask("POST", "/map", {"texts": ["a"], "k": 3})[0], 400)
                self.assertEqual(server.ask("POST", "/map", {"index": "other", "texts": ["a"]})[0], 404)

    def test_several_models_share_a_server(self):
        """Requests choose by name, indexes have the model that made their rows."""
        other = DATA / "embd" / "int8.weights"
        lines = [f"a cat of {i} dogs" for i in range(30)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            texts = folder / "docs.txt"
            texts.write_text("".join(line + "\n" for line in lines))

            def embed(model, out, *options):
                subprocess.run([EMBD, "embed", "-m", model, "-o", folder / out, texts, *options], check=True,
                               capture_output=True)

            def search(model, index, *options):
                printed = subprocess.run([EMBD, "search", folder / index, "-m", model, "--json", "-k", "5",
                                          *(word for line in lines[::7] for word in ("-q", line)), *options],
                                         check=True, capture_output=True).stdout
                return [[(hit["id"], hit["distance"]) for hit in json.loads(line)["hits"]]
                        for line in printed.splitlines()]

            embed(MODEL, "first.npy")
            embed(other, "second.usearch")
            embed(MODEL, "third.npy", "--compute", "int8")
            shutil.copy(other, folder / "a=b.weights")  # a name with "=", which is a file's
            with ServerProcess([EMBD, "serve", "--port", "0", "-m", f"one={MODEL}", "-m", folder / "a=b.weights",
                                *(word for i in ("first.npy", "second.usearch", "third.npy")
                                  for word in ("--index", f"{i[:i.find('.')]}={folder / i}"))]) as server:
                ask = functools.partial(Server.ask, server)
                ids = [model["id"] for model in json.loads(ask("GET", "/v1/models")[1])["data"]]
                self.assertEqual(ids, ["one", "tiny-visible-int8"])
                for model, path in zip(ids, (MODEL, other)):
                    answer = json.loads(ask("POST", "/v1/embeddings", {
                        "model": model, "input": "a cat", "encoding_format": "base64"})[1])
                    self.assertEqual(base64.b64decode(answer["data"][0]["embedding"]), embed_text("a cat", path))
                self.assertEqual(ask("POST", "/v1/embeddings", {"model": "m", "input": "a"})[0], 404)
                indexes = {i["name"]: i["model"] for i in json.loads(ask("GET", "/info")[1])["embd"]["indexes"]}
                self.assertEqual(indexes, {"first": ids[0], "second": ids[1], "third": ids[0]})
                for index, path in (("first.npy", MODEL), ("second.usearch", other), ("third.npy", MODEL)):
                    status, body, _ = ask("POST", "/search", {"index": index.split(".")[0], "texts": lines[::7], "k": 5})
                    self.assertEqual(status, 200, body)
                    found = [[(hit["id"], hit["distance"]) for hit in result["hits"]]
                             for result in json.loads(body)["results"]]
                    self.assertEqual(found, search(path, index), index)
            self.assertTrue(any("third" in line or "int8" in line for line in server.lines), server.lines)

            # Of one model in two arithmetics an index has the one that its rows were made in.
            with ServerProcess([EMBD, "serve", "--port", "0", "-m", MODEL, "--compute", "int8", "--index",
                                f"third={folder}/third.npy"]) as server:
                self.assertFalse([line for line in server.lines if line.startswith("embd:")])

            def refusal(*arguments):
                result = subprocess.run([EMBD, "serve", "--port", "0", *arguments], capture_output=True, text=True,
                                        timeout=60)
                return result.returncode, result.stderr

            for arguments, code, word in (
                    (["-m", MODEL, "-m", MODEL], 2, "tiny-visible-plain"),
                    (["-m", f"a={MODEL}", "-m", f"a={other}"], 2, '"a"'),
                    (["-m", f"={MODEL}"], 2, "NAME=FILE"),
                    (["-m", "a="], 2, "NAME=FILE"),
                    (["-m", MODEL, "-m", other, "--model-name", "b"], 2, "2 models"),
                    (["-m", MODEL, "-m", other, "--vocab", DATA / "embd" / "external_vocab.vocab.txt"], 2, "--vocab"),
                    (["-m", other, "--index", f"docs={folder}/first.npy"], 4, "first.npy")):
                found, said = refusal(*arguments)
                self.assertEqual(found, code, said)
                self.assertIn(word, said)

    def test_rows_are_found_by_vectors_terms_and_both(self):
        lines = [f"a cat of {i} dogs" + (" and a bird" if i % 7 == 3 else "") for i in range(30)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            texts = folder / "texts.txt"
            texts.write_text("".join(line + "\n" for line in lines))
            # Without the stemmer, which a build may lack.
            subprocess.run([EMBD, "embed", "-m", MODEL, texts, "-o", folder / "docs.npy", "-o", folder / "docs.terms",
                            "--stemmer", "none"], check=True, capture_output=True)
            served = ["--index", f"docs={folder}/docs.npy", "--texts", f"docs={texts}"]
            query = "a bird of 17 cats"

            def of_program(*arguments):
                said = subprocess.run([EMBD, "search", "-m", MODEL, folder / "docs.npy", "--terms", folder / "docs.terms",
                                       "--texts", texts, "-q", query, "-k", "5", *arguments], check=True, capture_output=True)
                return json.loads(said.stdout)["hits"]

            def of_server(server, **asked):
                status, body, _ = server.ask("POST", "/search", {"k": 5, **asked})
                if status != 200:
                    return status, json.loads(body)["error"]["message"]
                return [{key: value for key, value in hit.items() if key != "similarity"}
                        for hit in json.loads(body)["results"][0]["hits"]]

            with Server(*served, "--terms", f"docs={folder}/docs.terms") as server:
                self.assertTrue(json.loads(server.ask("GET", "/info")[1])["embd"]["indexes"][0]["terms"])
                for match in ("vectors", "terms", "both"):
                    self.assertEqual(of_server(server, texts=query, match=match), of_program("--match", match))
                self.assertEqual(of_server(server, texts=[query]), of_program())
                vector = json.loads(server.ask("POST", "/embed", {"inputs": query})[1])[0]
                self.assertEqual([hit["id"] for hit in of_server(server, vectors=[vector])],
                                 [hit["id"] for hit in of_program("--match", "vectors")])
                self.assertEqual(of_server(server, texts="the unknown", match="terms"), [])
                for asked in ({"vectors": [vector], "match": "both"}, {"texts": query, "match": "words"},
                              {"texts": "", "match": "terms"}, {"texts": [[1, 2]], "match": "terms"}):
                    self.assertIn(of_server(server, **asked)[0], (400, 422), asked)
            with Server(*served) as server:
                self.assertEqual(of_server(server, texts=query), of_program("--match", "vectors"))
                status, said = of_server(server, texts=query, match="terms")
                self.assertEqual(status, 400)
                self.assertIn("--terms NAME=PATH", said)

    def test_a_collection_is_an_index_with_terms_and_texts(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "notes").mkdir()
            (folder / "notes/a.md").write_text("# Cats\n\nA cat sits.\n\n## Errors\n\nThe error is E4711.\n")
            subprocess.run([EMBD, "collect", "-m", MODEL, "notes", "-o", "n.collection", "--stemmer", "none"],
                           cwd=folder, check=True, capture_output=True)
            with Server("--index", f"notes={folder}/n.collection") as server:
                hit = json.loads(server.ask("POST", "/search", {"texts": "E4711", "k": 1})[1])["results"][0]["hits"][0]
                self.assertEqual((hit["id"], hit["line"], hit["text"]), ("notes/a.md:5", 3, "## Errors\n\nThe error is E4711."))
                self.assertEqual((hit["columns"]["file"], hit["columns"]["headings"]), ("notes/a.md", '["Cats","Errors"]'))

    def test_files_of_one_name_are_shards_of_one_set(self):
        lines = [f"a cat of {i} dogs" for i in range(30)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def write(lines, *names):
                texts = folder / (names[0] + ".txt")
                texts.write_text("".join(line + "\n" for line in lines))
                for name in names:
                    subprocess.run([EMBD, "embed", "-m", MODEL, "-o", folder / name, texts], check=True,
                                   capture_output=True)
                return texts

            whole = write(lines, "whole.npy")
            first, second = write(lines[:12], "0.usearch"), write(lines[12:], "1.npy")
            shards = ["--index", f"docs={folder}/0.usearch", "--index", f"docs={folder}/1.npy"]
            asked = {"index": "docs", "texts": lines[::7], "k": 20, "exact": True}

            def answers(*arguments):
                with Server(*arguments, "--index", f"other={folder}/whole.npy") as server:
                    hits = json.loads(server.ask("POST", "/search", asked)[1])
                    filtered = json.loads(server.ask("POST", "/search", {**asked, "filter": {"ids": [3, 12, 29]}})[1])
                    points = json.loads(server.ask("GET", "/map?index=docs")[1])
                    info = json.loads(server.ask("GET", "/info")[1])["embd"]["indexes"][0]
                    return hits, filtered, points, (info["name"], info["shards"], info["rows"])

            expected = answers("--index", f"docs={folder}/whole.npy", "--texts", f"docs={whole}")
            self.assertEqual(expected[3], ("docs", 1, 30))
            self.assertEqual([hit["id"] for hit in expected[0]["results"][1]["hits"]][0], 7)
            self.assertEqual({hit["id"] for hit in expected[1]["results"][0]["hits"]}, {3, 12, 29})
            for texts in ([f"docs={whole}"], [f"docs={first}", f"docs={second}"]):
                found = answers(*shards, *(word for path in texts for word in ("--texts", path)))
                self.assertEqual(found[:3], expected[:3], texts)
                self.assertEqual(found[3], ("docs", 2, 30))

            def refusal(*arguments):
                result = subprocess.run([EMBD, "serve", "-m", str(MODEL), "--port", "0", *shards, *arguments],
                                        capture_output=True, text=True, timeout=60)
                return result.returncode, result.stderr

            code, said = refusal("--texts", f"docs={first}", "--texts", f"docs={first}")
            self.assertEqual(code, 3, said)
            self.assertIn("12 texts for 18 rows, expected one text for each", said)
            code, said = refusal("--texts", f"docs={second}", "--texts", f"docs={first}")
            self.assertEqual(code, 3, said)
            self.assertIn("18 texts for 12 rows, expected one text for each", said)
            code, said = refusal(*["--texts", f"docs={whole}"] * 3)
            self.assertEqual(code, 2, said)
            self.assertIn("3 files of texts were given for 2 shards", said)
            narrow = subprocess.run([EMBD, "embed", "-m", MODEL, "--truncate-dim", "8", "-o", folder / "narrow.npy", first],
                                    capture_output=True, text=True)
            self.assertEqual(narrow.returncode, 0, narrow.stderr)
            code, said = refusal("--index", f"docs={folder}/narrow.npy")
            self.assertEqual(code, 3, said)
            self.assertIn("narrow.npy", said)

    def test_files_that_are_replaced_meanwhile_change_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def embed_lines(file, count):
                (folder / "in.txt").write_text("".join(f"a cat of {i} dogs\n" for i in range(count)))
                subprocess.run([EMBD, "embed", "-m", MODEL, "-o", folder / file, folder / "in.txt"], check=True,
                               capture_output=True)

            for file in ("docs.npy", "docs.usearch", "docs.svs", "docs.fbin", "docs.jsonl", "docs.cvc", "docs.parquet"):
                with self.subTest(file):
                    embed_lines(file, 60)
                    texts = folder / "texts.txt"
                    (folder / "in.txt").rename(texts)
                    asked = {"texts": ["a cat of 7 dogs"], "k": 60}
                    served = ["--index", f"docs={folder / file}", "--texts", f"docs={texts}"]
                    with Server(*served) as server:
                        expected = [server.ask("POST", "/search", asked)[1], server.ask("GET", "/map")[1]]
                    with Server(*served) as server:
                        embed_lines(file, 3)
                        texts.rename(folder / "gone.txt")
                        self.assertEqual([server.ask("POST", "/search", asked)[1], server.ask("GET", "/map")[1]], expected)

    def test_the_metric_is_the_files_or_the_named_one(self):
        rows = [[100, 0, 0, 0], [1, 0.25, 0, 0], [0, 1, 0, 0]]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "rows.jsonl").write_text("".join(json.dumps({"embedding": row}) + "\n" for row in rows))
            for index in ("l2.svs", "l2.usearch"):
                subprocess.run([EMBD, "index", folder / "rows.jsonl", "-o", folder / index, "--metric", "l2"], check=True)
            config = folder / "l2.svs" / "config" / "svs_config.toml"
            said = config.read_text()
            self.assertIn("metric = 'l2sq'", said)

            def ids(*arguments):
                with Server(*arguments) as server:
                    asked = {"index": "a", "vectors": [[1, 0, 0, 0]]}
                    hits = json.loads(server.ask("POST", "/search", asked)[1])["results"][0]["hits"]
                    return [hit["id"] for hit in hits], "similarity" in hits[0]

            by_length, by_angle = ([1, 2, 0], False), ([0, 1, 2], True)
            self.assertEqual(ids("--index", f"a={folder}/l2.svs"), by_length)
            self.assertEqual(ids("--index", f"a={folder}/l2.usearch"), by_length)
            self.assertEqual(ids("--index", f"a={folder}/rows.jsonl"), by_angle)
            self.assertEqual(ids("--index", f"a={folder}/rows.jsonl", "--metric", "a=l2"), by_length)

            def refusal(*arguments):
                result = subprocess.run([EMBD, "serve", "-m", str(MODEL), "--port", "0", *arguments],
                                        capture_output=True, text=True, timeout=60)
                self.assertNotEqual(result.returncode, 0)
                return result.stderr

            self.assertIn("the metric l2sq, but the metric cos was asked for", refusal("--index", f"a={folder}/l2.svs", "--metric", "a=cos"))
            self.assertIn("--index b=PATH", refusal("--index", f"a={folder}/l2.svs", "--metric", "b=l2"))
            self.assertIn('"far"', refusal("--index", f"a={folder}/l2.svs", "--metric", "a=far"))
            self.assertIn("expects NAME=METRIC", refusal("--index", f"a={folder}/l2.svs", "--metric", "l2"))
            # As other makers' indexes are: nothing says the metric, and the parameters are those of l2.
            config.write_text(said[:said.index("\n[embd]")])
            self.assertIn("name the metric", refusal("--index", f"a={folder}/l2.svs"))
            self.assertEqual(ids("--index", f"a={folder}/l2.svs", "--metric", "a=l2"), by_length)

    def test_texts_of_rows_come_from_files_of_any_kind(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            docs = folder / "docs.jsonl"
            lines = [json.dumps({"body": text, "key": key}) for text, key in (("a cat", "x"), ("a dog", "y"))]
            docs.write_text("\n".join(lines) + "\n")
            fields = ["--text-field", "body", "--id-field", "key"]
            for out in ("docs.npy", "docs.parquet"):
                more = ["--text-column"] if out.endswith("parquet") else []
                subprocess.run([EMBD, "embed", "-m", MODEL, docs, *fields, *more, "-o", folder / out], check=True)

            def texts(*arguments):
                with Server(*arguments) as server:
                    answer = json.loads(server.ask("POST", "/search", {"texts": ["a dog"]})[1])
                    return [(hit["id"], hit.get("text")) for hit in answer["results"][0]["hits"]]

            with_texts = [("y", "a dog"), ("x", "a cat")]
            npy = ["--index", f"d={folder}/docs.npy"]
            self.assertEqual(texts(*npy), [("y", None), ("x", None)])
            self.assertEqual(texts(*npy, "--texts", f"d={docs}", "--text-field", "body"), with_texts)
            docs.write_text("\n".join(reversed(lines)) + "\n")
            self.assertEqual(texts(*npy, "--texts", f"d={docs}", *fields), with_texts)
            self.assertEqual(texts("--index", f"d={folder}/docs.parquet"), with_texts)
            result = subprocess.run([EMBD, "serve", "-m", MODEL, "--port", "0", *npy, *fields], capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn("--text-field has no effect without --texts", result.stderr)

    def test_another_arithmetic_is_said(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "docs.npy"
            subprocess.run([EMBD, "embed", "-m", MODEL, "--compute", "int8", "-o", path], input="a cat\n", text=True,
                           check=True, capture_output=True)
            for compute in ("int8", "f32"):
                with Server("--index", f"docs={path}", "--compute", compute) as server:
                    said = [line for line in server.lines if "int8" in line]
                self.assertEqual(len(said), 0 if compute == "int8" else 1)
            # The int8 of builds before it had blocks is refused.
            recipe = path.with_name("docs.npy.recipe.json")
            recipe.write_text(recipe.read_text().replace('"int8-blocks"', '"int8"'))
            result = subprocess.run([EMBD, "serve", "-m", MODEL, "--port", "0", "--index", f"docs={path}", "--compute", "int8"],
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 4)
            self.assertIn("int8 and int8-blocks", result.stderr)

    def test_a_filter_allows_what_it_names(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "docs.npy"
            subprocess.run([EMBD, "embed", "-m", MODEL, "-o", path], input="a cat\na dog\n", text=True, check=True,
                           capture_output=True)
            with Server("--index", f"docs={path}") as server:
                def found(asked):
                    status, body, _ = server.ask("POST", "/search", {"texts": ["a"], **asked})
                    if status != 200:
                        return status
                    return [hit["id"] for hit in json.loads(body)["results"][0]["hits"]]

                both = found({})
                self.assertEqual(sorted(both), [0, 1])
                self.assertEqual(found({"filter": {"ids": [1]}}), [1])
                self.assertEqual(found({"filter": {"ids": ["1", "01", "2", "x"]}}), [1])
                self.assertEqual(found({"filter": {"ids": []}}), [])
                for wrong in ({"filter": {}}, {"filter": None}, {"filter": {"ids": None}}, {"filter": {"ids": [None]}},
                              {"filter": {"ids": [1], "columns": None}}, {"filter": {"ids": [1.0]}}, {"filter": {"ids": [-1]}},
                              {"filter": {"ids": [True]}}, {"filter": {"ids": "1"}}, {"filter": {"id": [1]}},
                              {"filter": {"ids": [1], "level": "x"}}, {"filters": {"ids": [1]}}, {"filter": [1]}):
                    self.assertEqual(found(wrong), 400, wrong)

    def test_a_filter_over_columns(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            rows = [("a cat", "ERROR", 1999), ("a dog", "INFO", 2024), ("a bird", "7", 7)]
            (folder / "in.jsonl").write_text("".join(
                json.dumps({"text": text, "level": level, "year": year}) + "\n" for text, level, year in rows))
            subprocess.run([EMBD, "embed", "-m", MODEL, folder / "in.jsonl", "-o", folder / "docs.parquet", "--column-field",
                            "level:text", "--column-field", "year"], check=True, capture_output=True)
            with Server("--index", f"docs={folder / 'docs.parquet'}") as server:
                def hits(columns, **more):
                    status, body, _ = server.ask("POST", "/search", {"texts": ["a"], "filter": {"columns": columns, **more}})
                    if status != 200:
                        self.assertEqual(json.loads(body)["error"]["type"], "invalid_request_error", body)
                        return status
                    return sorted((hit["id"], hit["columns"]["level"], hit["columns"]["year"])
                                  for hit in json.loads(body)["results"][0]["hits"])

                all_rows = [(row, level, year) for row, (_, level, year) in enumerate(rows)]
                self.assertEqual(hits({"level": "ERROR"}), all_rows[:1])
                self.assertEqual(hits({"level": ["ERROR", "INFO"]}), all_rows[:2])
                self.assertEqual(hits({"level": ["ERROR", "INFO"], "year": 2024.0}), all_rows[1:2])
                self.assertEqual(hits({"year": [1999, "2024", 7]}), all_rows)
                self.assertEqual(hits({"level": 7}), all_rows[2:])
                self.assertEqual(hits({"year": [1999, 7]}, ids=[1, 2]), all_rows[2:])
                self.assertEqual(hits({"level": []}), [])
                self.assertEqual(hits({"year": {"gte": 7, "lt": 2024.0}}), [all_rows[0], all_rows[2]])
                self.assertEqual(hits({"year": {"gt": "7"}, "level": {"ne": ["INFO", "WARN"]}}), all_rows[:1])
                self.assertEqual(hits({"level": {"eq": ["ERROR", "7"], "lte": "A"}, "year": [7, 1999]}), all_rows[2:])
                self.assertEqual(hits({"level": [True, "true"]}), [])
                for wrong in ({}, {"levl": "ERROR"}, {"level": None}, {"level": [None]}, {"level": {"is": "ERROR"}},
                              {"level": [["ERROR"]]}, {"level": {}}, {"level": {"gt": None}}, {"level": {"gt": {"a": 1}}},
                              {"year": {"gt": [1, 2]}}, {"year": {"gt": "soon"}}, {"year": {"gt": []}}, {"year": {"": 1}}, [], "level=ERROR", {"level": ["x"] * 3000}):
                    self.assertEqual(hits(wrong), 400, str(wrong)[:80])
                status, body, _ = server.ask("POST", "/search", {"texts": ["a"]})
                self.assertEqual(len(json.loads(body)["results"][0]["hits"]), 3)

    def test_a_taken_port_is_an_error(self):
        with Server() as server:
            result = subprocess.run([EMBD, "serve", "-m", str(MODEL), "--port", str(server.port)],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 6, result.stderr)
            self.assertIn("in use", result.stderr)

    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        with Server("--host", "::1") as server:
            self.assertEqual(server.ask("GET", "/health")[0], 200)

    def test_more_connections_than_the_limit_are_refused(self):
        with Server("--max-connections", "3") as server:
            clients = [server.connect() for _ in range(3)]
            for client in clients:
                client.request("GET", "/health")
                self.assertEqual(client.getresponse().read(), b'{"status":"ok"}')
            self.assertEqual(server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"), b"")
            for client in clients:
                client.close()

    def test_a_signal_lets_requests_end(self):
        server = Server("--drain", "30", "-t", "1")
        self.addCleanup(server.process.kill)
        clients = [socket.create_connection((server.host, server.port), timeout=20) for _ in range(4)]
        for client in clients:
            client.sendall(post()[:-1])
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        for client in clients:
            client.sendall(post()[-1:])
            answer = b""
            while piece := client.recv(65536):
                answer += piece
            self.assertEqual(statuses(answer), [200])
            client.close()
        self.assertEqual(server.wait(), 0)

    def test_an_idle_server_ends_at_once(self):
        server = Server()
        idle = server.connect()
        start = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(), 0)
        self.assertLess(time.monotonic() - start, 15)
        idle.close()

    def test_a_second_signal_ends_at_once(self):
        server = Server("--drain", "100", "-t", "1")
        with socket.create_connection((server.host, server.port)) as client:
            client.sendall(post()[:-5])  # never whole
            time.sleep(0.2)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            self.assertIsNone(server.process.poll())
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(timeout=20), 0)

    def test_no_answer_is_lost_while_servers_take_turns(self):
        """Clients that send each request on a connection of its own, while the server they find is told
        to end and another takes over its socket, as systemd hands it on."""
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.addCleanup(listener.close)
        port = listener.getsockname()[1]

        def launch():
            # LISTEN_PID is the process that will be the server: a shell that becomes it.
            script = 'exec 3<&"$1"; shift; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
            server = ServerProcess(["sh", "-c", script, "sh", listener.fileno(), EMBD, "serve", "-m", MODEL, "-t", "1"],
                                   pass_fds=[listener.fileno()])
            self.addCleanup(server.process.kill)
            return server

        stop = threading.Event()
        answers = []

        def client():
            while not stop.is_set():
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                connection.request("POST", "/embed", '{"inputs":["a cat", "two dogs"]}', JSON)
                response = connection.getresponse()
                answers.append((response.status, response.read()))
                connection.close()

        server = launch()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            clients = [pool.submit(client) for _ in range(8)]
            try:
                for _ in range(10):
                    time.sleep(0.1)
                    previous, server = server, launch()
                    previous.process.send_signal(signal.SIGTERM)
                    self.assertEqual(previous.wait(), 0)
            finally:
                stop.set()  # or a failure would leave the clients, and this test, without an end
            for done in clients:
                done.result()
        server.process.terminate()
        self.assertEqual(server.wait(), 0)
        self.assertGreater(len(answers), 10)
        self.assertEqual({status for status, _ in answers}, {200})
        self.assertEqual(len({body for _, body in answers}), 1)

    @unittest.skipUnless(shutil.which("systemd-socket-activate"), "no systemd-socket-activate here")
    def test_systemd_starts_it_with_the_first_client(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        process = subprocess.Popen(["systemd-socket-activate", "-l", f"127.0.0.1:{port}", EMBD, "serve", "-m", MODEL],
                                   stderr=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.addCleanup(process.kill)
        self.assertIn("Listening", process.stderr.readline())
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/embed", '{"inputs":"a cat"}', JSON)
        response = connection.getresponse()
        self.assertEqual((response.status, len(json.loads(response.read()))), (200, 1))
        connection.close()
        process.terminate()
        said = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), 0)
        self.assertIn(f"listening on http://127.0.0.1:{port}", said)

    def test_a_server_ends_with_a_test_that_is_killed(self):
        """The one of these tests, that is: no run may leave a server behind."""
        script = (f"import sys, time; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
                  "from server_process import ServerProcess\n"
                  f"server = ServerProcess([{EMBD!r}, 'serve', '-m', {str(MODEL)!r}, '--port', '0'])\n"
                  "print(server.port, flush=True); time.sleep(100)")
        test = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        port = int(test.stdout.readline())
        test.kill()
        test.wait()
        test.stdout.close()
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
            except ConnectionRefusedError:
                return
            time.sleep(0.05)
        self.fail("the server is still there")

    def test_the_service_manager_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "notify")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(path)
                manager.settimeout(30)
                with Server(environment={"NOTIFY_SOCKET": path}):
                    self.assertEqual(manager.recv(100), b"READY=1")
                self.assertEqual(manager.recv(100), b"STOPPING=1")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
