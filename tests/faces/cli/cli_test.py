#!/usr/bin/env python3
"""Drives the real program:  cli_test.py EMBD TEST_DATA

Every verb, every exit code, every way of giving text and taking vectors. Standard library only; the
model is the small one of TEST_DATA/embd."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

from folder_case import BAD_INPUT, DIFFERENCE, EMBD, GOOD, INTERRUPTED, IO, MODEL, PIPE, RECIPE, USAGE, FolderCase

CASES = json.loads(MODEL.with_suffix(".json").read_text())["cases"]


class CliTest(FolderCase):
    def rows(self, *arguments, **named):
        return [json.loads(line) for line in self.run_embd(*arguments, **named).splitlines()]

    def usable_kernels(self):
        """The sets of kernels that promise the same bytes."""
        self.run_embd("tokenize", EMBD_KERNELS="abacus", expect=USAGE)
        return [name for name in self.message.splitlines()[0].split("there are: ")[1].split(", ") if name != "reference"]

    def tokens(self, name, content, *options):
        """The token ids of each text of an input: what shows which texts were read."""
        return [row["ids"] for row in self.rows("tokenize", self.write(name, content), *options)]

    def ids_of(self, *texts):
        lines = "\n".join(texts).encode() + b"\n"
        return [row["ids"] for row in self.rows("tokenize", input=lines)]


class Embed(CliTest):
    def test_values_are_those_of_the_reference(self):
        cases = [case for case in CASES if "\n" not in case["text"] and "\r" not in case["text"]
                 and "embedding" in case]
        self.assertGreater(len(cases), 3)
        texts = self.write("in.txt", "".join(case["text"] + "\n" for case in cases))
        for row, case in zip(self.rows("embed", texts), cases, strict=True):
            for found, wanted in zip(row["embedding"], case["embedding"], strict=True):
                self.assertAlmostEqual(found, wanted, delta=2e-6, msg=case["text"])

    def test_rows_keep_their_order_and_bytes_at_any_thread_count_and_batch(self):
        text = self.write("in.txt", "".join(f"number {i} {'word ' * (i % 37)}\n" for i in range(500)))
        whole = self.run_embd("embed", text)
        for options in (["-t", 1], ["-t", 3], ["--batch-tokens", 64], ["--dedup", "off"]):
            self.assertEqual(self.run_embd("embed", text, *options), whole, options)
        self.assertEqual([json.loads(line)["id"] for line in whole.splitlines()], list(range(500)))
        some = self.run_embd("embed", input=b"number 7 " + b"word " * 7 + b"\n")
        self.assertEqual(json.loads(some)["embedding"], json.loads(whole.splitlines()[7])["embedding"])

    def test_one_pass_writes_every_output_and_they_agree(self):
        text = self.write("in.txt", "a cat\n\nthe dog\n")
        outputs = ["a.npy", "b.jsonl", "c.fvecs", "d.fbin"]
        self.run_embd("embed", text, *[word for name in outputs for word in ("-o", name)])
        for name in outputs[1:]:
            self.run_embd("compare", "a.npy", name)
        self.assertEqual((self.path / "a.npy").read_bytes()[:6], b"\x93NUMPY")
        recipe = json.loads((self.path / "a.npy.recipe.json").read_text())
        self.assertEqual(len(recipe["model_sha256"]), 64)
        self.assertEqual(len(recipe["input_sha256"]), 64)

    def test_binary_goes_through_a_pipe(self):
        text = self.write("in.txt", "a cat\nthe dog\n")
        self.run_embd("embed", text, "-o", "a.npy")
        piped = self.run_embd("embed", text, "-o", "-", "--output-format", "npy")
        self.assertEqual(piped, (self.path / "a.npy").read_bytes())
        device = self.run_embd("embed", text, "-o", "/dev/stdout", "--output-format", "npy")
        self.assertEqual(device, piped)
        with open(self.path / "b.npy", "wb") as out:
            subprocess.run([EMBD, "embed", text, "-o", "/dev/stdout", "--output-format", "npy"],
                           cwd=self.path, env=self.environment, stdout=out, check=True)
        self.assertEqual((self.path / "b.npy").read_bytes(), piped)
        self.assertTrue(os.path.islink("/dev/stdout"))

    def test_no_text_is_no_row(self):
        self.assertEqual(self.run_embd("embed"), b"")
        self.run_embd("embed", "-o", "a.npy")
        self.assertIn(b"num_rows: 0", self.run_embd("inspect", "a.npy"))

    def test_ids(self):
        text = self.write("in.csv", "key,text\n7,a\n9,b\n")
        self.assertEqual([r["id"] for r in self.rows("embed", text, "--id-field", "key")], [7, 9])
        self.assertEqual([r["id"] for r in self.rows("embed", text, "--id-start", 5)], [5, 6])
        named = ["embed", text, "--id-field", "key", "--id-type", "string"]
        self.assertEqual([r["id"] for r in self.rows(*named)], ["7", "9"])
        self.run_embd(*named, "-o", "a.npy")
        self.assertEqual((self.path / "a.npy.ids.jsonl").read_text(), '"7"\n"9"\n')
        self.run_embd("embed", text, "--id-field", "key", "--id-start", 1, expect=USAGE)
        most = 2**64 - 1
        self.assertEqual([r["id"] for r in self.rows("embed", text, "--id-start", most - 1)], [most - 1, most])
        self.run_embd("embed", text, "--id-start", most, "-o", "most.npy", expect=USAGE)
        self.assertIn(f"line 3: invalid argument: the ids begin at {most}, so there are too few", self.message)
        largest = self.write("largest.csv", f"key,text\n{most},a\n")
        self.run_embd("embed", largest, "--id-field", "key", "-o", "most.usearch", expect=BAD_INPUT)
        self.assertIn(f"the id {most} is too large for this index", self.message)
        mixed = self.write("mixed.jsonl", '{"text":"a","id":1}\n{"text":"b","id":"x"}\n')
        self.run_embd("embed", mixed, "--id-field", "id", "-o", "b.npy", "--threads", 1,
                      expect=BAD_INPUT)

    def test_truncation_is_told_as_asked(self):
        text = self.write("in.txt", "short\n" + "word " * 300 + "\n")
        self.run_embd("embed", text, "--max-length", 8)
        self.assertIn("1 of 2 texts cut to the length that the model takes", self.message)
        self.run_embd("embed", text, "--max-length", 8, "--on-truncate", "ignore")
        self.assertEqual(self.message, "")
        self.run_embd("embed", text, "--max-length", 8, "--on-truncate", "error", "-o", "a.npy",
                      expect=BAD_INPUT)
        self.assertRegex(self.message, r"in\.txt: line 2: .*\d+ tokens")
        self.assertEqual(self.names(), ["in.txt"])

    def test_long_texts_as_windows(self):
        text = self.write("in.txt", "short\n" + "word " * 30 + "\nlast\n")
        rows = self.rows("embed", text, "--windows", 12, "--stride", 5, "--row-report", "rows.jsonl")
        ids = [row["id"] for row in rows]
        self.assertEqual((ids[0], ids[-1]), ("1#1", "3#1"))
        self.assertEqual(ids[1:-1], [f"2#{i}" for i in range(1, len(ids) - 1)])
        report = [json.loads(line) for line in (self.path / "rows.jsonl").read_text().splitlines()]
        self.assertEqual([row["id"] for row in report], ids)
        self.assertEqual([row["line"] for row in report], [1] + [2] * (len(ids) - 2) + [3])
        self.assertTrue(all(row["tokens"] <= 12 and not row["truncated"] for row in report))
        self.assertEqual(rows[0]["embedding"], self.rows("embed", input=b"short\n")[0]["embedding"])
        mean = self.rows("embed", text, "--windows", 12, "--window-pooling", "mean")
        self.assertEqual([row["id"] for row in mean], [0, 1, 2])
        self.assertEqual(mean[0]["embedding"], rows[0]["embedding"])
        named = self.write("in.csv", 'id,text\na,"' + "word " * 30 + '"\n')
        first = self.rows("embed", named, "--id-field", "id", "--windows", 12)[0]
        self.assertEqual(first["id"], "a#1")
        self.run_embd("embed", text, "--windows", 12, "-o", "a.cvc")
        self.assertIn(b"windows: rows", self.run_embd("inspect", "a.cvc"))
        for options in (["--stride", 5], ["--window-pooling", "mean"], ["--windows", 12, "--stride", 11],
                        ["--windows", 12, "--max-length", 12], ["--windows", 2], ["--windows", 10**6]):
            self.run_embd("embed", text, *options, expect=USAGE)

    def test_reports(self):
        text = self.write("in.txt", "short\n" + "word " * 300 + "\n")
        self.run_embd("embed", text, "--max-length", 8, "-t", 2, "-o", "a.npy",
                      "--report", "r.json", "--row-report", "rows.jsonl")
        report = json.loads((self.path / "r.json").read_text())
        self.assertEqual((report["rows"], report["truncated_rows"], report["threads"]), (2, 1, 2))
        self.assertGreater(report["tokens"], 8)
        self.assertGreater(report["tokens_per_second"], 0)
        self.assertTrue(report["kernels"])
        rows = [json.loads(line) for line in (self.path / "rows.jsonl").read_text().splitlines()]
        self.assertEqual([(row["row"], row["line"], row["truncated"]) for row in rows],
                         [(0, 1, False), (1, 2, True)])
        self.assertGreater(rows[1]["tokens"], 8)

    def test_empty_texts_are_told_once_or_left_out(self):
        text = self.write("in.txt", "one\n\n \ntwo\n\n")
        self.run_embd("embed", text, "-o", "all.npy", "--report", "r.json")
        self.assertEqual(self.message.count("3 of 5 texts empty; --skip-empty leaves out empty texts"), 1)
        self.assertEqual(json.loads((self.path / "r.json").read_text())["empty_rows"], 3)
        self.run_embd("embed", text, "-o", "two.npy", "--skip-empty", "--report", "r.json", "--row-report", "rows.jsonl")
        self.assertEqual(self.message, "")
        report = json.loads((self.path / "r.json").read_text())
        self.assertEqual((report["rows"], report["empty_rows"]), (2, 0))
        rows = [json.loads(line) for line in (self.path / "rows.jsonl").read_text().splitlines()]
        self.assertEqual([row["line"] for row in rows], [1, 4])
        self.run_embd("verify", "two.npy", text, "--skip-empty")
        hits = self.rows("search", "two.npy", "-m", MODEL, "-q", "two", "--texts", text, "--skip-empty", "-k", 1)
        self.assertEqual(hits[0]["hits"][0]["text"], "two")

    def test_compute_is_told_and_verified(self):
        self.write("in.txt", "a cat\nthe dog\nsome words\n")
        self.run_embd("embed", "in.txt", "-o", "f.npy")
        self.run_embd("embed", "in.txt", "-o", "i.npy", "--compute", "int8", "--report", "r.json")
        self.assertEqual(json.loads((self.path / "r.json").read_text())["compute"], "int8")
        self.assertEqual(json.loads(self.run_embd("inspect", "--json", "i.npy"))["recipe"]["compute"], "int8-blocks")
        self.run_embd("verify", "i.npy", "in.txt")
        self.run_embd("verify", "i.npy", "in.txt", "--compute", "f32", expect=DIFFERENCE)
        self.run_embd("compare", "f.npy", "i.npy", expect=DIFFERENCE)
        self.run_embd("embed", "in.txt", "--compute", "bf16", EMBD_KERNELS="reference", expect=USAGE)
        self.assertIn("bf16", self.message)

    def test_options_change_the_vectors_as_they_say(self):
        def lengths(*options):
            row = self.rows("embed", *options, input=b"a cat sat\n")[0]["embedding"]
            return len(row), sum(value * value for value in row) ** 0.5

        full, norm = lengths()
        self.assertAlmostEqual(norm, 1, places=5)
        self.assertNotAlmostEqual(lengths("--no-normalize")[1], 1, places=3)
        self.assertEqual(lengths("--truncate-dim", 8)[0], 8)
        self.assertAlmostEqual(lengths("--truncate-dim", 8)[1], 1, places=5)
        one = self.rows("embed", "--prompt", "a ", input=b"cat\n")
        self.assertEqual(one, self.rows("embed", input=b"a cat\n"))
        self.assertNotEqual(self.run_embd("embed", "--pooling", "cls", input=b"cat\n"),
                            self.run_embd("embed", "--pooling", "max", input=b"cat\n"))
        self.assertEqual(full, len(self.rows("embed", input=b"x\n")[0]["embedding"]))


class TextInput(CliTest):
    def test_lines(self):
        expected = self.ids_of("a cat", "", "the dog", "x")
        for content in ("a cat\n\nthe dog\nx\n", "a cat\n\nthe dog\nx", "a cat\r\n\r\nthe dog\r\nx\r\n",
                        "\ufeffa cat\n\nthe dog\nx\n"):
            self.assertEqual(self.tokens("in.txt", content), expected, content)
        self.assertEqual(self.tokens("in.txt", ""), [])
        self.assertEqual(len(self.tokens("in.txt", "\n\n\n")), 3)

    def test_standard_input(self):
        self.assertEqual(self.rows("tokenize", "-", input=b"a cat\n"), self.rows("tokenize", input=b"a cat"))
        rows = self.rows("tokenize", "--input-format", "csv", input=b"text\nx\n")
        self.assertEqual([row["ids"] for row in rows], self.ids_of("x"))

    def test_csv(self):
        expected = self.ids_of("a, cat", 'the "dog"', "")
        content = 'id,text\r\n1,"a, cat"\r\n2,"the ""dog"""\r\n3,\r\n'
        self.assertEqual(self.tokens("in.csv", content), expected)
        self.assertEqual(self.tokens("in.csv", "\ufeff" + content.replace("\r\n", "\n")[:-1]), expected)
        self.assertEqual(self.tokens("in.csv", 'text\n"a\n\ncat"\n"b\r\nc"\n'), self.ids_of("a cat", "b c"))
        self.assertEqual(self.tokens("in.csv", "1,x\n2,y\n", "--no-header", "--text-field", 2),
                         self.ids_of("x", "y"))
        self.assertEqual(self.tokens("in.csv", "Body\nx\n", "--text-field", "Body"), self.ids_of("x"))
        self.assertEqual(self.tokens("in.csv", "id;text\n1;a, cat\n", "--delimiter", ";"), self.ids_of("a, cat"))
        self.assertEqual(self.tokens("in.csv", 'id\ttext\n1\t"a\tcat"\n', "--delimiter", "tab"), self.ids_of("a\tcat"))
        for delimiter in ('"', "", ";;", "x", "\n"):
            self.run_embd("tokenize", self.write("in.csv", "text\n"), "--delimiter", delimiter, expect=USAGE)
        self.run_embd("tokenize", self.write("in.jsonl", ""), "--delimiter", ";", expect=USAGE)

    def test_tsv(self):
        self.assertEqual(self.tokens("in.tsv", 'id\ttext\n1\t"a" cat\r\n2\t\n'), self.ids_of('"a" cat', ""))
        for text, read in (('"b ""inner"" q"', 'b "inner" q'), ('"tab\there"', "tab\there"), ('"plain"', '"plain"')):
            expected = self.ids_of(read, read)
            self.assertEqual(self.message, "")
            self.assertEqual(self.tokens("in.tsv", f"id\ttext\n1\t{text}\n2\t{text}\n"), expected)
            self.assertEqual(self.message.count("warning"), 1)
            self.assertIn("in.tsv: line 2: a field is in double quotes", self.message)
            self.assertIn("--input-format csv --delimiter tab", self.message)
        self.run_embd("tokenize", self.write("in.tsv", 'id\ttext\n1\t"two\nlines"\n'), expect=BAD_INPUT)
        self.assertIn("--input-format csv --delimiter tab", self.message.splitlines()[-1])
        self.run_embd("tokenize", self.write("in.tsv", '"id"\t"text"\n1\tx\n'), expect=BAD_INPUT)
        self.assertIn("--input-format csv --delimiter tab", self.message.splitlines()[-1])

    def test_jsonl(self):
        content = '{"id":1,"text":"a \\u00e9 \\ud83d\\ude00 \\"q\\"\\n"}\n{"x":[{"text":1}],"text":""}'
        self.assertEqual(self.tokens("in.jsonl", content), self.ids_of('a é 😀 "q" ', ""))
        self.assertEqual(self.tokens("in.jsonl", '{"body":"x"}\r\n', "--text-field", "body"), self.ids_of("x"))

    def test_malformed_input_names_file_and_line(self):
        cases = [
            ("in.csv", 'text\nx\n"open\n\n', 3),
            ("in.csv", 'text\n"a"b\n', 2),
            ("in.csv", 'text\na"b\n', 2),
            ("in.csv", "text\na\rb\n", 2),
            ("in.csv", "id,text\n1,a\n2\n", 3),
            ("in.csv", "id,body\n1,a\n", 1),
            ("in.csv", "text,text\n1,a\n", 1),
            ("in.csv", "", 1),
            ("in.tsv", "id\ttext\n1\ta\tb\n", 2),
            ("in.jsonl", '{"text":"a"}\n\n', 2),
            ("in.jsonl", '{"text":"a"}\n{"text":7}\n', 2),
            ("in.jsonl", '{"text":"a"}\n{"body":"a"}\n', 2),
            ("in.jsonl", '{"text":"a"}\n["a"]\n', 2),
            ("in.jsonl", '{"text":"a"}\n{"text":"a","text":"b"}\n', 2),
            ("in.jsonl", '{"text":"a"}\n{"text":"\\ud800"}\n', 2),
            ("in.jsonl", '{"text":"a"}\n{"text":"a"}\0x\n', 2),
            ("in.jsonl", '{"text":"a"}\n{"text":"a"\n', 2),
        ]
        for name, content, line in cases:
            self.run_embd("embed", self.write(name, content), "-o", "out.npy", expect=BAD_INPUT)
            self.assertIn(f"{name}: line {line}: ", self.message)
            self.assertNotIn("out.npy", self.names(), content)
        ids = self.write("ids.csv", "id,text\n1,a\nx,b\n")
        self.run_embd("embed", ids, "--id-field", "id", expect=BAD_INPUT)
        self.assertIn("line 3", self.message)
        self.run_embd("embed", ids, "--id-field", "none", expect=BAD_INPUT)

    def test_fields_where_there_are_none_are_a_usage_error(self):
        self.run_embd("embed", self.write("in.txt", "a\n"), "--text-field", "x", expect=USAGE)
        self.run_embd("embed", self.write("in.csv", "a\n"), "--no-header", "--text-field", "x", expect=USAGE)


