#!/usr/bin/env python3
"""embd map, through the program:  map_test.py EMBD TESTS_DATA"""
import base64
import json
import re
import struct
import sys
import unittest
import zlib
from xml.etree import ElementTree

from folder_case import BAD_INPUT, USAGE, FolderCase

WORDS = ("bread", "river", "engine", "violin")
HOSTILE = "</script><script>alert(1)</script> \u2028 \x7f & \" ' <!-- ]]>"


def data_of(page):
    data = zlib.decompress(base64.b64decode(re.search(rb'id="data">([^<]*)<', page).group(1)))
    size = struct.unpack_from("<I", data)[0]
    return json.loads(data[4:4 + size]), data[4 + size:]


class MapTest(FolderCase):
    def write_texts(self, count=60):
        lines = [json.dumps({"text": f"{WORDS[i % 4]} number {i}", "kind": WORDS[i % 4], "size": i, "id": f"t{i}"})
                 for i in range(count)]
        return self.write("texts.jsonl", "\n".join(lines) + "\n")

    def test_texts_become_a_page_and_a_picture(self):
        self.run_embd("map", self.write_texts(), "--id-field", "id", "-o", "map.html", "-o", "map.svg")
        self.assertIn("60 rows in 2 groups", self.message)
        head, rest = data_of(self.bytes("map.html"))
        self.assertEqual((head["rows"], head["nearest"], head["ids"], head["texts"]), (60, 8, True, True))
        self.assertIn(b"violin number 59", rest)
        self.assertIn(b"t59", rest)
        page = self.bytes("map.html").decode()
        self.assertIn("connect-src 'none'", page)
        self.assertIsNone(re.search(r"https?:|//[a-z]+\.", page.replace("@", "").split("<script")[0]))
        picture = ElementTree.fromstring(self.bytes("map.svg"))
        self.assertEqual(picture.get("width"), "1200")

    def test_the_bytes_do_not_depend_on_threads_or_kernels(self):
        texts = self.write_texts(200)
        self.run_embd("embed", texts, "-o", "rows.npy")
        made = []
        for kernels in ("portable", None):
            for threads in (1, 2, 8):
                environment = {"EMBD_KERNELS": kernels} if kernels else {}
                self.run_embd("map", "rows.npy", "--texts", texts, "-t", threads, "-o", "map.html", "-o", "map.svg", **environment)
                made.append((self.bytes("map.html"), self.bytes("map.svg")))
        self.assertEqual(len(set(made)), 1)

    def test_vectors_give_the_map_of_their_texts(self):
        texts = self.write_texts()
        self.run_embd("embed", texts, "-o", "rows.npy", "-o", "rows.parquet", "--text-column")
        self.run_embd("map", texts, "--title", "Texts", "-o", "a.html")
        self.run_embd("map", "rows.npy", "--texts", texts, "--title", "Texts", "-o", "b.html")
        self.run_embd("map", "rows.parquet", "--title", "Texts", "-o", "c.html")
        self.assertEqual(self.bytes("a.html"), self.bytes("b.html"))
        self.assertEqual(data_of(self.bytes("a.html"))[0]["groups"], data_of(self.bytes("c.html"))[0]["groups"])

    def test_colors_by_words_and_by_numbers(self):
        texts = self.write_texts()
        self.run_embd("map", texts, "--color-by", "kind", "-o", "map.html")
        head, _ = data_of(self.bytes("map.html"))
        self.assertEqual([group["name"] for group in head["groups"]], list(WORDS))
        self.assertEqual((head["by"], head["scale"]), ("kind", False))
        self.run_embd("map", texts, "--color-by", "size", "-o", "map.html")
        head, _ = data_of(self.bytes("map.html"))
        self.assertEqual(len(head["groups"]), 7)
        self.assertTrue(head["scale"])
        self.run_embd("embed", texts, "--column-field", "size", "-o", "rows.parquet")
        self.run_embd("map", "rows.parquet", "--color-by", "size", "-o", "columns.html")
        self.assertEqual(data_of(self.bytes("columns.html"))[0]["groups"], head["groups"])

    def test_every_column_of_a_set_has_colors(self):
        texts = self.write_texts()
        self.run_embd("embed", texts, "--column-field", "size:float16", "--column-field", "kind:text", "-o", "rows.parquet")
        self.run_embd("embed", texts, "--section-field", "kind", "-o", "rows.cvc")
        for rows, column in (("rows.parquet", "size"), ("rows.parquet", "kind"), ("rows.cvc", "kind")):
            self.run_embd("map", texts, "--color-by", column, "-o", "fields.html")
            self.run_embd("map", rows, "--color-by", column, "-o", "columns.html")
            fields, columns = ([group["name"] for group in data_of(self.bytes(page))[0]["groups"]]
                               for page in ("fields.html", "columns.html"))
            self.assertEqual(columns, fields, rows)
        self.run_embd("map", "rows.cvc", "--color-by", "none", "-o", "a.svg", expect=BAD_INPUT)
        self.assertIn('no column that is named "none"', self.message)

    def test_hostile_texts_stay_texts(self):
        texts = self.write("hostile.jsonl", "".join(
            json.dumps({"text": f"{HOSTILE} {i}", "kind": HOSTILE}) + "\n" for i in range(15)))
        self.run_embd("map", texts, "--color-by", "kind", "--title", HOSTILE, "-o", "map.html", "-o", "map.svg")
        page = self.bytes("map.html").decode()
        self.assertEqual(page.count("<script"), 3 - 1 + page.count("<script type=") - 1)
        self.assertNotIn("<script>alert", page)
        head, rest = data_of(page.encode())
        self.assertEqual(head["groups"][0]["name"], HOSTILE)
        self.assertIn(HOSTILE.encode(), rest)
        ElementTree.fromstring(self.bytes("map.svg"))

    def test_few_rows(self):
        for count in (1, 2, 3):
            self.run_embd("map", self.write_texts(count), "-o", "map.html", "-o", "map.svg")
            self.assertEqual(data_of(self.bytes("map.html"))[0]["rows"], count)

    def test_what_is_refused(self):
        texts = self.write_texts(20)
        for arguments, code in (((texts,), USAGE), ((texts, "-o", "map.png"), USAGE),
                                ((texts, "--color-by", "none", "-o", "map.html"), BAD_INPUT),
                                ((texts, "--color-by", "kind", "--groups", "3", "-o", "map.html"), USAGE),
                                ((texts, "--groups", "21", "-o", "map.html"), USAGE),
                                ((texts, "-o", texts), USAGE), ((texts, "--neighbours", "1", "-o", "map.html"), USAGE)):
            self.run_embd("map", *arguments, expect=code)
        self.assertEqual(self.names(), ["texts.jsonl"])
        self.write("rows.jsonl", '{"id":1,"vector":[1,2]}\n')


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
