#!/usr/bin/env python3
"""embd split, and what embd embed says of documents:  split_test.py EMBD TESTS_DATA"""
import json
import os
import pathlib
import sys
import unittest

from folder_case import BAD_INPUT, DATA, IO, USAGE, FolderCase

DOCS = DATA.parent.parent / "docs"


class Split(FolderCase):
    def split(self, *arguments, **more):
        return [json.loads(line) for line in self.run_embd("split", *arguments, **more).splitlines()]

    def test_writes_what_embed_reads(self):
        self.write("a.md", "# Cats\n\nA cat sits.\n\n## Mats\n\nRed.\n")
        self.assertEqual(self.split("a.md"), [
            {"id": "a.md:1", "file": "a.md", "lines": [1, 3], "bytes": [0, 19], "title": "Cats", "headings": ["Cats"], "context": "",
             "text": "# Cats\n\nA cat sits."},
            {"id": "a.md:5", "file": "a.md", "lines": [5, 7], "bytes": [21, 34], "title": "Cats", "headings": ["Cats", "Mats"],
             "context": "Cats", "text": "## Mats\n\nRed."}])
        self.run_embd("split", "a.md", "-o", "a.jsonl")
        self.run_embd("embed", "a.jsonl", "--id-field", "id", "-o", "a.npy")
        self.assertEqual(self.bytes("a.npy.ids.jsonl").split(), [b'"a.md:1"', b'"a.md:5"'])

    def test_divides_a_line(self):
        self.write("a.txt", "The cat sits on the red mat of the house. " * 8 + "\n")
        passages = self.split("a.txt", "--max-tokens", 32)
        self.assertGreater(len(passages), 2)
        self.assertEqual(len({passage["id"] for passage in passages}), len(passages))
        self.assertEqual(passages[0]["id"], "a.txt:1")
        self.assertEqual(passages[1]["id"], f"a.txt:1:{passages[1]['bytes'][0] + 1}")

    def test_the_pages_of_this_project(self):
        """Every page of docs: the text of a passage stands at its lines and bytes."""
        passages = self.split(DOCS, "--max-tokens", 200)
        self.assertGreater(len(passages), 300)
        self.assertEqual(sorted({passage["file"] for passage in passages}), [p["file"] for i, p in enumerate(passages)
                                                                            if i == 0 or p["file"] != passages[i - 1]["file"]])
        for passage in passages:
            content = pathlib.Path(passage["file"]).read_bytes()
            first, end = passage["bytes"]
            self.assertEqual(content[first:end].decode(), passage["text"])
            self.assertEqual([content[:first].count(b"\n") + 1, content[:end].count(b"\n") + 1], passage["lines"])
        search = [passage for passage in passages if passage["file"].endswith("docs/search.md")]
        self.assertTrue(all(passage["title"] == "Search" for passage in search))
        filters = [passage for passage in search if passage["headings"] == ["Search", "Only some rows"]]
        self.assertTrue(filters[0]["text"].startswith("## Only some rows\n"))
        self.assertEqual(filters[0]["context"], "Search")

    def test_folders(self):
        for name in ("in/a/b.md", "in/a.md", "in/.hidden.md", "in/c.html", "in/d.py", "in/e.png", "out.md"):
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, f"{name}\n")
        self.write("in/f.txt", b"a\0b")
        with open(self.path / "in/g.txt", "wb") as big:
            big.truncate((1 << 24) + 1)
        os.symlink("../out.md", self.path / "in/out.md")
        os.symlink("..", self.path / "in/up")
        self.assertEqual([passage["id"] for passage in self.split("in")], ["in/a.md:1", "in/a/b.md:1", "in/d.py:1"])
        said = self.message.splitlines()
        self.assertEqual(len(said), 4, said)
        self.assertTrue(all(line.startswith("embd: skipped: in/") for line in said))
        self.assertIn("pandoc -t gfm 'in/c.html' -o 'in/c.md'", said[0])
        self.assertIn("in/out.md", said[1])
        self.assertIn("in/f.txt", said[2])
        self.assertIn("in/g.txt", said[3])

    def test_refuses_other_documents(self):
        self.write("a.pdf", "%PDF-1.7")
        self.write("b.txt", "%PDF-1.7")
        for name in ("c.docx", "t.xlsx", "s.pptx", "l.DOC"):
            self.write(name, "PK")
        self.write("d.txt", b"a\0")
        self.write("e.md", b"a\n\xff\n")
        self.write("u.txt", "a".encode("utf-16"))
        os.mkfifo(self.path / "p.txt")
        for name, said in (("a.pdf", "pdftotext -layout 'a.pdf' 'a.txt'"), ("b.txt", "pdftotext"), ("c.docx", "pandoc -t gfm 'c.docx'"),
                           ("t.xlsx", "soffice --headless --convert-to csv --outdir '.' 't.xlsx'"),
                           ("s.pptx", "--convert-to pdf --outdir '.' 's.pptx' && pdftotext -layout 's.pdf' 's.txt'"),
                           ("l.DOC", "--convert-to txt:Text --outdir '.' 'l.DOC'"),
                           ("u.txt", "iconv -f UTF-16 -t UTF-8 'u.txt' > 'u.utf8.txt'"),
                           ("d.txt", "NUL"), ("e.md", "e.md: line 2: ")):
            self.assertEqual(self.run_embd("split", name, expect=BAD_INPUT), b"")
            self.assertIn(said, self.message)
        self.assertEqual(self.split("e.md", "--invalid-utf8", "replace")[0]["text"], "a\n\ufffd")
        self.run_embd("split", "none.md", expect=IO)
        self.run_embd("split", "p.txt", expect=IO)  # a pipe that nobody writes to
        self.run_embd("split", "e.md", "-o", "e.md", expect=USAGE)
        self.run_embd("split", expect=USAGE)
        self.run_embd("split", "d.txt", "--max-tokens", 31, expect=USAGE)

    def test_writes_all_or_nothing(self):
        self.write("a.md", "a\n")
        self.write("b.md", b"\xff")
        self.run_embd("split", "a.md", "b.md", "-o", "c.jsonl", expect=BAD_INPUT)
        self.assertEqual(self.names(), ["a.md", "b.md"])


class Notes(FolderCase):
    """The notes of embd embed if the user may expect rows of documents."""

    def test_lines_are_rows(self):
        os.mkdir(self.path / "docs")
        self.write("docs/a.md", "a\nb\n")
        self.write("a.txt", "a\n")
        self.write("b.jsonl", '{"text":"a"}\n')
        note = "embd: note: each line of {0} becomes a row; embd split {0} makes passages of documents\n"
        for path in ("docs", "docs/a.md"):
            self.run_embd("embed", path, "-o", "a.npy")
            self.assertEqual(self.message, note.format(path))
        for arguments in (["a.txt"], ["b.jsonl"], ["docs/a.md", "--input-format", "txt"]):
            self.run_embd("embed", *arguments, "-o", "a.npy")
            self.assertEqual(self.message, "")

    def test_windows_do_not_cross_lines(self):
        self.write("a.txt", "a\nb\n")
        self.write("b.jsonl", '{"text":"a"}\n')
        self.run_embd("embed", "a.txt", "--windows", 12, "-o", "a.npy")
        self.assertEqual(self.message, "embd: note: each line is a text of its own, and windows do not cross lines\n")
        self.run_embd("embed", "b.jsonl", "--windows", 12, "-o", "b.npy")
        self.assertEqual(self.message, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