class Similarity(CliTest):
    def test_table_and_json(self):
        table = self.run_embd("similarity", "a cat", "a cat", "the dog").decode()
        self.assertEqual(len(table.splitlines()), 4)
        self.assertIn("1.0000", table)
        result = json.loads(self.run_embd("similarity", "--json", "a cat", "[a, b]", "the dog"))
        self.assertEqual(result["texts"], ["a cat", "[a, b]", "the dog"])
        self.assertAlmostEqual(result["similarity"][0][0], 1)
        self.assertEqual(result["similarity"][0][2], result["similarity"][2][0])


class Tokenize(CliTest):
    def test_ids_are_those_of_the_reference_and_uncut(self):
        for case in CASES:
            if "\n" in case["text"] or "\r" in case["text"]:
                continue
            row = self.rows("tokenize", input=case["text"].encode() + b"\n")[0]
            if not case.get("truncated"):
                self.assertEqual(row, {"ids": case["ids"], "truncated": False}, case["text"])
        cut = self.rows("tokenize", "--max-length", 4, "--tokens", input=b"a a a a a a\n")[0]
        self.assertEqual((len(cut["ids"]), cut["truncated"], cut["tokens"][0]), (4, True, "[CLS]"))

    def test_offsets_are_bytes_of_the_text(self):
        text = "Über a cat"
        row = self.rows("tokenize", "--offsets", input=text.encode() + b"\n")[0]
        self.assertEqual(row["offsets"][0], [0, 0])
        self.assertEqual(row["offsets"][-1], [0, 0])
        self.assertEqual(row["offsets"][-2][1], len(text.encode()))
        self.assertEqual(len(row["offsets"]), len(row["ids"]))

    def test_the_left_side_is_cut_if_asked(self):
        whole = self.rows("tokenize", input=b"a cat on the mat\n")[0]["ids"]
        cut = self.rows("tokenize", "--max-length", 4, "--truncate-side", "left", input=b"a cat on the mat\n")[0]
        self.assertEqual(cut, {"ids": whole[:1] + whole[-3:], "truncated": True})
        self.run_embd("tokenize", "--truncate-side", "top", expect=USAGE)

    def test_prompts_have_the_names_of_the_configuration(self):
        row = self.rows("tokenize", "--prompt-name", "query", input=b"a cat\n")
        self.assertEqual(row, self.rows("tokenize", input=b"a cat\n"))
        self.run_embd("tokenize", "--prompt-name", "topic", input=b"a\n", expect=USAGE)
        self.assertIn("expected one of query, document", self.message)
        self.run_embd("tokenize", "--prompt-name", "query", "--prompt", "x", expect=USAGE)


