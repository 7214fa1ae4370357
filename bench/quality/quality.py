#!/usr/bin/env python3
"""Measures the loss of narrower weights, arithmetic and outputs:  quality.py EMBD GOLDEN FOLDER [--compute f32,int8,bf16]

EMBD is the program, GOLDEN the folder with embed_visible, triplets.tsv and retrieval.jsonl.gz, FOLDER the Hugging Face
folder of all-MiniLM-L6-v2. Converts it to every --dtype and embeds the same texts in every --compute that the
processor has. Cosines are to the vectors of the float64 reference, top-10 overlap is with our own float32 ranking.
"""
import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

TOP = 10


def json_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def unpack(path, output_type):
    rows = np.load(path).astype(np.float64)
    if output_type == "binary":  # Bits as ±1.
        return np.unpackbits((rows + 128).astype(np.uint8), axis=1) * 2.0 - 1.0
    if output_type == "int8":  # The middles of the steps.
        least, greatest = np.load(f"{path}.ranges.npy").astype(np.float64)
        return least + (rows + 128.5) * (greatest - least) / 255
    return rows


def normalized(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Texts:
    def __init__(self, golden):
        self.golden = [line["text"] for line in json_lines(golden / "embed_visible.jsonl.gz")]
        self.reference = np.load(golden / "embed_visible.npy").astype(np.float64)
        lines = (golden / "triplets.tsv").read_text("utf-8").splitlines()
        self.triplets = [line.split("\t") for line in lines if line and not line.startswith("#")]
        retrieval = json_lines(golden / "retrieval.jsonl.gz")
        self.docs = [line["text"] for line in retrieval if "doc" in line]
        self.queries = [line for line in retrieval if "query" in line]
        self.all = (self.golden + [text for triplet in self.triplets for text in triplet] + self.docs +
                    [query["text"] for query in self.queries])

    def judge(self, rows):
        rows = normalized(rows)
        golden, rest = np.split(rows, [len(self.golden)])
        triplets, rest = np.split(rest, [3 * len(self.triplets)])
        docs, queries = np.split(rest, [len(self.docs)])
        cosines = (golden * self.reference).sum(axis=1)
        anchor, paraphrase, distractor = triplets.reshape(-1, 3, rows.shape[1]).transpose(1, 0, 2)
        better = (anchor * paraphrase).sum(axis=1) > (anchor * distractor).sum(axis=1)
        ranking = np.argsort(-(queries @ docs.T), axis=1, kind="stable")[:, :TOP]
        relevant = np.array([query["relevant"] for query in self.queries])
        places = ranking == relevant[:, None]
        mrr = (places / np.arange(1, TOP + 1)).sum(axis=1).mean()
        return cosines, better.mean(), ranking, mrr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=Path)
    parser.add_argument("golden", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compute", default="f32,int8,bf16")
    parser.add_argument("--dtype", default="f32,bf16,int8")
    parser.add_argument("--output-types", default="int8,binary", help="measured with the first dtype and compute")
    args = parser.parse_args()
    texts = Texts(args.golden)

    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        source = temporary / "texts.jsonl"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts.all), "utf-8")
        first = None
        print("| weights | file, MB | compute | output | cosine mean | min | triplets | MRR@10 | top-10 overlap |\n"
              "|---|---:|---|---|---:|---:|---:|---:|---:|")

        def measure(dtype, compute, output_type):
            nonlocal first
            model, rows = temporary / f"{dtype}.weights", temporary / "rows.npy"
            if not model.exists():
                subprocess.run([args.embd, "model", "convert", args.folder, model, "--dtype", dtype], check=True)
            ran = subprocess.run([args.embd, "embed", source, "-o", rows, "--model", model, "--compute",
                                  compute, "--output-type", output_type, "--on-truncate", "ignore"],
                                 stderr=subprocess.PIPE, text=True)
            if ran.returncode != 0:
                print(f"{dtype}, {compute}, {output_type}: {ran.stderr.strip()}", file=sys.stderr)
                return
            cosines, triplets, ranking, mrr = texts.judge(unpack(rows, output_type))
            first = ranking if first is None else first
            overlap = np.mean([len(set(a) & set(b)) / TOP for a, b in zip(ranking, first)])
            print(f"| {dtype} | {model.stat().st_size / 1e6:.1f} | {compute} | {output_type} | {cosines.mean():.5f} | "
                  f"{cosines.min():.5f} | {triplets:.2f} | {mrr:.4f} | {overlap:.4f} |", flush=True)

        computes, dtypes = args.compute.split(","), args.dtype.split(",")
        for dtype in dtypes:
            for compute in computes:
                measure(dtype, compute, "f32")
        for output_type in filter(None, args.output_types.split(",")):
            measure(dtypes[0], computes[0], output_type)


if __name__ == "__main__":
    main()
