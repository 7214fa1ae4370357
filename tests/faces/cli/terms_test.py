#!/usr/bin/env python3
"""Term indexes as outputs, and searches by terms:  terms_test.py EMBD TEST_DATA

Standard library only."""
import json
import os
import pty
import subprocess
import sys
import unittest

from folder_case import BAD_INPUT, EMBD, IO, USAGE, FolderCase, DATA, has_stemmer

sys.path.insert(0, str(DATA.parent / "faces/python"))
from golden_rerankers import copy_reranker  # noqa: E402

TEXTS = ["the disk is full", "error E4711 in backup_job\nthe backup failed at night", "error E4712 in mail_job",
         "nothing at all", "backups of the week were good"]


@unittest.skipUnless(has_stemmer(), "this build has no stemmer")
class TermsTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.write("log.jsonl", "".join(json.dumps({"key": f"k{i}", "level": ["bad", "good"][i // 3], "text": text}) + "\n"
                                        for i, text in enumerate(TEXTS)))
        self.embed = ["log.jsonl", "--id-field", "key", "--column-field", "level:text", "--text-column"]
        self.run_embd("embed", *self.embed, "-o", "log.parquet", "-o", "log.terms")

    def search(self, *arguments, **named):
        lines = self.run_embd("search", "log.parquet", "--terms", "log.terms", *arguments, **named).splitlines()
        return [json.loads(line)["hits"] for line in lines]

    def files(self, folder):
        return {entry.name: entry.read_bytes() for entry in (self.path / folder).iterdir()}

    def test_a_hit_has_the_numbers_that_were_computed(self):
        query = ["-q", "backup_job E4711"]
        both = self.search(*query)[0]
        self.assertEqual(list(both[0]), ["id", "score", "distance", "term_score", "line", "columns", "text"])
        self.assertEqual([hit["id"] for hit in both][0], "k1")
        self.assertEqual(len(both), 5)
        near = {hit["id"]: hit["distance"] for hit in self.search(*query, "--match", "vectors")[0]}
        best = {hit["id"]: hit["term_score"] for hit in self.search(*query, "--match", "terms")[0]}
        self.assertEqual(list(self.search(*query, "--match", "terms")[0][0]), ["id", "term_score", "line", "columns", "text"])
        for hit in both:
            self.assertEqual(hit["distance"], near[hit["id"]])
            self.assertEqual(hit["term_score"], best.get(hit["id"], 0))
            self.assertEqual("line" in hit, hit["id"] in best)
        self.assertEqual(self.search(*query, "--match", "both"), [both])

    def test_the_line_has_most_of_the_terms(self):
        lines = {}
        for query in ("E4711", "night", "backup", "night failed E4711"):
            lines[query] = self.search("-q", query, "--match", "terms", "-k", 1)[0][0]["line"]
        self.assertEqual(lines, {"E4711": 1, "night": 2, "backup": 1, "night failed E4711": 2})

    def test_terms_need_no_model(self):
        hits = self.search("-q", "mail_job", "-q", "the of", "--match", "terms", EMBD_MODEL="")
        self.assertEqual([[hit["id"] for hit in of_query] for of_query in hits], [["k2", "k1"], []])
        self.assertEqual(self.run_embd("tokenize", "--terms", input=b"Backups of backup_job\n", EMBD_MODEL=""),
                         b'{"terms":["backup","backup_job","backup","job"]}\n')

    def test_a_filter_applies_to_both_lists(self):
        for match in ("terms", "both", "vectors"):
            hits = self.search("-q", "backup of a disk", "--match", match, "--filter", "level=good")[0]
            self.assertEqual({hit["id"] for hit in hits}, {"k4"} if match == "terms" else {"k3", "k4"})

    def test_a_reranker_reads_the_fused_rows(self):
        copy_reranker("bert_sigmoid", self.path)
        query = ["-q", "backup disk", "--rerank", "bert_sigmoid"]
        ranked = self.search(*query, "--candidates", 3, "-k", 3)[0]
        self.assertEqual(list(ranked[0]), ["id", "score", "logit", "distance", "term_score", "line", "columns", "text"])
        fused = self.search("-q", "backup disk", "-k", 3)[0]
        self.assertEqual({hit["id"]: (hit["distance"], hit["term_score"]) for hit in ranked},
                         {hit["id"]: (hit["distance"], hit["term_score"]) for hit in fused})
        logits = [hit["logit"] for hit in ranked]
        self.assertEqual(logits, sorted(logits, reverse=True))
        alone = self.search(*query, "--match", "terms")[0]
        self.assertNotIn("distance", alone[0])

    def test_terms_are_bold_at_a_terminal(self):
        master, slave = pty.openpty()
        with subprocess.Popen([EMBD, "search", "log.parquet", "--terms", "log.terms", "-q", "e4712", "-k", "1"], cwd=self.path,
                              stdout=slave, env=self.environment):
            os.close(slave)
            shown = b""
            try:
                while piece := os.read(master, 4096):
                    shown += piece
            except OSError:
                pass  # the end of a terminal
        os.close(master)
        self.assertIn("error \x1b[1mE4712\x1b[22m in mail_job", shown.decode())

    def test_an_index_of_a_set_is_that_of_its_texts(self):
        self.run_embd("index", "log.parquet", "-o", "again.terms")
        self.assertEqual(self.files("again.terms"), self.files("log.terms"))
        self.run_embd("index", "log.parquet", "-o", "again.terms", "--term-kind", "words")
        self.assertNotEqual(self.files("again.terms"), self.files("log.terms"))
        self.run_embd("embed", "log.jsonl", "-o", "log.npy")
        self.run_embd("index", "log.npy", "-o", "none.terms", expect=BAD_INPUT)
        self.assertIn("stores no texts", self.message)
        self.assertFalse((self.path / "none.terms").exists())

    def test_tokens_of_the_model_are_terms(self):
        self.run_embd("embed", "log.jsonl", "-o", "log.npy", "-o", "log.terms", "--term-kind", "tokens")
        hits = self.search("-q", "mail_job", "--match", "terms")[0]
        self.assertEqual(hits[0]["id"], "k2")
        self.run_embd("index", "log.parquet", "-o", "again.terms", "--term-kind", "tokens")
        self.assertEqual(self.files("again.terms"), self.files("log.terms"))

    def test_inspect_describes_a_term_index(self):
        said = json.loads(self.run_embd("inspect", "log.terms", "--json"))
        self.assertEqual((said["format"], said["num_rows"], said["recipe"]["kind"], said["recipe"]["stemmer"]),
                         ("terms", 5, "stems", "english"))
        self.assertGreater(said["num_postings"], said["num_terms"])
        data = self.path / "log.terms" / "data.csc.index.npy"
        changed = bytearray(data.read_bytes())
        changed[-1] ^= 1
        data.write_bytes(changed)
        self.run_embd("inspect", "log.terms", expect=BAD_INPUT)
        self.assertIn("log.terms", self.message)

    def test_what_is_wrong_is_said_by_the_exit_code(self):
        search = ["search", "log.parquet", "-q", "a"]
        self.run_embd(*search, "--match", "terms", expect=USAGE)
        self.run_embd(*search, "--terms", "log.terms", "--match", "words", expect=USAGE)
        self.run_embd(*search, "--terms", "missing.terms", expect=IO)
        self.run_embd("search", "log.parquet", "--queries", "log.parquet", "--terms", "log.terms", expect=USAGE)
        self.assertIn("--terms needs queries that are texts", self.message)
        self.search("--queries", "log.parquet", "--match", "vectors")
        for arguments in (["-o", "a.terms"], ["-o", "a.npy", "-o", "a.terms", "-o", "b.terms"],
                          ["-o", "a.npy", "--stemmer", "none"], ["-o", "a.npy", "-o", "a.terms", "--part", "0/2"],
                          ["-o", "a.npy", "-o", "a.terms", "--stemmer", "german"]):
            self.run_embd("embed", "log.jsonl", *arguments, expect=USAGE)
        for arguments in (["-o", "a.terms", "--metric", "l2"], ["-o", "a.usearch", "--stemmer", "none"],
                          ["-o", "a.terms", "--certify", 3], ["-o", "a.terms", "-m", "model"], ["-o", "a.terms", "-o", "b.usearch"]):
            self.run_embd("index", "log.parquet", *arguments, expect=USAGE)
        for arguments in (["--stemmer", "none"], ["--terms", "--tokens"], ["--terms", "--max-length", 3]):
            self.run_embd("tokenize", *arguments, expect=USAGE)
        self.assertEqual([name for name in self.names() if name.startswith(("a.", "b."))], [])
        self.write("less.txt", "one\n")
        self.run_embd("embed", "less.txt", "-o", "less.npy")
        self.run_embd("search", "less.npy", "--terms", "log.terms", "-q", "a", expect=BAD_INPUT)
        self.assertIn("log.terms", self.message)
        self.assertIn("less.npy", self.message)


class StemmerTest(FolderCase):
    def test_a_build_without_the_stemmer_counts_words_or_tokens(self):
        self.write("log.txt", "the Backups\n")
        self.run_embd("embed", "log.txt", "-o", "log.npy", "-o", "log.terms", "--stemmer", "none")
        self.assertIn('"id":0,"term_score"', self.run_embd("search", "log.npy", "--terms", "log.terms", "--match", "terms",
                                                           "-q", "backups").decode())
        if has_stemmer():
            return
        self.run_embd("embed", "log.txt", "-o", "stems.npy", "-o", "stems.terms", expect=BAD_INPUT)
        self.assertIn("this build of embd has no stemmer", self.message)
        self.assertFalse((self.path / "stems.npy").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