class TokenIds(CliTest):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", "".join(json.dumps({"key": f"k{i}", "text": "a cat on the mat " * (i % 20)}) + "\n"
                                       for i in range(50)))
        (self.path / "ids.jsonl").write_bytes(self.run_embd("tokenize", "in.jsonl", "--id-field", "key"))

    def test_they_make_the_file_of_their_texts(self):
        ids = ["--token-ids-field", "ids", "--id-field", "id"]
        for options in ([], ["--max-length", 8], ["--max-length", 8, "--truncate-side", "left"], ["--compute", "int8"]):
            self.run_embd("embed", "in.jsonl", "--id-field", "key", "-o", "a.npy", *options)
            warnings = self.message.splitlines(keepends=True)
            self.assertIn("3 of 50 texts empty", warnings.pop())  # which token ids do not show
            self.run_embd("embed", "ids.jsonl", "-o", "b.npy", *ids, *options)
            self.assertEqual(self.message, "".join(warnings))
            self.assertEqual((self.path / "a.npy").read_bytes(), (self.path / "b.npy").read_bytes())
            self.run_embd("compare", "a.npy", "b.npy")
            self.run_embd("verify", "b.npy", "ids.jsonl", *ids)
            self.assertEqual(self.message, "")
        recipe = json.loads((self.path / "b.npy.recipe.json").read_text())
        self.assertEqual(json.loads(self.run_embd("digest", "b.npy", "ids.jsonl", *ids)), recipe["digest"])
        piped = self.run_embd("embed", "-", "--input-format", "jsonl", *ids, "--compute", "int8",
                              input=(self.path / "ids.jsonl").read_bytes())
        self.assertEqual(json.loads(piped.splitlines()[1])["id"], "k1")

    def test_parts_of_them_make_the_whole(self):
        ids = ["--token-ids-field", "ids", "--id-field", "id"]
        self.run_embd("embed", "ids.jsonl", "-o", "whole.npy", *ids)
        for part in range(3):
            self.run_embd("embed", "ids.jsonl", "-o", f"{part}.npy", "--part", f"{part}/3", "--resume", *ids)
        self.run_embd("join", *[f"{part}.npy.part.json" for part in range(3)], "-o", "joined.npy")
        self.assertEqual((self.path / "joined.npy").read_bytes(), (self.path / "whole.npy").read_bytes())

    def test_ids_of_rows_are_handed_on_and_never_changed(self):
        csv = ["--input-format", "csv", "--id-field", "id"]
        self.assertEqual([row["id"] for row in self.rows("tokenize", *csv, input=b"id,text\n7,a\n8,b\n")], [7, 8])
        self.run_embd("tokenize", *csv, input=b"id,text\n\xff,a\n", expect=BAD_INPUT)
        self.assertIn("standard input: line 2: ", self.message)

    def test_what_the_model_does_not_have_is_refused_by_file_and_line(self):
        self.write("bad.jsonl", '{"ids":[101,102]}\n{"ids":[101,1000000,102]}\n')
        self.run_embd("embed", "bad.jsonl", "--token-ids-field", "ids", "-o", "a.npy", expect=BAD_INPUT)
        self.assertIn("bad.jsonl: line 2: value out of range: token 1: the token id is 1000000, expected 0 to ", self.message)
        self.assertFalse((self.path / "a.npy").exists())
        for options in (["--text-field", "x"], ["--prompt", "x"], ["--windows", 8], ["--input-format", "csv"],
                        ["-o", "a.fifu"], ["-o", "a.parquet", "--text-column"]):
            self.run_embd("embed", "ids.jsonl", "--token-ids-field", "ids", *options, expect=USAGE)


