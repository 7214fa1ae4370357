#!/usr/bin/env python3
"""Drives the real program on files of word vectors and of columns:  vectors_test.py EMBD TEST_DATA

Standard library only."""
import json
import sys
import unittest

from folder_case import BAD_INPUT, DATA, DIFFERENCE, GOOD, USAGE, FolderCase

FIFU = DATA / "finalfusion"


class VectorsTest(FolderCase):
    def lines(self, *arguments, **named):
        return [json.loads(line) for line in self.run_embd(*arguments, **named).splitlines()]

    def inspect(self, name):
        return json.loads(self.run_embd("inspect", "--json", name))


class Words(VectorsTest):
    def assert_hits(self, row, wanted):
        self.assertEqual([hit["id"] for hit in row["hits"]], [word for word, _ in wanted])
        for hit, (_, similarity) in zip(row["hits"], wanted):
            self.assertAlmostEqual(hit["distance"], 1 - similarity, places=5)

    def test_words_of_other_lengths_are_compared_by_their_dot_product(self):
        (self.path / "rows.txt").write_text("a 3 0\nb 1 0\nc 2 2\nd -1 5\n")
        self.run_embd("convert", "--from", "text", "rows.txt", "rows.fifu")
        [row] = self.lines("search", "rows.fifu", "-q", "a")
        self.assert_hits(row, [("c", 6), ("b", 3), ("d", -3)])
        [row] = self.lines("search", "rows.fifu", "--analogy", "a", "b", "c", "-k", 1)
        self.assert_hits(row, [("d", 10 / 2)])  # b - a + c = (0, 2), at length 1: (0, 1)
        self.run_embd("convert", "--normalize", "rows.fifu", "unit.fifu")
        [row] = self.lines("search", "unit.fifu", "-q", "a")
        self.assert_hits(row, [("b", 1), ("c", 0.5 ** 0.5), ("d", -1 / 26 ** 0.5)])

    def test_similar_words_and_analogies_are_those_of_the_reference(self):
        for path in sorted(FIFU.glob("*.similar.json")):
            expected = json.loads(path.read_text())
            file = FIFU / expected["file"]
            for case in expected["similar"]:
                search = ["search", file, "--words", "-k", case["k"], "-q", case["query"]]
                if case["result"] is None:
                    self.run_embd(*search, expect=BAD_INPUT)
                    self.assertIn("not in the vocabulary", self.message)
                else:
                    self.assert_hits(self.lines(*search)[0], case["result"])
            for case in expected["analogy"]:
                search = ["search", file, "-k", case["k"], "--analogy", *case["query"]]
                if case["result"] is None:
                    self.run_embd(*search, expect=BAD_INPUT)
                else:
                    self.assert_hits(self.lines(*search)[0], case["result"])

    def test_words_of_a_file_without_recipe_need_no_option(self):
        file = FIFU / "bucket_nd_norms.fifu"
        (self.path / "queries.txt").write_text("x\nworld\n")
        rows = self.lines("search", file, "-q", "hello", "--query-file", "queries.txt", "-k", 2,
                          "--analogy", "hello", "world", "Berlin")
        self.assertEqual([row["query"] for row in rows], [0, 1, 2, 3])
        self.assertEqual([len(row["hits"]) for row in rows], [2, 2, 2, 2])
        self.assertEqual(rows[0]["hits"][0]["id"], "Zürich")
        (self.path / "ids.txt").write_text("a\nworld\n")
        rows = self.lines("search", file, "-q", "hello", "--filter-ids", "ids.txt")
        self.assertEqual([hit["id"] for hit in rows[0]["hits"]], ["a", "world"])

    def test_only_finalfusion_has_words(self):
        self.run_embd("convert", FIFU / "simple_nd.fifu", "a.npy")
        self.run_embd("search", "a.npy", "--words", "-q", "x", expect=USAGE)
        self.run_embd("search", "a.npy", "--analogy", "x", "y", "z", expect=USAGE)
        self.run_embd("search", FIFU / "simple_nd.fifu", "-q", "x", "--words", "--metric", "l2",
                      expect=USAGE)


