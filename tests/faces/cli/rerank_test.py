#!/usr/bin/env python3
"""embd rerank, and search with --rerank:  rerank_test.py EMBD TEST_DATA

Standard library only; the cross-encoders and their scores are those of TEST_DATA/rerank."""
import json
import os
import pty
import struct
import subprocess
import sys
import unittest

from folder_case import BAD_INPUT, DATA, EMBD, MODEL, USAGE, FolderCase

sys.path.insert(0, str(DATA.parent / "faces/python"))
from golden_rerankers import GOLDEN, copy_reranker, golden_pairs  # noqa: E402


def load_f64(name):
    data = (GOLDEN / name).read_bytes()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack_from(f"<{(len(data) - start) // 8}d", data, start)


class RerankTest(FolderCase):
    def setUp(self):
        super().setUp()
        for name in ("bert_sigmoid", "bert_three"):
            copy_reranker(name, self.path)

    def write_pairs(self, name):
        self.write("pairs.jsonl", "".join(json.dumps({"query": first, "text": second, "key": f"k{i}"}) + "\n"
                                          for i, (first, second) in enumerate(golden_pairs(name))))

    def rerank(self, *arguments, **named):
        return [json.loads(line) for line in self.run_embd("rerank", *arguments, **named).decode().splitlines()]

    def test_pairs_have_the_scores_of_the_oracle(self):
        self.write_pairs("bert_sigmoid")
        logits, scores = load_f64("bert_sigmoid.logits.npy"), load_f64("bert_sigmoid.scores.npy")
        lines = self.rerank("pairs.jsonl", "-m", "bert_sigmoid")
        self.assertEqual([line["id"] for line in lines], list(range(len(logits))))
        for line, logit, score in zip(lines, logits, scores):
            self.assertAlmostEqual(line["logit"], logit, delta=5e-6 * max(map(abs, logits)))
            self.assertAlmostEqual(line["score"], score, delta=3e-6)
        self.assertIn("pairs cut to the length that the model takes", self.message)

        self.run_embd("model", "convert", "bert_sigmoid", "model.weights")
        self.run_embd("rerank", "pairs.jsonl", "-m", "model.weights", "-o", "out.jsonl", "--id-field", "key", "-t", 2,
                      "--report", "report.json")
        again = [json.loads(line) for line in self.bytes("out.jsonl").decode().splitlines()]
        self.assertEqual([line["id"] for line in again], [f"k{i}" for i in range(len(logits))])
        self.assertEqual([line["logit"] for line in again], [line["logit"] for line in lines])
        report = json.loads(self.bytes("report.json"))
        self.assertEqual((report["rows"], report["model"], report["threads"]), (len(logits), "bert_sigmoid", 2))
        raw = self.rerank("pairs.jsonl", "-m", "bert_sigmoid", "--activation", "identity")
        self.assertTrue(all(line["score"] == line["logit"] for line in raw))

    def test_several_labels_are_lists(self):
        self.write_pairs("bert_three")
        logits = load_f64("bert_three.logits.npy")
        lines = self.rerank("pairs.jsonl", "-m", "bert_three")
        found = [logit for line in lines for logit in line["logits"]]
        self.assertEqual(len(found), len(logits))
        self.assertTrue(all(abs(a - b) < 1e-4 for a, b in zip(found, logits)))
        self.run_embd("rerank", "pairs.jsonl", "-m", "bert_three", "-q", "a", expect=USAGE)
        self.assertIn("3 labels", self.message)

    def test_tables_have_pairs_too(self):
        self.write("pairs.csv", 'question,passage\nhow much,"a ticket, please"\n1,2\n')
        lines = self.rerank("pairs.csv", "-m", "bert_sigmoid", "--query-field", "question", "--text-field", "passage")
        self.write("pairs.jsonl", '{"query":"how much","text":"a ticket, please"}\n{"query":"1","text":"2"}\n')
        self.assertEqual(lines, self.rerank("pairs.jsonl", "-m", "bert_sigmoid"))
        self.assertEqual(self.rerank("-", "--input-format", "jsonl", "-m", "bert_sigmoid",
                                     input=self.bytes("pairs.jsonl")), lines)
        self.assertEqual(self.rerank("-", "--input-format", "jsonl", "-m", "bert_sigmoid"), [])

    def test_documents_are_ranked(self):
        texts = ["a b c", "how much is a ticket", "1 2 3", "a b c", ""]
        self.write("docs.txt", "".join(f"{text}\n" for text in texts))
        queries = ["how much", "a b"]
        lines = self.rerank("docs.txt", "-m", "bert_sigmoid", "-q", queries[0], "-q", queries[1])
        for number, line in enumerate(lines):
            self.assertEqual(line["query"], number)
            hits = line["hits"]
            self.assertEqual(sorted(hit["id"] for hit in hits), list(range(len(texts))))
            self.assertEqual(hits, sorted(hits, key=lambda hit: (-hit["logit"], hit["id"])))
            self.assertTrue(all(hit["text"] == texts[hit["id"]] for hit in hits))
            self.write("pairs.jsonl", "".join(json.dumps({"query": queries[number], "text": t}) + "\n" for t in texts))
            for scored in self.rerank("pairs.jsonl", "-m", "bert_sigmoid"):
                self.assertIn(scored, [{k: hit[k] for k in ("id", "score", "logit")} for hit in hits])
        self.write("queries.txt", "".join(f"{query}\n" for query in queries))
        best = self.rerank("docs.txt", "-m", "bert_sigmoid", "--query-file", "queries.txt", "-k", 2)
        self.assertEqual([line["hits"] for line in best], [line["hits"][:2] for line in lines])
        self.run_embd("rerank", "docs.txt", "-m", "bert_sigmoid", "-q", "a", "-o", "out.jsonl")
        self.assertEqual(json.loads(self.bytes("out.jsonl"))["query"], 0)

    def test_a_table_at_a_terminal(self):
        self.write("docs.txt", "a b c\nhow much\x1b[31m\n")
        master, slave = pty.openpty()
        result = subprocess.run([EMBD, "rerank", "docs.txt", "-m", "bert_sigmoid", "-q", "how much"], cwd=self.path,
                                stdout=slave, stderr=subprocess.PIPE, env=self.environment, timeout=600)
        os.close(slave)
        out = os.read(master, 1 << 16).decode()
        os.close(master)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(out.splitlines()[0], "how much")
        self.assertEqual(out.splitlines()[1].split(), ["rank", "score", "id", "text"])
        self.assertNotIn("\x1b", out)

    def test_a_cut_is_said_or_refused(self):
        self.write("pairs.jsonl", '{"query":"a","text":"b"}\n{"query":"a","text":"%s"}\n' % ("b " * 100))
        self.rerank("pairs.jsonl", "-m", "bert_sigmoid")
        self.assertIn("1 of 2 pairs cut to the length that the model takes", self.message)
        self.rerank("pairs.jsonl", "-m", "bert_sigmoid", "--on-truncate", "ignore")
        self.assertEqual(self.message, "")
        self.run_embd("rerank", "pairs.jsonl", "-m", "bert_sigmoid", "-o", "out.jsonl", "--on-truncate", "error",
                      expect=BAD_INPUT)
        self.assertIn("line 2", self.message)
        self.assertNotIn("out.jsonl", self.names())
        self.write("documents.jsonl", '{"text":""}\n{"text":"b"}\n{"text":"%s"}\n' % ("b " * 100))
        self.run_embd("rerank", "documents.jsonl", "-m", "bert_sigmoid", "-q", "a", "--skip-empty", "--on-truncate",
                      "error", expect=BAD_INPUT)
        self.assertIn("documents.jsonl: line 3: ", self.message)

    def test_what_cannot_be_is_refused(self):
        self.write("pairs.jsonl", '{"query":"a","text":"b"}\n{"query":3,"text":"b"}\n')
        self.run_embd("rerank", "pairs.jsonl", "-m", "bert_sigmoid", expect=BAD_INPUT)
        self.assertIn("line 2", self.message)
        self.write("half.jsonl", '{"text":"b"}\n')
        self.run_embd("rerank", "half.jsonl", "-m", "bert_sigmoid", expect=BAD_INPUT)
        self.assertIn('no member "query"', self.message)
        self.assertIn("for a query with -q", self.message)
        self.write("docs.txt", "a\n")
        for arguments, given in ((["docs.txt"], b""), ([], b"a\n")):
            self.run_embd("rerank", *arguments, "-m", "bert_sigmoid", input=given, expect=USAGE)
            self.assertIn("no query is given for the texts", self.message)
            self.assertIn("for a query with -q", self.message)
        for arguments in (["docs.txt", "-m", "bert_sigmoid"], ["half.jsonl", "-m", "bert_sigmoid", "-k", 3],
                          ["docs.txt", "-m", "bert_sigmoid", "-q", "a", "--query-field", "b"],
                          ["docs.txt", "-m", "bert_sigmoid", "-q", "a", "-o", "out.parquet"],
                          ["pairs.jsonl", "-m", "bert_sigmoid", "-o", "out.npy"],
                          ["pairs.jsonl", "-m", "bert_sigmoid", "-o", "pairs.jsonl"]):
            self.run_embd("rerank", *arguments, expect=USAGE)
        self.run_embd("rerank", "pairs.jsonl", expect=USAGE, EMBD_MODEL="")
        self.assertIn("name a reranker with --model", self.message)

    def test_each_class_of_models_has_its_verb(self):
        self.write("in.txt", "a\n")
        self.run_embd("model", "convert", "bert_sigmoid", "model.weights")
        for model in ("bert_sigmoid", "model.weights"):
            self.run_embd("embed", "in.txt", "-m", model, expect=BAD_INPUT)
            self.assertIn("a cross-encoder, which scores pairs of texts", self.message)
        self.run_embd("rerank", "in.txt", "-q", "a", "-m", MODEL, expect=BAD_INPUT)
        self.assertIn("a sentence embedding model", self.message)
        self.assertEqual(json.loads(self.run_embd("model", "info", "model.weights", "--json"))["metadata"]["head"],
                         "classifier")
        self.run_embd("model", "verify", "model.weights")

    def test_a_search_is_ranked_anew(self):
        texts = ["a cat sits", "two dogs run", "the red house", "one more", "of the words", "a small bird"]
        self.write("in.txt", "".join(f"{text}\n" for text in texts))
        self.run_embd("embed", "in.txt", "-o", "rows.npy")
        search = ["search", "rows.npy", "-q", "a cat", "-q", "one", "--texts", "in.txt"]
        ranked = [json.loads(line) for line in
                  self.run_embd(*search, "--rerank", "bert_sigmoid", "-k", 2).decode().splitlines()]
        whole = self.rerank("in.txt", "-m", "bert_sigmoid", "-q", "a cat", "-q", "one")
        found = [json.loads(line) for line in self.run_embd(*search).decode().splitlines()]
        for line, all_ranked, all_found in zip(ranked, whole, found, strict=True):
            self.assertEqual([(h["id"], h["score"], h["logit"], h["text"]) for h in line["hits"]],
                             [(h["id"], h["score"], h["logit"], h["text"]) for h in all_ranked["hits"][:2]])
            distances = {hit["id"]: hit["distance"] for hit in all_found["hits"]}
            self.assertTrue(all(hit["distance"] == distances[hit["id"]] for hit in line["hits"]))
        few = json.loads(self.run_embd(*search, "--rerank", "bert_sigmoid", "-k", 1, "--candidates", 2).splitlines()[0])
        self.assertIn(few["hits"][0]["id"], [hit["id"] for hit in found[0]["hits"][:2]])
        self.run_embd("search", "rows.npy", "-q", "a", "--rerank", "bert_sigmoid", expect=USAGE)
        self.assertIn("--rerank needs the texts of the rows, which --texts gives", self.message)
        # A filter may leave no row to rank. Its texts are known all the same.
        self.write("ids", "nobody\n")
        none = self.run_embd(*search, "--rerank", "bert_sigmoid", "--filter-ids", "ids").decode().splitlines()
        self.assertEqual([json.loads(line)["hits"] for line in none], [[], []])
        # A set that holds its texts needs no --texts.
        self.run_embd("embed", "in.txt", "--text-column", "-o", "rows.parquet")
        stored = self.run_embd("search", "rows.parquet", "-q", "a cat", "-q", "one", "--rerank", "bert_sigmoid", "-k", 2)
        self.assertEqual([json.loads(line) for line in stored.decode().splitlines()], ranked)
        self.run_embd("search", "rows.npy", "--queries", "rows.npy", "--texts", "in.txt", "--rerank", "bert_sigmoid",
                      expect=USAGE)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
