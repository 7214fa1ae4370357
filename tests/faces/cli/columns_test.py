#!/usr/bin/env python3
"""Columns of texts and numbers beside vectors, and filters over them:  columns_test.py EMBD TEST_DATA

Standard library only. tests/matrix asks every face for the right answers of filters."""
import json
import sys
import unittest

from folder_case import BAD_INPUT, USAGE, FolderCase

LEVELS = ["ERROR", "INFO", "WARN \u00e4\n\"x\"", ""]
COLUMNS = ["--column-field", "level:text", "--column-field", "year", "--column-field", "weight:float32"]


class ColumnsTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.rows = [{"text": f"a text of the number {i}", "key": f"k{i}", "level": LEVELS[i // 3 % 4], "year": 1990 + i % 7,
                      "weight": i / 4} for i in range(90)]
        self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in self.rows))
        self.embed = ["embed", "in.jsonl", "--id-field", "key", *COLUMNS]

    def lines(self, *arguments, **named):
        return [json.loads(line) for line in self.run_embd(*arguments, **named).splitlines()]

    def file_lines(self, name):
        return [json.loads(line) for line in self.bytes(name).splitlines()]

    def found(self, name, *filters, k=100):
        arguments = [argument for each in filters for argument in ("--filter", each)]
        [answer] = self.lines("search", name, "-q", "a text", "-k", k, *arguments)
        return {hit["id"]: hit.get("columns") for hit in answer["hits"]}

    def expected(self, *names, where=lambda row: True):
        return {row["key"]: {name: row[name] for name in names} for row in self.rows if where(row)}

    def test_every_format_that_has_room_keeps_them(self):
        self.run_embd(*self.embed, "-o", "a.parquet", "-o", "a.jsonl", "-o", "a.cvc", "-o", "a.npy", "--cvc-compression", "none")
        for line, row in zip(self.file_lines("a.jsonl"), self.rows):
            self.assertEqual(list(line), ["id", "level", "year", "weight", "embedding"])
            self.assertEqual({name: line[name] for name in ("level", "year", "weight")},
                             {name: row[name] for name in ("level", "year", "weight")})
        self.assertIn(b'"weight":1.0,', self.bytes("a.jsonl"))
        for name in ("a.parquet", "a.jsonl", "a.cvc"):
            with self.subTest(name):
                self.assertEqual(self.found(name), self.expected("level", "year", "weight"))
                self.assertEqual(self.found(name, "level=ERROR"), self.expected(
                    "level", "year", "weight", where=lambda row: row["level"] == "ERROR"))
                self.assertEqual(self.found(name, "level=ERROR", "level=" + LEVELS[2], "year=1995.0"), self.expected(
                    "level", "year", "weight", where=lambda row: row["level"] in (LEVELS[0], LEVELS[2]) and row["year"] == 1995))
                self.assertEqual(self.found(name, "level="), self.expected(
                    "level", "year", "weight", where=lambda row: row["level"] == ""))
                self.assertEqual(self.found(name, "weight=0.25", "level=ERROR"), self.expected(
                    "level", "year", "weight", where=lambda row: row["weight"] == 0.25))
                self.assertEqual(self.found(name, "level=error"), {})
                self.assertEqual(self.found(name, "year>=1992", "year<1995", "level!=", "weight<=15"), self.expected(
                    "level", "year", "weight",
                    where=lambda row: 1992 <= row["year"] < 1995 and row["level"] != "" and row["weight"] <= 15))
                self.assertEqual(self.found(name, "level>ERROR", "year!=1990", "year!=1991"), self.expected(
                    "level", "year", "weight", where=lambda row: row["level"] > "ERROR" and row["year"] > 1991))
                self.run_embd("search", name, "-q", "a", "--filter", "year>soon", expect=USAGE)
                self.assertIn('the column "year" holds numbers, but "soon" is none', self.message)
                self.run_embd("search", name, "-q", "a", "--filter", "levl=ERROR", expect=USAGE)
                self.assertRegex(self.message, r'no column is named "levl": there are .*level')
        self.assertEqual(set(self.found("a.npy").values()), {None})
        self.run_embd("search", "a.npy", "-q", "a", "--filter", "level=ERROR", expect=USAGE)
        self.assertIn("the rows have no columns", self.message)
        for wrong in ("level", "=ERROR", ">=3"):
            self.run_embd("search", "a.parquet", "-q", "a", "--filter", wrong, expect=USAGE)
            self.assertIn("NAME=VALUE", self.message)

    def test_a_filter_of_columns_and_one_of_ids_hold_together(self):
        self.run_embd(*self.embed, "-o", "a.parquet")
        self.write("ids", "k0\nk1\nk4\n")
        [answer] = self.lines("search", "a.parquet", "-q", "a", "--filter-ids", "ids", "--filter", "level=ERROR")
        self.assertEqual({hit["id"] for hit in answer["hits"]}, {"k0", "k1"})

    def test_texts_of_a_cvc_file_are_its_sections(self):
        self.run_embd(*self.embed[:4], *COLUMNS[:2], "--section-field", "year", "-o", "a.cvc")
        sections = json.loads(self.run_embd("inspect", "a.cvc", "--json"))["header"]["sections"]
        self.assertEqual(sections[0]["metadata"], {"year": 1990, "level": "ERROR"})
        self.assertEqual(self.found("a.cvc", "level=INFO", "year=1994"), self.expected(
            "year", "level", where=lambda row: row["level"] == "INFO" and row["year"] == 1994))

    def test_they_go_from_one_file_to_another(self):
        self.run_embd(*self.embed, "-o", "a.parquet", "-o", "a.jsonl")
        for source, target in (("a.parquet", "b.parquet"), ("a.parquet", "b.jsonl"), ("a.jsonl", "c.jsonl"), ("a.jsonl", "c.parquet")):
            self.run_embd("convert", source, target)
            self.assertEqual(self.message, "")
            self.assertEqual(self.found(target, "level=INFO"),
                             self.expected("level", "year", "weight", where=lambda row: row["level"] == "INFO"), target)
        self.assertEqual(self.bytes("b.parquet"), self.bytes("a.parquet"))
        self.assertEqual(self.bytes("b.jsonl"), self.bytes("a.jsonl"))
        self.assertEqual(self.bytes("c.jsonl"), self.bytes("a.jsonl"))
        self.run_embd("convert", "a.parquet", "--rows", ":40", "1.parquet")
        self.run_embd("convert", "a.parquet", "--rows", "40:", "2.parquet")
        self.run_embd("convert", "1.parquet", "2.parquet", "b.parquet")
        self.assertEqual(self.bytes("b.parquet"), self.bytes("a.parquet"))
        self.run_embd("convert", "a.parquet", "b.npy")
        self.assertRegex(self.message, "column year, column weight, column level")
        self.run_embd(*self.embed[:4], "-o", "plain.parquet", "--column-field", "year", "--column-field", "weight:float32")
        self.run_embd("convert", "a.parquet", "plain.parquet", "b.parquet", expect=USAGE)
        self.assertIn("columns of texts", self.message)

    def test_members_of_a_line_that_are_no_columns_are_passed_over(self):
        self.write("their.jsonl", "".join(json.dumps(row) + "\n" for row in [
            {"id": 1, "embedding": [1, 0], "text": "one", "n": 1, "mixed": "a", "some": 2, "list": [1], "x": 1, "big": 2 ** 64},
            {"embedding": [0, 1], "id": 2, "n": 2.5, "text": "two", "mixed": 1, "list": [2], "x": None, "big": 2 ** 64}]))
        self.run_embd("convert", "their.jsonl", "their.parquet")
        columns = json.loads(self.run_embd("inspect", "their.parquet", "--json"))["columns"]
        self.assertEqual([(column["name"], column["type"]) for column in columns],
                         [("embedding", "f32"), ("id", "i64"), ("text", "string"), ("n", "f32")])
        self.write("queries.npy", self.bytes_of_queries([1, 0]))
        for name in ("their.jsonl", "their.parquet"):
            [answer] = self.lines("search", name, "--queries", "queries.npy", "--filter", "n=2.5")
            self.assertEqual([(hit["id"], hit["text"], hit["columns"]) for hit in answer["hits"]], [(2, "two", {"n": 2.5})])

    @staticmethod
    def bytes_of_queries(row):
        import struct
        header = repr({"descr": "<f4", "fortran_order": False, "shape": (1, len(row))}).ljust(117) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(row)}f", *row)

    def test_runs_that_were_resumed_and_parts_that_were_joined_have_them(self):
        for name in ("parquet", "jsonl", "cvc"):
            self.run_embd(*self.embed, "-o", f"a.{name}")
            self.run_embd(*self.embed, "-o", f"b.{name}", "--resume")
            self.assertEqual(self.bytes(f"a.{name}"), self.bytes(f"b.{name}"))
            for part in range(3):
                self.run_embd(*self.embed, "-o", f"p{part}.{name}", "--part", f"{part}/3")
            self.run_embd("join", *[f"p{part}.{name}.part.json" for part in range(3)], "-o", f"c.{name}")
            self.assertEqual(self.bytes(f"a.{name}"), self.bytes(f"c.{name}"), name)

    def test_tables_of_cells_have_texts(self):
        self.write("in.csv", "text,level,year\na,1.10,3\nb,1.1,4\n")
        self.run_embd("embed", "in.csv", "--column-field", "level:text", "--column-field", "year", "-o", "a.jsonl")
        self.assertEqual([(line["level"], line["year"]) for line in self.file_lines("a.jsonl")], [("1.10", 3), ("1.1", 4)])
        [answer] = self.lines("search", "a.jsonl", "-q", "a", "--filter", "level=1.1")
        self.assertEqual([hit["id"] for hit in answer["hits"]], [1])

    def test_windows_have_their_place(self):
        words = "a cat sits on the mat and the dog ran to a red house with a small bird".split()
        texts = ["caf\u00e9 \u6771\u4eac, " + " ".join(words * 3), "a small dog"]
        self.write("in.txt", "".join(text + "\n" for text in texts))
        windows = ["embed", "in.txt", "--windows", 12, "--stride", 7]
        self.run_embd(*windows, "-o", "w.jsonl", "-o", "w.parquet", "-o", "w.npy", "--row-report", "report.jsonl")
        names = ["byte_begin", "byte_end", "character_begin", "character_end"]
        lines = self.file_lines("w.jsonl")
        self.assertGreater(len(lines), 5)
        for line, report in zip(lines, self.file_lines("report.jsonl")):
            self.assertEqual([line[name] for name in names], report["bytes"] + report["characters"])
            text = texts[int(line["id"].split("#")[0]) - 1]
            self.assertEqual(text.encode()[line["byte_begin"]:line["byte_end"]].decode(),
                             text[line["character_begin"]:line["character_end"]])
        [answer] = self.lines("search", "w.parquet", "-q", "a dog", "-k", 100)
        self.assertEqual({hit["id"]: list(hit["columns"].values()) for hit in answer["hits"]},
                         {line["id"]: [line[name] for name in names] for line in lines})
        self.run_embd(*windows, "-o", "r.parquet", "--resume")
        self.assertEqual(self.bytes("r.parquet"), self.bytes("w.parquet"))
        self.assertEqual([list(line) for line in self.lines(*windows)][0], ["id", *names, "embedding"])
        self.run_embd("embed", "in.txt", "-o", "plain.jsonl")
        self.assertEqual(list(self.file_lines("plain.jsonl")[0]), ["id", "embedding"])

    def test_what_has_no_place_or_is_no_text_is_refused(self):
        self.run_embd(*self.embed[:4], "--column-field", "year:text", "-o", "a.parquet", expect=BAD_INPUT)
        self.assertRegex(self.message, r'in\.jsonl: line 1: .*"year" is 1990, expected a string')
        self.run_embd(*self.embed[:4], "--column-field", "level", "-o", "a.parquet", expect=BAD_INPUT)
        self.assertIn("NAME:text", self.message)
        self.run_embd(*self.embed[:4], *COLUMNS[:2], "-o", "a.npy", expect=USAGE)
        for name, output in (("text", "a.parquet"), ("id", "a.jsonl"), ("embedding", "a.jsonl")):
            self.write("in.jsonl", json.dumps({"text": "a", "id": "b", "embedding": "c"}) + "\n")
            self.run_embd("embed", "in.jsonl", "--column-field", f"{name}:text", "-o", output, expect=USAGE)
            self.assertIn(f'two columns are named "{name}"', self.message)
        self.write("in.jsonl", json.dumps({"text": "a", "level": "b"}) + "\n" + json.dumps({"text": "c", "level": "d"}) + "\n")
        self.run_embd("embed", "in.jsonl", *COLUMNS[:2], "--output-type", "int8", "-o", "a.jsonl", expect=USAGE)
        self.assertIn("codes", self.message)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