class ConvertWords(VectorsTest):
    def test_a_file_with_all_its_rows_comes_out_as_it_went_in(self):
        for name in ("bucket_nd_norms", "fasttext_nd_norms", "fasttext_nd_meta", "floret_nd",
                     "explicit_nd_norms_rs", "simple_nd_norms_meta"):
            self.run_embd("convert", "--all-rows", FIFU / f"{name}.fifu", "out.fifu")
            self.assertEqual(self.bytes("out.fifu"), (FIFU / f"{name}.fifu").read_bytes(), name)

    def test_words_alone_keep_norms_and_metadata(self):
        source = FIFU / "simple_nd_norms_meta.fifu"
        before = self.inspect(source)
        self.run_embd("convert", source, "out.fifu")
        self.assertEqual(self.bytes("out.fifu"), source.read_bytes())
        self.run_embd("convert", "--rows", "1:3", source, "two.fifu")
        after = self.inspect("two.fifu")
        self.assertEqual((after["num_rows"], after["norms"]), (2, True))
        self.assertEqual(after["metadata"], before["metadata"])
        self.run_embd("convert", "two.fifu", "two.fifu", "four.fifu", expect=BAD_INPUT)
        self.assertIn("the word of an earlier row", self.message)
        self.run_embd("convert", "--rows", "0:1", source, "one.fifu")
        self.run_embd("convert", "one.fifu", "two.fifu", "three.fifu")
        self.run_embd("convert", "--rows", "0:3", source, "whole.fifu")
        self.run_embd("compare", "three.fifu", "whole.fifu")
        self.assertTrue(self.inspect("three.fifu")["norms"])

    def test_norms_are_multiplied_back_and_made(self):
        source = FIFU / "simple_nd_norms.fifu"
        self.run_embd("convert", "--unnormalize", source, "long.fifu")
        self.assertFalse(self.inspect("long.fifu")["norms"])
        self.run_embd("compare", source, "long.fifu", expect=DIFFERENCE)
        self.run_embd("convert", "--normalize", "long.fifu", "short.fifu")
        self.assertTrue(self.inspect("short.fifu")["norms"])
        self.run_embd("compare", source, "short.fifu", "--tolerance", 1e-6)
        self.run_embd("convert", "--normalize", source, "x.fifu", expect=USAGE)

    def test_subword_rows_belong_to_one_whole_input(self):
        source = FIFU / "bucket_nd_norms.fifu"
        self.run_embd("convert", "--all-rows", "--rows", "0:3", source, "x.fifu", expect=USAGE)
        self.run_embd("convert", "--all-rows", "--rows", "0:3", source, "x.npy")
        words = self.inspect(source)["words"]
        self.run_embd("convert", "--all-rows", source, "all.jsonl")
        last = json.loads(self.bytes("all.jsonl").splitlines()[-1])
        self.assertEqual(last["id"], f"[subword {self.inspect(source)['storage_rows'] - words - 1}]")

    def test_word2vec_text_and_fasttext_come_in(self):
        folder = DATA / "word2vec"
        for name in ("words.w2v.bin", "words.txt", "words.vec"):
            self.run_embd("convert", folder / name, name + ".fifu")
            self.run_embd("compare", folder / name, name + ".fifu")
            back = "back" + name[5:]
            self.run_embd("convert", name + ".fifu", back)
            self.run_embd("compare", back, folder / name)
        model = DATA / "fasttext" / "skipgram.bin"
        self.run_embd("convert", "--all-rows", model, "model.fifu")
        self.run_embd("compare", model, "model.fifu")
        self.assertEqual(self.inspect("model.fifu")["subwords"]["max_n"], 6)
        self.lines("search", "model.fifu", "-q", "harbours")  # not in the vocabulary

    def test_quantized_with_the_loss_printed(self):
        rows = "".join(json.dumps({"id": f"w{i}", "embedding": [i % 7 - 3.0, i % 5, i % 3, 1.0]}) + "\n"
                       for i in range(300))
        (self.path / "rows.jsonl").write_text(rows)
        for kind in ("pq", "opq"):
            self.run_embd("convert", "rows.jsonl", "q.fifu", "--quantize", kind, "--bits", 4,
                          "--subquantizers", 2)
            self.assertRegex(self.message, r"mean cosine loss of \S+ and a mean euclidean loss of")
            found = self.inspect("q.fifu")
            self.assertEqual(found["encoding"], kind)
            self.assertEqual(found["quantizer"]["centroids"], 16)
            self.assertEqual(found["quantizer"]["subquantizers"], 2)
            self.run_embd("compare", "rows.jsonl", "q.fifu", "--tolerance", 2)
            self.lines("search", "q.fifu", "-q", "w3", "-k", 1)
        self.run_embd("convert", "rows.jsonl", "q.fifu", "--quantize", "pq", "--subquantizers", 3,
                      expect=USAGE)

    def test_rows_without_ids_are_numbered(self):
        (self.path / "rows.vec").write_text("2 1\na 1\nb 2\n")
        self.run_embd("convert", "rows.vec", "rows.npy")
        (self.path / "rows.npy.ids.jsonl").unlink()
        self.run_embd("convert", "--rows", "1:2", "rows.npy", "one.fifu")
        self.run_embd("convert", "one.fifu", "one.vec")
        self.assertEqual(self.bytes("one.vec"), b"1 1\n1 2\n")

    def test_rows_of_a_part_keep_their_numbers_in_every_format(self):
        (self.path / "rows.vec").write_text("8 1\n" + "".join(f"w{i} {i}\n" for i in range(8)))
        self.run_embd("convert", "rows.vec", "rows.npy")
        (self.path / "rows.npy.ids.jsonl").unlink()
        for name in ("a.npy", "a.jsonl", "a.fifu", "a.cvc", "a.usearch", "a.vec", "a.txt", "a.svs", "a.fvecs"):
            self.run_embd("convert", "--rows", "5:7", "rows.npy", name)
            self.run_embd("convert", name, "ids.jsonl")
            self.assertEqual([int(json.loads(line)["id"]) for line in self.bytes("ids.jsonl").splitlines()],
                             [5, 6], name)
        for i, rows in enumerate((":3", "3:5", "5:")):
            self.run_embd("convert", "--rows", rows, "rows.npy", f"part{i}.npy")
        self.run_embd("convert", "part0.npy", "part1.npy", "part2.npy", "whole.npy")
        self.run_embd("compare", "rows.npy", "whole.npy")
        self.assertFalse((self.path / "whole.npy.ids.jsonl").exists())

    def test_files_without_rows(self):
        self.environment["EMBD_MODEL"] = str(DATA / "embd" / "plain.weights")
        (self.path / "none.txt").write_text("")
        (self.path / "two.txt").write_text("a cat\na dog\n")
        self.run_embd("embed", "two.txt", "-o", "two.npy")
        refused = {"x.fvecs", "x.config"}
        for name in ("x.npy", "x.jsonl", "x.txt", "x.vec", "x.w2v.bin", "x.fbin", "x.cvc", "x.fifu", "x.svs",
                     "x.usearch", *refused):
            self.run_embd("embed", "none.txt", "-o", name, expect=BAD_INPUT if name in refused else GOOD)
            self.assertEqual((self.path / name).exists(), name not in refused)
            if name in refused:
                continue
            self.assertEqual(self.inspect(name)["num_rows"], 0, name)
            self.run_embd("compare", name, name)
            self.run_embd("verify", name, "none.txt")
            self.run_embd("convert", name, "two.npy", "both.npy")
            self.run_embd("compare", "both.npy", "two.npy")
            self.run_embd("search", name, "-q", "a cat")
        for name in ("x.jsonl", "x.txt"):
            self.run_embd("convert", name, "y.npy", expect=BAD_INPUT)
            self.assertIn(f"{name}: ", self.message)
            self.run_embd("index", name, "-o", "y.usearch", expect=BAD_INPUT)


