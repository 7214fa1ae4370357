#!/usr/bin/env python3
"""Makes the README's table of models that run: sizes from their shapes, speed measured with random weights of each shape.

    model_table.py EMBD FOLDER [--texts 60] [--rounds 3]
    model_table.py --check     ends with 1 if the README has other models, dimensions or sizes than this script computes, or two speeds for
                               models with the same layers and hidden size

FOLDER is the folder of all-MiniLM-L6-v2, whose tokenizer the random models use: the layers decide how long a text takes, and the word
table does not. Each network is a BERT with the layers and hidden size of a row. `embd embed` runs one thread over texts of 8 to 256 tokens
(bench/corpus.py mixed) in float32 and in int8. The networks take turns, and the best round counts. Sizes of files are computed from the
shapes of the tensors; for the first model they are compared with converted files. Needs numpy.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ENGLISH, MANY = 30_522, 250_002
HEADER = "| model | languages | dimensions | float32: size, speed | int8: size, speed |"


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    languages: str
    layers: int
    hidden: int
    rows: int = ENGLISH       # of the word table
    positions: int = 512
    vectors: bool = True      # False: a reranker, which makes scores

    @property
    def network(self):
        return self.layers, self.hidden

    def values(self, of_matrix, of_small):
        """Returns the bytes of the tensors: `of_matrix` for each value of matrices and of the word table, `of_small` for the others."""
        h, i = self.hidden, 4 * self.hidden
        matrices = self.layers * (4 * h * h + 2 * h * i)
        small = self.layers * (9 * h + i) + (self.positions + 4) * h
        scales = 4 * (self.rows + self.layers * (5 * h + i)) if of_matrix == 1 else 0
        head = 0 if self.vectors else (h * h + 2 * h) * of_small
        return (self.rows * h + matrices) * of_matrix + small * of_small + scales + head


MODELS = [
    Model("all-MiniLM-L6-v2, multi-qa-MiniLM-L6", "English", 6, 384),
    Model("all-MiniLM-L12-v2, bge-small-en, e5-small-v2, gte-small", "English", 12, 384),
    Model("bge-base-en, e5-base-v2, gte-base, arctic-embed-m", "English", 12, 768),
    Model("all-mpnet-base-v2, multi-qa-mpnet-base, paraphrase-mpnet-base-v2", "English", 12, 768, 30_527, 514),
    Model("bge-large-en, e5-large-v2, mxbai-embed-large", "English", 24, 1024),
    Model("paraphrase-multilingual-MiniLM-L12-v2", "50", 12, 384, 250_037),
    Model("multilingual-e5-small", "100", 12, 384, 250_037),
    Model("multilingual-e5-base, paraphrase-multilingual-mpnet-base-v2", "100, 50", 12, 768, MANY, 514),
    Model("multilingual-e5-large", "100", 24, 1024, MANY, 514),
    Model("bge-m3 (dense), snowflake-arctic-embed-l-v2.0", "100", 24, 1024, MANY, 8194),
    Model("reranker: ms-marco-MiniLM-L6-v2", "English", 6, 384, vectors=False),
    Model("reranker: ms-marco-MiniLM-L12-v2", "English", 12, 384, vectors=False),
    Model("reranker: bge-reranker-base", "English, Chinese", 12, 768, MANY, 514, False),
    Model("reranker: bge-reranker-large", "English, Chinese", 24, 1024, MANY, 514, False),
    Model("reranker: bge-reranker-v2-m3", "100", 24, 1024, MANY, 8194, False),
]


def tensors(layers, hidden):
    """Returns the names and shapes of a BERT's tensors."""
    yield "embeddings.word_embeddings.weight", (ENGLISH, hidden)
    yield "embeddings.position_embeddings.weight", (512, hidden)
    yield "embeddings.token_type_embeddings.weight", (2, hidden)
    norms = ["embeddings.LayerNorm"]
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            yield from ((f"{at}{name}.weight", (hidden, hidden)), (f"{at}{name}.bias", (hidden,)))
        yield from ((f"{at}intermediate.dense.weight", (4 * hidden, hidden)), (f"{at}intermediate.dense.bias", (4 * hidden,)))
        yield from ((f"{at}output.dense.weight", (hidden, 4 * hidden)), (f"{at}output.dense.bias", (hidden,)))
        norms += [at + "attention.output.LayerNorm", at + "output.LayerNorm"]
    for norm in norms:
        yield from ((norm + ".weight", (hidden,)), (norm + ".bias", (hidden,)))


