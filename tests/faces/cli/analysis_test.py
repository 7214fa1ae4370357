#!/usr/bin/env python3
"""embd dedupe, embd cluster, and compare --neighbours:  analysis_test.py EMBD TEST_DATA

Standard library only."""
import csv
import io
import json
import os
import pty
import random
import signal
import struct
import subprocess
import time
import unittest

from folder_case import BAD_INPUT, EMBD, RECIPE, USAGE, FolderCase

TEXTS = ["A cat sits.", "Shares fell.", "A cat sits.", "Bread, water", "A cat sits!", "", "Shares fell"]


class AnalysisTest(FolderCase):
    def write_rows(self, name, rows):
        """A .npy file of rows of float32."""
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
        header = header.ljust(117) + "\n"
        values = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
        self.write(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values)

    def lines(self, text):
        return [json.loads(line) for line in text.decode().splitlines()]

    def random_rows(self, num_rows, dim=16, seed=1):
        source = random.Random(seed)
        return [[source.gauss(0, 1) for _ in range(dim)] for _ in range(num_rows)]

    def test_texts_stay_as_they_stand(self):
        text = "".join(f"{line}\r\n" for line in TEXTS)[:-2]
        self.write("in.txt", text)
        self.run_embd("dedupe", "in.txt", "-o", "out.txt", "--min-similarity", "0.999999")
        self.assertEqual(self.bytes("out.txt").decode(), "A cat sits.\r\nShares fell.\r\nBread, water\r\nA cat sits!\r\n\r\nShares fell")
        self.assertIn("7 rows: 6 kept, 1 removed from 1 group; 1 pair\n", self.message)
        self.assertEqual(self.run_embd("dedupe", "in.txt", "--min-similarity", "0.999999"), self.bytes("out.txt"))
        self.assertEqual(self.run_embd("dedupe", "--min-similarity", "0.999999", input=text.encode()), self.bytes("out.txt"))
        self.run_embd("dedupe", "in.txt", "-o", "out.txt", "--min-similarity", "0.999999", "--skip-empty")
        self.assertNotIn(b"\r\n\r\n", self.bytes("out.txt"))

        rows = [{"id": f"r{i}", "text": line, "n": [i]} for i, line in enumerate(TEXTS)]
        self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.run_embd("dedupe", "in.jsonl", "--id-field", "id", "-o", "out.jsonl", "--min-similarity", "0.999999",
                      "--report", "pairs.jsonl")
        self.assertEqual(self.lines(self.bytes("out.jsonl")), rows[:2] + rows[3:])
        [pair] = self.lines(self.bytes("pairs.jsonl"))
        self.assertEqual(pair, {"id": "r2", "other": "r0", "similarity": 1, "group": 0, "kept": "r0"})

        table = io.StringIO()
        writer = csv.writer(table)
        writer.writerows([["n", "text"], [1, "a \"quoted\"\ntext, of lines"], [2, "other"], [3, "other"], [4, "last"]])
        self.write("in.csv", table.getvalue())
        self.run_embd("dedupe", "in.csv", "-o", "out.csv", "--min-similarity", "0.999999", "--report", "pairs.csv")
        with open(self.path / "out.csv", newline="") as file:
            self.assertEqual([row[0] for row in csv.reader(file)], ["n", "1", "2", "4"])
        self.assertEqual(self.bytes("pairs.csv").decode(), "id,other,similarity,group,kept\n2,1,1,0,1\n")

    def test_several_files_and_folders_are_one_input(self):
        (self.path / "docs").mkdir()
        self.write("docs/b.txt", "Bread, water\nA cat sits.")  # no line end at the end
        self.write("docs/a.txt", "A cat sits.\nShares fell.\n")
        self.write("last.txt", "Shares fell.\nOne more.\n")
        inputs = ["docs", "last.txt"]
        joined = "A cat sits.\nShares fell.\nBread, water\nA cat sits.\nShares fell.\nOne more.\n"
        self.write("all.txt", joined)
        same = ["--min-similarity", "0.999999"]
        kept = self.run_embd("dedupe", *inputs, *same)
        self.assertEqual(kept.decode(), "A cat sits.\nShares fell.\nBread, water\nOne more.\n")
        self.assertEqual(self.run_embd("dedupe", "all.txt", *same), kept)
        self.run_embd("dedupe", "docs/b.txt", "last.txt", *same, "--report", "pairs.jsonl", "--id-from", "file")
        self.assertEqual(self.run_embd("dedupe", "docs/b.txt", "last.txt", *same).decode(),
                         "Bread, water\nA cat sits.\nShares fell.\nOne more.\n")
        self.run_embd("dedupe", *inputs, *same, "--id-from", "file", "--report", "pairs.jsonl", "-o", "kept.txt")
        self.assertEqual([(pair["id"], pair["other"]) for pair in self.lines(self.bytes("pairs.jsonl"))],
                         [("docs/b.txt:2", "docs/a.txt:1"), ("last.txt:1", "docs/a.txt:2")])
        self.run_embd("dedupe", "last.txt", "--against", "docs", *same, "-o", "left.txt")
        self.assertEqual(self.bytes("left.txt"), b"One more.\n")
        self.assertEqual(self.run_embd("cluster", *inputs, "-k", "2"), self.run_embd("cluster", "all.txt", "-k", "2"))
        self.run_embd("map", *inputs, "-o", "map.svg", "--title", "x")
        picture = self.bytes("map.svg")
        self.run_embd("map", "all.txt", "-o", "map.svg", "--title", "x")
        self.assertEqual(self.bytes("map.svg"), picture)

        self.write("1.csv", "n,text\n1,a cat\n")
        self.write("2.csv", "n,text\n2,a cat\n3,a house\n")
        self.write("3.csv", "text,n\na cat,4\n")
        self.assertEqual(self.run_embd("dedupe", "1.csv", "2.csv", *same), b"n,text\n1,a cat\n3,a house\n")
        self.write_rows("rows.npy", self.random_rows(5))
        for arguments, code, words in [
            (["dedupe", "1.csv", "3.csv"], BAD_INPUT, "3.csv: "),
            (["dedupe", "1.csv", "last.txt"], USAGE, "byte for byte in the format of last.txt"),
            (["dedupe", "last.txt", "rows.npy"], USAGE, "a vector set is analyzed alone"),
            (["cluster", "rows.npy", "rows.npy"], USAGE, "a vector set is analyzed alone"),
            (["map", "docs", "none.txt", "-o", "x.svg"], 6, "none.txt"),
            (["dedupe", "docs", "-o", "docs/a.txt"], USAGE, "the same file"),
        ]:
            self.run_embd(*arguments, expect=code)
            self.assertIn(words, self.message, arguments)

    def test_vectors_with_their_texts(self):
        rows = self.random_rows(40)
        for i in range(0, 40, 4):
            rows[i + 1] = [value * 2 + 0.01 for value in rows[i]]
        self.write_rows("rows.npy", rows)
        self.write("texts.txt", "".join(f"text {i:02}{'!' * (i % 4)}\n" for i in range(40)))
        for name in "out.npy", "out.cvc", "out.parquet":
            self.run_embd("dedupe", "rows.npy", "--texts", "texts.txt", "-o", name, "-o", "kept.txt")
            self.assertIn("40 rows: 30 kept, 10 removed from 10 groups", self.message)
        kept = [i for i in range(40) if i % 4 != 1]
        self.assertEqual(self.bytes("kept.txt").decode(), "".join(f"text {i:02}{'!' * (i % 4)}\n" for i in kept))
        self.assertIn(b'"num_rows":30', self.run_embd("inspect", "out.parquet", "--json").replace(b" ", b""))
        self.run_embd("dedupe", "rows.npy", "--texts", "texts.txt", "--keep", "longest", "-o", "kept.txt")
        self.assertEqual(len(self.bytes("kept.txt").splitlines()), 30)
        self.assertNotIn(b"text 00\n", self.bytes("kept.txt"))
        self.assertEqual(self.run_embd("dedupe", "rows.npy"), b"")

        self.write_rows("one.npy", [rows[0], rows[6], [1.0] * 16])
        self.run_embd("dedupe", "one.npy", "--against", "rows.npy", "-o", "left.npy", "--report", "leaks.jsonl")
        self.assertIn("3 rows: 2 with a near-duplicate in the other file, 1 kept; 3 pairs", self.message)
        self.assertEqual([(line["id"], line["other"]) for line in self.lines(self.bytes("leaks.jsonl"))],
                         [(0, 0), (0, 1), (1, 6)])

    def test_texts_by_their_ids(self):
        self.write("in.jsonl", "".join(json.dumps({"id": f"k{i}", "text": text}) + "\n" for i, text in enumerate(TEXTS[:5])))
        self.run_embd("embed", "in.jsonl", "--id-field", "id", "-o", "rows.npy")
        self.write("other.jsonl", "".join(json.dumps({"id": f"k{i}", "text": TEXTS[i]}) + "\n" for i in (4, 2, 0, 3, 1)))
        self.run_embd("dedupe", "rows.npy", "--texts", "other.jsonl", "--id-field", "id", "-o", "out.jsonl",
                      "--min-similarity", "0.999999")
        self.assertEqual([line["id"] for line in self.lines(self.bytes("out.jsonl"))], ["k4", "k0", "k3", "k1"])
        self.write("twice.jsonl", self.bytes("other.jsonl") * 2)
        self.run_embd("dedupe", "rows.npy", "--texts", "twice.jsonl", "--id-field", "id", expect=BAD_INPUT)
        self.assertIn('line 6: duplicate entry: another text with the id "k4"', self.message)
        self.write("few.jsonl", b"".join(self.bytes("other.jsonl").splitlines(True)[:4]))
        self.run_embd("dedupe", "rows.npy", "--texts", "few.jsonl", "--id-field", "id", expect=BAD_INPUT)
        self.assertIn('no text has the id "k1", which row 1 has', self.message)

    def test_an_index_says_its_recall(self):
        rows = self.random_rows(600)
        for i in range(0, 600, 3):
            rows[i + 1] = [value + 0.01 for value in rows[i]]
        self.write_rows("rows.npy", rows)
        self.run_embd("dedupe", "rows.npy", "--exact-rows", "100", "--report", "pairs.jsonl")
        self.assertIn("recall is 1.0000: it found 200 of 200 pairs in a sample of 600 rows", self.message)

    def test_dedupe_refuses(self):
        self.write_rows("rows.npy", self.random_rows(5))
        self.write("texts.txt", "a\nb\n")
        for arguments, code, words in [
            (["rows.npy", "--texts", "texts.txt"], BAD_INPUT, "2 texts for 5 rows"),
            (["rows.npy", "--keep", "longest"], USAGE, "no texts were given"),
            (["rows.npy", "--min-similarity", "2"], USAGE, "min_similarity is 2, expected a cosine similarity from -1 to 1"),
            (["rows.npy", "--min-similarity", "-1.5"], USAGE, "min_similarity is -1.5, expected a cosine similarity from -1 to 1"),
            (["rows.npy", "--min-similarity", "nan"], USAGE, '"nan", expected a number'),
            (["rows.npy", "-o", "rows.npy"], USAGE, "the same file"),
            (["rows.npy", "-o", "a.npy", "-o", "a.npy"], USAGE, "the same file"),
            (["rows.npy", "--text-field", "x"], USAGE, "--text-field applies to texts"),
            (["rows.npy", "--max-length", "9"], USAGE, "but the input is vectors"),
            (["texts.txt", "--column", "9"], USAGE, "the input is texts"),
            (["texts.txt", "--texts", "texts.txt"], BAD_INPUT, ""),
            (["texts.txt", "-o", "x.csv"], USAGE, "in the format of texts.txt"),
            (["nothing.npy"], 6, "nothing.npy"),
            (["nothing.txt"], 6, "nothing.txt"),
        ]:
            self.run_embd("dedupe", *arguments, expect=code)
            self.assertIn(words, self.message, arguments)
        self.write_rows("nan.npy", [[1.0, 2.0], [1.0, float("nan")]])
        for verb, *output in (["dedupe"], ["cluster"], ["index", "-o", "x.usearch"], ["index", "-o", "x.svs"]):
            self.run_embd(verb, "nan.npy", *output, expect=BAD_INPUT)
            self.assertIn("embd: nan.npy: value out of range: row 1 contains the value nan", self.message)
        self.write_rows("short.npy", [[1.0, 2.0]])
        self.run_embd("dedupe", "rows.npy", "--against", "short.npy", expect=USAGE)
        self.assertIn("the rows of one set have 16 values and the rows of the other set have 2", self.message)
        self.run_embd("embed", "texts.txt", "-o", "codes.npy", "--output-type", "binary")
        self.run_embd("dedupe", "codes.npy", expect=BAD_INPUT)
        self.assertIn("the rows are binary codes", self.message)
        self.run_embd("embed", "texts.txt", "-o", "a.npy")
        self.run_embd("embed", "texts.txt", "-o", "b.npy", "--max-length", "9")
        self.run_embd("dedupe", "a.npy", "--against", "b.npy", expect=RECIPE)
        self.assertEqual([name for name in self.names() if "tmp" in name], [])

    def test_odd_sets(self):
        self.write("none.txt", "")
        self.write("one.txt", "one\n")
        self.write("equal.txt", "same\n" * 50)
        self.assertEqual(self.run_embd("dedupe", "none.txt"), b"")
        self.assertEqual(self.run_embd("dedupe", "one.txt"), b"one\n")
        self.assertEqual(self.run_embd("dedupe", "equal.txt"), b"same\n")
        self.assertEqual(self.run_embd("cluster", "none.txt"), b"")
        self.assertEqual(len(self.lines(self.run_embd("cluster", "equal.txt", "-k", "3"))), 50)
        self.assertEqual(len(self.lines(self.run_embd("cluster", "equal.txt", "--density"))), 50)
        [line] = self.lines(self.run_embd("cluster", "one.txt", "--density"))
        self.assertEqual(line, {"id": 0, "group": -1, "distance": None, "place": 0, "name": "", "text": "one"})

    def test_rows_of_any_length_and_ids_of_any_size(self):
        rows = self.random_rows(30)
        rows[3], rows[4], rows[5] = [1e38] * 16, [1e-44] * 16, [0.0] * 16
        self.write_rows("rows.npy", rows)
        self.assertEqual(len(self.lines(self.run_embd("cluster", "rows.npy"))), 30)
        self.run_embd("map", "rows.npy", "-o", "map.html")
        largest = 2**64 - 1
        self.write("ids.jsonl", "".join(json.dumps({"id": largest - i, "text": "same"}) + "\n" for i in range(3)))
        self.run_embd("dedupe", "ids.jsonl", "--id-field", "id", "-o", "out.jsonl", "--report", "pairs.jsonl")
        pairs = self.lines(self.bytes("pairs.jsonl"))
        self.assertEqual([(pair["id"], pair["other"]) for pair in pairs], [(str(largest - 1), str(largest)), (str(largest - 2), str(largest))])

    def test_an_interrupted_run_leaves_nothing(self):
        self.write_rows("rows.npy", self.random_rows(6000, 64))
        before = self.names()
        for arguments in (["dedupe", "rows.npy", "--exact-rows", "10", "-o", "out.npy", "--report", "pairs.jsonl"],
                          ["cluster", "rows.npy", "-k", "500", "-o", "out.jsonl"], ["map", "rows.npy", "--epochs", "10000", "-o", "out.html"]):
            process = subprocess.Popen([EMBD, *arguments, "-t", "1"], cwd=self.path, env=self.environment, stderr=subprocess.DEVNULL)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            self.assertNotEqual(process.wait(60), 0, arguments)
            self.assertEqual(self.names(), before, arguments)

    def test_cluster_names_groups(self):
        texts = [f"{word} {other}" for other in ("red", "blue", "green", "old") for word in ("cat", "market", "bread")]
        rows = [[1.0 if i % 3 == j else 0.05 * (i % 4) for j in range(3)] for i in range(12)]
        self.write_rows("rows.npy", rows)
        self.write("texts.txt", "".join(text + "\n" for text in texts))
        lines = self.lines(self.run_embd("cluster", "rows.npy", "--texts", "texts.txt", "-k", "3"))
        for i, line in enumerate(lines):
            self.assertEqual((line["id"], line["group"], line["text"]), (i, i % 3, texts[i]))
            self.assertEqual(line["name"].split(", ")[0], texts[i].split()[0])
        self.assertEqual(sorted(line["place"] for line in lines), sorted(list(range(4)) * 3))
        self.assertIn("12 rows in 3 groups, 0 in none", self.message)
        self.run_embd("cluster", "rows.npy", "-k", "3", "-o", "a.csv", "-o", "a.parquet", "--table")
        self.assertTrue(self.bytes("a.csv").startswith(b"id,group,distance,place\n0,0,"))
        self.assertEqual(self.bytes("a.parquet")[:4], b"PAR1")
        for arguments, words in [
            (["-k", "13"], "13 groups were asked for, but there are only 12 rows"),
            (["-k", "0"], '--k: the value is "0", expected auto, or a whole number from 1'),
            (["--density", "-k", "3"], "--k applies to grouping by k-means only"),
            (["--min-size", "3"], "--min-size has no effect without --density"),
            (["--density", "--min-size", "1"], "--min-size"),
            (["-o", "rows.npy"], "the same file"),
        ]:
            self.run_embd("cluster", "rows.npy", *arguments, expect=USAGE)
            self.assertIn(words, self.message)

    def test_a_terminal_gets_a_table(self):
        self.write_rows("rows.npy", [[1, 0], [1, 0.1], [0, 1]])
        self.write("texts.txt", "one cat\na cat\nbread\n")
        ours, theirs = pty.openpty()
        subprocess.run([EMBD, "cluster", "rows.npy", "--texts", "texts.txt", "-k", "2"], cwd=self.path, stdout=theirs,
                       env=self.environment, check=True)
        os.close(theirs)
        printed = os.read(ours, 10_000).decode().replace("\r\n", "\n")
        os.close(ours)
        self.assertIn("group      rows  distance  name\n    0         2    0.00", printed)
        self.assertIn("    1         1    0.0000  bread\n" + " " * 27 + "bread\n", printed)

    def test_compare_neighbours(self):
        rows = self.random_rows(60)
        moved = [row[:] for row in rows]
        moved[17] = [-value for value in moved[17]]
        self.write_rows("a.npy", rows)
        self.write_rows("b.npy", [[2 * value for value in row] for row in rows])
        self.write_rows("c.npy", moved)
        self.write_rows("d.npy", [row + [0.0] for row in rows])
        for other in "b.npy", "d.npy":
            found = json.loads(self.run_embd("compare", "a.npy", other, "--neighbours", "5", "--moved", "1"))
            self.assertEqual((found["neighbours"], found["rows"], found["overlap"]), (5, 60, 1))
            self.assertGreater(found["rank_correlation"], 0.999)
        found = json.loads(self.run_embd("compare", "a.npy", "c.npy", "--neighbours", "5"))
        self.assertEqual(found["moved"][0]["row"], 17)
        self.assertEqual(len(found["moved"]), 10)
        self.assertLess(found["overlap"], 1)
        found = json.loads(self.run_embd("compare", "a.npy", "c.npy", "--neighbours", "500", "--sample", "7"))
        self.assertEqual((found["neighbours"], found["rows"], found["overlap"]), (59, 7, 1))
        self.write_rows("short.npy", rows[:9])
        self.run_embd("compare", "a.npy", "short.npy", "--neighbours", "5", expect=USAGE)
        self.assertIn("one set has 60 rows and the other has 9", self.message)
        self.run_embd("compare", "a.npy", "b.npy", "--neighbours", "0", expect=USAGE)
        self.write_rows("nan.npy", [*rows[:59], [float("nan")] * 16])
        self.run_embd("compare", "a.npy", "nan.npy", "--neighbours", "5", expect=BAD_INPUT)
        self.assertIn("nan.npy: value out of range: row 59 contains the value nan", self.message)
        self.run_embd("compare", "a.npy", "b.npy", "--sample", "5", expect=USAGE)
        self.assertIn("--sample has no effect without --neighbours", self.message)


if __name__ == "__main__":
    unittest.main(argv=["analysis_test.py"])
