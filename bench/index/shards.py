#!/usr/bin/env python3
"""Measures the cost of shards: building, bytes, and searching one index or the same rows in several.

    shards.py MODEL [--rows 48000] [--shards 1,4,16] [--dtypes f32,i8] [--queries 500]

Needs the Python package. Rows are sentence vectors of real texts. Every figure is of one thread. recall: share of the 10 nearest
that the graphs find; with several shards it is higher, as each is walked with the whole expansion.
"""
import argparse
import itertools
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import corpus  # noqa: E402

import embd  # noqa: E402


def seconds(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--rows", type=int, default=48_000)
    parser.add_argument("--shards", default="1,4,16")
    parser.add_argument("--dtypes", default="f32,i8")
    parser.add_argument("--queries", type=int, default=500)
    given = parser.parse_args()
    texts = list(itertools.islice(corpus.distinct(), given.rows + given.queries))
    rows = embd.Model(given.model, compute="int8").encode(texts, threads=1)
    # Queries from everywhere, so that the others are no neighbours by their order.
    chosen = np.random.default_rng(1).permutation(len(rows))
    rows, queries = rows[chosen[given.queries :]], rows[chosen[: given.queries]]
    keys = np.arange(len(rows), dtype=np.uint64)
    nearest = embd.Index.from_vectors(rows, keys, connectivity=2, expansion_add=1, threads=1).search(queries, 10, exact=True).keys
    print(f"{len(rows):,} sentence vectors of {rows.shape[1]}, one thread, load {os.getloadavg()[0]:.1f}")
    print(f"{'dtype':6}{'shards':>7}{'rows each':>11}{'built rows/s':>14}{'bytes a row':>13}{'ms a query':>12}{'recall':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for dtype in given.dtypes.split(","):
            for count in map(int, given.shards.split(",")):
                spent, size, shards = 0.0, 0, []
                for some in np.array_split(keys, count):
                    took, index = seconds(lambda: embd.Index.from_vectors(rows[some], some, dtype=dtype, threads=1))
                    spent += took
                    path = os.path.join(folder, f"{dtype}-{count}-{len(shards)}.usearch")
                    index.save(path)
                    size += os.path.getsize(path)
                    shards.append(path)
                indexes = embd.Indexes(paths=shards, view=True)
                indexes.search(queries[:50], 10, threads=1)
                took, found = seconds(lambda: [indexes.search(query, 10, threads=1).keys for query in queries])
                recall = np.mean([len(set(a.tolist()) & set(b.tolist())) / 10 for a, b in zip(found, nearest)])
                print(f"{dtype:6}{count:>7}{len(rows) // count:>11,}{len(rows) / spent:>14,.0f}{size / len(rows):>13.0f}"
                      f"{1e3 * took / len(queries):>12.3f}{recall:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
