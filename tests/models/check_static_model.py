#!/usr/bin/env python3
"""A static model against `tokenizers` and NumPy: run as check_static_model.py EMBD FOLDER [--scratch FOLDER].

FOLDER is the model's (scripts/fetch_model.py). All ids must be those that `tokenizers` gives, and the vectors of the folder and of its
weight file must be equal and within 2e-6 of the means in float64. The texts are those of tests/data/families and random ones. Needs numpy
and tokenizers.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import subprocess
import tempfile

import numpy as np
from tokenizers import Tokenizer

DATA = pathlib.Path(__file__).resolve().parents[1] / "data/families"
VECTOR_BAR = 2e-6
TYPES = {"F32": "<f4", "F16": "<f2", "I8": "<i1", "I64": "<i8"}


def read_tensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    data = data[8 + size:]
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], TYPES[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def table_of(path, num_tokens):
    """Returns a row of float32 for each token."""
    tensors = read_tensors(path)
    rows = tensors["embeddings"] if "embeddings" in tensors else tensors["embedding.weight"]
    rows = rows.astype(np.float32)
    if "mapping" in tensors:
        rows = rows[tensors["mapping"]]
    if "weights" in tensors:
        rows = rows * tensors["weights"][:, None]
    return rows[:num_tokens]


def texts():
    """Returns the texts of the test data, and random ones of their characters."""
    found = ["", " ", "<unk>", "the cat sat.", ".", "a <pad>  b", "<PAD>", "x<pad>", "<pad><pad>"]
    for name in ("mpnet_real", "mpnet_mean"):
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            found += [json.loads(line)["text"] for line in lines]
    characters = sorted(set("".join(found)))
    draw = random.Random(3)
    return found + ["".join(draw.choices(characters, k=draw.randrange(1, 60))) for _ in range(2000)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path.cwd(), help="where 200 MB have room; the current folder")
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(options.folder / "tokenizer.json"))
    tokenizer.no_padding()
    cases = texts()
    expected_ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in cases]
    table = table_of(options.folder / "model.safetensors", tokenizer.get_vocab_size()).astype(np.float64)
    expected = np.array([table[ids].mean(0) if ids else np.zeros(table.shape[1]) for ids in expected_ids])
    if any(module["type"].endswith("Normalize") for module in json.loads((options.folder / "modules.json").read_text())):
        expected /= np.maximum(np.linalg.norm(expected, axis=-1, keepdims=True), 1e-12)
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        scratch = pathlib.Path(scratch)
        weights = scratch / "static.weights"
        subprocess.run([options.embd, "model", "convert", options.folder, weights], check=True, stdout=subprocess.DEVNULL)
        source = scratch / "texts.jsonl"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in cases))
        ids = subprocess.run([options.embd, "tokenize", source, "-m", weights], check=True, capture_output=True, text=True).stdout
        wrong = sum(json.loads(line)["ids"] != case for line, case in zip(ids.splitlines(), expected_ids, strict=True))
        print(f"ids: {wrong} of {len(cases)} texts differ")
        rows = []
        for name, model in (("file", weights), ("folder", options.folder)):
            out = scratch / f"{name}.npy"
            subprocess.run([options.embd, "embed", source, "-m", model, "-o", out], check=True, stderr=subprocess.DEVNULL)
            rows.append(np.load(out))
    difference = np.abs(rows[0] - expected).max()
    print(f"vectors: largest difference {difference:.1e}")
    if wrong or difference > VECTOR_BAR or rows[0].tobytes() != rows[1].tobytes():
        raise SystemExit("ids or vectors differ")


if __name__ == "__main__":
    main()
