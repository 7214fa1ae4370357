#!/usr/bin/env python3
"""Our USearch files opened by the usearch package, and its files searched by us.

    usearch_test.py EMBD       (the command-line tool; needs tests/interop/requirements.txt)

Both ways, for several metrics and scalars: we build, the package restores and views the file, returns the
stored rows, and finds what exact search finds; the package builds, and our search returns its ids."""
import json, os, subprocess, sys, tempfile
import numpy as np
from usearch.index import Index

embd = sys.argv[1]
rng = np.random.default_rng(7)
N, DIM, K = 1500, 100, 10


def run(*arguments):
    r = subprocess.run([embd, *arguments], capture_output=True, text=True)
    assert r.returncode == 0, (arguments, r.returncode, r.stderr)
    return r.stdout


def search(index, queries, *options):
    lines = run("search", index, "--queries", queries, "-k", str(K), *options).splitlines()
    return [json.loads(line) for line in lines]


def recall(found, expected):
    return np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found, expected)])


failures = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    centers = rng.standard_normal((30, DIM))
    x = (centers[rng.integers(0, 30, N)] + 0.6 * rng.standard_normal((N, DIM))).astype(np.float32)
    q = (centers[rng.integers(0, 30, 40)] + 0.6 * rng.standard_normal((40, DIM))).astype(np.float32)
    np.save("x.npy", x); np.save("q.npy", q)
    for metric, scalar in [("cos", "f32"), ("cos", "f16"), ("cos", "bf16"), ("cos", "i8"), ("l2sq", "f32"), ("ip", "f32")]:
        for builder in ("parallel", "usearch"):
            run("index", "x.npy", "-o", "ours.usearch", "--metric", metric, "--scalar", scalar, "--builder", builder)
            restored, viewed = Index.restore("ours.usearch"), Index.restore("ours.usearch", view=True)
            assert len(restored) == N and restored.ndim == DIM, (metric, scalar)
            stored = restored.get(np.arange(N, dtype=np.uint64), dtype="f32")
            if scalar in ("f32", "f16", "bf16"):
                assert np.allclose(stored, x, rtol=0 if scalar == "f32" else 1e-2, atol=0 if scalar == "f32" else 1e-2)
            theirs = restored.search(q, K, threads=1)
            assert np.array_equal(theirs.keys, viewed.search(q, K, threads=1).keys)
            exact = restored.search(q, K, exact=True, threads=1)
            found = recall(theirs.keys.tolist(), exact.keys.tolist())
            ours = search("ours.usearch", "q.npy")
            agree = recall([[h["id"] for h in line["hits"]] for line in ours], theirs.keys.tolist())
            distances = np.array([[h["distance"] for h in line["hits"]] for line in ours])
            far = np.max(np.abs(distances - theirs.distances) / np.maximum(1, np.abs(theirs.distances)))
            good = found > 0.9 and agree > 0.995 and far < 1e-5
            failures += not good
            print(f"{'ok ' if good else 'BAD'} {metric} {scalar} {builder}: package recall {found:.3f} on our file, "
                  f"our ids agree {agree:.4f}, distances within {far:.1e}")
        ix = Index(ndim=DIM, metric=metric, dtype=scalar, connectivity=16, expansion_add=128)
        ix.add(np.arange(N, dtype=np.uint64), x, threads=1)
        ix.remove(3); ix.save("theirs.usearch")
        theirs = ix.search(q, K, threads=1)
        ours = search("theirs.usearch", "q.npy")
        agree = recall([[h["id"] for h in line["hits"]] for line in ours], theirs.keys.tolist())
        good = agree > 0.995
        failures += not good
        print(f"{'ok ' if good else 'BAD'} {metric} {scalar}: our search of the package's file agrees {agree:.4f}")
sys.exit(1 if failures else 0)
