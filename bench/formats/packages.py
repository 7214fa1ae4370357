#!/usr/bin/env python3
"""CVC and finalfusion files written and read by the reference packages and by embd, turn about.

usage: packages.py FOLDER [--rounds N]

FOLDER holds the built cvc_bench and finalfusion_bench. Needs decompressed==2.1.1 and
finalfusion==0.7.1. Each writes rows of 384 float32 to a new file in $TMPDIR and reads them back on
one core. The best of all times counts, in MB of float32 data a second of processor time, user and
system: what the disk takes is left out, since the packages leave it to the kernel and embd waits for
it before a file gets its name. The package's lossless codec takes microseconds a value."""
import argparse
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
from finalfusion.storage import NdArray
from finalfusion.vocab import SimpleVocab

DIM = 384
TIMES = 5  # in a round
CASES = [("cvc", encoding, rows) for encoding in ("fp16", "int8") for rows in (2_000, 100_000)]
CASES += [("cvc", "lossless", 2_000), ("finalfusion", "f32", 2_000), ("finalfusion", "f32", 100_000)]


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def package_seconds(kind, encoding, rows, path):
    matrix = np.random.default_rng(1).normal(0, 0.05, (rows, DIM)).astype(np.float32)
    if kind == "cvc":
        write = lambda: decompressed.pack_cvc(matrix, path, compression=encoding)
        read = lambda: decompressed.load_cvc(path)
    else:
        words = SimpleVocab([f"word number {i}" for i in range(rows)])
        embeddings = Embeddings(NdArray(matrix), words)
        write = lambda: embeddings.write(path)
        read = lambda: load_finalfusion(path)
    times = []
    for _ in range(1 if encoding == "lossless" else TIMES):
        times.append((seconds(write), seconds(read)))
        os.remove(path)
    return map(min, zip(*times))


def embd_seconds(folder, kind, encoding, rows):
    middle = f"{encoding}/" if kind == "cvc" else ""
    out = subprocess.run(
        [os.path.join(folder, kind + "_bench"), "--benchmark_format=json",
         f"--benchmark_filter=^(write|read)_file/{middle}{rows}/", "--benchmark_min_time=0.01",
         f"--benchmark_repetitions={TIMES}"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    runs = [b for b in json.loads(out)["benchmarks"] if b["run_type"] == "iteration"]
    return [min(b["cpu_time"] / 1e9 for b in runs if b["name"].startswith(what))
            for what in ("write", "read")]


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
                for who, times in (("package", package_seconds(*case, path)),
                                   ("embd", embd_seconds(options.folder, *case))):
                    for what, found in zip(("write", "read"), times):
                        key = (*case, what, who)
                        best[key] = min(best.get(key, found), found)
    print(f"decompressed 2.1.1, finalfusion 0.7.1, numpy {np.__version__}; "
          f"best of {options.rounds} rounds, MB/s")
    print(f"{'format':12} {'encoding':9} {'rows':>8} {'':5} {'package':>9} {'embd':>9} {'ratio':>7}")
    for kind, encoding, rows in CASES:
        for what in ("write", "read"):
            package, embd = (rows * DIM * 4 / 1e6 / best[kind, encoding, rows, what, who]
                             for who in ("package", "embd"))
            print(f"{kind:12} {encoding:9} {rows:8,} {what:5} {package:9,.1f} {embd:9,.0f} "
                  f"{embd / package:7.1f}")


if __name__ == "__main__":
    sys.exit(main())
