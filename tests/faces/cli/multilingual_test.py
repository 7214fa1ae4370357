#!/usr/bin/env python3
"""Every verb and route over a model with a Unigram tokenizer:  multilingual_test.py EMBD TEST_DATA

Standard library only; the model, its ids and its vectors are those of TEST_DATA/unigram/xlmr_cls."""
import gzip
import json
import struct
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

from folder_case import BAD_INPUT, DATA, EMBD, RECIPE, USAGE, FolderCase

sys.path.insert(0, str(DATA.parent / "faces/python"))
from golden_rerankers import copy_reranker  # noqa: E402

GOLDEN = DATA / "unigram"


def unpack(path):
    return gzip.decompress(path.read_bytes())


def load_rows(name, dim):
    data = (GOLDEN / name).read_bytes()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    values = struct.unpack_from(f"<{(len(data) - start) // 8}d", data, start)
    return [values[i:i + dim] for i in range(0, len(values), dim)]


class MultilingualTest(FolderCase):
    def setUp(self):
        super().setUp()
        folder = self.path / "folder"
        folder.mkdir()
        for file in (GOLDEN / "xlmr_cls").rglob("*.json"):
            copy = folder / file.relative_to(GOLDEN / "xlmr_cls")
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
        (folder / "model.safetensors").write_bytes(unpack(GOLDEN / "xlmr_cls" / "model.safetensors.gz"))
        (folder / "tokenizer.json").write_bytes(unpack(GOLDEN / "tokenizer_words.json.gz"))
        self.cases = [json.loads(line) for line in unpack(GOLDEN / "xlmr_cls.jsonl.gz").decode().splitlines()]
        self.rows = load_rows("xlmr_cls.npy", 16)
        (self.path / "in.jsonl").write_text("".join(json.dumps({"id": f"k{i}", "text": case["text"]}) + "\n"
                                                    for i, case in enumerate(self.cases)))
        self.run_embd("model", "convert", "folder", "model.weights")

    def lines(self, *arguments):
        return [json.loads(line) for line in self.run_embd(*arguments).decode().splitlines()]

    def embed(self, name, *arguments):
        self.run_embd("embed", "in.jsonl", "-o", name, "-m", "model.weights", "--id-field", "id", *arguments)

    def test_a_pruned_vocabulary_keeps_the_pieces_that_texts_need(self):
        vocab = len(json.loads((self.path / "folder" / "tokenizer.json").read_text())["model"]["vocab"])
        kept = {}
        for name, texts in (("all", "in.jsonl"), ("few", "few.jsonl")):
            lines = (self.path / "in.jsonl").read_text().splitlines(keepends=True)
            (self.path / "few.jsonl").write_text("".join(lines[:5]))
            self.run_embd("model", "convert", "folder", f"{name}.weights", "--prune-vocabulary", texts)
            self.run_embd("model", "verify", f"{name}.weights")
            info = self.lines("model", "info", f"{name}.weights", "--json")[0]
            kept[name] = int(info["metadata"]["vocab_size"])
            for folder in (name, "model"):
                self.run_embd("embed", texts, "-o", f"{folder}.npy", "-m", f"{folder}.weights", "--id-field", "id")
            self.assertEqual((self.path / f"{name}.npy").read_bytes(), (self.path / "model.npy").read_bytes())
            self.run_embd("verify", f"{name}.npy", texts, "-m", "model.weights", "--id-field", "id", expect=RECIPE)
            self.run_embd("verify", "model.npy", texts, "-m", f"{name}.weights", "--id-field", "id", expect=RECIPE)
        self.assertLess(kept["few"], kept["all"])
        self.assertLessEqual(kept["all"], vocab)
        self.run_embd("embed", "in.jsonl", "-o", "other.npy", "-m", "few.weights")  # texts that need other pieces are cut into what is there
        self.run_embd("model", "convert", "folder", "x.weights", "--text-field", "text", expect=USAGE)
        self.run_embd("model", "convert", "folder", "x.weights", "--prune-vocabulary", "absent.txt", expect=6)
        self.run_embd("model", "convert", "folder", "x.weights", "--prune-vocabulary", "x.weights", expect=USAGE)
        copy_reranker("bert_sigmoid", self.path)
        self.run_embd("model", "convert", "bert_sigmoid", "x.weights", "--prune-vocabulary", "in.jsonl", expect=BAD_INPUT)
        self.assertFalse((self.path / "x.weights").exists())

    def test_a_set_is_verified_digested_and_searched(self):
        for name, arguments in {"out.npy": [], "windows.npy": ["--windows", 16, "--stride", 8]}.items():
            self.embed(name, *arguments)
            self.assertIn(b"largest difference 0", self.run_embd("verify", name, "in.jsonl", "-m", "model.weights"))
        first = self.lines("digest", "out.npy")[0]
        self.embed("again.npy", "-t", 2, "--batch-tokens", 64)
        self.assertEqual(self.lines("digest", "again.npy")[0], first)
        text = next(case["text"] for case in self.cases if len(case["ids"]) > 8)
        hit = self.lines("search", "out.npy", "-q", text, "-m", "model.weights", "-k", 1)[0]["hits"][0]
        self.assertEqual(self.cases[int(hit["id"][1:])]["text"], text)
        self.assertLess(hit["distance"], 1e-5)

    def test_a_lock_checks(self):
        self.run_embd("lock", "model.weights", "-o", "model.lock")
        self.assertIn(b"11 equal", self.run_embd("check", "model.lock", "-m", "model.weights"))

    def test_the_server_has_its_ids_and_vectors(self):
        process = subprocess.Popen([EMBD, "serve", "-m", "model.weights", "--port", "0"], cwd=self.path,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            base = process.stdout.readline().split()[-1]

            def post(route, body):
                request = urllib.request.Request(base + route, json.dumps(body).encode(),
                                                 {"Content-Type": "application/json"})
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return json.load(answer)

            cut = [i for i, case in enumerate(self.cases) if len(case["ids"]) == 128]
            self.assertTrue(cut)
            for i, case in enumerate(self.cases):
                if not case["text"]:
                    continue  # refused: as the real servers do
                if i not in cut:
                    tokens = post("/tokenize", {"inputs": case["text"]})[0]
                    self.assertEqual([token["id"] for token in tokens], case["ids"])
                # Ids as they are, text or both, give the same vector.
                for body in (case["text"], [case["ids"]]):
                    vector = post("/v1/embeddings", {"model": "folder", "input": body})["data"][0]["embedding"]
                    for value, expected in zip(vector, self.rows[i], strict=True):
                        self.assertAlmostEqual(value, expected, delta=2e-6)
            ids = post("/tokenize", {"inputs": "x<mask> y", "add_special_tokens": False})[0]
            self.assertEqual(post("/decode", {"ids": [[token["id"] for token in ids]],
                                              "skip_special_tokens": False}), ["x<mask> y"])
            with self.assertRaises(urllib.error.HTTPError) as refused:
                post("/v1/embeddings", {"model": "folder", "input": [[0, len(self.cases) << 20, 2]]})
            self.assertEqual(refused.exception.code, 400)
            refused.exception.close()
        finally:
            process.terminate()
            process.communicate(timeout=60)


if __name__ == "__main__":
    unittest.main(argv=["multilingual_test"])
