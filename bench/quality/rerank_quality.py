#!/usr/bin/env python3
"""Measures how int8 and bf16 change a reranker:  rerank_quality.py EMBD GOLDEN FOLDER [--queries 60] [--documents 100]

EMBD is the program, GOLDEN the folder with retrieval.jsonl.gz, FOLDER the Hugging Face folder of all-MiniLM-L6-v2. The
reranker is that encoder with a classifier that is fitted (ridge regression over its pooled rows, on other queries) to the
cosine of the two texts' own vectors. Each query has its relevant document and others at random. Correlations are those of
each query's logits with the float32 ones; the top 10 those in common with float32."""
import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from encoder_reranker import make_reranker  # noqa: E402

TOP = 10


def ranks(values):
    order = np.argsort(np.argsort(-values, axis=1, kind="stable"), axis=1, kind="stable")
    return order.astype(np.float64)


def spearman(a, b):
    a, b = (ranks(values) - (values.shape[1] - 1) / 2 for values in (a, b))
    return (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))


class Pairs:
    """[queries, documents] pairs, as a file that `embd rerank` reads."""

    def __init__(self, golden, queries, num_documents, folder):
        with gzip.open(golden / "retrieval.jsonl.gz", "rt", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        docs = [line["text"] for line in lines if "doc" in line]
        self.queries = [line for line in lines if "query" in line][queries]
        random = np.random.default_rng(7)
        self.texts = []
        for query in self.queries:
            others = random.choice(len(docs), num_documents, replace=False)
            others[0] = query["relevant"]
            self.texts.append([docs[i] for i in others])
        self.file = folder / "pairs.jsonl"
        self.file.write_text("".join(json.dumps({"query": query["text"], "text": text}) + "\n"
                                     for query, texts in zip(self.queries, self.texts) for text in texts), "utf-8")
        self.shape = (len(self.queries), num_documents)

    def logits(self, embd, model, compute):
        ran = subprocess.run([embd, "rerank", self.file, "-m", model, "--compute", compute, "--on-truncate", "ignore"],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        lines = [json.loads(line) for line in ran.stdout.splitlines()]
        return np.array([line.get("logits", line.get("logit")) for line in lines])


def cosines(embd, model, pairs, folder):
    """Returns the cosine of the two texts of each pair, [pairs]."""
    source, rows = folder / "texts.jsonl", folder / "texts.npy"
    texts = [query["text"] for query in pairs.queries] + [text for texts in pairs.texts for text in texts]
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "utf-8")
    subprocess.run([embd, "embed", source, "-o", rows, "--model", model, "--on-truncate", "ignore", "--progress", "never"],
                   check=True, capture_output=True)
    queries, documents = np.split(np.load(rows).astype(np.float64), [len(pairs.queries)])
    return (np.repeat(queries, pairs.shape[1], axis=0) * documents).sum(axis=1)


def fitted_classifier(embd, folder, golden, options, work):
    """Returns a classifier [1, hidden] and its bias, fitted on the last queries."""
    hidden = json.loads((folder / "config.json").read_text())["hidden_size"]
    pooled = work / "pooled"
    make_reranker(folder, pooled, np.eye(hidden, dtype=np.float32), np.zeros(hidden, np.float32))
    pairs = Pairs(golden, slice(options.queries, None), 8, work)
    features, target = pairs.logits(embd, pooled, "f32"), cosines(embd, folder, pairs, work)
    centre, mean = features.mean(axis=0), target.mean()
    x = features - centre
    weight = np.linalg.solve(x.T @ x + 0.1 * len(x) / hidden * np.eye(hidden), x.T @ (target - mean))
    scale = 5 / np.abs(target - mean).max()  # logits of some ±5
    return scale * weight[None, :], np.array([-scale * (centre @ weight)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=Path)
    parser.add_argument("golden", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--compute", default="f32,bf16,int8")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        model = work / "reranker"
        make_reranker(options.folder, model, *fitted_classifier(options.embd, options.folder, options.golden, options, work))
        pairs = Pairs(options.golden, slice(options.queries), options.documents, work)
        truth = cosines(options.embd, options.folder, pairs, work).reshape(pairs.shape)
        exact = pairs.logits(options.embd, model, "f32").reshape(pairs.shape)
        print(f"{pairs.shape[0]} queries of {pairs.shape[1]} documents; logits from {exact.min():.1f} to {exact.max():.1f}, "
              f"deviation {exact.std():.2f}; correlation with the cosines {np.mean(spearman(exact, truth)):.2f}\n")
        print("| compute | rank correlation, mean | least | top 10 kept | first kept | largest difference of logits |\n"
              "|---|---:|---:|---:|---:|---:|")
        best = np.argsort(-exact, axis=1, kind="stable")[:, :TOP]
        for compute in options.compute.split(","):
            logits = pairs.logits(options.embd, model, compute).reshape(pairs.shape)
            correlation = spearman(logits, exact)
            top = np.argsort(-logits, axis=1, kind="stable")[:, :TOP]
            kept = np.mean([len(set(a) & set(b)) / TOP for a, b in zip(top, best)])
            print(f"| {compute} | {correlation.mean():.5f} | {correlation.min():.5f} | {kept:.4f} | "
                  f"{np.mean(top[:, 0] == best[:, 0]):.3f} | {np.abs(logits - exact).max():.4f} |", flush=True)


if __name__ == "__main__":
    main()
