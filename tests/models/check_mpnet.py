#!/usr/bin/env python3
"""The real all-mpnet-base-v2 against a float64 reference in NumPy: run as check_mpnet.py EMBD FOLDER [--scratch FOLDER].

FOLDER is the model's (scripts/fetch_model.py). The ids of 120 texts must be those of transformers (tests/data/families), and the float32
vectors must be within 2e-6 of the reference. For int8 and bf16 it prints the cosines with the reference. Needs numpy and scipy.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.special import erf

CASES = pathlib.Path(__file__).resolve().parents[1] / "data/families/mpnet_real.jsonl.gz"
VECTOR_BAR = 2e-6
HEADS = 12
FIRST_OF_BUCKET = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]


class Reference:
    """The network in float64, one text at a time."""

    def __init__(self, path):
        data = np.memmap(path, mode="r")
        size = int.from_bytes(data[:8].tobytes(), "little")
        header = json.loads(data[8:8 + size].tobytes())
        data = data[8 + size:]
        self.tensors = {name: data[slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"]).astype(np.float64)
                        for name, entry in header.items() if entry.get("dtype") == "F32"}

    def linear(self, x, name):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        return x * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def bias(self, count):
        """The numbers that are added to scores, [heads, queries, keys]."""
        distance = np.arange(count)[None, :] - np.arange(count)[:, None]
        bucket = np.searchsorted(FIRST_OF_BUCKET, np.abs(distance), side="right") - 1 + 16 * (distance > 0)
        return self.tensors["encoder.relative_attention_bias.weight"][bucket].transpose(2, 0, 1)

    def attention(self, x, at, bias):
        query, key, value = (self.linear(x, at + name).reshape(len(x), HEADS, -1).transpose(1, 0, 2) for name in "qkv")
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1]) + bias
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        return (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(x.shape)

    def __call__(self, ids):
        ids = np.array(ids)
        counted = ids != 1
        x = (self.tensors["embeddings.word_embeddings.weight"][ids]
             + self.tensors["embeddings.position_embeddings.weight"][np.where(counted, 1 + np.cumsum(counted), 1)])
        x = self.norm(x, "embeddings.LayerNorm")
        bias = self.bias(len(ids))
        for layer in range(12):
            at = f"encoder.layer.{layer}."
            x = self.norm(x + self.linear(self.attention(x, at + "attention.attn.", bias), at + "attention.attn.o"),
                          at + "attention.LayerNorm")
            middle = self.linear(x, at + "intermediate.dense")
            middle *= 0.5 * (1 + erf(middle / np.sqrt(2)))
            x = self.norm(x + self.linear(middle, at + "output.dense"), at + "output.LayerNorm")
        vector = x.mean(0)
        return vector / np.linalg.norm(vector)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path.cwd(), help="where 500 MB have room; the current folder")
    options = parser.parse_args()
    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    reference = Reference(options.folder / "model.safetensors")
    expected = np.array([reference(case["ids"]) for case in cases])
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        scratch = pathlib.Path(scratch)
        weights = scratch / "mpnet.weights"
        subprocess.run([options.embd, "model", "convert", options.folder, weights], check=True, stdout=subprocess.DEVNULL)
        source = scratch / "texts.jsonl"
        source.write_text("".join(json.dumps({"text": case["text"]}) + "\n" for case in cases))
        ids = subprocess.run([options.embd, "tokenize", source, "-m", weights, "--max-length", "384"], check=True, capture_output=True, text=True).stdout
        wrong = sum(json.loads(line)["ids"] != case["ids"] for line, case in zip(ids.splitlines(), cases, strict=True))
        print(f"ids: {wrong} of {len(cases)} texts differ")
        for compute in ("f32", "bf16", "int8"):
            out = scratch / f"{compute}.npy"
            subprocess.run([options.embd, "embed", source, "-m", weights, "--compute", compute, "-o", out], check=True,
                           stderr=subprocess.DEVNULL)
            found = np.load(out).astype(np.float64)
            difference = np.abs(found - expected).max()
            cosines = (found * expected).sum(-1) / np.linalg.norm(found, axis=-1)
            print(f"{compute}: largest difference {difference:.1e}, cosine {cosines.mean():.6f} (least {cosines.min():.6f})")
            if compute == "f32" and difference > VECTOR_BAR:
                raise SystemExit("a difference is over its bar")
    if wrong:
        raise SystemExit("ids differ")


if __name__ == "__main__":
    main()