class Convert(CliTest):
    def setUp(self):
        super().setUp()
        self.write("in.csv", "id,text\n" + "".join(f"k{i},number {i}\n" for i in range(20)))
        self.run_embd("embed", "in.csv", "--id-field", "id", "-o", "a.npy")

    def test_every_format_there_and_back(self):
        for name in ("b.jsonl", "b.fvecs", "b.fbin", "b.npy"):
            self.run_embd("convert", "a.npy", name)
            self.run_embd("compare", "a.npy", name)
            self.run_embd("convert", name, "back.npy")
            self.assertEqual((self.path / "back.npy").read_bytes(), (self.path / "a.npy").read_bytes())
            recipe = (self.path / "back.npy.recipe.json").read_text()
            self.assertEqual(recipe, (self.path / "a.npy.recipe.json").read_text())

    def test_parts_make_the_whole(self):
        self.run_embd("convert", "a.npy", "b.npy", "--rows", ":7")
        self.run_embd("convert", "a.npy", "c.fvecs", "--rows", "7:15")
        self.run_embd("convert", "a.npy", "d.jsonl", "--rows", "15:")
        self.run_embd("convert", "b.npy", "c.fvecs", "d.jsonl", "e.npy")
        self.assertEqual((self.path / "e.npy").read_bytes(), (self.path / "a.npy").read_bytes())
        self.assertEqual((self.path / "e.npy.ids.jsonl").read_bytes(),
                         (self.path / "a.npy.ids.jsonl").read_bytes())
        for rows in ("7", "x:", "9:8", ":21"):
            self.run_embd("convert", "a.npy", "x.npy", "--rows", rows, expect=USAGE)

    def test_parts_made_one_by_one_make_the_whole(self):
        lines = [f"text {i}\n" for i in range(9)]
        self.run_embd("embed", self.write("all.txt", "".join(lines)), "-o", "all.jsonl", "-o", "all.cvc")
        for i, name in enumerate(("x", "y", "z")):
            self.run_embd("embed", self.write(f"{name}.txt", "".join(lines[3 * i:3 * i + 3])),
                          "-o", f"{name}.jsonl", "-o", f"{name}.cvc")
        for source, target in (("jsonl", "jsonl"), ("jsonl", "cvc"), ("cvc", "cvc")):
            self.run_embd("convert", f"x.{source}", f"y.{source}", f"z.{source}", f"out.{target}")
            self.assertEqual((self.path / f"out.{target}").read_bytes(),
                             (self.path / f"all.{target}").read_bytes(), (source, target))
        recipe = json.loads(self.run_embd("inspect", "--json", "out.cvc"))["recipe"]
        self.assertEqual(recipe["input_sha256"], "")
        self.assertEqual(len(json.loads(self.run_embd("inspect", "--json", "all.cvc"))["recipe"]["input_sha256"]), 64)
        # A part keeps the numbers that it had in the whole.
        self.run_embd("convert", "all.jsonl", "part.jsonl", "--rows", "4:6")
        part = (self.path / "part.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["id"] for line in part], [4, 5])
        self.run_embd("embed", "x.txt", "-o", "p.npy", "--prompt", "query: ")
        self.run_embd("embed", "y.txt", "-o", "q.npy")
        self.run_embd("convert", "p.npy", "q.npy", "r.npy")
        self.assertFalse((self.path / "r.npy.recipe.json").exists())

    def test_half_precision(self):
        self.run_embd("convert", "a.npy", "b.npy", "--output-type", "f16")
        self.run_embd("compare", "a.npy", "b.npy", expect=DIFFERENCE)
        self.run_embd("compare", "a.npy", "b.npy", "--tolerance", 1e-3)

    def test_codes_of_sentence_transformers(self):
        floats = [row["embedding"] for row in self.rows("convert", "a.npy", "-", "--to", "jsonl")]
        for name in ("c.npy", "c.i8bin", "c.jsonl", "c.svs"):
            self.run_embd("embed", "in.csv", "-o", name, "--output-type", "binary")
            bits = [row["embedding"] for row in self.rows("convert", name, "-", "--to", "jsonl")]
            self.assertEqual(bits, [[int("".join("01"[value > 0] for value in row[i:i + 8]).ljust(8, "0"), 2) - 128
                                     for i in range(0, len(row), 8)] for row in floats], name)
            self.run_embd("verify", name, "in.csv")
            self.run_embd("embed", "in.csv", "-o", name, "--output-type", "int8")
            self.run_embd("verify", name, "in.csv")
            self.run_embd("embed", "in.csv", "-o", f"d{name[1:]}", "--output-type", "int8",
                          "--output-ranges", f"{name}.ranges.npy")
            self.run_embd("compare", name, f"d{name[1:]}")
            self.run_embd("verify", f"d{name[1:]}", "in.csv")
        self.run_embd("convert", "a.npy", "e.npy", "--output-type", "binary")
        self.run_embd("verify", "e.npy", "in.csv")
        for name in ("c.cvc", "c.fifu", "c.fvecs", "c.vec", "c.hvecs"):
            self.run_embd("embed", "in.csv", "-o", name, "--output-type", "int8", expect=USAGE)
        self.run_embd("embed", "-o", "c.npy", "--output-type", "int8", input=b"one\n", expect=BAD_INPUT)

    def test_codes_stay_codes(self):
        for kind in ("int8", "binary"):
            self.run_embd("embed", "in.csv", "-o", "i.npy", "--output-type", kind)
            for name in ("j.npy", "j.cvc", "j.i8bin", "j.svs", "j.jsonl", "j.fvecs"):
                self.run_embd("convert", "i.npy", name)
                self.run_embd("compare", "i.npy", name)
                self.run_embd("verify", name, "in.csv")
                self.assertEqual((self.path / f"{name}.ranges.npy").exists(), kind == "int8")
            self.assertEqual((self.path / "i.npy").read_bytes(), (self.path / "j.npy").read_bytes())
            self.run_embd("convert", "i.npy", "j.npy", "--output-type", kind)
            self.run_embd("compare", "i.npy", "j.npy")
        self.run_embd("convert", "i.npy", "k.npy", "--output-type", "int8", expect=USAGE)
        self.assertIn("the rows are binary codes", self.message)
        self.run_embd("embed", "in.csv", "-o", "i.npy", "--output-type", "int8")
        self.run_embd("convert", "i.npy", "a.npy", "k.npy", expect=USAGE)
        self.run_embd("convert", "a.npy", "i.npy", "k.npy", expect=USAGE)
        self.write("other.csv", "text\na\nfew other words\n")
        self.run_embd("embed", "other.csv", "-o", "o.npy", "--output-type", "int8")
        self.run_embd("convert", "i.npy", "o.npy", "k.npy", expect=USAGE)
        self.assertIn("o.npy: ", self.message)
        self.assertIn("other ranges than the codes of i.npy", self.message)
        self.assertIn("make all codes anew from their vectors, with one file of ranges", self.message)

    def test_usearch_has_its_own_int8_and_bits(self):
        for kind, scalar in (("int8", "i8"), ("binary", "b1"), ("f16", "f16")):
            self.run_embd("embed", "in.csv", "-o", "c.usearch", "--output-type", kind)
            found = json.loads(self.run_embd("inspect", "--json", "c.usearch"))
            self.assertEqual((found["encoding"], found["recipe"]["output_type"]), (scalar, kind))
            self.run_embd("verify", "c.usearch", "in.csv")
            self.assertFalse((self.path / "c.usearch.ranges.npy").exists())
            self.run_embd("convert", "c.usearch", "d.npy")
            found = json.loads(self.run_embd("inspect", "--json", "d.npy"))
            self.assertEqual((found["encoding"], found["recipe"]["output_type"]), ("f32", "f32"))
            hits = json.loads(self.run_embd("search", "c.usearch", "--queries", "a.npy", "-k", 1).splitlines()[0])
            self.assertEqual(hits["hits"][0]["id"], 0)

    def test_options_of_an_index_that_contradict_its_codes_are_refused(self):
        binary = ("--output-type", "binary")
        self.run_embd("embed", "in.csv", "-o", "bits.npy", *binary)
        self.run_embd("embed", "in.csv", "--part", "0/1", "-o", "part.npy", *binary)
        ways = (("embed", "in.csv", "-o", "c.usearch", *binary), ("convert", "bits.npy", "c.usearch"),
                ("join", "part.npy.part.json", "-o", "c.usearch"))
        for way in ways:
            for name, value, asked in (("--scalar", "f32", "scalar type f32"), ("--scalar", "i8", "scalar type i8"),
                                       ("--metric", "cos", "metric cos")):
                self.run_embd(*way, name, value, expect=USAGE)
                self.assertIn(f"the {asked} was asked for, but the format usearch stores binary codes as bits (b1), "
                              "with the metric hamming", self.message)
            self.assertFalse((self.path / "c.usearch").exists())
            for metric in ("hamming", "jaccard"):
                self.run_embd(*way, "--scalar", "b1", "--metric", metric)
                found = json.loads(self.run_embd("inspect", "--json", "c.usearch"))
                self.assertEqual((found["encoding"], found["metric"]), ("b1", metric))
            (self.path / "c.usearch").unlink()
        for kind, scalar in (("int8", "f16"), ("f16", "f32"), ("f32", "i8")):
            self.run_embd("embed", "in.csv", "-o", "c.usearch", "--output-type", kind, "--scalar", scalar, expect=USAGE)
            self.assertIn(f"the output type {kind} was asked for, but the format usearch stores {scalar} with this scalar "
                          "type", self.message)

    def test_codes_in_an_index_have_their_ranges_beside_it(self):
        self.run_embd("embed", "in.csv", "-o", "c.npy", "--output-type", "int8")
        for name in ("c.usearch", "c.svs"):
            self.run_embd("index", "c.npy", "-o", name)
            self.assertEqual((self.path / f"{name}.ranges.npy").read_bytes(),
                             (self.path / "c.npy.ranges.npy").read_bytes())
            self.run_embd("convert", name, "d.npy")
            self.run_embd("compare", "c.npy", "d.npy")
            self.assertTrue((self.path / "d.npy.ranges.npy").exists())

    def test_the_recipe_tells_the_type_of_the_stored_values(self):
        def stored(name):
            found = json.loads(self.run_embd("inspect", "--json", name))
            return found["encoding"], found["recipe"]["output_type"]
        self.run_embd("embed", "in.csv", "-o", "s.cvc", "-o", "s.npy", "-o", "s.hvecs", "-o", "s.fifu")
        self.assertEqual([stored(name) for name in ("s.cvc", "s.npy", "s.hvecs", "s.fifu")],
                         [("fp16", "f16"), ("f32", "f32"), ("f16", "f16"), ("f32", "f32")])
        self.run_embd("convert", "s.npy", "t.cvc")
        self.assertEqual(stored("t.cvc"), ("fp16", "f16"))
        self.run_embd("convert", "s.cvc", "t.npy")
        self.assertEqual(stored("t.npy"), ("f32", "f32"))
        for compression in ("none", "int8", "lossless"):
            self.run_embd("embed", "in.csv", "-o", "s.cvc", "--cvc-compression", compression)
            self.assertEqual(stored("s.cvc"), (compression, "f32"))
        self.run_embd("embed", "in.csv", "-o", "s.cvc", "--output-type", "f32")
        self.assertEqual(stored("s.cvc"), ("lossless", "f32"))
        self.run_embd("embed", "in.csv", "-o", "s.cvc", "--output-type", "f32", "--cvc-compression", "fp16",
                      expect=USAGE)
        self.run_embd("embed", "in.csv", "-o", "s.hvecs", "--output-type", "f32", expect=USAGE)

    def test_other_recipes_are_not_mixed(self):
        self.run_embd("embed", "in.csv", "--id-field", "id", "--pooling", "cls", "-o", "b.npy")
        self.run_embd("convert", "a.npy", "b.npy", "c.npy", expect=RECIPE)
        self.assertIn("pooling", self.message)
        self.run_embd("convert", "a.npy", "b.npy", "c.npy", "--force")
        self.assertFalse((self.path / "c.npy.recipe.json").exists())

    def test_refuses(self):
        self.run_embd("convert", "a.npy", expect=USAGE)
        self.run_embd("convert", "a.npy", "b.xyz", expect=USAGE)
        self.run_embd("convert", "a.npy", "b.npy", "--to", "docx", expect=USAGE)
        self.run_embd("convert", "none.npy", "b.npy", expect=IO)
        os.rename(self.path / "a.npy", self.path / "a.fvecs")
        self.run_embd("convert", "a.fvecs", "b.npy", expect=BAD_INPUT)
        self.assertIn("npy by its content, but fvecs by its name", self.message)
        self.run_embd("convert", "a.fvecs", "b.npy", "--from", "npy")


class InspectCompareVerify(CliTest):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "a cat\nthe dog\nsome words\n")
        self.run_embd("embed", "in.txt", "-o", "a.npy")

    def test_inspect(self):
        text = self.run_embd("inspect", "a.npy").decode()
        self.assertIn("format: npy\n", text)
        self.assertIn("num_rows: 3\n", text)
        found = json.loads(self.run_embd("inspect", "--json", "a.npy"))
        self.assertEqual((found["format"], found["num_rows"], found["ids"]), ("npy", 3, "none"))
        self.assertEqual(found["recipe"]["pooling"], "mean")
        data = (self.path / "a.npy").read_bytes()
        self.write("cut.npy", data[:-1])
        self.run_embd("inspect", "cut.npy", expect=BAD_INPUT)
        self.assertRegex(self.message, r"cut\.npy: byte \d+: ")

    def test_compare(self):
        data = bytearray((self.path / "a.npy").read_bytes())
        data[-4:] = struct.pack("<f", 0.5)
        self.write("b.npy", bytes(data))
        self.run_embd("compare", "a.npy", "a.npy")
        self.assertIn(b"(row 2,", self.run_embd("compare", "a.npy", "b.npy", expect=DIFFERENCE))
        self.run_embd("compare", "a.npy", "b.npy", "--tolerance", 2)
        self.run_embd("convert", "a.npy", "c.npy", "--rows", "0:2")
        self.run_embd("compare", "a.npy", "c.npy", expect=DIFFERENCE)
        self.run_embd("embed", "in.txt", "--id-start", 1, "-o", "d.npy")
        self.assertIn(b'row 0 has the id "0" in one set', self.run_embd("compare", "a.npy", "d.npy", expect=DIFFERENCE))

    def test_verify(self):
        self.run_embd("verify", "a.npy", "in.txt")
        self.run_embd("verify", "a.npy", "in.txt", "--sample", 1, "--seed", 3)
        self.run_embd("convert", "a.npy", "h.npy", "--output-type", "f16")
        self.run_embd("verify", "h.npy", "in.txt")
        other = self.write("other.txt", "a cat\nthe dog\nother words\n")
        self.assertIn(b"2 equal", self.run_embd("verify", "a.npy", other, expect=DIFFERENCE))
        longer = self.write("longer.txt", "a cat\nthe dog\nsome words\nmore\n")
        self.run_embd("verify", "a.npy", longer, expect=DIFFERENCE)
        cls = MODEL.with_name("pooling_cls.weights")
        self.run_embd("verify", "a.npy", "in.txt", "-m", cls, expect=RECIPE)
        self.assertIn("model_sha256", self.message)
        self.run_embd("verify", "a.npy", "in.txt", "-m", cls, "--force", expect=BAD_INPUT)
        self.assertIn("the rows have 36 values, but this model gives vectors of 12", self.message)
        self.other_model("a.npy")
        self.run_embd("verify", "a.npy", "in.txt", expect=RECIPE)
        self.run_embd("verify", "a.npy", "in.txt", "--force")
        self.run_embd("embed", "in.txt", "-o", "a.npy")
        self.run_embd("verify", "a.npy", "in.txt", "--pooling", "max", "--max-length", 9, expect=RECIPE)
        self.assertRegex(self.message, r"max_length, pooling\n.*--force")
        self.run_embd("verify", "a.npy", "in.txt", "--pooling", "max", "--force", expect=DIFFERENCE)
        # A row that is wrong is found by its number in the file, and only if it is in the sample.
        lines = [f"text {i}\n" for i in range(50)]
        self.run_embd("embed", self.write("many.txt", "".join(lines)), "-o", "many.npy")
        lines[37] = "another\n"
        self.write("many.txt", "".join(lines))
        self.assertIn(b"50 rows, 49 equal, ", self.run_embd("verify", "many.npy", "many.txt", expect=DIFFERENCE))
        found = set()
        for seed in range(12):
            arguments = ["verify", "many.npy", "many.txt", "--sample", 10, "--seed", seed]
            result = subprocess.run([EMBD, *map(str, arguments)], cwd=self.path, capture_output=True,
                                    env=self.environment)
            again = subprocess.run([EMBD, *map(str, arguments)], cwd=self.path, capture_output=True,
                                   env=self.environment)
            self.assertEqual(result.stdout, again.stdout)
            found.add(result.returncode)
            self.assertIn(b"(row 37," if result.returncode else b"10 rows, 10 equal", result.stdout)
        self.assertEqual(found, {GOOD, DIFFERENCE})
        self.run_embd("verify", "many.npy", "many.txt", "--tolerance", 2)

    def other_model(self, name):
        """Has the recipe beside `name` say that another model made it."""
        path = self.path / f"{name}.recipe.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "model_sha256": "0" * 64}))

    def test_verify_does_as_the_recipe_says(self):
        text = self.write("in.txt", "short\n" + "word " * 40 + "\nlast\n")
        shorter = self.write("shorter.txt", "short\n" + "word " * 20 + "\nlast\n")
        for options in (["--prompt", "query: "], ["--windows", 12], ["--windows", 12, "--window-pooling", "mean"],
                        ["--truncate-dim", 8, "--no-normalize"], ["--max-length", 9, "--pooling", "cls"]):
            for name in ("v.npy", "v.cvc", "v.fifu", "v.usearch", "v.svs", "v.jsonl"):
                self.run_embd("embed", text, "-o", name, *options)
                self.run_embd("verify", name, text)
                self.run_embd("verify", name, text, "--sample", 2)
        self.run_embd("embed", text, "-o", "w.npy", "--windows", 12)
        self.assertIn(b"windows of the texts", self.run_embd("verify", "w.npy", shorter, expect=DIFFERENCE))

    def test_queries_of_another_recipe_are_refused(self):
        self.run_embd("embed", "in.txt", "-o", "q.npy", "--pooling", "max")
        self.run_embd("search", "a.npy", "--queries", "q.npy", expect=RECIPE)
        self.assertIn("pooling", self.message)
        self.run_embd("search", "a.npy", "--queries", "q.npy", "--force")
        self.run_embd("search", "a.npy", "--queries", "a.npy")
        cls = MODEL.with_name("pooling_cls.weights")
        self.run_embd("search", "a.npy", "-q", "cat", "-m", cls, expect=RECIPE)
        self.other_model("a.npy")
        self.run_embd("search", "a.npy", "-q", "cat", expect=RECIPE)
        self.run_embd("search", "a.npy", "-q", "cat", "--force")

    def test_lock_and_check(self):
        (self.path / "ci").mkdir()
        self.write("model.weights", MODEL.read_bytes())
        self.run_embd("lock", "model.weights", "-o", "ci/embd.lock", "--pooling", "cls")
        lock = json.loads((self.path / "ci" / "embd.lock").read_text())
        self.assertEqual(lock["model"], "../model.weights")
        self.assertEqual(set(lock["sha256"]), {"f32", "bf16", "int8-blocks"})
        self.assertEqual(lock["recipe"]["pooling"], "cls")
        self.assertLess((self.path / "ci" / "embd.lock").stat().st_size, 20000)
        for compute in ("f32", "bf16", "int8"):
            for kernels in self.usable_kernels():
                self.assertIn(b"11 probes, 11 equal, " + compute.encode(),
                              self.run_embd("check", "ci/embd.lock", "--compute", compute, EMBD_KERNELS=kernels))
        self.run_embd("check", "ci/embd.lock", EMBD_KERNELS="reference", expect=DIFFERENCE)
        self.run_embd("lock", "model.weights", "-o", "ci/no.lock", EMBD_KERNELS="reference", expect=USAGE)
        self.run_embd("check", "ci/embd.lock", "-m", MODEL)
        self.run_embd("check", "ci/embd.lock", "-m", MODEL.with_name("cased.weights"), expect=RECIPE)
        self.assertIn("model_sha256", self.message)
        self.run_embd("check", "ci/embd.lock", "-m", MODEL.with_name("cased.weights"), "--force",
                      expect=DIFFERENCE)
        for hashes in lock["sha256"].values():
            hashes[2] = "0" * 64
        self.write("drift.lock", json.dumps({**lock, "model": "model.weights"}))
        self.assertIn(b"probe 3 differs: ", self.run_embd("check", "drift.lock", expect=DIFFERENCE))
        self.write("few.lock", json.dumps({**lock, "sha256": {"int8": lock["sha256"]["int8-blocks"]}}))
        self.run_embd("check", "few.lock", "-m", MODEL, expect=BAD_INPUT)
        self.assertIn("only for int8", self.message)
        self.write("probes.txt", "one\ntwo\n")
        self.run_embd("lock", "model.weights", "-o", "own.lock", "--probes", "probes.txt")
        self.assertIn(b"2 probes, 2 equal", self.run_embd("check", "own.lock"))
        for bad in ("", "[]", '{"embd_lock":3}', '{"embd_lock":2}', '{"embd_lock":1}', '{"embd_lock":1,"model":7}',
                    json.dumps({**lock, "probes": [7]}), json.dumps({**lock, "probes": ["a"]}),
                    json.dumps({**lock, "recipe": 7})):
            self.run_embd("check", self.write("bad.lock", bad), expect=BAD_INPUT)
        self.run_embd("check", "none.lock", expect=IO)
        # An older version wrote a set of hashes for each set of kernels.
        self.run_embd("lock", "model.weights", "-o", "new.lock")
        new = json.loads((self.path / "new.lock").read_text())
        for avx2, expected in ((new["sha256"]["f32"], GOOD), (["0" * 64] * 11, DIFFERENCE)):
            self.write("old.lock", json.dumps({**new, "embd_lock": 1, "sha256": {"avx2": avx2, "avx512": ["1" * 64] * 11}}))
            out = self.run_embd("check", "old.lock", expect=expected)
            self.assertEqual(b"lock again" in out, expected == DIFFERENCE)
        self.run_embd("lock", "model.weights", expect=USAGE)


