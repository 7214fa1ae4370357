#!/usr/bin/env python3
"""A static model against `tokenizers` and NumPy: run as check_static_model.py EMBD FOLDER [--scratch FOLDER].

FOLDER is the model's (scripts/fetch_static.sh). embd refuses its tokenizer.json, in which scores have more digits than float32 and <pad>
takes white space; so it gets a copy with rounded scores and a plain <pad>. All ids must be those that `tokenizers` gives with the original,
and the vectors of the copy and of its weight file must be equal and within 2e-6 of the means in float64. The texts are those of
tests/data/families and random ones, without <pad>. Needs numpy and tokenizers.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import shutil
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


def copy_plain(folder, to):
    """Copies a folder with a tokenizer.json that embd reads."""
    shutil.copytree(folder, to)
    path = to / "tokenizer.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for token in content["added_tokens"]:
        token.update(dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized"), False))
    for piece in content["model"]["vocab"]:
        piece[1] = float(np.float32(piece[1]))
    path.write_text(json.dumps(content), encoding="utf-8")
    return to


def texts():
    """Returns the texts of the test data, and random ones of their characters."""
    found = ["", " ", "<unk>", "the cat sat.", "."]
    for name in ("mpnet_real", "mpnet_mean"):
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            found += [json.loads(line)["text"] for line in lines]
    found = [text for text in found if "<pad>" not in text]
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
        plain = copy_plain(options.folder, scratch / "static")
        subprocess.run([options.embd, "model", "convert", plain, weights], check=True, stdout=subprocess.DEVNULL)
        source = scratch / "texts.jsonl"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in cases))
        ids = subprocess.run([options.embd, "tokenize", source, "-m", weights], check=True, capture_output=True, text=True).stdout
        wrong = sum(json.loads(line)["ids"] != case for line, case in zip(ids.splitlines(), expected_ids, strict=True))
        print(f"ids: {wrong} of {len(cases)} texts differ")
        rows = []
        for name, model in (("file", weights), ("folder", plain)):
            out = scratch / f"{name}.npy"
            subprocess.run([options.embd, "embed", source, "-m", model, "-o", out], check=True, stderr=subprocess.DEVNULL)
            rows.append(np.load(out))
    difference = np.abs(rows[0] - expected).max()
    print(f"vectors: largest difference {difference:.1e}")
    if wrong or difference > VECTOR_BAR or rows[0].tobytes() != rows[1].tobytes():
        raise SystemExit("ids or vectors differ")


if __name__ == "__main__":
    main()
