#!/usr/bin/env python3
"""finalfusion written and read by the reference package and by embd, turn about, in one run.

usage: finalfusion_package.py FINALFUSION_BENCH [--rounds N]

FINALFUSION_BENCH is the built finalfusion_bench. Needs finalfusion==0.7.1 and numpy. Both write rows of
384 float32 with their words to $TMPDIR and read them back; the best of the rounds counts, in MB of
float32 data a second of processor time (user and system)."""
import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

warnings.simplefilter("ignore")
from finalfusion import Embeddings, load_finalfusion
from finalfusion.storage import NdArray
from finalfusion.vocab import SimpleVocab

DIM = 384
SIZES = (2_000, 100_000)


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def package_rates(rows, path):
    matrix = np.random.default_rng(1).normal(size=(rows, DIM)).astype(np.float32)
    embeddings = Embeddings(NdArray(matrix), SimpleVocab([f"word number {i}" for i in range(rows)]))
    megabytes = matrix.nbytes / 1e6
    write = seconds(lambda: embeddings.write(path))
    read = seconds(lambda: load_finalfusion(path))
    return megabytes / write, megabytes / read


def embd_rates(bench, rows):
    out = subprocess.run([bench, f"--benchmark_filter=^(write|read)_file/{rows}$",
                          "--benchmark_format=json", "--benchmark_min_time=0.2"],
                         capture_output=True, check=True, text=True).stdout
    megabytes = rows * DIM * 4 / 1e6
    times = {b["name"].split("_")[0]: b["cpu_time"] / 1e9 for b in json.loads(out)["benchmarks"]}
    return megabytes / times["write"], megabytes / times["read"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for rows in SIZES:
                rates = {"package": package_rates(rows, os.path.join(folder, "x.fifu")),
                         "embd": embd_rates(os.path.abspath(options.bench), rows)}
                for who, pair in rates.items():
                    before = best.get((rows, who), (0, 0))
                    best[rows, who] = tuple(map(max, before, pair))
    print(f"{'rows':>8} {'':8} {'write MB/s':>11} {'read MB/s':>11}")
    for (rows, who), (write, read) in sorted(best.items()):
        print(f"{rows:>8} {who:8} {write:>11.0f} {read:>11.0f}")


main()
