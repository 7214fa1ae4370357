#!/usr/bin/env python3
"""Measures the start and the memory of a model with 250,000 pieces beside those of another model.

The model has random weights and the size of paraphrase-multilingual-MiniLM-L12-v2.

    multilingual.py EMBD OTHER_MODEL [-n RUNS] [--keep FOLDER] [--first]

Makes the vocabulary (tokenizer/make_unigram_corpus.py) and the model folder, converts it to float32 and to int8, verifies both, and
measures `embd embed` in turns: of one text to standard output, so that no disk is waited for, wall and processor time with the
model's hash kept from an earlier run, and by how much they differ from the other model's in the same turn; of 1,000 short texts in
ten scripts, the peak of the resident memory, and how much of it is more than the matrices of the layers, which every run has in
memory. --keep: where the model is left, and taken from if it is there. --first: before all other work of a busy machine (chrt,
which needs the right to it), so that wall times are those of a quiet one. Needs numpy.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
HIDDEN, LAYERS, HEADS, INTERMEDIATE, ROWS, POSITIONS = 384, 12, 12, 1536, 250_037, 512
CONFIG = {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
          "num_attention_heads": HEADS, "intermediate_size": INTERMEDIATE, "vocab_size": ROWS, "hidden_act": "gelu",
          "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0}
MODULES = "sentence_transformers.models."
AT_REST_SECONDS = 4  # how long a model must not have changed before its hash is kept, and a bit


def shapes():
    """Returns the tensors of the model by name."""
    yield "embeddings.word_embeddings.weight", (ROWS, HIDDEN)
    yield "embeddings.position_embeddings.weight", (POSITIONS, HIDDEN)
    yield "embeddings.token_type_embeddings.weight", (2, HIDDEN)
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        for name, out, into in (("attention.self.query", HIDDEN, HIDDEN), ("attention.self.key", HIDDEN, HIDDEN),
                                ("attention.self.value", HIDDEN, HIDDEN), ("attention.output.dense", HIDDEN, HIDDEN),
                                ("intermediate.dense", INTERMEDIATE, HIDDEN), ("output.dense", HIDDEN, INTERMEDIATE)):
            yield f"{prefix}{name}.weight", (out, into)
            yield f"{prefix}{name}.bias", (out,)
        norms += [prefix + "attention.output.LayerNorm", prefix + "output.LayerNorm"]
    for norm in norms:
        yield norm + ".weight", (HIDDEN,)
        yield norm + ".bias", (HIDDEN,)


def write_weights(path):
    header, offset = {}, 0
    for name, shape in shapes():
        size = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    rng = np.random.default_rng(1)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, shape in shapes():
            values = rng.standard_normal(shape, dtype=np.float32) * np.float32(0.05)
            file.write(((values + 1) if name.endswith("LayerNorm.weight") else values).tobytes())


def cut_vocabulary(path):
    """Reduces the vocabulary to so many pieces that 35 rows of the word table have none, as in the real model. <mask> stays the last."""
    tokenizer = json.loads(path.read_text())
    vocabulary = tokenizer["model"]["vocab"]
    mask = vocabulary.pop()
    del vocabulary[ROWS - 36:]
    vocabulary.append(mask)
    for token in tokenizer["added_tokens"]:
        if token["content"] == mask[0]:
            token["id"] = len(vocabulary) - 1
    path.write_text(json.dumps(tokenizer))


def make_folder(folder):
    """Makes the model's folder, with the texts in it."""
    subprocess.run([sys.executable, HERE / "tokenizer/make_unigram_corpus.py", folder, "--bytes", "20000"], check=True,
                   stdout=subprocess.DEVNULL)
    for word in folder.glob("word_*.txt"):
        word.unlink()
    cut_vocabulary(folder / "tokenizer.json")
    lines = [line[:40] for prose in sorted(folder.glob("prose_*.txt")) for line in prose.read_text().splitlines()[:100]]
    (folder / "texts.txt").write_text("\n".join((lines * 10)[:1000]) + "\n")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "XLMRobertaTokenizer", "model_max_length": 128}))
    kinds = (("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize"))
    (folder / "modules.json").write_text(json.dumps([{"type": MODULES + kind, "path": path} for kind, path in kinds]))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode": "mean"}))
    write_weights(folder / "model.safetensors")


def run(command, environment):
    """Returns the milliseconds of the clock and of the processor, and the peak of the resident memory in MiB."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{command} failed")
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024


def more(times, others):
    """Returns the median of the differences, turn by turn."""
    return statistics.median(time - other for time, other in zip(times, others, strict=True))


def matrices_mib(embd, model):
    """Returns the memory of the layers' matrices in MiB: in float32, or with one byte for each value."""
    tensors = json.loads(subprocess.run([embd, "model", "info", "--tensors", "--json", model], check=True, capture_output=True, text=True).stdout)["tensors"]
    return sum(np.prod(t["shape"]) * 4 for t in tensors if t["name"].startswith("encoder.") and len(t["shape"]) == 2) / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("other", type=os.path.abspath)
    parser.add_argument("-n", "--runs", type=int, default=21)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--first", action="store_true")
    options = parser.parse_args()
    # Not in /tmp, which may be in memory.
    with tempfile.TemporaryDirectory(prefix="embd-multilingual-", dir=os.getcwd()) as scratch:
        scratch = pathlib.Path(scratch)
        folder = (options.keep or scratch / "multilingual").resolve()
        if not (folder / "model.safetensors").exists():
            folder.mkdir(parents=True, exist_ok=True)
            make_folder(folder)
        models = {"the other model": options.other}
        for name, arguments in {"250,000 pieces": [], "250,000 pieces, int8 file": ["--dtype", "int8"]}.items():
            models[name] = str(scratch / f"{len(models)}.weights")
            subprocess.run([options.embd, "model", "convert", folder, models[name], *arguments], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([options.embd, "model", "verify", models[name]], check=True, stdout=subprocess.DEVNULL)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("EMBD_")} | {"XDG_CACHE_HOME": str(scratch / "cache")}
        (scratch / "one.txt").write_text("Die Katze sitzt auf der Matte.\n")

        def embed(texts, model, *more):
            first = ["chrt", "--fifo", "1"] if options.first else []
            return run([*first, options.embd, "embed", texts, "-m", model, "-o", "-", *more], environment)

        time.sleep(AT_REST_SECONDS)
        for model in models.values():
            embed(scratch / "one.txt", model)
        starts = {name: [] for name in models}
        for _ in range(options.runs):
            for name, model in models.items():
                starts[name].append(embed(scratch / "one.txt", model))
        load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
        print(f"{options.runs} runs each, load {load}\n")
        print("| | file MiB | one text: wall ms, median | least | more than the other, median | processor ms, median | least "
              "| more than the other, median | 1,000 texts: peak MiB | more than the matrices |\n"
              "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        other_wall, other_processor, _ = zip(*starts["the other model"])
        for name, model in models.items():
            wall, processor, _ = zip(*starts[name])
            peak = embed(folder / "texts.txt", model, "--threads", "1")[2]
            print(f"| {name} | {os.path.getsize(model) / 2**20:.0f} | {statistics.median(wall):.1f} | {min(wall):.1f} "
                  f"| {more(wall, other_wall):.1f} | {statistics.median(processor):.1f} | {min(processor):.1f} "
                  f"| {more(processor, other_processor):.1f} | {peak:.0f} "
                  f"| {peak - matrices_mib(options.embd, model):.0f} |")


if __name__ == "__main__":
    main()