class CvcFields(VectorsTest):
    RECORDS = [("a cat", "wiki", 2020), ("a dog", "wiki", -7), ("the sea", "arxiv", 2**24 - 1),
               ("a boat", "wiki", 0)]

    def setUp(self):
        super().setUp()
        self.environment["EMBD_MODEL"] = str(DATA / "embd" / "plain.weights")
        self.write_records("in.jsonl", self.RECORDS)

    def write_records(self, name, records):
        lines = [json.dumps({"text": text, "source": source, "year": year, "other": [1]})
                 for text, source, year in records]
        (self.path / name).write_text("".join(line + "\n" for line in lines))

    def rows(self, name, *options):
        self.run_embd("convert", name, "rows.jsonl", *options)
        return [json.loads(line) for line in self.bytes("rows.jsonl").splitlines()]

    def test_sections_and_their_ids(self):
        self.run_embd("embed", "in.jsonl", "--section-field", "source", "--id-field", "text",
                      "-o", "a.cvc", "-o", "a.npy", "--chunk-rows", 3)
        header = self.inspect("a.cvc")["header"]
        self.assertEqual([(s["start_index"], s["end_index"], s["metadata"]) for s in header["sections"]],
                         [(0, 2, {"source": "wiki"}), (2, 3, {"source": "arxiv"}), (3, 4, {"source": "wiki"})])
        self.assertEqual([chunk["rows"] for chunk in header["chunks"]], [3, 1])
        found = self.rows("a.cvc", "--section", "source=wiki")
        self.assertEqual([row["id"] for row in found], ["a cat", "a dog", "a boat"])
        self.run_embd("convert", "--section", "source=arxiv", "a.cvc", "sea.npy")
        self.run_embd("convert", "--rows", "2:3", "a.npy", "third.npy")
        self.run_embd("compare", "sea.npy", "third.npy", "--tolerance", 0.001)
        self.assertEqual(self.bytes("sea.npy.ids.jsonl"), b'"the sea"\n')
        ids = self.path / "a.cvc.ids.jsonl"
        ids.write_text(ids.read_text() + '"one too many"\n')
        self.run_embd("convert", "--section", "source=wiki", "a.cvc", "b.npy", expect=BAD_INPUT)

    def test_columns(self):
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", "--column-field", "year",
                      "--section-field", "source", "--cvc-compression", "none")
        found = self.inspect("a.cvc")
        self.assertEqual(found["version"], "2.0")
        self.assertEqual([(c["name"], c["dtype"], c["compression"]) for c in found["header"]["columns"]],
                         [("embedding", "float32", "none"), ("year", "int32", "none")])
        self.assertEqual([row["embedding"] for row in self.rows("a.cvc", "--column", "year")],
                         [[float(year)] for _, _, year in self.RECORDS])
        self.run_embd("embed", "in.jsonl", "-o", "plain.npy")
        self.run_embd("compare", "a.cvc", "plain.npy")
        for kind, good in (("int64", True), ("float32", True), ("int8", False), ("float16", False)):
            self.run_embd("embed", "in.jsonl", "-o", "b.cvc", "--column-field", "year:" + kind,
                          expect=GOOD if good else BAD_INPUT)
        self.assertRegex(self.message, r"in\.jsonl: line 3: .*\"year\" is 16777215, expected")
        self.run_embd("embed", "in.jsonl", "-o", "b.cvc", "--column-field", "source", expect=BAD_INPUT)
        self.run_embd("embed", "in.jsonl", "-o", "b.cvc", "--column-field", "none", expect=BAD_INPUT)
        self.run_embd("embed", "in.jsonl", "-o", "b.cvc", "--section-field", "other", expect=BAD_INPUT)
        self.run_embd("embed", "in.jsonl", "-o", "b.npy", "--column-field", "year", expect=USAGE)
        self.run_embd("embed", "in.jsonl", "-o", "b.cvc", "--column-field", "year",
                      "--section-field", "year", expect=USAGE)
        self.run_embd("embed", "in.jsonl", "-o", "b.cvc", "--column-field", "year",
                      "--cvc-compression", "lossless", expect=USAGE)

    def test_fields_of_a_table_and_of_a_resumed_run(self):
        (self.path / "in.csv").write_text("source,text,year\n" + "".join(
            f"{source},{text},{year}\n" for text, source, year in self.RECORDS))
        options = ["--column-field", "year:int64", "--section-field", "source"]
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", *options)
        self.run_embd("embed", "in.csv", "-o", "b.cvc", *options)
        self.run_embd("embed", "in.jsonl", "-o", "c.cvc", "--resume", *options)
        self.assertEqual(self.bytes("a.cvc"), self.bytes("c.cvc"))
        a, b = self.inspect("a.cvc"), self.inspect("b.cvc")
        self.assertEqual(a["header"]["sections"], b["header"]["sections"])
        self.run_embd("compare", "a.cvc", "b.cvc")

    def test_a_cell_of_a_table_is_text_to_a_section(self):
        keys = ["1.1", "1.10", "12345678901234567890121", "12345678901234567890122", "1e2", "100"]
        (self.path / "in.csv").write_text("text,key\n" + "".join(f"a cat,{key}\n" for key in keys))
        self.run_embd("embed", "in.csv", "-o", "a.cvc", "--section-field", "key")
        self.assertEqual([s["metadata"]["key"] for s in self.inspect("a.cvc")["header"]["sections"]], keys)
        self.assertEqual(len(self.rows("a.cvc", "--section", "key=12345678901234567890122")), 1)
        (self.path / "in.csv").write_bytes(b"text,key\na cat,\xff\n")
        self.run_embd("embed", "in.csv", "-o", "a.cvc", "--section-field", "key", expect=BAD_INPUT)
        self.assertIn("in.csv: line 2: ", self.message)

    FIELDS = ["--column-field", "year:int64", "--section-field", "source"]

    def test_convert_keeps_sections_and_columns(self):
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", "--id-field", "text", *self.FIELDS)
        self.run_embd("convert", "a.cvc", "b.cvc")
        self.assertEqual(self.bytes("a.cvc"), self.bytes("b.cvc"))
        self.assertEqual(self.message, "")
        header = self.inspect("a.cvc")["header"]
        for compression in ("none", "int8"):
            self.run_embd("convert", "a.cvc", "b.cvc", "--cvc-compression", compression, "--chunk-rows", 3)
            found = self.inspect("b.cvc")["header"]
            self.assertEqual(found["sections"], header["sections"])
            self.assertEqual(found["columns"][0]["compression"], compression)
            self.assertEqual(found["columns"][1], header["columns"][1])
            self.run_embd("compare", "a.cvc", "b.cvc", "--tolerance", 0 if compression == "none" else 0.01)
            self.assertEqual(self.rows("a.cvc", "--column", "year"), self.rows("b.cvc", "--column", "year"))
        for options in (["--cvc-compression", "lossless"], ["--cvc-mmap"]):
            self.run_embd("convert", "a.cvc", "b.cvc", *options, expect=USAGE)
        self.run_embd("convert", "a.cvc", "b.cvc", "--cvc-compression", "lossless", "--column", "embedding")
        self.assertNotIn("columns", self.inspect("b.cvc")["header"])
        self.assertEqual(self.inspect("b.cvc")["header"]["sections"], header["sections"])

    def test_parts_of_a_file_keep_their_sections_and_columns(self):
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", *self.FIELDS)
        self.run_embd("convert", "a.cvc", "b.cvc", "--rows", "1:3")
        wiki, arxiv = {"source": "wiki"}, {"source": "arxiv"}
        self.assertEqual(self.sections("b.cvc"), [(0, 1, wiki), (1, 2, arxiv)])
        self.assertEqual(self.years("b.cvc"), [-7, 2**24 - 1])
        self.run_embd("convert", "a.cvc", "b.cvc", "--section", "source=wiki")
        self.assertEqual(self.sections("b.cvc"), [(0, 2, wiki), (2, 3, wiki)])
        self.assertEqual(self.years("b.cvc"), [2020, -7, 0])

    def test_files_with_sections_and_columns_in_one(self):
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", *self.FIELDS)
        self.run_embd("embed", "in.jsonl", "-o", "columns.cvc", *self.FIELDS[:2])
        self.run_embd("embed", "in.jsonl", "-o", "plain.npy")
        wiki, arxiv = {"source": "wiki"}, {"source": "arxiv"}
        self.run_embd("convert", "columns.cvc", "a.cvc", "b.cvc")
        self.assertEqual(self.sections("b.cvc"),
                         [(0, 4, {}), (4, 6, wiki), (6, 7, arxiv), (7, 8, wiki)])
        self.assertEqual(self.years("b.cvc"), [2020, -7, 2**24 - 1, 0] * 2)
        self.run_embd("convert", "a.cvc", "plain.npy", "b.cvc", expect=USAGE)
        self.assertRegex(self.message, r"plain\.npy: .*no columns beside the vectors, but a\.cvc has year \(1 i64")
        self.run_embd("convert", "a.cvc", "plain.npy", "b.cvc", "--column", "embedding")
        self.assertEqual(self.sections("b.cvc")[-1], (4, 8, {}))

    def test_what_another_format_has_no_place_for_is_said(self):
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", *self.FIELDS)
        self.run_embd("convert", "a.cvc", "b.npy")
        self.assertEqual(self.message, "embd: warning: b.npy cannot store these parts of a.cvc, which were left out: "
                                       "3 sections, column year\n")
        self.run_embd("convert", "a.cvc", "b.npy", "--column", "embedding", "--section", "source=arxiv")
        self.assertIn("1 section\n", self.message)
        self.run_embd("convert", DATA / "cvc" / "v1_chunkmeta_fp16.cvc", "b.npy")
        self.assertIn("which were left out: chunk metadata\n", self.message)
        self.run_embd("convert", DATA / "cvc" / "v1_chunkmeta_fp16.cvc", "b.cvc", "--chunk-rows", 2)
        self.assertIn("which were left out: chunk metadata\n", self.message)

    def test_chunks_of_which_something_is_said_are_kept(self):
        source = DATA / "cvc" / "v1_chunkmeta_fp16.cvc"
        self.run_embd("convert", source, "b.cvc")
        self.assertEqual(self.message, "")
        self.assertEqual(self.bytes("b.cvc"), source.read_bytes())
        said = [(c["rows"], c.get("metadata")) for c in self.inspect(source)["header"]["chunks"]]
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", "--truncate-dim", self.inspect(source)["dim"])
        self.run_embd("convert", source, "a.cvc", source, "c.cvc", "--force")
        found = [(c["rows"], c.get("metadata")) for c in self.inspect("c.cvc")["header"]["chunks"]]
        self.assertEqual(found, said + [(4, None)] + said)
        self.run_embd("convert", "b.cvc", "d.cvc", "--rows", "1:")
        found = [(c["rows"], c.get("metadata")) for c in self.inspect("d.cvc")["header"]["chunks"]]
        self.assertEqual(sum(rows for rows, _ in found), sum(rows for rows, _ in said) - 1)
        self.assertEqual(found[-1], said[-1])

    def test_from_cvc_to_cvc_values_stay_as_they_are_stored(self):
        for compression in ("fp16", "int8", "lossless", "none"):
            self.run_embd("embed", "in.jsonl", "-o", "a.cvc", "--cvc-compression", compression)
            self.run_embd("convert", "a.cvc", "b.cvc")
            self.assertEqual(self.inspect("b.cvc")["encoding"], compression)
            self.run_embd("compare", "a.cvc", "b.cvc", "--tolerance", 1e-6 if compression == "int8" else 0)
        self.run_embd("embed", "in.jsonl", "-o", "half.cvc")
        self.run_embd("convert", "a.cvc", "half.cvc", "b.cvc")
        self.assertEqual(self.inspect("b.cvc")["encoding"], "lossless")

    def test_columns_of_the_reference_package(self):
        for path in sorted((DATA / "cvc").glob("v2_*.cvc")):
            before = self.inspect(path)["header"]
            columns = {c["name"]: c for c in before.get("columns", [])}
            if not columns:
                continue
            self.run_embd("convert", path, "b.cvc", "--cvc-compression", "none", "--chunk-rows",
                          before["chunks"][0]["rows"])
            after = {c["name"]: c for c in self.inspect("b.cvc")["header"]["columns"]}
            self.assertEqual(set(after), set(columns), path)
            self.assertEqual(self.sections("b.cvc"), self.sections(path), path)
            rows = self.inspect(path)["column"]
            for name, column in columns.items():
                if name != rows:
                    self.assertEqual(after[name]["compression"], column["compression"])
                self.run_embd("compare", path, "b.cvc", "--column", name, "--tolerance",
                              1e-4 if column["compression"] == "int8" else 0)

    def sections(self, name):
        return [(s["start_index"], s["end_index"], s["metadata"])
                for s in self.inspect(name)["header"].get("sections", [])]

    def years(self, name):
        return [row["embedding"][0] for row in self.rows(name, "--column", "year")]

    def test_mapped_layout(self):
        self.run_embd("embed", "in.jsonl", "-o", "a.cvc", "--cvc-mmap", "--chunk-rows", 1)
        header = self.inspect("a.cvc")["header"]
        self.assertTrue(header["mmap_optimized"])
        self.assertTrue(all(chunk["file_offset"] % 4096 == 0 for chunk in header["chunks"]))
        self.run_embd("embed", "in.jsonl", "-o", "b.cvc", "--cvc-mmap", "--column-field", "year",
                      expect=USAGE)