def make_folder(like, folder, layers, hidden):
    import numpy as np

    shutil.copytree(like, folder, ignore=shutil.ignore_patterns("model.safetensors"))
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_size": hidden, "num_hidden_layers": layers, "intermediate_size": 4 * hidden,
               "num_attention_heads": hidden // (32 if hidden == 384 else 64)}
    (folder / "config.json").write_text(json.dumps(config))
    pooling = json.loads((folder / "1_Pooling/config.json").read_text())
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling | {"word_embedding_dimension": hidden}))
    header, offset, shapes = {}, 0, list(tensors(layers, hidden))
    for name, shape in shapes:
        size = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    rng = np.random.default_rng(1)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, shape in shapes:
            values = rng.standard_normal(shape, dtype=np.float32) * np.float32(0.05)
            file.write((values + 1 if name.endswith("LayerNorm.weight") else values).tobytes())


def rate(embd, model, texts, compute):
    """Returns the sentences a second of one run, by its own report, which leaves the start out."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        subprocess.run([embd, "embed", texts, "-m", model, "-t", "1", "--compute", compute, "--progress", "never", "--dedup", "off",
                        "--report", report, "-o", pathlib.Path(scratch) / "out.npy"], check=True, stderr=subprocess.DEVNULL)
        said = json.loads(report.read_text())
        return said["rows"] / said["seconds"]


def measure(options, scratch):
    """Returns {(network, compute): sentences a second}."""
    texts = scratch / "texts.txt"
    made = {}
    for network in dict.fromkeys(model.network for model in MODELS):
        folder, file = scratch / "folder", scratch / f"{network[0]}x{network[1]}.weights"
        make_folder(options.folder, folder, *network)
        subprocess.run([options.embd, "model", "convert", folder, file], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder)
        made[network] = file
    check_sizes(options, made[MODELS[0].network])
    with open(texts, "w") as out:
        subprocess.run([sys.executable, HERE / "corpus.py", "mixed", str(options.texts), "--embd", options.embd, "--model",
                        made[MODELS[0].network]], check=True, stdout=out)
    best = {}
    for _ in range(options.rounds):
        for network, file in made.items():
            for compute in ("f32", "int8"):
                key = network, compute
                best[key] = max(best.get(key, 0), rate(options.embd, file, texts, compute))
    return best


def check_sizes(options, file):
    """Compares the computed sizes of the first model with those of converted files."""
    small = file.with_suffix(".int8")
    subprocess.run([options.embd, "model", "convert", options.folder, small, "--dtype", "int8"], check=True, stdout=subprocess.DEVNULL)
    for path, (of_matrix, of_small) in ((file, (4, 4)), (small, (1, 4))):
        real, computed = path.stat().st_size, MODELS[0].values(of_matrix, of_small)
        if abs(real - computed) > 0.02 * real:
            raise SystemExit(f"{path}: {real} bytes, computed {computed}")


def megabytes(number):
    return f"{number / 1e6:.0f} MB" if number < 1e9 else f"{number / 1e9:.1f} GB"


def row_of(model, speeds=("", "")):
    """Returns the cells of a model: name, languages, dimensions, then size and speed in float32 and in int8."""
    sizes = megabytes(model.values(4, 4)), megabytes(model.values(1, 4))
    return [model.name, model.languages, str(model.hidden if model.vectors else "a score"),
            *(f"{size}{speed}" for size, speed in zip(sizes, speeds))]


def check():
    """Compares the README's table with MODELS, except for its last column.

    Speeds are recorded in that table alone. Models with the same network must have the same speeds there, because each network is
    measured once."""
    lines = iter((HERE.parent / "README.md").read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line == HEADER + " largest difference |")
    next(lines)
    speeds_of = {}  # by network
    for model in MODELS:
        cells = [cell.strip() for cell in next(lines).split("|")[1:6]]
        speeds = re.findall(r", [\d.]+/s$", "\n".join(cells[3:]), re.MULTILINE)
        expected = row_of(model, speeds_of.setdefault(model.network, speeds))
        if len(speeds) != 2 or cells != expected:
            sys.exit(f"README.md has the row {cells}, expected {expected}: run bench/model_table.py")
    if next(lines).startswith("|"):
        sys.exit("README.md has models that bench/model_table.py does not know")


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="embd-models-", dir=os.getcwd()) as scratch:
        rates = measure(options, pathlib.Path(scratch))
    print(HEADER)
    print("|---|---|---:|---:|---:|")
    for model in MODELS:
        speeds = [f", {rates[model.network, compute]:.3g}/s" for compute in ("f32", "int8")]
        print(f"| {' | '.join(row_of(model, speeds))} |")


main()
