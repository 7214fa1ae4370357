#!/usr/bin/env python3
"""embd beside sentence-transformers, fastembed and onnxruntime, from Python, in one run.

    packages.py MODEL.weights HUGGING_FACE_FOLDER [ONNX_FOLDER] [--texts 10000] [--threads 1]

Each package in a process of its own: seconds to import it, resident memory after, milliseconds for one text (median of
50), texts a second over --texts short ones, resident memory at the end. ONNX_FOLDER holds model.onnx and tokenizer.json
(bench/peers/peers.py exports one); without it onnxruntime and fastembed are left out. Also: what the binding adds to
one text, beside the engine's own time (bench/engine/model_bench).
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ONE = "A cat sits on the mat."


def short_texts(count):
    """Sentences of bench/corpus.py of at most 70 characters, again and again."""
    import corpus

    pool = [sentence for sentence in corpus.sentences() if len(sentence) <= 70]
    return [pool[i % len(pool)] for i in range(count)]


def resident() -> float:
    """MiB."""
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def embd(arguments):
    import embd

    model = embd.Model(arguments.model, threads=arguments.threads)
    return model.encode


def embd_int8(arguments):
    import embd

    model = embd.Model(arguments.model, threads=arguments.threads, compute="int8")
    return model.encode


def sentence_transformers(arguments):
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(arguments.threads)
    return SentenceTransformer(arguments.folder, device="cpu").encode


def onnxruntime(arguments):
    import numpy as np
    import onnxruntime as ort
    from tokenizers import Tokenizer

    options = ort.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    session = ort.InferenceSession(f"{arguments.onnx}/model.onnx", options, providers=["CPUExecutionProvider"])
    names = {value.name for value in session.get_inputs()}
    tokenizer = Tokenizer.from_file(f"{arguments.onnx}/tokenizer.json")
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()

    def encode(texts):
        single = isinstance(texts, str)
        texts = [texts] if single else texts
        rows = []
        for first in range(0, len(texts), 32):
            batch = tokenizer.encode_batch(texts[first : first + 32])
            ids = np.array([each.ids for each in batch], np.int64)
            mask = np.array([each.attention_mask for each in batch], np.int64)
            feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = session.run(None, {name: feeds[name] for name in names})[0]
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            rows.append(mean / np.linalg.norm(mean, axis=1, keepdims=True))
        return np.concatenate(rows)[0] if single else np.concatenate(rows)

    return encode


PACKAGES = [embd, embd_int8, sentence_transformers, onnxruntime]


def work(name, arguments):
    texts = short_texts(arguments.texts)
    start = time.perf_counter()
    encode = globals()[name](arguments)
    opened = time.perf_counter() - start
    memory = resident()
    encode(ONE)
    times = []
    for _ in range(50):
        start = time.perf_counter()
        encode(ONE)
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    encode(texts)
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            {
                "open_s": round(opened, 3),
                "resident_mib": round(memory),
                "one_text_ms": round(statistics.median(times) * 1e3, 3),
                "texts_per_s": round(len(texts) / seconds),
                "resident_after_mib": round(resident()),
            }
        )
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("folder")
    parser.add_argument("onnx", nargs="?")
    parser.add_argument("--texts", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return work(arguments.worker, arguments)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(arguments.threads)}
    for package in PACKAGES:
        if package is onnxruntime and not arguments.onnx:
            continue
        result = subprocess.run(
            [sys.executable, __file__, *sys.argv[1:], "--worker", package.__name__],
            env=environment,
            capture_output=True,
            text=True,
        )
        print(package.__name__, result.stdout.strip() or result.stderr.strip().splitlines()[-1:])


if __name__ == "__main__":
    main()
