#!/usr/bin/env python3
"""embd mcp, without a client library:  mcp_test.py EMBD TEST_DATA [--write]

tests/data/mcp/dialogue.txt has a conversation: "> " a line to the server, "< " the line that it answers; VERSION stands for the
version of embd. --write writes the answers into the file, to be read before they are committed."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import unittest

from folder_case import BAD_INPUT, DATA, EMBD, GOOD, INTERRUPTED, IO, MODEL, RECIPE, FolderCase, has_stemmer

DIALOGUE = DATA / "mcp/dialogue.txt"
OTHER = MODEL.with_name("pooling_cls.weights")
START = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}


class Mcp(FolderCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path / "notes")
        self.note("a.md", "# Cats\n\nA cat sits.\n\n## Errors\n\nThe first is E4711.\nThe next is E4712.\n")
        self.note("b.md", "# Dogs\n\nA dog runs.\n")
        self.collect()

    def note(self, name, text):
        self.write(f"notes/{name}", text)
        os.utime(self.path / "notes" / name, (1e9, 1e9))

    def collect(self, *arguments, **more):
        self.run_embd("collect", "notes", "-o", "notes.collection", "--stemmer", "english" if has_stemmer() else "none", *arguments, **more)

    def lines(self, *lines):
        """Returns the lines that the server answers lines of bytes with."""
        return self.run_embd("mcp", "notes.collection", input=b"".join(line + b"\n" for line in lines)).splitlines()

    def ask(self, *messages):
        """Returns the answers to messages after an "initialize"."""
        lines = self.lines(*[json.dumps(message).encode() for message in (START, *messages)])
        return [json.loads(line) for line in lines[1:]]

    def call(self, name, **arguments):
        message = {"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return self.ask(message)[0]["result"]

    def read(self, **arguments):
        result = self.call("read", **arguments)
        self.assertFalse(result["isError"], result)
        return result["structuredContent"]

    def expect_refused(self, name, part, **arguments):
        result = self.call(name, **arguments)
        self.assertTrue(result["isError"], result)
        self.assertNotIn("structuredContent", result)
        self.assertIn(part, result["content"][0]["text"])

    def expect_error(self, line, code):
        """The server answers a line with an error, and goes on."""
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        answers = [json.loads(answer) for answer in self.lines(line, ping)]
        self.assertEqual([answers[0]["error"]["code"], answers[1]["result"]], [code, {}])
        return answers[0]


class Dialogue(Mcp):
    @unittest.skipUnless(has_stemmer(), "the answers are those of the stemmer")
    def test_is_as_recorded(self):
        version = self.run_embd("--version").split()[1].decode()
        asked = [line[2:] for line in DIALOGUE.read_text(encoding="utf-8").splitlines() if line.startswith("> ")]
        process = subprocess.Popen([EMBD, "mcp", "notes.collection"], cwd=self.path, env=self.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, encoding="utf-8")
        said = []
        for line in asked:
            said.append(f"> {line}\n")
            process.stdin.write(line + "\n")
            process.stdin.flush()
            if not line.startswith('{"jsonrpc":"2.0","method"'):  # No notification. Each answer comes before the next line is sent.
                said.append("< " + process.stdout.readline().replace(f'"version":"{version}"', '"version":"VERSION"'))
        self.assertEqual(process.communicate()[0], "")
        self.assertEqual(process.returncode, GOOD)
        if "--write" in sys.argv:
            DIALOGUE.write_text("".join(said), encoding="utf-8")
        self.assertEqual("".join(said), DIALOGUE.read_text(encoding="utf-8"))


class Protocol(Mcp):
    def test_versions(self):
        for asked, agreed in {"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2099-01-01": "2025-11-25"}.items():
            start = START | {"params": {"protocolVersion": asked}}
            self.assertEqual(json.loads(self.lines(json.dumps(start).encode())[0])["result"]["protocolVersion"], agreed)
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        new = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
        tools = json.loads(self.lines(json.dumps(new).encode())[0])["result"]
        self.assertEqual(([tool["name"] for tool in tools["tools"]], tools["resultType"]), (["search", "read"], "complete"))
        meta["io.modelcontextprotocol/protocolVersion"] = "2099-01-01"
        refused = self.expect_error(json.dumps(new).encode(), -32022)
        self.assertEqual(refused["error"]["data"]["requested"], "2099-01-01")

    def test_hostile_lines(self):
        for line, code in {b"{": -32700, b"\xff": -32700, b'{"a":1,"a":2}': -32700, b"[" * 1000 + b"]" * 1000: -32700, b"7": -32600,
                           b"{}": -32600, b"[]": -32600, b"[" + b",".join([b"{}"] * 33) + b"]": -32600,
                           b'{"jsonrpc":"1.0","id":1,"method":"ping"}': -32600, b'{"jsonrpc":"2.0","id":1}': -32600,
                           b'{"jsonrpc":"2.0","id":1,"method":7}': -32600, b'{"jsonrpc":"2.0","id":null,"method":"ping"}': -32600,
                           b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}': -32600, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}': -32600,
                           b'{"jsonrpc":"2.0","id":1,"method":"none"}': -32601,
                           b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}': -32602,
                           b'{"jsonrpc":"2.0","id":1,"method":"initialize"}': -32602,
                           b'"' + b"x" * (1 << 20) + b'"': -32600, b"y" * (5 << 20): -32600}.items():
            self.expect_error(line, code)
        self.assertEqual(self.expect_error(b'{"jsonrpc":"2.0","id":"7","method":"none"}', -32601)["id"], "7")

    def test_says_nothing_unasked(self):
        for line in (b"", b" \r", b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search","arguments":{"query":"x"}}}',
                     b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
                     b'{"jsonrpc":"2.0","id":1,"result":{}}', b'[{"jsonrpc":"2.0","method":"notifications/initialized"}]'):
            self.assertEqual(self.lines(line), [])
        self.assertEqual(self.message, "")

    def test_batch(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        answers = json.loads(self.lines(json.dumps([ping, {"jsonrpc": "2.0", "method": "notifications/x"}, ping | {"id": 2}, 7]).encode())[0])
        self.assertEqual([answer["id"] for answer in answers], [1, 2, None])

    def test_end_of_input(self):
        self.assertEqual(self.run_embd("mcp", "notes.collection"), b"")
        answer = self.run_embd("mcp", "notes.collection", input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}')  # without a line feed
        self.assertEqual(json.loads(answer)["result"], {})
        process = subprocess.Popen([EMBD, "mcp", "notes.collection"], cwd=self.path, env=self.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), INTERRUPTED)
        process.communicate()

    def test_mutated_lines(self):
        """Each line is answered by at most one line of JSON, and the server goes on."""
        chance = random.Random(4)
        seeds = [line[2:].encode() for line in DIALOGUE.read_text(encoding="utf-8").splitlines() if line.startswith("> ")]
        lines = []
        for _ in range(300):
            line = bytearray(chance.choice(seeds))
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(line))
                line[at:at + chance.randrange(3)] = chance.choice([b"", b"{", b'"', b"\xff", b"9", b",", b"null", b"[]"])
            lines.append(bytes(line).replace(b"\n", b""))
        answers = self.lines(*lines, json.dumps({"jsonrpc": "2.0", "id": "last", "method": "ping"}).encode())
        self.assertLessEqual(len(answers), len(lines) + 1)
        self.assertTrue(all(isinstance(json.loads(answer), (dict, list)) for answer in answers))
        self.assertEqual(json.loads(answers[-1])["id"], "last")


class ToolsOfCollection(Mcp):
    def test_search(self):
        result = self.call("search", query="E4712", k=1)
        hit = result["structuredContent"]["hits"][0]
        program = json.loads(self.run_embd("search", "notes.collection", "-q", "E4712", "-k", 1))["hits"][0]
        self.assertEqual(hit, program)
        self.assertIn("notes/a.md:8 (lines 5-8) Cats > Errors\n", result["content"][0]["text"])
        self.assertEqual(len(self.call("search", query="E4712 dog", match="terms")["structuredContent"]["hits"]), 2)
        self.assertEqual(self.call("search", query="none of this", match="terms")["content"][0]["text"], "No passage was found.")
        self.assertEqual(len(self.call("search", query="", match="vectors")["structuredContent"]["hits"]), 3)

    def test_refused_arguments(self):
        self.expect_refused("search", "query")
        self.expect_refused("search", "query", query=7)
        self.expect_refused("search", "1 to 100", query="x", k=0)
        self.expect_refused("search", "1 to 100", query="x", k=1.5)
        self.expect_refused("search", "match", query="x", match="all")
        self.expect_refused("search", "limit", query="x", limit=3)
        self.expect_refused("read", "the document has 3 lines", file="notes/b.md", first_line=9, around=0)
        self.expect_refused("read", "2000", file="notes/b.md", first_line=1, last_line=2001)
        for name in ("none", None):
            params = {"name": name, "arguments": {}} if name else {}
            answer = self.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})[0]
            self.assertEqual(answer["error"]["code"], -32602)

    def test_read(self):
        self.assertEqual(self.read(file="notes/a.md", first_line=7, last_line=8, around=0),
                         {"file": "notes/a.md", "lines": [7, 8], "num_lines": 8, "text": "The first is E4711.\nThe next is E4712.\n"})
        self.assertEqual(self.read(file="notes/a.md", first_line=3, around=1)["lines"], [2, 4])
        self.assertEqual(self.read(file="notes/a.md")["lines"], [1, 8])
        self.write("notes/b.md", b"\xef\xbb\xbfone\r\ntwo \xff\r\nthree")
        self.assertEqual(self.read(file="notes/b.md", first_line=2),
                         {"file": "notes/b.md", "lines": [1, 3], "num_lines": 3, "changed": True, "text": "one\r\ntwo \ufffd\r\nthree"})
        self.write("notes/b.md", "x" * (1 << 18) + "\n")
        self.expect_refused("read", "262145 bytes", file="notes/b.md")
        os.unlink(self.path / "notes/b.md")
        self.expect_refused("read", "gone", file="notes/b.md")

    def test_never_leaves_the_roots(self):
        self.write("secret.md", "secret\n")
        shutil.copy(self.path / "secret.md", self.path / "notes/other.md")  # in a root, but not collected
        outside = ("../secret.md", "notes/../secret.md", str(self.path / "secret.md"), "secret.md", "notes/other.md", "/etc/passwd", "", ".",
                   "notes", "notes.collection/collection.json", "notes/a.md/../b.md", "notes/./a.md", "notes/a.md\0")
        for file in outside:
            self.expect_refused("read", "no document", file=file)
        os.unlink(self.path / "notes/a.md")
        os.symlink(self.path / "secret.md", self.path / "notes/a.md")
        self.expect_refused("read", "symbolic link", file="notes/a.md")
        os.unlink(self.path / "notes/a.md")
        os.symlink("b.md", self.path / "notes/a.md")  # leads to a document of the same folder
        self.assertEqual(self.read(file="notes/a.md")["text"], "# Dogs\n\nA dog runs.\n")
        shutil.rmtree(self.path / "notes")
        os.mkdir(self.path / "elsewhere")
        shutil.copy(self.path / "secret.md", self.path / "elsewhere/a.md")
        os.symlink("elsewhere", self.path / "notes")
        self.expect_refused("read", "symbolic link", file="notes/a.md")

    def test_follows_updates(self):
        process = subprocess.Popen([EMBD, "mcp", "notes.collection"], cwd=self.path, env=self.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)

        def ask(message):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())["result"]

        def first_file():
            call = {"name": "search", "arguments": {"query": "E4712", "match": "terms"}}
            hits = ask({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})["structuredContent"]["hits"]
            return [(hit["file"], "changed" in hit) for hit in hits]

        ask(START)
        self.assertEqual(first_file(), [("notes/a.md", False)])
        self.note("a.md", "# Cats\n")
        self.note("c.md", "It is E4712.\n")
        self.assertEqual(first_file(), [("notes/a.md", True)])
        self.collect()
        self.assertEqual(first_file(), [("notes/c.md", False)])
        shutil.rmtree(self.path / "notes.collection")
        call = {"name": "search", "arguments": {"query": "E4712"}}
        gone = ask({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        self.assertTrue(gone["isError"])
        process.communicate()
        self.assertEqual(process.returncode, GOOD)

    def test_refused_collections(self):
        self.run_embd("mcp", "none", expect=IO)
        self.run_embd("mcp", "notes", expect=IO)
        self.run_embd("mcp", "notes.collection", "-m", OTHER, expect=RECIPE)
        self.write("notes.collection/collection.json", "{")
        self.run_embd("mcp", "notes.collection", expect=BAD_INPUT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
