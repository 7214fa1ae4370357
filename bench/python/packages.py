#!/usr/bin/env python3
"""Measures embd beside sentence-transformers, fastembed and onnxruntime, from Python, in one run.

    packages.py MODEL.weights HUGGING_FACE_FOLDER [ONNX_FOLDER] [--program EMBD] [--texts 10000] [--threads 1]

Each package in a process of its own: megabytes it installs with all that it requires, seconds to import it (median of 5),
seconds to import it and open the model, resident memory then, milliseconds for one text (median of 50), texts a second over
--texts short ones, each another, and resident memory at the end. ONNX_FOLDER holds model.onnx (bench/peers/peers.py exports
it); without it onnxruntime and fastembed are left out.

Then what the binding costs: the time of all texts beside that of `embd embed` with them (--program), best of 3 in turn, and
one text with a model that is next to nothing, whose whole time is at least what the binding adds to any.
"""
import argparse
import importlib.metadata
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ONE = "A cat sits on the mat."


def short_texts(count):
    """Returns sentences, and pairs of short sentences, of bench/corpus.py, each with at most 120 characters."""
    import corpus

    return list(itertools.islice(corpus.distinct(), count))


def installed_megabytes(name, seen):
    """Returns a distribution and all that it requires, each once."""
    from packaging.requirements import Requirement

    if name.lower() in seen:
        return 0
    seen.add(name.lower())
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:  # replaced by another here, such as Pillow's
        return 0
    size = sum(file.locate().stat().st_size for file in found.files or [] if file.locate().exists()) / 1e6
    for text in found.requires or []:
        needed = Requirement(text)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            size += installed_megabytes(needed.name, seen)
    return size


def resident() -> float:
    """Returns the resident memory in MiB."""
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


def fastembed(arguments):
    from fastembed import TextEmbedding

    model = TextEmbedding(
        "sentence-transformers/all-MiniLM-L6-v2", specific_model_path=arguments.onnx, threads=arguments.threads
    )
    return lambda texts: list(model.embed(texts))


# The packages to be measured, with the module to import and the name to install.
PACKAGES = [
    (embd, "embd; embd.Model", ["embd"]),
    (embd_int8, "embd; embd.Model", ["embd"]),
    (sentence_transformers, "sentence_transformers", ["sentence-transformers"]),
    (onnxruntime, "onnxruntime, tokenizers", ["onnxruntime", "tokenizers"]),
    (fastembed, "fastembed", ["fastembed"]),
]


def import_seconds(what):
    program = f"import time; start = time.perf_counter(); import {what}; print(time.perf_counter() - start)"
    times = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(5)]
    return statistics.median(float(each.stdout) for each in times)


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


def binding(arguments):
    """Measures the time between Python and the engine."""
    import embd

    tiny = embd.Model(str(Path(__file__).resolve().parents[2] / "tests/data/embd/plain.weights"), threads=1)
    times = []
    for _ in range(5000):
        start = time.perf_counter()
        tiny.encode(ONE)
        times.append(time.perf_counter() - start)
    result = {"one_text_at_most_us": round(statistics.median(times) * 1e6, 1)}
    if arguments.program:
        texts = short_texts(arguments.texts)
        model = embd.Model(arguments.model, threads=arguments.threads)
        ours, programs = [], []
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "texts.txt").write_text("\n".join(texts) + "\n")
            command = [arguments.program, "embed", f"{folder}/texts.txt", "-m", arguments.model, "-t", str(arguments.threads)]
            command += ["-o", f"{folder}/rows.npy", "--report", f"{folder}/report.json", "--progress", "never", "--force"]
            for _ in range(3):
                start = time.perf_counter()
                model.encode(texts)
                ours.append(time.perf_counter() - start)
                subprocess.run(command, check=True)
                programs.append(json.loads(Path(folder, "report.json").read_text())["seconds"])
        result |= {"python_s": round(min(ours), 2), "program_s": round(min(programs), 2)}
    print("binding", json.dumps(result))


def folder_for_onnx(onnx, model_folder, made):
    """Makes a folder with the network and the files that tokenizers and fastembed look for."""
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (made / name).symlink_to(Path(model_folder, name).resolve())
    (made / "model.onnx").symlink_to(Path(onnx, "model.onnx").resolve())
    tokens = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
    (made / "special_tokens_map.json").write_text(json.dumps(tokens))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("folder")
    parser.add_argument("onnx", nargs="?")
    parser.add_argument("--program")
    parser.add_argument("--texts", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return work(arguments.worker, arguments)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(arguments.threads)}
    with tempfile.TemporaryDirectory() as made:
        if arguments.onnx:
            folder_for_onnx(arguments.onnx, arguments.folder, Path(made))
        command = [sys.executable, __file__, arguments.model, arguments.folder, made]
        command += ["--texts", str(arguments.texts), "--threads", str(arguments.threads)]
        for package, imported, distributions in PACKAGES:
            if package in (onnxruntime, fastembed) and not arguments.onnx:
                continue
            seen = set()
            first = {
                "installed_mb": round(sum(installed_megabytes(name, seen) for name in distributions)),
                "import_s": round(import_seconds(imported), 3),
            }
            done = subprocess.run(
                [*command, "--worker", package.__name__], env=environment, capture_output=True, text=True
            )
            result = json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip().splitlines()[-1:]
            print(package.__name__, json.dumps(first), json.dumps(result), flush=True)
    binding(arguments)


if __name__ == "__main__":
    main()
