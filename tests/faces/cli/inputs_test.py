#!/usr/bin/env python3
"""Several files and folders as one input:  inputs_test.py EMBD TEST_DATA

Standard library only."""
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from folder_case import BAD_INPUT, DIFFERENCE, EMBD, IO, RECIPE, USAGE, FolderCase


class InputsTest(FolderCase):
    def setUp(self):
        super().setUp()
        (self.path / "docs" / "more").mkdir(parents=True)
        self.write("docs/b.txt", "a cat\ntwo dogs\n\n")
        self.write("docs/a.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in ("the red house", "rain in april")))
        self.write("docs/more/c.md", "words without an end")
        self.write("docs/image.png", b"\x89PNG\r\n\x1a\n\0")
        self.write("docs/.hidden.txt", "not this\n")
        self.files = ["docs/a.jsonl", "docs/b.txt", "docs/more/c.md"]
        self.texts = ["the red house", "rain in april", "a cat", "two dogs", "", "words without an end"]
        self.write("all.txt", "".join(text + "\n" for text in self.texts))

    def ids(self, name):
        return [json.loads(line) for line in self.bytes(name + ".ids.jsonl").splitlines()]

    def recipe(self, name):
        return json.loads(self.bytes(name + ".recipe.json"))

    def digest(self, *arguments):
        return json.loads(self.run_embd("digest", *arguments))

    def hash_of_all(self, files):
        return hashlib.sha256("".join(hashlib.sha256(self.bytes(file)).hexdigest() + "\n" for file in files).encode()).hexdigest()

    def test_rows_are_those_of_one_file_with_all_texts(self):
        self.run_embd("embed", "all.txt", "-o", "all.npy")
        for name, inputs in (("folder.npy", ["docs"]), ("files.npy", self.files), ("both.npy", ["docs/a.jsonl", "docs/b.txt", "docs/more"])):
            self.run_embd("embed", *inputs, "-o", name)
            self.assertEqual(self.bytes(name), self.bytes("all.npy"))
            self.assertEqual(self.recipe(name)["input_sha256"], self.hash_of_all(self.files))
            self.run_embd("verify", name, *inputs)
            self.assertEqual(self.message, "")
            self.run_embd("verify", name, "all.txt")
            self.assertEqual(self.digest(name, *inputs), self.digest("all.npy", "all.txt"))
        self.run_embd("verify", "folder.npy", *reversed(self.files), expect=DIFFERENCE)
        self.run_embd("verify", "folder.npy", *self.files[:2], expect=DIFFERENCE)
        self.run_embd("embed", "docs/more", "-o", "one.npy")
        self.assertEqual(self.recipe("one.npy")["input_sha256"], hashlib.sha256(self.bytes("docs/more/c.md")).hexdigest())

    def test_ids_may_be_the_names_of_the_files(self):
        self.run_embd("embed", "docs", "--id-from", "file", "-o", "a.npy", "-o", "a.parquet", "--row-report", "report.jsonl")
        expected = ["docs/a.jsonl:1", "docs/a.jsonl:2", "docs/b.txt:1", "docs/b.txt:2", "docs/b.txt:3", "docs/more/c.md:1"]
        self.assertEqual(self.ids("a.npy"), expected)
        report = [json.loads(line) for line in self.bytes("report.jsonl").splitlines()]
        self.assertEqual([f"{row['file']}:{row['line']}" for row in report], expected)
        found = json.loads(self.run_embd("search", "a.parquet", "-q", "a cat", "-k", 1, "--texts", "docs", "--id-from", "file"))
        self.assertEqual([(hit["id"], hit["text"]) for hit in found["hits"]], [("docs/b.txt:1", "a cat")])
        self.assertEqual(self.digest("a.npy", "docs", "--id-from", "file")["count"], 6)
        self.run_embd("embed", "docs", "--id-from", "file", "--skip-empty", "-o", "a.npy")
        self.assertEqual(self.ids("a.npy"), [*expected[:4], expected[5]])
        self.run_embd("embed", "docs/b.txt", "--id-from", "file", "-o", "a.npy")
        self.assertEqual(self.ids("a.npy"), expected[2:5])
        for wrong in (["--id-from", "file", "--id-start", 1], ["--id-from", "file", "--id-field", "key"]):
            self.run_embd("embed", "docs/a.jsonl", *wrong, "-o", "a.npy", expect=USAGE)
        self.run_embd("embed", "-", "--id-from", "file", "-o", "a.npy", input=b"a\n", expect=USAGE)

    def test_windows_are_named_after_file_and_line(self):
        long = " ".join(["a cat sits on the red mat"] * 6)
        self.write("docs/b.txt", f"short\n{long}\n")
        windows = ["--windows", 12, "--stride", 8, "-o", "w.npy"]
        self.run_embd("embed", "docs", *windows, expect=USAGE)
        self.assertIn("give the texts ids", self.message)
        self.run_embd("embed", "docs", *windows, "--id-from", "file")
        ids = self.ids("w.npy")
        self.assertIn("docs/b.txt:2#3", ids)
        self.run_embd("verify", "w.npy", "docs", "--id-from", "file")
        found = json.loads(self.run_embd("search", "w.npy", "-q", "mat", "-k", 3, "--texts", "docs", "--id-from", "file"))
        for hit in found["hits"]:
            self.assertTrue(any(hit["text"] in text for text in [long, "short", *self.texts]), hit)

    def test_a_run_is_resumed_where_nothing_has_changed(self):
        for number in range(6):
            self.write(f"docs/n{number}.txt", "".join(f"number {number} {i} " + "word " * (i % 50) + "\n" for i in range(250)))
        arguments = ["embed", "docs", "--id-from", "file", "-o", "a.npy", "--row-report", "a.jsonl"]
        self.run_embd(*arguments)
        expected = [self.bytes(name) for name in ("a.npy", "a.npy.ids.jsonl", "a.jsonl", "a.npy.recipe.json")]
        for name in ("a.npy", "a.npy.ids.jsonl", "a.npy.recipe.json", "a.jsonl"):
            os.remove(self.path / name)

        def interrupt():
            """Begins the run and ends it when some rows are in the journal."""
            process = subprocess.Popen([EMBD, *arguments, "--resume"], cwd=self.path, env=self.environment,
                                       stderr=subprocess.DEVNULL)
            journal = self.path / "a.npy.journal"
            while process.poll() is None and (not journal.exists() or journal.stat().st_size < 300_000):
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            return process.wait() == -signal.SIGKILL

        self.assertTrue(interrupt(), "the run was done before it could be killed")
        before = self.bytes("docs/n5.txt")
        changes = {
            "changed": lambda: self.write("docs/n5.txt", before.replace(b"249", b"250")),
            "missing": lambda: os.remove(self.path / "docs/n5.txt"),
            "more": lambda: self.write("docs/n6.txt", "one more\n"),
            "order": lambda: os.rename(self.path / "docs/n5.txt", self.path / "docs/a0.txt"),
        }
        for name, change in changes.items():
            with self.subTest(name):
                change()
                self.run_embd(*arguments, "--resume", expect=RECIPE)
                self.assertRegex(self.message, "begun with another .*input_sha256")
                for file in ("docs/n6.txt", "docs/a0.txt"):
                    if (self.path / file).exists():
                        os.remove(self.path / file)
                self.write("docs/n5.txt", before)
        # A file of another name has the same bytes, but its ids are others.
        os.rename(self.path / "docs/a.jsonl", self.path / "docs/a1.jsonl")
        self.run_embd(*arguments, "--resume", expect=RECIPE)
        self.assertIn("begun with another input_names", self.message)
        os.rename(self.path / "docs/a1.jsonl", self.path / "docs/a.jsonl")
        self.run_embd(*arguments, "--resume")
        self.assertEqual([self.bytes(name) for name in ("a.npy", "a.npy.ids.jsonl", "a.jsonl", "a.npy.recipe.json")], expected)

    def test_parts_of_several_files_are_joined(self):
        for count in (2, 5):
            for ids in ([], ["--id-from", "file"]):
                self.run_embd("embed", "docs", *ids, "-o", "whole.npy")
                for part in range(count):
                    self.run_embd("embed", "docs", *ids, "--part", f"{part}/{count}", "-o", f"p{part}.npy")
                self.run_embd("join", *[f"p{part}.npy.part.json" for part in range(count)], "-o", "joined.npy")
                for suffix in ("", ".recipe.json") + ((".ids.jsonl",) if ids else ()):
                    self.assertEqual(self.bytes("joined.npy" + suffix), self.bytes("whole.npy" + suffix), (count, ids))
        self.run_embd("embed", *self.files, "--part", "0/2", "-o", "p0.npy")
        self.run_embd("embed", *reversed(self.files), "--part", "1/2", "-o", "p1.npy")
        output = self.run_embd("join", "p0.npy.part.json", "p1.npy.part.json", "-o", "joined.npy", expect=DIFFERENCE)
        self.assertIn(b"make all parts from the same unchanged input", output)

    def test_what_cannot_be_several_is_refused(self):
        self.run_embd("embed", "docs/b.txt", "-", "-o", "a.npy", input=b"a\n", expect=USAGE)
        self.assertIn("alone", self.message)
        self.run_embd("embed", "docs/b.txt", "none.txt", "-o", "a.npy", expect=IO)
        self.assertIn("none.txt", self.message)
        (self.path / "empty").mkdir()
        self.run_embd("embed", "empty", "-o", "a.npy", expect=BAD_INPUT)
        self.assertIn(".txt, .text, .md, .jsonl, .ndjson, .csv, .tsv", self.message)
        self.run_embd("embed", "docs", "--text-field", "text", "-o", "a.npy", expect=USAGE)
        self.assertRegex(self.message, r"docs/b\.txt: .*plain text has none")
        self.write("docs/z.csv", "text\nfine\n\"open\n")
        self.run_embd("embed", "docs", "-o", "a.npy", expect=BAD_INPUT)
        self.assertRegex(self.message, r"docs/z\.csv: line 3")
        os.remove(self.path / "docs/z.csv")
        self.run_embd("embed", "docs", "-o", "docs/b.txt", "--output-format", "npy", expect=USAGE)
        self.run_embd("embed", "docs", "-o", "docs/out.jsonl")
        self.run_embd("embed", "docs", "-o", "docs/out.jsonl", expect=USAGE)
        self.assertIn("out.jsonl", self.message)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
