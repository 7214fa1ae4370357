#!/usr/bin/env python3
"""CVC written and read by the reference package and by embd, turn about, in one run.

usage: cvc_package.py CVC_BENCH [--rounds N]

CVC_BENCH is the built cvc_bench. Needs decompressed==2.1.1 and numpy. Both write rows of 384
normally distributed float32 to $TMPDIR and read them back, on one core; the best of the rounds
counts, in MB of float32 data a second of processor time (user and system). The package's lossless codec takes microseconds a value, so all
encodings are compared on 2,000 rows and the others on 100,000 as well."""
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

DIM = 384
CASES = [(encoding, rows)
         for encoding in ("fp16", "int8", "lossless") for rows in (2_000, 100_000)
         if not (encoding == "lossless" and rows > 2_000)]


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def package_rates(encoding, rows, path):
    vectors = np.random.default_rng(1).normal(0, 0.05, (rows, DIM)).astype(np.float32)
    megabytes = vectors.nbytes / 1e6
    write = seconds(lambda: decompressed.pack_cvc(vectors, path, compression=encoding))
    read = seconds(lambda: decompressed.load_cvc(path))
    return megabytes / write, megabytes / read


def embd_rates(bench, encoding, rows):
    out = subprocess.run(
        [bench, f"--benchmark_filter=^(write|read)_file/{encoding}/{rows}$",
         "--benchmark_format=json", "--benchmark_min_time=0.2"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    rates = {b["name"].split("_")[0]: rows * DIM * 4 / b["cpu_time"] * 1e3
             for b in json.loads(out)["benchmarks"]}
    return rates["write"], rates["read"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "package.cvc")
        for _ in range(options.rounds):
            for case in CASES:
                for who, rates in (("package", package_rates(*case, path)),
                                   ("embd", embd_rates(options.bench, *case))):
                    for what, rate in zip(("write", "read"), rates):
                        key = (*case, what, who)
                        best[key] = max(best.get(key, 0), rate)
    print(f"decompressed 2.1.1, numpy {np.__version__}, best of {options.rounds} rounds, MB/s")
    print(f"{'encoding':10}{'rows':>9}{'':>8}{'package':>10}{'embd':>10}{'ratio':>8}")
    for encoding, rows in CASES:
        for what in ("write", "read"):
            ours, theirs = (best[encoding, rows, what, who] for who in ("embd", "package"))
            print(f"{encoding:10}{rows:9,}{what:>8}{theirs:10.1f}{ours:10.1f}{ours / theirs:8.1f}")


main()
