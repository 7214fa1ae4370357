#!/usr/bin/env python3
"""CVC and finalfusion files written and read by the reference packages and by embd, turn about.

usage: packages.py FOLDER [--rounds N]

FOLDER holds the built cvc_bench and finalfusion_bench. Needs decompressed==2.1.1 and
finalfusion==0.7.1. Each writes rows of 384 float32 to a new file in $TMPDIR and reads them back on
one core. The best of all times counts, in MB of float32 data a second: of processor time, user and
system, and of real time.

embd waits for the disk before a file gets its name, the packages leave the bytes to the kernel. So
their writing is measured twice: as it is, and followed by the same two calls (fsync of the file, fsync of
its folder). The package's lossless codec takes microseconds a value."""
import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

warnings.simplefilter("ignore")
import decompressed
from finalfusion import Embeddings, load_finalfusion
from finalfusion.storage import NdArray, QuantizedArray
from finalfusion.storage.quantized import PQ
from finalfusion.vocab import SimpleVocab

DIM = 384
TIMES = 5  # in a round
SMALL, LARGE = 2_000, 100_000
# Format, encoding, rows, what is measured; the benchmark's name is made of these.
CASES = [("cvc", encoding, rows, ("write", "read"))
         for encoding in ("fp16", "int8", "columns") for rows in (SMALL, LARGE)]
CASES += [("cvc", "lossless", SMALL, ("write", "read")),
          ("finalfusion", "f32", SMALL, ("write", "read")),
          ("finalfusion", "f32", LARGE, ("write", "read")),
          ("finalfusion", "pq", SMALL, ("read",))]


def seconds(function):
    """Returns the seconds of processor time and of the clock."""
    processor, real = time.process_time(), time.perf_counter()
    function()
    return time.process_time() - processor, time.perf_counter() - real


def synced(write, path):
    write()
    for name in (path, os.path.dirname(path)):
        file = os.open(name, os.O_RDONLY)
        os.fsync(file)
        os.close(file)


def quantized(rows):
    random = np.random.default_rng(1)
    codebooks = random.random((DIM // 2, 16, 2), np.float32)
    codes = random.integers(0, 16, (rows, DIM // 2), np.uint8)
    return QuantizedArray(PQ(codebooks, None), codes, np.ones(rows, np.float32))


def package_calls(kind, encoding, rows, path):
    matrix = np.random.default_rng(1).normal(0, 0.05, (rows, DIM)).astype(np.float32)
    if kind == "finalfusion":
        words = SimpleVocab([f"word number {i}" for i in range(rows)])
        storage = quantized(rows) if encoding == "pq" else NdArray(matrix)
        embeddings = Embeddings(storage, words)
        read = lambda: np.asarray(load_finalfusion(path).storage)
        return lambda: embeddings.write(path), read
    if encoding == "columns":
        data = {"embedding": matrix, "year": np.full(rows, 2026, np.int32)}
        return (lambda: decompressed.pack_cvc_columns(data, path),
                lambda: decompressed.load_cvc_columns(path))
    return (lambda: decompressed.pack_cvc(matrix, path, compression=encoding),
            lambda: decompressed.load_cvc(path))


def package_seconds(kind, encoding, rows, path):
    write, read = package_calls(kind, encoding, rows, path)
    found = {"write": [], "synced": [], "read": []}
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(1 if encoding == "lossless" else TIMES):
            found["write"].append(seconds(write))
            found["read"].append(seconds(read))
            os.remove(path)
            found["synced"].append(seconds(lambda: synced(write, path)))
            os.remove(path)
    return found


def embd_seconds(folder, kind, encoding, rows):
    pattern = {"cvc": f"(write|read)_file/{encoding}", "f32": "(write|read)_file",
               "pq": "read_quantized"}[kind if kind == "cvc" else encoding]
    out = subprocess.run(
        [os.path.join(folder, kind + "_bench"), "--benchmark_format=json",
         f"--benchmark_filter=^{pattern}/{rows}/", "--benchmark_min_time=0.01",
         f"--benchmark_repetitions={TIMES}"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = {"write": [], "read": []}
    for run in json.loads(out)["benchmarks"]:
        if run["run_type"] == "iteration":
            times = run["cpu_time"] / 1e9, run["real_time"] / 1e9
            found[run["name"].split("_")[0]].append(times)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "package.out")
        for _ in range(options.rounds):
            for case in CASES:
                kind, encoding, rows, _ = case
                for who, found in (("package", package_seconds(kind, encoding, rows, path)),
                                   ("embd", embd_seconds(options.folder, kind, encoding, rows))):
                    for what, times in found.items():
                        key = (case, what, who)
                        best[key] = np.min([*times, best.get(key, (np.inf, np.inf))], axis=0)
    print(f"decompressed 2.1.1, finalfusion 0.7.1, numpy {np.__version__}; "
          f"best of {options.rounds} rounds, MB/s of processor time, then of real time")
    print(f"{'format':12}{'encoding':9}{'rows':>8} {'':6}"
          + f"{'package':>9}{'synced':>8}{'embd':>8}" * 2)
    for case in CASES:
        kind, encoding, rows, measured = case
        for what in measured:
            bytes_ = rows * DIM * 4 / 1e6
            line = f"{kind:12}{encoding:9}{rows:8,} {what:6}"
            for clock in (0, 1):
                line += f"{bytes_ / best[case, what, 'package'][clock]:9,.1f}"
                line += (f"{bytes_ / best[case, 'synced', 'package'][clock]:8,.1f}"
                         if what == "write" else f"{'':8}")
                line += f"{bytes_ / best[case, what, 'embd'][clock]:8,.0f}"
            print(line)


if __name__ == "__main__":
    sys.exit(main())
