#!/usr/bin/env python3
"""Measures how well terms, vectors and both find documents:  terms_quality.py EMBD MODEL SET... [--compute int8]

A SET is a folder of a test collection: docs.jsonl.gz ({"id", "title", "text"}), queries.jsonl.gz ({"id", "text"}) and
qrels.tsv.gz (query, document, gain). Prints nDCG@10 and recall@100, means over the queries."""
import argparse
import gzip
import json
import math
import subprocess
import tempfile
from pathlib import Path

CUT, DEPTH = 10, 100


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def ndcg(ranked, gains):
    got = sum((2 ** gains.get(document, 0) - 1) / math.log2(i + 2) for i, document in enumerate(ranked[:CUT]))
    best = sorted(gains.values(), reverse=True)[:CUT]
    return got / sum((2 ** gain - 1) / math.log2(i + 2) for i, gain in enumerate(best))


def recall(ranked, gains):
    return sum(document in gains for document in ranked[:DEPTH]) / len(gains)


class Collection:
    def __init__(self, folder):
        queries = [json.loads(line) for line in lines_of(folder / "queries.jsonl.gz")]
        self.queries = "".join(" ".join(query["text"].split()) + "\n" for query in queries)
        gains = {query["id"]: {} for query in queries}
        for line in lines_of(folder / "qrels.tsv.gz"):
            query, document, gain = line.split("\t")
            if int(gain) > 0:
                gains[query][document] = int(gain)
        self.gains = list(gains.values())
        documents = [json.loads(line) for line in lines_of(folder / "docs.jsonl.gz")]
        self.documents = "".join(
            json.dumps({"id": each["id"], "text": each["title"] + " " + each["text"]}) + "\n" for each in documents)

    def measure(self, hits):
        """Returns the measures of the hits of `embd search`, a line for each query."""
        ranked = [[str(hit["id"]) for hit in json.loads(line)["hits"]] for line in hits]
        count = len(self.gains)
        means = [sum(map(of, ranked, self.gains)) / count for of in (ndcg, recall)]
        return "/".join(f"{mean:.4f}" for mean in means)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("embd", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--compute", default="f32")
    options = parser.parse_args()

    def run(*arguments, text=None):
        ran = subprocess.run([options.embd, *arguments], input=text, capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        return ran.stdout

    model = ["-m", options.model, "--compute", options.compute]
    for folder in options.sets:
        collection = Collection(folder)
        with tempfile.TemporaryDirectory() as made:
            docs, rows, terms = (str(Path(made) / name) for name in ("docs.jsonl", "rows.npy", "rows.terms"))
            Path(docs).write_text(collection.documents, encoding="utf-8")
            run("embed", docs, *model, "--id-field", "id", "--on-truncate", "ignore", "-o", rows, "-o", terms)
            for match in ("terms", "vectors", "both"):
                hits = run("search", rows, "--terms", terms, "--match", match, "-q", "-", "-k", str(DEPTH), "--json", *model,
                           text=collection.queries).splitlines()
                print(f"{folder.name:12} {match:8} {collection.measure(hits)}", flush=True)


if __name__ == "__main__":
    main()
