#!/usr/bin/env python3
"""Multilingual models with random weights, each of the shape of a real one, against a float64 reference in NumPy.

    check_shapes.py EMBD [--only NAME] [--scratch FOLDER]

Makes a folder of each shape: layers, positions, a word table of all its rows, a vocabulary of 249,000 pieces
(bench/tokenizer/make_unigram_corpus.py), pooling and prompts as they are known of the model. Embeds texts in ten scripts, short ones and
one that fills the positions where that is affordable, from the folder and from the EMBD file of it, which have to give the same bytes, and
compares vectors or logits with the reference over the ids of `embd tokenize`. The largest shape takes 5 GB of disk and as much memory.
Needs numpy and scipy.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from scipy.special import erf

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parents[1] / "bench/tokenizer/make_unigram_corpus.py"
VECTOR_BAR = 2e-6
LOGIT_BAR = 5e-6  # times the largest logit, or 1


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    network: str  # bert, xlm-roberta
    layers: int
    hidden: int
    positions: int
    length: int  # to which texts are cut
    pooling: str = "mean"
    normalize: bool = True
    prompt: str = ""
    is_reranker: bool = False
    long_text: bool = False  # one that fills the positions

    @property
    def heads(self):
        return self.hidden // (32 if self.hidden == 384 else 64)

    @property
    def rows(self):
        return 250_037 if self.network == "bert" else 250_002

    @property
    def types(self):
        return 2 if self.network == "bert" else 1


SHAPES = [
    Shape("paraphrase-multilingual-MiniLM-L12-v2", "bert", 12, 384, 512, 128, normalize=False),
    Shape("multilingual-e5-small", "bert", 12, 384, 512, 512, prompt="query: ", long_text=True),
    Shape("multilingual-e5-base", "xlm-roberta", 12, 768, 514, 512, prompt="query: ", long_text=True),
    Shape("multilingual-e5-large", "xlm-roberta", 24, 1024, 514, 512, prompt="query: "),
    Shape("paraphrase-multilingual-mpnet-base-v2", "xlm-roberta", 12, 768, 514, 128, normalize=False),
    Shape("bge-m3", "xlm-roberta", 24, 1024, 8194, 8192, pooling="cls"),
    Shape("all 8,194 positions of bge-m3, two layers", "xlm-roberta", 2, 1024, 8194, 8192, pooling="cls", long_text=True),
    Shape("snowflake-arctic-embed-l-v2.0", "xlm-roberta", 24, 1024, 8194, 8192, pooling="cls", prompt="query: "),
    Shape("bge-reranker-base", "xlm-roberta", 12, 768, 514, 512, is_reranker=True),
    Shape("bge-reranker-large", "xlm-roberta", 24, 1024, 514, 512, is_reranker=True),
    Shape("bge-reranker-v2-m3", "xlm-roberta", 24, 1024, 8194, 8192, is_reranker=True),
]


def shapes_of(shape):
    """The tensors of a checkpoint by name, with the deviation of their values."""
    prefix = "roberta." if shape.is_reranker else ""
    hidden, middle = shape.hidden, 4 * shape.hidden
    yield prefix + "embeddings.word_embeddings.weight", (shape.rows, hidden), 0.05
    yield prefix + "embeddings.position_embeddings.weight", (shape.positions, hidden), 0.05
    yield prefix + "embeddings.token_type_embeddings.weight", (shape.types, hidden), 0.05
    linears = []
    norms = [prefix + "embeddings.LayerNorm"]
    for layer in range(shape.layers):
        at = f"{prefix}encoder.layer.{layer}."
        linears += [(at + "attention.self." + name, hidden, hidden) for name in ("query", "key", "value")]
        linears += [(at + "attention.output.dense", hidden, hidden), (at + "intermediate.dense", middle, hidden),
                    (at + "output.dense", hidden, middle)]
        norms += [at + "attention.output.LayerNorm", at + "output.LayerNorm"]
    if shape.is_reranker:
        linears += [("classifier.dense", hidden, hidden), ("classifier.out_proj", 1, hidden)]
    for name, out, into in linears:
        yield name + ".weight", (out, into), 1 / np.sqrt(into)
        yield name + ".bias", (out,), 0.05
    for name in norms:
        yield name + ".weight", (hidden,), 0.05
        yield name + ".bias", (hidden,), 0.05


def write_weights(shape, path):
    header, offset = {}, 0
    for name, size, _ in shapes_of(shape):
        end = offset + 4 * int(np.prod(size))
        header[name] = {"dtype": "F32", "shape": size, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    rng = np.random.default_rng(1)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, size, deviation in shapes_of(shape):
            values = rng.standard_normal(size, dtype=np.float32) * np.float32(deviation)
            file.write(((values + 1) if name.endswith("LayerNorm.weight") else values).tobytes())


def write_folder(shape, tokenizer, folder):
    folder.mkdir()
    shutil.copy(tokenizer, folder / "tokenizer.json")
    is_bert = shape.network == "bert"
    kind = {"bert": "Bert", "xlm-roberta": "XLMRoberta"}[shape.network]
    config = {"model_type": shape.network, "architectures": [kind + ("ForSequenceClassification" if shape.is_reranker else "Model")],
              "hidden_size": shape.hidden, "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads,
              "intermediate_size": 4 * shape.hidden, "vocab_size": shape.rows, "hidden_act": "gelu",
              "max_position_embeddings": shape.positions, "type_vocab_size": shape.types,
              "layer_norm_eps": 1e-12 if is_bert else 1e-5, "pad_token_id": 0 if is_bert else 1}
    if shape.is_reranker:
        config["id2label"] = {"0": "LABEL_0"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": shape.length}))
    if not shape.is_reranker:
        modules = [("Transformer", ""), ("Pooling", "1_Pooling")] + [("Normalize", "2_Normalize")] * shape.normalize
        (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models." + name, "path": path}
                                                         for name, path in modules]))
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode": shape.pooling}))
    write_weights(shape, folder / "model.safetensors")


class Reference:
    """The network in float64, one text at a time."""

    def __init__(self, shape, path):
        self.shape = shape
        data = np.memmap(path, mode="r")
        size = int.from_bytes(data[:8].tobytes(), "little")
        self.tensors = {name: data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]].view("<f4").reshape(entry["shape"])
                        for name, entry in json.loads(data[8:8 + size].tobytes()).items()}
        self.prefix = "roberta." if shape.is_reranker else ""

    def tensor(self, name):
        return self.tensors[name].astype(np.float64)

    def linear(self, x, name):
        return x @ self.tensor(name + ".weight").T + self.tensor(name + ".bias")

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + (1e-12 if self.shape.network == "bert" else 1e-5))
        return x * self.tensor(name + ".weight") + self.tensor(name + ".bias")

    def attention(self, x, at):
        query, key, value = (self.linear(x, at + "attention.self." + name) for name in ("query", "key", "value"))
        width = self.shape.hidden // self.shape.heads
        out = np.empty_like(x)
        for begin in range(0, self.shape.hidden, width):
            part = slice(begin, begin + width)
            for rows in range(0, len(x), 1024):  # of the scores; all of them would take gigabytes
                scores = query[rows:rows + 1024, part] @ key[:, part].T / np.sqrt(width)
                scores = np.exp(scores - scores.max(-1, keepdims=True))
                out[rows:rows + 1024, part] = scores / scores.sum(-1, keepdims=True) @ value[:, part]
        return out

    def __call__(self, ids):
        ids = np.array(ids)
        if self.shape.network == "bert":
            positions = np.arange(len(ids))
        else:
            counted = ids != 1
            positions = np.where(counted, 1 + np.cumsum(counted), 1)
        embeddings = self.prefix + "embeddings."
        x = sum(self.tensors[embeddings + name + "_embeddings.weight"][rows].astype(np.float64)
                for name, rows in (("word", ids), ("position", positions), ("token_type", np.zeros_like(ids))))
        x = self.norm(x, embeddings + "LayerNorm")
        for layer in range(self.shape.layers):
            at = f"{self.prefix}encoder.layer.{layer}."
            x = self.norm(x + self.linear(self.attention(x, at), at + "attention.output.dense"), at + "attention.output.LayerNorm")
            middle = self.linear(x, at + "intermediate.dense")
            middle *= 0.5 * (1 + erf(middle / np.sqrt(2)))
            x = self.norm(x + self.linear(middle, at + "output.dense"), at + "output.LayerNorm")
        if self.shape.is_reranker:
            return self.linear(np.tanh(self.linear(x[0], "classifier.dense")), "classifier.out_proj")
        vector = x[0] if self.shape.pooling == "cls" else x.mean(0)
        return vector / np.linalg.norm(vector) if self.shape.normalize else vector


def lines_of(command):
    return [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]


def check(embd, shape, corpus, scratch):
    folder = scratch / "model"
    write_folder(shape, corpus / "tokenizer.json", folder)
    texts = [prose.read_text().splitlines()[i][:60] for i, prose in enumerate(sorted(corpus.glob("prose_*.txt")))] + ["a <pad> <mask> b"]
    if shape.long_text:
        texts.append(" ".join(" ".join(prose.read_text().splitlines()) for prose in sorted(corpus.glob("prose_*.txt"))))
    file = scratch / "model.weights"
    subprocess.run([embd, "model", "convert", folder, file], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([embd, "model", "verify", file], check=True, stdout=subprocess.DEVNULL)
    reference = Reference(shape, folder / "model.safetensors")
    source = scratch / "texts.jsonl"
    if shape.is_reranker:
        pairs = list(zip(texts, texts[1:]))
        source.write_text("".join(json.dumps({"query": query, "text": text}) + "\n" for query, text in pairs))
        found = [np.array([line["logit"] for line in lines_of([embd, "rerank", source, "-m", model])]) for model in (folder, file)]
        # Texts were tokenized alone, without what stands around them.
        tokens = scratch / "tokens.jsonl"
        tokens.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        inner = [line["ids"][1:-1] for line in lines_of([embd, "tokenize", tokens, "-m", scratch_encoder(scratch, folder)])]
        ids = [[0, *a, 2, 2, *b, 2] for a, b in zip(inner, inner[1:])]
    else:
        source.write_text("".join(json.dumps({"text": shape.prompt + text}) + "\n" for text in texts))
        found = []
        for model in (folder, file):
            for old in scratch.glob("out.npy*"):
                old.unlink()
            subprocess.run([embd, "embed", source, "-m", model, "-o", scratch / "out.npy"], check=True, stderr=subprocess.DEVNULL)
            found.append(np.load(scratch / "out.npy"))
        ids = [line["ids"] for line in lines_of([embd, "tokenize", source, "-m", file, "--max-length", str(shape.length)])]
    if found[0].tobytes() != found[1].tobytes():
        raise SystemExit(f"{shape.name}: the folder and its file give different bytes")
    expected = np.array([reference(text) for text in ids]).reshape(found[0].shape)
    difference = np.abs(found[0] - expected).max()
    bar = VECTOR_BAR if shape.normalize and not shape.is_reranker else LOGIT_BAR * max(1, np.abs(expected).max())
    longest = max(map(len, ids))
    print(f"| {shape.name} | {shape.layers} × {shape.hidden:,} | {longest:,} of {shape.positions:,} | {difference:.1e} | {bar:.1e} |", flush=True)
    return difference <= bar


def scratch_encoder(scratch, folder):
    """A small encoder with the folder's tokenizer: a cross-encoder tokenizes pairs alone."""
    small = scratch / "small"
    write_folder(Shape("small", "xlm-roberta", 1, 64, 8194, 8192), folder / "tokenizer.json", small)
    return small


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("--only", help="shapes whose names hold this")
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path.cwd(), help="where 5 GB have room; the current folder")
    options = parser.parse_args()
    print("| shape | layers | tokens | largest difference | bar |\n|---|---|---|---:|---:|", flush=True)
    good = True
    with tempfile.TemporaryDirectory(prefix="embd-shapes-", dir=options.scratch) as all_scratch:
        corpus = pathlib.Path(all_scratch) / "corpus"
        subprocess.run([sys.executable, CORPUS, corpus, "--bytes", "20000", "--pieces", "247000"], check=True, stdout=subprocess.DEVNULL)
        for shape in SHAPES:
            if options.only and options.only not in shape.name:
                continue
            with tempfile.TemporaryDirectory(dir=all_scratch) as scratch:
                good = check(options.embd, shape, corpus, pathlib.Path(scratch)) and good
    if not good:
        raise SystemExit("a difference is over its bar")


if __name__ == "__main__":
    main()