class Inspect(VectorsTest):
    def test_every_format_weights_included(self):
        found = self.inspect(DATA / "embd" / "plain.weights")
        self.assertEqual(found["format"], "embd")
        self.assertGreater(len(found["tensors"]), 3)
        self.assertIn("format: embd", self.run_embd("inspect", DATA / "embd" / "plain.weights").decode())
        damaged = bytearray((DATA / "embd" / "plain.weights").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        (self.path / "damaged.weights").write_bytes(damaged)
        self.run_embd("inspect", "damaged.weights", expect=BAD_INPUT)


class Parquet(VectorsTest):
    """tests/interop/parquet_test.py asks other readers."""

    def setUp(self):
        super().setUp()
        self.environment["EMBD_MODEL"] = str(DATA / "embd" / "plain.weights")
        self.texts = [{"text": f"text {i} \u00e4", "key": f"k{i}", "year": 1900 + i} for i in range(300)]
        (self.path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in self.texts))
        self.embed = ["embed", "in.jsonl", "--id-field", "key", "--column-field", "year", "--text-column",
                      "--row-group-rows", 70]

    def test_every_verb_reads_it_as_any_vector_set(self):
        self.run_embd(*self.embed, "-o", "a.parquet", "-o", "a.npy")
        self.run_embd("compare", "a.parquet", "a.npy")
        self.run_embd("verify", "a.parquet", "in.jsonl")
        about = self.inspect("a.parquet")
        self.assertEqual((about["format"], about["num_rows"], about["row_groups"]), ("parquet", 300, 5))
        self.assertEqual([column["name"] for column in about["columns"]], ["embedding", "id", "text", "year"])
        [found] = self.lines("search", "a.parquet", "-q", "text 17 \u00e4", "-k", 1)
        self.assertEqual(found["hits"][0]["id"], "k17")
        self.run_embd("index", "a.parquet", "-o", "a.usearch")
        self.assertEqual(json.loads(self.run_embd("digest", "a.parquet", "in.jsonl"))["digest"],
                         json.loads(self.run_embd("digest", "a.npy", "in.jsonl"))["digest"])

    def test_texts_and_columns_go_from_one_to_another(self):
        self.run_embd(*self.embed, "-o", "a.parquet")
        self.run_embd("convert", "a.parquet", "b.parquet", "--row-group-rows", 70)
        self.assertEqual(self.bytes("a.parquet"), self.bytes("b.parquet"))
        self.run_embd("convert", "a.parquet", "z.parquet", "--parquet-compression", "zstd")
        self.assertLess(len(self.bytes("z.parquet")), len(self.bytes("a.parquet")))
        self.run_embd("convert", "--rows", ":120", "a.parquet", "1.parquet")
        self.run_embd("convert", "--rows", "120:", "z.parquet", "2.parquet")
        self.run_embd("convert", "1.parquet", "2.parquet", "whole.parquet", "--row-group-rows", 70)
        self.assertEqual(self.bytes("whole.parquet"), self.bytes("a.parquet"))
        self.run_embd("convert", "a.parquet", "x.npy")
        self.assertIn("column year, texts", self.message)
        self.run_embd("convert", "a.parquet", "x.cvc", "--cvc-compression", "none")
        self.assertNotIn("year", self.message)
        self.run_embd("convert", "x.cvc", "y.parquet")
        self.assertEqual([column["name"] for column in self.inspect("y.parquet")["columns"]],
                         ["embedding", "id", "year"])
        self.run_embd("convert", "a.parquet", "y.parquet", "x.parquet", expect=USAGE)
        self.assertIn("y.parquet: invalid argument: the rows have no texts", self.message)

    def test_a_run_that_was_resumed_has_the_texts_of_all(self):
        self.run_embd(*self.embed, "-o", "a.parquet")
        self.run_embd(*self.embed, "-o", "b.parquet", "--resume")
        self.assertEqual(self.bytes("a.parquet"), self.bytes("b.parquet"))

    def test_windows_share_their_text(self):
        (self.path / "long.txt").write_text("a b c d e f g h i j\nshort\n")
        self.run_embd("embed", "long.txt", "--windows", 6, "--text-column", "-o", "w.parquet")
        rows = self.inspect("w.parquet")["num_rows"]
        self.assertGreater(rows, 2)

    def test_what_belongs_to_another_format_is_refused(self):
        self.run_embd("embed", "in.jsonl", "--text-column", "-o", "a.npy", expect=USAGE)
        self.run_embd("embed", "in.jsonl", "--section-field", "year", "-o", "a.parquet", expect=USAGE)
        self.run_embd("embed", "in.jsonl", "--output-type", "int8", "-o", "a.parquet", expect=USAGE)
        self.run_embd("embed", "in.jsonl", "--row-group-rows", 0, "-o", "a.parquet", expect=USAGE)
        (self.path / "bad.txt").write_bytes(b"good\n\xff\n")
        self.run_embd("embed", "bad.txt", "--text-column", "-o", "a.parquet", expect=BAD_INPUT)
        self.assertRegex(self.message, r"bad\.txt: line 2: .*byte 0 is 0xff")
        self.run_embd("embed", "bad.txt", "--invalid-utf8", "replace", "--text-column", "-o", "a.parquet")

    def test_what_others_write_is_read(self):
        """Files of pyarrow, pandas, Polars and DuckDB, with the values that NumPy wrote beside them."""
        for path in sorted((DATA / "parquet").glob("foreign_*.parquet")):
            if "_bad_" in path.name:
                continue
            with self.subTest(path.name):
                self.run_embd("convert", path, "x.npy", "--force")
                self.assertEqual(self.bytes("x.npy"), path.with_suffix(".expected.npy").read_bytes())
                self.assertEqual(self.inspect(path)["num_rows"], self.inspect("x.npy")["num_rows"])
        pandas = DATA / "parquet" / "foreign_pandas.parquet"
        self.run_embd("convert", pandas, "y.jsonl")
        self.assertEqual([json.loads(line)["id"] for line in (self.path / "y.jsonl").read_text().splitlines()],
                         [str(i) for i in range(30)])
        # The texts that a set holds are printed with what a search finds.
        duckdb = DATA / "parquet" / "foreign_duckdb.parquet"
        printed = self.run_embd("search", duckdb, "--queries", duckdb, "-k", 1, "--json")
        hits = [json.loads(line)["hits"][0] for line in printed.splitlines()]
        self.assertEqual([(hit["id"], hit["text"]) for hit in hits], [(i, f"x{i}") for i in range(30)])
        two = DATA / "parquet" / "foreign_bad_two.parquet"
        self.run_embd("convert", two, "b.npy", "--column", "b")

    def test_what_is_not_read_of_others_is_refused_by_name(self):
        for name, words in (("brotli", r"Brotli.*COPY"), ("checksum_of_value", "byte [0-9]+: .*CRC-32"),
                            ("checksum_of_name", "byte [0-9]+: .*CRC-32"), ("empty", "no rows"), ("hidden", "5 values in 4 rows"), ("null", "5 values in 3 rows"),
                            ("ragged", "row 1 does not have 2 values"), ("value", "row 1 has a missing value"),
                            ("none", "no column contains lists of floats"), ("id", '"id".*row 0 has a missing value'),
                            ("id_f64", "type f64, expected ids"), ("id_date", "type date, expected ids")):
            with self.subTest(name):
                path = DATA / "parquet" / f"foreign_bad_{name}.parquet"
                self.run_embd("convert", path, "x.npy", "--force", expect=BAD_INPUT)
                self.assertRegex(self.message, words)
                # Only what is damaged is to be made again.
                self.assertEqual("Download the file again" in self.message, "checksum" in name, self.message)
        self.run_embd("convert", DATA / "parquet" / "foreign_bad_two.parquet", "x.npy", "--force", expect=USAGE)
        self.assertIn('"a", "b"', self.message)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