class Program(CliTest):
    def test_an_unknown_name_of_kernels_is_an_error_of_every_verb(self):
        self.write("t.txt", "a cat\n")
        self.run_embd("embed", "t.txt", "-o", "v.npy")
        self.run_embd("embed", "t.txt", "-o", "v.usearch")
        for arguments in (["embed", "t.txt"], ["tokenize", "t.txt"], ["similarity", "a", "b"], ["convert", "v.npy", "w.npy"],
                          ["inspect", "v.npy"], ["compare", "v.npy", "v.npy"], ["verify", "v.npy", "t.txt"],
                          ["index", "v.npy", "-o", "w.usearch"], ["search", "v.usearch", "--queries", "v.npy"],
                          ["search", "v.npy", "-q", "a"], ["lock", MODEL, "-o", "l.lock"], ["model", "info", MODEL],
                          ["--version"]):
            self.run_embd(*arguments, EMBD_KERNELS="avx1024", expect=USAGE)
            self.assertIn("avx1024", self.message)
            self.assertIn("portable", self.message)
        self.assertEqual(self.names(), ["t.txt", "v.npy", "v.npy.recipe.json", "v.usearch", "v.usearch.recipe.json"])

    def test_every_set_of_kernels_gives_the_same_bytes(self):
        texts = self.write("t.txt", "".join(case["text"].replace("\n", " ") + "\n" for case in CASES) * 9)
        for compute in ("f32", "bf16", "int8"):
            found = {}
            for kernels in self.usable_kernels():
                self.run_embd("embed", texts, "-o", "v.npy", "--force", "--compute", compute, EMBD_KERNELS=kernels)
                found[kernels] = (self.path / "v.npy").read_bytes()
                recipe = json.loads(self.run_embd("inspect", "--json", "v.npy"))["recipe"]
                name = "int8-blocks" if compute == "int8" else compute
                self.assertEqual((recipe["compute"], recipe["instruction_set"]), (name, kernels))
                for others in self.usable_kernels():
                    self.run_embd("verify", "v.npy", texts, EMBD_KERNELS=others)
            self.assertEqual(len(set(found.values())), 1, compute)

    def test_every_set_of_kernels_builds_the_same_indexes_and_codes(self):
        words = "the cat sat on mat hello world über naïve 42".split()
        texts = "".join(f"{i} " + " ".join(words[i * k % 7 + k] for k in range(4)) + "\n" for i in range(400))
        self.run_embd("embed", self.write("t.txt", texts), "-o", "v.npy")
        builds = {"f32.usearch": ["index"], "i8.usearch": ["index", "--scalar", "i8"], "one.usearch": ["index", "--builder", "usearch"],
                  "vamana.svs": ["index"], "pq.fifu": ["convert", "--quantize", "pq"], "opq.fifu": ["convert", "--quantize", "opq"],
                  "lvq.svs": ["convert", "--quantize", "lvq4x8"], "cvc8.cvc": ["convert", "--cvc-compression", "int8"]}
        found = {}
        for kernels in self.usable_kernels():
            for name, (verb, *options) in builds.items():
                target = ["-o", name] if verb == "index" else [name]
                self.run_embd(verb, "v.npy", *target, *options, EMBD_KERNELS=kernels)
                path = self.path / name
                files = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
                sha256 = hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
                self.assertEqual(found.setdefault(name, sha256), sha256, f"{name}, {kernels}")
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_help_version_and_usage(self):
        self.assertIn(b"embed", self.run_embd("--help"))
        self.assertIn(b"--max-length", self.run_embd("embed", "-h"))
        self.assertRegex(self.run_embd("--version").decode(), r"^embd \d+\.\d+\.\d+ \(kernels \w+; ")
        for arguments in ([], ["nonsense"], ["embed", "--nonsense"], ["embed", "--pooling", "sum"],
                          ["embed", "-t", "-1"], ["embed", "-o", "a.npy", "-o", "a.npy"],
                          ["embed", "-o", "noextension"], ["embed", "--max-length", 100000]):
            self.run_embd(*arguments, expect=USAGE)

    def test_options_from_the_environment(self):
        long = b"word " * 50
        row = self.rows("tokenize", input=long, EMBD_MAX_LENGTH="5")[0]
        self.assertEqual(len(row["ids"]), 5)
        self.assertEqual(len(self.rows("tokenize", "--max-length", 6, input=long, EMBD_MAX_LENGTH="5")[0]["ids"]), 6)

    def test_the_model_is_found_in_the_data_folder(self):
        home = self.path / "data" / "embd"
        home.mkdir(parents=True)
        (home / "all-MiniLM-L6-v2.weights").write_bytes(MODEL.read_bytes())
        self.run_embd("embed", input=b"x\n", EMBD_MODEL="", XDG_DATA_HOME=str(home.parent))
        self.run_embd("embed", "-m", "none.weights", expect=IO)
        self.run_embd("embed", "-m", self.write("bad.weights", "hello"), expect=BAD_INPUT)

    def test_a_model_is_described_without_its_tensors(self):
        short = self.run_embd("model", "info", MODEL).decode()
        self.assertRegex(short, r"(?m)^num_tensors: \d+$")
        self.assertNotIn(" f32 [", short)
        full = self.run_embd("model", "info", MODEL, "--tensors").decode()
        self.assertIn(" f32 [", full)
        description = json.loads(self.run_embd("model", "info", MODEL, "--json"))
        self.assertNotIn("tensors", description)
        tensors = json.loads(self.run_embd("model", "info", MODEL, "--json", "--tensors"))["tensors"]
        self.assertEqual(len(tensors), description["num_tensors"])

    def test_completions_know_every_verb_and_option(self):
        for shell in ("bash", "zsh", "fish"):
            self.assertIn(shell, self.run_embd("completion", "--help").decode())
        for shell in ("bash", "zsh", "fish"):
            script = self.run_embd("completion", shell).decode()
            for word in ("embed", "similarity", "max-length", "cvc-compression"):
                self.assertIn(word, script, shell)
        self.write("c.bash", self.run_embd("completion", "bash"))
        words = subprocess.run(["bash", "-c", "source c.bash; COMP_WORDS=(embd embed --max-l); COMP_CWORD=2; "
                                "_embd; echo ${COMPREPLY[@]}"], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(words.stdout.strip(), "--max-length")
        self.run_embd("completion", "tcsh", expect=USAGE)

    def test_the_manual_page_has_every_verb_and_option(self):
        page = self.run_embd("man").decode().replace("\\-", "-")
        verbs = [line.split()[0] for line in
                 self.run_embd("--help").decode().partition("Verbs:\n")[2].splitlines()
                 if line.startswith("  ") and line[2] != " "]
        self.assertGreater(len(verbs), 8)
        for verb in verbs:
            self.assertIn(f'.SS "embd {verb}', page)
            help_text = self.run_embd(verb, "--help").decode()
            for option in set(re.findall(r"--[a-z][a-z0-9-]+", help_text)) - {"--help"}:
                self.assertIn(f"\\fB{option}\\fR", page, verb)


class Faults(CliTest):
    def test_outputs_that_cannot_be_written(self):
        text = self.write("in.txt", "a\n")
        self.run_embd("embed", text, "-o", "none/a.npy", expect=IO)
        self.assertIn("none/a.npy", self.message)
        (self.path / "folder.npy").mkdir()
        self.run_embd("embed", text, "-o", "folder.npy", expect=IO)
        self.run_embd("embed", "none.txt", expect=IO)
        (self.path / "no_texts").mkdir()
        self.run_embd("embed", "no_texts", expect=BAD_INPUT)

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            result = subprocess.run([EMBD, "embed"], input=b"a\n", stdout=full, stderr=subprocess.PIPE,
                                    env=self.environment, cwd=self.path)
        self.assertEqual(result.returncode, IO, result.stderr)

    def test_a_reader_that_goes_away(self):
        text = self.write("in.txt", "some words\n" * 3000)
        process = subprocess.Popen([EMBD, "embed", text, "-o", "-", "-o", "a.npy"], cwd=self.path,
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), PIPE)
        self.assertEqual(self.names(), ["in.txt"])

    def interrupt(self, arguments, given, number, when, starts_with=signal.SIG_DFL):
        """The exit code of who is sent a signal while it waits for more on standard input. `starts_with`: what the program is started to
        do at that signal. One that goes on is given the end of its input."""
        process = subprocess.Popen([EMBD, *arguments], cwd=self.path, env=self.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(number, starts_with))
        process.stdin.write(given)
        process.stdin.flush()
        deadline = time.time() + 30
        while not when(process) and time.time() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        try:
            if starts_with == signal.SIG_IGN:
                process.stdin.close()
            return process.wait(timeout=60)
        finally:
            process.kill()
            process.stdin.close()
            process.wait()

    def test_interrupted_leaves_nothing(self):
        embed = ["embed", "-o", "a.npy", "-o", "b.jsonl"]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            given = b"some words\n" * 3000
            self.assertEqual(self.interrupt(embed, given, number, lambda _: self.names()), INTERRUPTED)
            self.assertEqual(self.names(), [])

    def test_a_hangup_under_nohup_is_ignored(self):
        code = self.interrupt(["embed", "-o", "a.npy"], b"some words\n" * 3000, signal.SIGHUP, lambda _: self.names(), signal.SIG_IGN)
        self.assertEqual(code, GOOD)
        self.assertIn("a.npy", self.names())

    def test_outputs_of_one_pass_appear_all_or_none(self):
        outputs = ["embed", "-", "-o", "a.npy", "-o", "d/b.npy", "-o", "c.npy"]
        (self.path / "d").mkdir()
        self.run_embd(*outputs, input=b"one\ntwo\n")
        before = {name: self.bytes(name) for name in self.names() if name != "d"}
        process = subprocess.Popen([EMBD, *outputs], cwd=self.path, env=self.environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.time() + 30
        while not any(name.endswith(".tmp") for name in self.names()) and time.time() < deadline:
            time.sleep(0.01)
        (self.path / "d" / "b.npy").unlink()
        (self.path / "d" / "b.npy").mkdir()
        message = process.communicate(b"one\ntwo\nthree\n")[1].decode()
        self.assertEqual(process.returncode, IO, message)
        self.assertIn("d/b.npy: input or output failed: the path names a directory", message)
        self.assertEqual({name: self.bytes(name) for name in self.names() if name != "d"}, before)

    def test_whoever_waits_for_texts_is_interrupted(self):
        self.run_embd("embed", "-o", "a.npy", input=b"a cat\n")
        blocked = 1 << (signal.SIGINT - 1)

        def is_ready(process):
            """Signals go to a thread of their own from now on."""
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            return int(re.search(r"SigBlk:\s+(\w+)", status)[1], 16) & blocked

        for arguments in (["verify", "a.npy", "-"], ["search", "a.npy", "--query-file", "-"],
                          ["search", "a.npy", "-q", "a", "--filter-ids", "-"], ["embed", "--input-format", "csv"]):
            self.assertEqual(self.interrupt(arguments, b"", signal.SIGINT, is_ready), INTERRUPTED, arguments)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
