#!/usr/bin/env python3
"""embd collect, and searches of collections:  collect_test.py EMBD TEST_DATA [EDITS]

A collection that was updated after each of EDITS random edits has the bytes of a new one. A run that is killed (SIGKILL)
at a random moment leaves the old state or the new one, and nothing is embedded twice."""
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from folder_case import DATA, DIFFERENCE, EMBD, GOOD, IO, MODEL, RECIPE, USAGE, FolderCase, has_stemmer

EDITS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
OTHER = MODEL.with_name("pooling_cls.weights")


@unittest.skipUnless(has_stemmer(), "this build has no stemmer")
class CollectCase(FolderCase):
    def setUp(self):
        super().setUp()
        (self.path / "notes/deep").mkdir(parents=True)

    def note(self, name, text):
        """Writes a file that was last changed long ago."""
        (self.path / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        self.write(f"notes/{name}", text)
        self.age(name)

    def age(self, name):
        os.utime(self.path / "notes" / name, (1e9, 1e9))

    def collect(self, *arguments, roots=("notes",), output="notes.collection", expect=GOOD, **more):
        said = self.run_embd("collect", *roots, "-o", output, *arguments, expect=expect, **more)
        return json.loads(said) if expect == GOOD else said

    def search(self, *arguments, **more):
        return [json.loads(line)["hits"] for line in self.run_embd("search", "notes.collection", *arguments, **more).splitlines()]

    def generation(self, collection="notes.collection"):
        return self.path / collection / str(json.loads(self.bytes(f"{collection}/collection.json"))["generation"])

    def rows(self, collection="notes.collection"):
        """The bytes that do not depend on how a collection came to be."""
        folder = self.generation(collection)
        files = [folder / "passages.parquet", *sorted((folder / "terms").iterdir())]
        return {str(file.relative_to(folder)): file.read_bytes() for file in files}

    def expect_as_new(self, what):
        shutil.rmtree(self.path / "new.collection", ignore_errors=True)
        self.collect(output="new.collection")
        self.assertTrue(self.rows() == self.rows("new.collection"), what)


class Collect(CollectCase):
    def test_one_process_updates_at_a_time(self):
        self.note("a.txt", "One note")
        refused = "embd: notes.collection: input or output failed: another process is updating this collection: wait until it ends\n"
        arguments = [EMBD, "collect", "notes", "-o", "notes.collection"]
        for _ in range(5):
            processes = [subprocess.Popen(arguments, cwd=self.path, env=self.environment, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, text=True) for _ in range(3)]
            said = [(process.communicate()[1], process.returncode) for process in processes]
            self.assertTrue({*said} <= {("", GOOD), (refused, IO)}, said)
            self.assertIn(("", GOOD), said)
            shutil.rmtree(self.path / "notes.collection")
        (self.path / "notes.collection").mkdir()
        folder = os.open(self.path / "notes.collection", os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.collect(expect=IO)
        os.close(folder)
        self.assertEqual(self.message, refused)

    def test_a_file_is_no_collection(self):
        self.note("a.txt", "One note")
        self.collect(output="notes/a.txt", expect=IO)
        self.assertIn("\nnotes/a.txt is a file, expected a folder.", self.message)
        self.assertEqual(self.bytes("notes/a.txt"), b"One note")

    def test_a_link_leads_to_the_collection(self):
        self.note("a.txt", "One note")
        (self.path / "elsewhere").mkdir()
        (self.path / "notes.collection").symlink_to("elsewhere")
        self.assertEqual(self.collect()["passages"], self.collect()["passages"])
        self.assertTrue((self.path / "elsewhere/collection.json").is_file())
        self.assertTrue((self.path / "notes.collection").is_symlink())

    def test_reports_what_it_does(self):
        self.note("a.md", "# Cats\n\nA cat sits.\n\n## Mats\n\nRed.\n")
        self.note("deep/b.txt", "A dog runs.\n")
        report = {"files": 2, "new": 2, "changed": 0, "gone": 0, "passages": 3, "embedded": 3, "reused": 0}
        self.assertEqual(self.collect(), report)
        self.assertEqual(self.collect(roots=()), report | {"new": 0, "embedded": 0, "reused": 3})
        self.note("deep/b.txt", "A bird sings.\n")
        self.note("c.md", "# Cats\n\nA cat sits.\n")
        self.assertEqual(self.collect(), {"files": 3, "new": 1, "changed": 1, "gone": 0, "passages": 4, "embedded": 1, "reused": 3})
        os.unlink(self.path / "notes/c.md")
        self.assertEqual(self.collect()["gone"], 1)
        self.assertEqual(self.names(), ["notes", "notes.collection"])

    def test_keeps_its_model(self):
        self.note("a.md", "# Cats\n")
        self.collect("-m", OTHER)
        self.environment.pop("EMBD_MODEL")
        self.assertEqual(self.collect()["embedded"], 0)
        self.assertEqual(self.search("-q", "cats")[0][0]["line"], 1)
        self.collect("-m", MODEL, expect=RECIPE)
        self.collect("--compute", "int8", expect=RECIPE)
        self.assertIn("--force", self.message)
        self.assertEqual(self.collect("-m", MODEL, "--compute", "bf16", "--force")["embedded"], 1)
        self.assertEqual(self.collect()["embedded"], 0)

    def test_drops_most_files_on_request_only(self):
        self.note("a.md", "# Cats\n")
        self.collect()
        os.unlink(self.path / "notes/a.md")
        self.assertEqual(self.collect(expect=DIFFERENCE), b"")
        self.assertIn("--force", self.message)
        self.assertEqual(self.collect("--force")["passages"], 0)
        self.assertEqual(self.search("-q", "cats"), [[]])

    def test_refusals(self):
        self.collect(expect=3)
        self.assertIn("notes: ", self.message)
        self.collect(roots=("none",), expect=IO)
        self.collect(roots=(), expect=USAGE)
        self.run_embd("collect", "notes", expect=USAGE)
        self.note("a.md", "# Cats\n")
        self.collect("--max-tokens", 31, expect=USAGE)
        self.collect(roots=("notes", "notes/deep"), expect=USAGE)
        self.collect(output="notes", expect=USAGE)
        self.assertEqual(self.names(), ["notes"])
        self.collect()
        (self.path / "notes").rename(self.path / "away")
        self.collect(roots=(), expect=IO)

    def test_says_what_is_left_out(self):
        self.note("a.md", "# Cats\n")
        for i in range(7):
            self.note(f"{i}.pdf", "%PDF-1.7")
        self.collect()
        said = self.message.splitlines()
        self.assertEqual(len(said), 6, said)
        self.assertIn("pdftotext -layout", said[0])
        self.assertEqual(said[5], "embd: skipped: 2 documents more")

    def test_is_taken_as_a_set(self):
        for i, name in enumerate(("a", "b", "c")):
            self.note(f"{name}.md", f"# Note {i % 2}\n\nA cat sits on mat {i % 2}.\n")
        self.collect()
        inspected = json.loads(self.run_embd("inspect", "notes.collection", "--json"))
        self.assertEqual((inspected["format"], inspected["num_rows"]), ("parquet", 3))
        self.run_embd("verify", "notes.collection")
        self.run_embd("verify", "notes.collection", "notes", expect=USAGE)
        self.run_embd("verify", self.generation() / "passages.parquet", expect=USAGE)
        self.assertEqual(json.loads(self.run_embd("digest", "notes.collection"))["count"], 3)
        self.run_embd("cluster", "notes.collection", "-k", 2, "-o", "groups.jsonl")
        self.assertEqual(len(self.bytes("groups.jsonl").splitlines()), 3)
        self.run_embd("map", "notes.collection", "-o", "map.html", "--groups", 0)
        self.run_embd("dedupe", "notes.collection", "-o", "kept.jsonl")
        self.assertLess(len(self.bytes("kept.jsonl").splitlines()), 3)
        self.run_embd("convert", "notes.collection", "vectors.npy")
        self.run_embd("compare", "notes.collection", "vectors.npy")


class Search(CollectCase):
    def setUp(self):
        super().setUp()
        self.note("a.md", "# Cats\n\nA cat sits.\n\n## Errors\n\nThe first is E4711.\nThe next is E4712.\n")
        self.note("b.md", "# Dogs\n\nA dog runs.\n")
        self.collect()

    def test_hits_name_files_and_lines(self):
        hit = self.search("-q", "E4712", "-k", 1)[0][0]
        self.assertEqual(list(hit), ["id", "score", "distance", "term_score", "file", "lines", "line", "headings", "text"])
        self.assertEqual((hit["id"], hit["file"], hit["lines"], hit["line"], hit["headings"]),
                         ("notes/a.md:5", "notes/a.md", [5, 8], 8, ["Cats", "Errors"]))
        self.assertEqual([len(hits) for hits in self.search("-q", "E4712", "-q", "dog", "--match", "terms")], [1, 1])
        hit = self.search("-q", "E4712", "--match", "vectors", "-k", 1)[0][0]
        self.assertNotIn("term_score", hit)
        self.assertEqual(hit["line"], hit["lines"][0])
        self.assertEqual(self.search("-q", "cat", "--filter", "file=notes/b.md")[0][0]["id"], "notes/b.md:1")
        self.assertEqual(self.search("-q", "E4712", "-k", 1, "--rerank", DATA / "families/distilbert_cross", "--candidates", 3)[0][0]["file"][:6],
                         "notes/")

    def test_lines_for_editors(self):
        lines = self.run_embd("search", "notes.collection", "-q", "E4712", "-k", 1, "--format", "lines")
        self.assertEqual(lines, b"notes/a.md:8:1:The next is E4712.\n")
        os.mkdir(self.path / "other")
        result = subprocess.run([EMBD, "search", "../notes.collection", "-q", "E4712", "-k", "1", "--format", "lines"],
                                cwd=self.path / "other", capture_output=True, env=self.environment, check=True)
        self.assertEqual(result.stdout, os.fsencode(self.path.resolve() / "notes/a.md") + b":8:1:The next is E4712.\n")
        self.run_embd("search", self.generation() / "passages.parquet", "-q", "x", "--format", "lines", expect=USAGE)
        self.run_embd("search", self.generation() / "passages.parquet", "-q", "x", "--match", "terms", expect=USAGE)
        self.run_embd("search", "notes.collection", "--terms", self.generation() / "terms", "-q", "x", expect=USAGE)

    def test_stale_hits_say_so(self):
        self.assertNotIn("note", self.message)
        self.note("a.md", "# Cats\n")
        os.unlink(self.path / "notes/b.md")
        hits = {hit["id"]: hit for hit in self.search("-q", "E4712")[0]}
        self.assertIs(hits["notes/a.md:5"]["changed"], True)
        self.assertIs(hits["notes/b.md:1"]["gone"], True)
        self.assertIn("embd collect -o notes.collection", self.message)
        self.collect()
        self.search("-q", "E4712")
        self.assertEqual(self.message, "")


    def test_odd_queries(self):
        self.note("c.md", "# 東京\n\n東京タワーへ行きました。\n\n## Kernels\n\nSet EMBD_KERNELS to avx2.\n\n## Files\n\nSee my-file_v2.txt.\n")
        self.collect()
        for query in ("東京", "EMBD_KERNELS", "embd_kernels", "my-file_v2.txt", "E4711"):
            hits = self.search("-q", query, "--match", "terms")[0]
            self.assertEqual(hits[0]["file"], "notes/a.md" if query == "E4711" else "notes/c.md", query)
        for query in ("the of and", "zzzyx qqq", "", "?!", " "):  # Without a known term the vectors alone decide.
            by_vectors = self.search("-q", query, "--match", "vectors")[0]
            self.assertEqual([hit["id"] for hit in self.search("-q", query)[0]], [hit["id"] for hit in by_vectors], query)
        self.assertEqual(self.search("-q", "zzzyx", "--match", "terms"), [[]])

    def test_order_of_files(self):
        """Names are ordered byte by byte, so a slash comes behind a dot; a subset of roots drops nothing."""
        self.note("a/b.md", "# Mats\n")
        self.note("empty.md", "")
        self.note("spaces.txt", " \n\n")
        self.write("more.md", "# More\n")
        self.assertEqual(self.collect(roots=("notes", "more.md"))["files"], 6)
        files = [hit["file"] for hit in self.search("-q", "x", "--match", "vectors", "-k", 100)[0]]
        self.assertEqual(set(files), {"notes/a.md", "notes/a/b.md", "notes/b.md", "more.md"})
        self.run_embd("convert", "notes.collection", "rows.jsonl")
        ids = [json.loads(line)["id"] for line in self.bytes("rows.jsonl").splitlines()]
        self.assertEqual(ids, ["more.md:1", "notes/a.md:1", "notes/a.md:5", "notes/a/b.md:1", "notes/b.md:1"])
        self.assertEqual(self.collect(roots=("more.md",))["gone"], 0)


class Edits(CollectCase):
    def test_random_edits_and_kills(self):
        chance = random.Random(59)
        pieces = ["# Cats\n\n", "A cat sits.\n", "\n## Mats\n\n", "Red.\r\n\n", "- one\n- two\n", "```\ncode\n```\n"]

        def write(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(chance.choices(pieces, k=chance.randrange(60))))

        def random_path():
            return self.path / "notes" / "/".join([*chance.choices("abc", k=chance.randrange(2)), f"{chance.randrange(40)}.md"])

        def edit():
            files = sorted(file for file in (self.path / "notes").rglob("*.md") if file.is_file())
            file = chance.choice(files) if files else random_path()
            kind = chance.randrange(6)
            if kind == 0 and files:
                file.unlink()
            elif kind == 1 and files:
                target = random_path()
                target.parent.mkdir(parents=True, exist_ok=True)
                file.replace(target)
            elif kind == 2 and files:
                os.utime(file)
            elif kind == 3:
                write(file)
                os.utime(file, (1e9, chance.randrange(10**9)))
            else:
                write(random_path())

        def expected_texts():
            lines = self.run_embd("split", "notes").splitlines()
            return {json.dumps(json.loads(line)["context"] + "\n" + json.loads(line)["text"]) for line in lines}

        for _ in range(30):
            edit()
        self.collect("--force")
        command = [EMBD, "collect", "notes", "-o", "notes.collection", "--force"]
        began = time.monotonic()
        self.collect("--force", "--check-content", output="timed.collection")
        seconds = time.monotonic() - began
        num_killed = 0
        for i in range(EDITS):
            known = expected_texts()
            edit()
            if i % 2 == 0:
                process = subprocess.Popen(command, cwd=self.path, env=self.environment, stdout=subprocess.DEVNULL)
                time.sleep(chance.uniform(0, seconds))
                process.send_signal(signal.SIGKILL)
                num_killed += process.wait() == -signal.SIGKILL
                self.search("-q", "cats")
            report = self.collect("--force")
            self.assertLessEqual(report["embedded"], len(expected_texts() - known))
            self.assertFalse((self.path / "notes.collection/journal").exists())
            self.expect_as_new(f"edit {i}")
        self.assertGreater(num_killed, 0, "kills came too late to show anything")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
