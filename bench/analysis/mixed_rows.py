#!/usr/bin/env python3
"""Makes any number of rows that lie as the vectors of sentences do:  mixed_rows.py ROWS.npy OUT.npy [--rows 1000000] [--near 0.01]

A row is two rows of ROWS.npy in equal parts, more or less (0.4 to 0.6), of length 1: it has the directions that sentences have, and
two rows that share a part are no near-duplicates. --near: the share that is a row before it with noise of 0 to 0.7 times its length
instead, so that it is that row's near-duplicate at 0.9 or not; a tenth of them are copies. The same rows are made every time.
"""
import argparse
from pathlib import Path

import numpy as np

ROWS_AT_ONCE = 50_000


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows_file", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--near", type=float, default=0.01)
    arguments = parser.parse_args()
    random = np.random.default_rng(1)
    real = unit(np.load(arguments.rows_file).astype(np.float32))
    out = np.lib.format.open_memmap(arguments.out, mode="w+", dtype=np.float32, shape=(arguments.rows, real.shape[1]))
    for first in range(0, arguments.rows, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, arguments.rows - first)
        share = random.uniform(0.4, 0.6, (count, 1)).astype(np.float32)
        rows = unit(share * real[random.integers(len(real), size=count)] + (1 - share) * real[random.integers(len(real), size=count)])
        near = np.flatnonzero(random.random(count) < arguments.near) if first else []
        for row in near:
            noise = random.normal(size=real.shape[1])
            length = 0 if random.random() < 0.1 else random.uniform(0, 0.7)
            before = out[random.integers(first)]
            rows[row] = before if length == 0 else unit((before + length * noise / np.linalg.norm(noise))[None])[0]
        out[first:first + count] = rows
    out.flush()


main()
