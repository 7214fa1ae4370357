#!/usr/bin/env python3
"""embd index and embd search:  search_test.py EMBD TEST_DATA

Standard library only; the files of the usearch package in TEST_DATA/usearch tell what is right."""
import json
import struct
import sys
import unittest

from folder_case import BAD_INPUT, DATA, MODEL, RECIPE, USAGE, FolderCase

USEARCH = DATA / "usearch"


def load_u64(name):
    data = (USEARCH / name).read_bytes()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    return list(struct.unpack_from(f"<{(len(data) - start) // 8}Q", data, start))


class SearchTest(FolderCase):
    def setUp(self):
        super().setUp()
        (self.path / "rows.npy").write_bytes((USEARCH / "src_exact_a.npy").read_bytes())
        (self.path / "queries.npy").write_bytes((USEARCH / "queries_exact_a.npy").read_bytes())
        self.keys = load_u64("keys_exact_a.npy")
        (self.path / "rows.npy.ids.jsonl").write_text("".join(f"{k}\n" for k in self.keys))

    def run_embd(self, *arguments, **named):
        return super().run_embd(*arguments, **named).decode()

    def search(self, *arguments):
        lines = self.run_embd("search", *arguments).splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([line["query"] for line in found], list(range(len(found))))
        return [line["hits"] for line in found]

    def index(self, output="out.usearch", *arguments):
        hnsw = ["--connectivity", 4, "--expansion-add", 32] if output.endswith(".usearch") else []
        self.run_embd("index", "rows.npy", "-o", output, "--metric", "l2", *hnsw, *arguments)
        path = self.path / output
        return path.read_bytes() if path.is_file() else None

    def test_the_usearch_builder_gives_the_bytes_of_the_package(self):
        self.assertEqual(self.index("out.usearch", "--builder", "usearch"),
                         (USEARCH / "exact_a.usearch").read_bytes())

    def test_a_window_is_shown_as_it_stands_in_its_text(self):
        words = "a cat sits on the mat and the dog ran to a red house with a small bird".split()
        texts = ["caf\u00e9, " + " ".join(words * 3), "a small dog", " ".join(reversed(words))]
        (self.path / "in.txt").write_text("".join(f"{text}\n" for text in texts))
        (self.path / "in.jsonl").write_text("".join(json.dumps({"key": key, "text": text}) + "\n"
                                                    for key, text in zip("xyz", texts)))
        windows = ["--windows", 12, "--stride", 7]
        for name, ids in (("in.txt", []), ("in.jsonl", ["--id-field", "key"])):
            self.run_embd("embed", name, *ids, "-o", "windows.npy", "--model", MODEL, *windows, "--row-report", "r.jsonl")
            report = [json.loads(line) for line in (self.path / "r.jsonl").read_text().splitlines()]
            self.assertGreater(len(report), 8)
            parts = {}
            for row in report:
                text = texts[row["line"] - 1]
                begin, end = row["characters"]
                parts[row["id"]] = text[begin:end]
                first, last = row["bytes"]
                self.assertEqual(text.encode()[first:last].decode(), text[begin:end])
            hits = self.search("windows.npy", "-q", "the dog", "--model", MODEL, "--texts", name, *ids, "-k", len(report))[0]
            self.assertEqual({hit["id"]: hit["text"] for hit in hits}, parts)
            whole = self.search("windows.npy", "--queries", "windows.npy", "--texts", name, *ids, "-k", 1)
            self.assertIn(whole[0][0]["text"], texts)
        (self.path / "in.jsonl").write_text((self.path / "in.jsonl").read_text() * 2)
        self.run_embd("search", "windows.npy", "-q", "the dog", "--model", MODEL, "--texts", "in.jsonl", "--id-field", "key",
                    expect=BAD_INPUT)
        (self.path / "other.txt").write_text("a\nb\nc\n")
        self.run_embd("embed", "in.txt", "-o", "windows.npy", "--model", MODEL, *windows)
        self.run_embd("search", "windows.npy", "-q", "a", "--model", MODEL, "--texts", "other.txt", "-k", 9, expect=RECIPE)

    def test_similarities_stand_beside_distances_on_request(self):
        (self.path / "in.txt").write_text("a cat sits\ntwo dogs run\n")
        self.run_embd("embed", "in.txt", "-o", "rows.npy", "--model", MODEL)
        query = ["--queries", "rows.npy", "-k", 2]
        for metric in ("cos", "ip"):
            told = self.search("rows.npy", *query, "--metric", metric, "--similarity")
            plain = self.search("rows.npy", *query, "--metric", metric)
            for hit, other in zip(sum(told, []), sum(plain, [])):
                self.assertAlmostEqual(hit.pop("similarity"), 1 - hit["distance"], places=6)
                self.assertEqual(hit, other)
        self.run_embd("search", "rows.npy", *query, "--metric", "l2", "--similarity", expect=USAGE)

    def test_a_text_finds_itself(self):
        texts = ["a cat sits", "two dogs run", "the red house", "one more", "of the words", "a small bird"]
        (self.path / "in.txt").write_text("".join(f"{text}\n" for text in texts))

        def finds_itself(name, *arguments, within=0.02):
            for i, text in enumerate(texts):
                hit = self.search(name, "-q", text, "--model", MODEL, *arguments)[0][0]
                self.assertIn(hit["id"], (i, str(i), text), name)
                self.assertLess(hit["distance"], within, name)

        def embed(name, *arguments):
            self.run_embd("embed", "in.txt", "-o", name, "--model", MODEL, *arguments)

        for name in ("a.npy", "a.svs", "a.jsonl", "a.fbin", "a.fvecs", "a.cvc", "a.fifu", "a.w2v.bin", "a.hvecs"):
            embed(name)
            finds_itself(name)
        for name in ("f.npy", "f.svs"):
            embed(name, "--output-type", "f16")
            finds_itself(name)
        for compression in ("fp16", "int8"):
            embed(f"{compression}.cvc", "--cvc-compression", compression)
            finds_itself(f"{compression}.cvc")
        for name in ("i.npy", "i.svs", "i.i8bin", "i.jsonl"):
            embed(name, "--output-type", "int8")
            finds_itself(name, within=1e-6)
        for name in ("j.cvc", "j.fvecs", "j.svs"):
            self.run_embd("convert", "i.npy", name)
            finds_itself(name, within=1e-6)
        for name in ("b.npy", "b.svs", "b.i8bin", "b.jsonl"):
            embed(name, "--output-type", "binary")
            finds_itself(name, within=1e-6)
            self.run_embd("search", name, "-q", "a", "--model", MODEL, "--metric", "cos", expect=2)
        for scalar in ("f32", "f16", "bf16", "i8"):
            self.run_embd("index", "a.npy", "-o", "h.usearch", "--scalar", scalar)
            finds_itself("h.usearch")
            self.run_embd("index", "i.npy", "-o", "h.usearch", "--scalar", scalar)
            finds_itself("h.usearch")
            if scalar != "bf16":
                self.run_embd("index", "a.npy", "-o", "v.svs", "--scalar", scalar.replace("i8", "f16"))
                finds_itself("v.svs")
                self.run_embd("index", "i.npy", "-o", "v.svs", "--scalar", scalar)
                finds_itself("v.svs")
        bits = ("--scalar", "b1", "--metric", "hamming")
        for source in ("a.npy", "b.npy"):
            self.run_embd("index", source, "-o", f"{source[0]}.usearch", *bits)
            finds_itself(f"{source[0]}.usearch", within=1e-6)
        self.assertEqual((self.path / "a.usearch").read_bytes(), (self.path / "b.usearch").read_bytes())
        self.run_embd("index", "b.npy", "-o", "b.usearch", expect=2)
        self.run_embd("index", "b.npy", "-o", "b.svs", expect=2)

    def test_codes_are_compared_with_codes_alone(self):
        (self.path / "in.txt").write_text("a cat sits\ntwo dogs run\nthe red house\n")
        (self.path / "other.txt").write_text("one more\nof the words\n")
        for name, text, *of_type in (("a.npy", "in.txt"), ("i.npy", "in.txt", "int8"), ("o.npy", "other.txt", "int8"),
                                     ("b.npy", "in.txt", "binary")):
            self.run_embd("embed", text, "-o", name, "--model", MODEL,
                          *(["--output-type", *of_type] if of_type else []))
        for name in ("i.npy", "b.npy"):  # vectors that are no codes become some
            for queries in ("a.npy", name):
                hits = self.search(name, "--queries", queries, "-k", 1)
                self.assertEqual([row[0]["id"] for row in hits], [0, 1, 2])
                self.assertTrue(all(row[0]["distance"] < 1e-6 for row in hits))
        for name, queries in (("a.npy", "i.npy"), ("i.npy", "b.npy"), ("b.npy", "i.npy"), ("i.npy", "o.npy")):
            self.run_embd("search", name, "--queries", queries, expect=2)
        (self.path / "i.npy.ranges.npy").unlink()
        self.run_embd("search", "i.npy", "-q", "a cat sits", "--model", MODEL, expect=3)

    def test_the_file_does_not_depend_on_the_threads(self):
        self.assertEqual(self.index("one.usearch", "-t", 1), self.index("two.usearch", "-t", 2))

    def test_searches_give_the_ids_of_the_package(self):
        self.index("out.usearch", "--builder", "usearch")
        expected = load_u64("exact_a.k5_ef5.keys.npy")
        hits = self.search("out.usearch", "--queries", "queries.npy", "-k", 5, "--expansion", 5)
        self.assertEqual([hit["id"] for line in hits for hit in line], expected)

    def test_exact_search_needs_no_index(self):
        self.index()
        of_index = self.search("out.usearch", "--queries", "queries.npy", "-k", 7, "--exact")
        of_rows = self.search("rows.npy", "--queries", "queries.npy", "-k", 7, "--metric", "l2")
        self.assertEqual(of_index, of_rows)

    def test_a_dash_reads_queries_from_standard_input(self):
        self.write("in.txt", "a cat\na dog\na house\n")
        self.run_embd("embed", "in.txt", "-o", "rows.npy")
        self.assertEqual(self.run_embd("search", "rows.npy", "-q", "a cat", "-q", "-", input=b"a dog\na house\n"),
                         self.run_embd("search", "rows.npy", "-q", "a cat", "-q", "a dog", "-q", "a house"))
        for arguments in (["-q", "-", "--query-file", "-"], ["-q", "-", "-q", "-"], ["-q", "-", "--texts", "-"]):
            self.run_embd("search", "rows.npy", *arguments, expect=2)
            self.assertIn("standard input was named twice", self.message)

    def test_shards_are_searched_as_one_set(self):
        texts = [f"a {size} {animal} sits" for animal in ("cat", "dog", "bird") for size in ("small", "red", "new", "small")]
        (self.path / "in.txt").write_text("".join(f"{text}\n" for text in texts))
        self.run_embd("embed", "in.txt", "-m", MODEL, "-o", "whole.npy", "-o", "whole.usearch")
        for part in range(3):
            self.run_embd("embed", "in.txt", "-m", MODEL, "--part", f"{part}/3", "-o", f"{part}.npy", "-o", f"{part}.usearch")
        for extension in ("npy", "usearch"):
            shards = [f"{part}.{extension}" for part in range(3)]
            for queries in (["--queries", "whole.npy"], ["-m", MODEL, "-q", "a red dog", "-q", "a bird"]):
                whole = self.search(f"whole.{extension}", *queries, "-k", 5, "--exact", "--texts", "in.txt")
                found = self.search(*shards, *queries, "-k", 5, "--exact", "--texts", "in.txt")
                self.assertEqual(found, whole)
            for hit in found[0]:
                self.assertEqual(hit["text"], texts[hit["id"]])
        self.run_embd("embed", "in.txt", "-m", MODEL, "--pooling", "cls", "-o", "other.npy")
        self.run_embd("search", "0.npy", "other.npy", "-m", MODEL, "-q", "a cat", expect=4)
        self.run_embd("search", "0.npy", "other.npy", "-m", MODEL, "-q", "a cat", "--force")
        self.run_embd("search", "0.npy", "rows.npy", "-m", MODEL, "-q", "a cat", expect=3)
        self.run_embd("search", "0.npy", "1.npy", "--words", "-q", "a cat", expect=2)

    def test_a_filter_leaves_only_its_ids(self):
        self.index()
        allowed = self.keys[::9]
        (self.path / "allowed").write_text("".join(f"{k}\n" for k in allowed))
        for target in ("out.usearch", "rows.npy"):
            for line in self.search(target, "--queries", "queries.npy", "--filter-ids", "allowed"):
                self.assertEqual(len(line), 10)
                self.assertTrue({hit["id"] for hit in line} <= set(allowed))

    def test_texts_are_printed_with_their_rows(self):
        self.index()
        (self.path / "texts").write_text("".join(f"text \"{k}\"\n" for k in self.keys))
        for line in self.search("out.usearch", "--queries", "queries.npy", "--texts", "texts"):
            for hit in line:
                self.assertEqual(hit["text"], f'text "{hit["id"]}"')
        (self.path / "texts").write_text("too few\n")
        self.run_embd("search", "out.usearch", "--queries", "queries.npy", "--texts", "texts", expect=3)

    def test_strings_as_ids_lie_beside_the_index(self):
        (self.path / "rows.npy.ids.jsonl").write_text("".join(f'"row {k}"\n' for k in self.keys))
        self.index()
        hits = self.search("out.usearch", "--queries", "queries.npy", "-k", 1)
        self.assertTrue(hits[0][0]["id"].startswith("row "))

    def test_a_certificate_is_stored(self):
        self.index("out.usearch", "--certify", 50)
        recipe = json.loads((self.path / "out.usearch.recipe.json").read_text())
        self.assertEqual(recipe["certificate"]["queries"], 50)
        self.assertEqual(recipe["certificate"]["expansion"], 64)
        self.assertGreater(recipe["certificate"]["recall"], 0.9)
        self.index("out.svs", "--certify", 50)
        certificate = json.loads((self.path / "out.svs.recipe.json").read_text())["certificate"]
        self.assertEqual(certificate["window"], 64)
        self.assertGreater(certificate["recall"], 0.9)
        self.search("out.svs", "--queries", "queries.npy", "--metric", "l2")

    def test_an_index_is_searched_by_the_metric_that_it_was_built_for(self):
        self.index()
        by_length = self.search("out.usearch", "--queries", "queries.npy", "--exact")
        for output in ("out.svs", "out.config"):
            self.index(output)
            self.assertEqual(self.search(output, "--queries", "queries.npy", "--exact"), by_length)
            self.run_embd("search", output, "--queries", "queries.npy", "--metric", "cos", expect=2)
        self.assertEqual(json.loads(self.run_embd("inspect", "--json", "out.svs"))["metric"], "l2sq")
        # One of another maker does not say. What was built as those for l2 are is not taken for cos.
        config = self.path / "out.svs" / "config" / "svs_config.toml"
        said = config.read_text()
        config.write_text(said[:said.index("\n[embd]")])
        self.run_embd("search", "out.svs", "--queries", "queries.npy", expect=2)
        self.assertEqual(self.search("out.svs", "--queries", "queries.npy", "--exact", "--metric", "l2"), by_length)
        config.write_text(config.read_text().replace("alpha = 1.2", "alpha = 0.9"))
        self.assertEqual(self.search("out.svs", "--queries", "queries.npy", "--exact"),
                         self.search("rows.npy", "--queries", "queries.npy"))
        config.write_text(said.replace("'l2sq'", "'far'"))
        self.run_embd("search", "out.svs", "--queries", "queries.npy", expect=3)

    def test_what_keeps_directions_only_wants_rows_of_length_1(self):
        def rows(name, *vectors):
            (self.path / name).write_text("".join(json.dumps({"embedding": row}) + "\n" for row in vectors))

        rows("unit.jsonl", [1, 0, 0, 0], [0.6, 0.8, 0, 0], [0.1, 0, -0.99, 0.1])
        rows("long.jsonl", [1, 0, 0, 0], [0.6, 0.83, 0, 0])
        for metric in ("l2", "ip"):
            for scalar in ("i8", "u8"):
                if scalar == "i8":
                    self.run_embd("index", "unit.jsonl", "-o", "i.usearch", "--metric", metric, "--scalar", scalar)
                    exact = self.search("unit.jsonl", "--queries", "unit.jsonl", "--metric", metric)
                    for found, wanted in zip(self.search("i.usearch", "--queries", "unit.jsonl"), exact):
                        self.assertEqual([hit["id"] for hit in found], [hit["id"] for hit in wanted])
                        for hit, other in zip(found, wanted):
                            self.assertLess(abs(hit["distance"] - other["distance"]), 0.03)
                    # Another program may have written such an index without a recipe.
                    self.search("i.usearch", "--queries", "long.jsonl")
                    self.assertIn(f"stores only the direction of a row, and its metric {metric}", self.message)
                self.run_embd("index", "long.jsonl", "-o", "x.usearch", "--metric", metric, "--scalar", scalar, expect=3)
                self.run_embd("convert", "long.jsonl", "x.usearch", "--metric", metric, "--scalar", scalar, expect=3)
                self.assertFalse((self.path / "x.usearch").exists())
        self.run_embd("index", "long.jsonl", "-o", "x.usearch", "--scalar", "i8")
        self.search("x.usearch", "--queries", "long.jsonl")
        self.assertNotIn("direction", self.message)
        (self.path / "in.txt").write_text("a cat sits\ntwo dogs run\n")
        self.run_embd("embed", "in.txt", "-m", MODEL, "-o", "of_texts.usearch", "--metric", "l2", "--scalar", "i8")
        rows("other.jsonl", [2] + [0] * 35)
        self.search("of_texts.usearch", "-m", MODEL, "-q", "a cat")
        self.assertNotIn("direction", self.message)
        self.run_embd("search", "of_texts.usearch", "--queries", "other.jsonl", expect=3)

    def test_what_no_index_can_hold_is_told_of_the_file_that_has_it(self):
        for name, options, lines, words in (
                ("huge.jsonl", ["--metric", "l2"], ([1, 0], [3e38, 0]), "row 1 has the length 3e+38"),
                ("wide.jsonl", ["--scalar", "f16"], ([1, 0], [65520, 0]), "row 1 contains the value 65520"),
                ("twice.jsonl", [], ([1, 0], [0, 1]), "id 7 was given twice")):
            (self.path / name).write_text("".join(json.dumps({"id": 7 if name == "twice.jsonl" else row, "embedding": values}) + "\n"
                                                  for row, values in enumerate(lines)))
            for output in ("x.usearch", "x.svs"):
                self.run_embd("index", name, "-o", output, *options, expect=3)
                self.assertTrue(self.message.startswith(f"embd: {name}: "), self.message)
                self.assertIn(words, self.message)
                self.assertFalse((self.path / output).exists())

    def test_packed_bits_are_queries_of_rows_of_bits(self):
        (self.path / "in.txt").write_text("a cat sits\ntwo dogs run\nthe red house\n")
        self.run_embd("embed", "in.txt", "-m", MODEL, "-o", "a.jsonl")
        self.run_embd("embed", "in.txt", "-m", MODEL, "--output-type", "binary", "-o", "b.npy")
        self.run_embd("index", "a.jsonl", "-o", "b.usearch", "--scalar", "b1")
        packed = b""
        for line in (self.path / "a.jsonl").read_text().splitlines():
            bits = "".join("1" if value > 0 else "0" for value in json.loads(line)["embedding"])
            bits += "0" * (-len(bits) % 8)
            packed += int(bits, 2).to_bytes(len(bits) // 8, "big")

        def write(name, size):
            header = repr({"descr": "|u1", "fortran_order": False, "shape": (len(packed) // size, size)}).ljust(117) + "\n"
            (self.path / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + packed)

        write("packed.npy", len(packed) // 3)
        for name in ("b.usearch", "b.npy"):
            expected = self.search(name, "--queries", "a.jsonl")
            self.assertEqual([hits[0] for hits in expected], [{"id": i, "distance": 0} for i in range(3)])
            self.assertEqual(self.search(name, "--queries", "packed.npy"), expected)
        self.run_embd("search", "a.jsonl", "--queries", "packed.npy", expect=2)
        write("packed.npy", 1)
        self.run_embd("search", "b.usearch", "--queries", "packed.npy", expect=2)

    def test_files_of_texts_are_read_by_their_fields(self):
        lines = [{"body": "a cat sits", "key": "x"}, {"body": "two dogs run", "key": "y"}]
        (self.path / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.path / "back.jsonl").write_text("".join(json.dumps(line) + "\n" for line in reversed(lines)))
        fields = ("--text-field", "body", "--id-field", "key")
        self.run_embd("embed", "docs.jsonl", "-m", MODEL, *fields, "-o", "docs.npy")
        self.run_embd("embed", "docs.jsonl", "-m", MODEL, *fields, "--text-column", "-o", "docs.parquet")
        query = ("-m", MODEL, "-q", "two dogs run")
        expected = [("y", "two dogs run"), ("x", "a cat sits")]

        def found(*arguments):
            return [(hit["id"], hit["text"]) for hit in self.search(*arguments)[0]]

        self.assertEqual(found("docs.npy", *query, "--texts", "docs.jsonl", "--text-field", "body"), expected)
        self.assertEqual(found("docs.npy", *query, "--texts", "docs.jsonl", *fields), expected)
        self.assertEqual(found("docs.npy", *query, "--texts", "back.jsonl", *fields), expected)
        self.assertEqual(found("docs.parquet", *query), expected)
        # Queries are read by the same options where there are no --texts, and by --query-field.
        (self.path / "query.jsonl").write_text('{"body": "a cat sits", "question": "two dogs run"}\n')
        for arguments, best in ((("--text-field", "body"), "x"), (("--query-field", "question"), "y")):
            hits = self.search("docs.npy", "-m", MODEL, "--query-file", "query.jsonl", *arguments)
            self.assertEqual(hits[0][0]["id"], best)
        self.assertEqual(found("docs.npy", "-m", MODEL, "--query-file", "query.jsonl", "--query-field", "question",
                               "--texts", "back.jsonl", *fields), expected)
        self.run_embd("search", "docs.npy", *query, "--text-field", "body", expect=2)
        self.run_embd("search", "docs.npy", *query, "--query-field", "question", expect=2)

    def test_another_arithmetic_is_said(self):
        (self.path / "in.txt").write_text("a cat sits\n")
        self.run_embd("embed", "in.txt", "-m", MODEL, "--compute", "int8", "-o", "a.npy")
        said = []
        for compute in ("f32", "int8"):
            self.run_embd("search", "a.npy", "-m", MODEL, "-q", "a cat sits", "--compute", compute)
            said.append("int8" in self.message)
        self.assertEqual(said, [True, False])
        self.run_embd("search", "a.npy", "--queries", "a.npy", "--compute", "int8", expect=2)

    def test_the_int8_of_older_builds_is_refused_by_its_name(self):
        (self.path / "in.txt").write_text("a cat sits\ntwo dogs run\n")
        for name in ("new.npy", "old.npy", "old.usearch"):
            self.run_embd("embed", "in.txt", "-m", MODEL, "--compute", "int8", "-o", name)
        for name in ("old.npy", "old.usearch"):
            beside = self.path / f"{name}.recipe.json"
            beside.write_text(beside.read_text().replace('"int8-blocks"', '"int8"'))
            self.assertEqual(json.loads(self.run_embd("inspect", "--json", name))["recipe"]["compute"], "int8")
            query = ("search", name, "-m", MODEL, "-q", "a cat sits")
            for refused in ((*query, "--compute", "int8"), ("search", "new.npy", "--queries", name),
                            ("search", "new.npy", name, *query[2:]), ("verify", name, "in.txt", "-m", MODEL)):
                self.run_embd(*refused, expect=RECIPE)
                self.assertIn("compute", self.message)
                self.assertRegex(self.message, "int8(-blocks)? and int8(-blocks)?: older builds")
            self.run_embd(*query, "--compute", "int8", "--force")
            self.run_embd(*query)  # f32 is another arithmetic than either, which is only said.
            self.assertIn("int8", self.message)

    def test_inspect_shows_the_certificate(self):
        for output in ("out.usearch", "out.svs", "out.svs/"):
            self.index(output, "--certify", 50)
            beside = self.path / (output.rstrip("/") + ".recipe.json")
            stored = json.loads(beside.read_text())["certificate"]
            self.assertEqual(json.loads(self.run_embd("inspect", "--json", output))["certificate"], stored)
            lines = "".join(f"  {name}: {value}\n" for name, value in sorted(stored.items()))
            self.assertIn("\ncertificate:\n" + lines, self.run_embd("inspect", output))
            for wrong in ("[]", "0.9", '{"recall": "all of it"}'):
                beside.write_text('{"certificate": %s}' % wrong)
                self.run_embd("inspect", output, expect=3)
            self.index(output)
            self.assertNotIn("certificate", self.run_embd("inspect", output))

    def test_a_certificate_belongs_to_one_index(self):
        (self.path / "sub").mkdir()
        (self.path / "sub/x.usearch").touch()
        (self.path / "link.usearch").symlink_to("sub/x.usearch")
        self.index("link.usearch", "--certify", 50)
        self.assertFalse((self.path / "link.usearch.recipe.json").exists())
        for name in ("link.usearch", "sub/x.usearch"):
            self.assertIn("\ncertificate:\n", self.run_embd("inspect", name))
        stored = (self.path / "sub/x.usearch.recipe.json").read_text()
        self.index("link.usearch")
        for name in ("link.usearch", "sub/x.usearch"):
            self.assertNotIn("certificate", self.run_embd("inspect", name))
        # Neither a file without a tie nor the file of another index is believed.
        beside = self.path / "sub/x.usearch.recipe.json"
        recipe = json.loads(stored)
        del recipe["files"]
        beside.write_text(json.dumps(recipe))
        self.assertNotIn("certificate", self.run_embd("inspect", "link.usearch"))
        (self.path / "sub/x.usearch").write_bytes(self.index("other.usearch", "--scalar", "f16"))
        beside.write_text(stored)
        self.run_embd("inspect", "link.usearch", expect=3)

    def test_texts_are_embedded_by_the_recipe_of_the_rows(self):
        texts = "one\ntwo words\nthree of them\n"
        (self.path / "texts").write_text(texts)
        model = ("-m", MODEL)
        self.run_embd("embed", "texts", *model, "--pooling", "cls", "-o", "made.usearch")
        hits = self.search("made.usearch", *model, "-q", "two words", "--query-file", "texts", "-k", 1)
        self.assertEqual([line[0]["id"] for line in hits], [1, 0, 1, 2])
        self.assertLess(hits[0][0]["distance"], 1e-6)
        path = self.path / "made.usearch.recipe.json"
        recipe = json.loads(path.read_text())
        path.write_text(json.dumps({**recipe, "model_sha256": "0" * 64}))
        self.run_embd("search", "made.usearch", *model, "-q", "two words", expect=4)

    def test_an_svs_index_keeps_the_recipe_and_the_ids_inside(self):
        (self.path / "texts").write_text("one\ntwo words\nthree of them\n")
        model = ("-m", MODEL)
        self.run_embd("embed", "texts", *model, "--pooling", "cls", "--id-start", 70, "-o", "made.npy")
        for output in ("made.svs", "made.config"):
            self.run_embd("index", "made.npy", "-o", output, "--degree", 4, "--window", 10)
            self.assertFalse((self.path / (output + ".recipe.json")).exists())
            hits = self.search(output, *model, "-q", "two words", "-k", 1)
            self.assertEqual(hits[0][0]["id"], 71)
            self.assertLess(hits[0][0]["distance"], 1e-6)
        config = self.path / "made.svs/data/svs_config.toml"
        text = config.read_text()
        model_hash = text.split("model_sha256 = '")[1][:64]
        config.write_text(text.replace(model_hash, "0" * 64))
        self.run_embd("search", "made.svs", *model, "-q", "two words", expect=4)
        # Queries that were embedded otherwise are refused as well.
        self.run_embd("embed", "texts", *model, "--pooling", "mean", "-o", "other.npy")
        self.run_embd("search", "made.config", "--queries", "other.npy", expect=4)
        self.run_embd("search", "made.config", "--queries", "made.npy")

    def test_the_specification_layout_says_its_metric(self):
        self.index("out.config")
        graph = self.search("out.config", "--queries", "queries.npy", "-k", 5, "--window", 300)
        self.index("out.usearch")
        exact = self.search("out.usearch", "--queries", "queries.npy", "-k", 5, "--exact")
        self.assertEqual([[h["distance"] for h in q] for q in graph], [[h["distance"] for h in q] for q in exact])

    def test_the_same_index_comes_out_of_every_verb(self):
        options = ("--metric", "ip", "--scalar", "f16", "--connectivity", 5, "--expansion-add", 20)
        self.run_embd("index", "rows.npy", "-o", "a.usearch", *options)
        self.run_embd("convert", "rows.npy", "b.usearch", *options)
        self.assertEqual((self.path / "a.usearch").read_bytes(), (self.path / "b.usearch").read_bytes())
        about = self.run_embd("inspect", "b.usearch")
        for line in ("metric: ip", "encoding: f16", "connectivity: 5"):
            self.assertIn(line, about)
        (self.path / "texts").write_text("one\ntwo words\nthree of them\n")
        self.run_embd("embed", "texts", "-m", MODEL, "-o", "t.npy", "-o", "t.usearch", *options)
        self.run_embd("index", "t.npy", "-o", "u.usearch", *options)
        self.assertEqual((self.path / "t.usearch").read_bytes(), (self.path / "u.usearch").read_bytes())
        self.run_embd("convert", "rows.npy", "c.usearch", "--metric", "haversine", expect=2)

    def test_bits_are_compared_by_their_differences(self):
        self.run_embd("index", "rows.npy", "-o", "bits.usearch", "--scalar", "b1")
        self.assertIn("metric: hamming", self.run_embd("inspect", "bits.usearch"))
        self.run_embd("index", "rows.npy", "-o", "bits.usearch", "--scalar", "b1", "--metric", "cos", expect=2)

    def test_no_queries_have_no_hits(self):
        self.run_embd("convert", "rows.npy", "empty.npy", "--rows", "0:0")
        self.assertEqual(self.run_embd("search", "rows.npy", "--queries", "empty.npy"), "")

    def test_what_is_wrong_is_said_by_the_exit_code(self):
        self.index()
        self.run_embd("search", "out.usearch", expect=2)
        self.run_embd("search", "out.usearch", "--queries", "queries.npy", "-k", 0, expect=2)
        self.run_embd("search", "none.usearch", "--queries", "queries.npy", expect=6)
        self.run_embd("index", "rows.npy", "-o", "out.txt", expect=2)
        self.run_embd("index", "rows.npy", "-o", "out.usearch", "--scalar", "i32", expect=2)
        (self.path / "bad.usearch").write_bytes((USEARCH / "bad_slot_9.usearch").read_bytes())
        self.run_embd("search", "bad.usearch", "--queries", "queries.npy", expect=3)
        self.assertFalse((self.path / "out.txt").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
