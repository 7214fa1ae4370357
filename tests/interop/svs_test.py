#!/usr/bin/env python3
"""Our SVS files opened by the scalable-vs package, and its indexes searched by us.

    svs_test.py EMBD       (the command-line tool; needs tests/interop/requirements.txt)

Both ways, for the three distances: we write data and indexes, static and dynamic, with a recipe inside, and the
package returns the stored rows and finds what exact search finds, with our own search's ids; the package builds and
saves, and our search returns its ids. LVQ is decoded by the package on Intel processors only; elsewhere that part is
skipped aloud."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import svs

EMBD = os.path.abspath(sys.argv[1])
N, DIM, K, WINDOW = 1500, 100, 10, 40
DISTANCES = {"l2": svs.DistanceType.L2, "ip": svs.DistanceType.MIP, "cos": svs.DistanceType.Cosine}
TYPES = {"f32": svs.float32, "f16": svs.float16}
failures = 0


def run(*arguments):
    result = subprocess.run([EMBD, *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0, (arguments, result.returncode, result.stderr)
    return result.stdout


def our_ids(index, metric):
    lines = run("search", index, "--queries", "q.npy", "-k", K, "--window", WINDOW, "--metric", metric).splitlines()
    return np.array([[hit["id"] for hit in json.loads(line)["hits"]] for line in lines], np.uint64)


def agreement(found, expected):
    return np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found.tolist(), expected.tolist())])


def report(good, text):
    global failures
    failures += not good
    print(f"{'ok ' if good else 'BAD'} {text}")


def load(kind, folder, scalar, metric):
    data = svs.VectorDataLoader(f"{folder}/data", TYPES[scalar])
    index = kind(f"{folder}/config", svs.GraphLoader(f"{folder}/graph"), data, DISTANCES[metric], num_threads=1)
    index.search_parameters = svs.VamanaSearchParameters(svs.SearchBufferConfig(WINDOW, WINDOW), True, 4, 1)
    return index


def add_recipe(path):
    recipe = {"model_sha256": "ab" * 32, "model_name": "it's \"quoted\"", "max_length": 256, "normalize": True,
              "truncate_dim": DIM, "pooling": "mean"}
    with open(path + ".recipe.json", "w") as file:
        json.dump(recipe, file)


def ours(x, ids, metric, scalar):
    """Our index, without ids and with them, in the package."""
    np.save("rows.npy", x)
    add_recipe("rows.npy")
    queries = np.load("q.npy")
    exact, _ = svs.Flat(x, DISTANCES[metric], num_threads=1).search(queries, K)
    for kind, row_ids in ((svs.Vamana, None), (svs.DynamicVamana, ids)):
        if kind == svs.DynamicVamana and metric == "cos":
            continue  # which the package has not
        if os.path.exists("rows.npy.ids.jsonl"):
            os.remove("rows.npy.ids.jsonl")
        if row_ids is not None:
            with open("rows.npy.ids.jsonl", "w") as file:
                file.writelines(f"{i}\n" for i in row_ids)
        run("index", "rows.npy", "-o", "ours.svs", "--metric", metric, "--scalar", scalar, "--degree", 32)
        assert "[embd]" in open("ours.svs/data/svs_config.toml").read()
        index = load(kind, "ours.svs", scalar, metric)
        names = np.arange(N, dtype=np.uint64) if row_ids is None else row_ids
        stored = index.reconstruct(names)
        # The package reads subnormal halves as zero.
        half = np.where(abs(x) < 2.0**-14, 0, x).astype(np.float16)
        same = np.array_equal(stored, half if scalar == "f16" else x)
        found, _ = index.search(queries, K)
        mine = our_ids("ours.svs", metric)
        recall = agreement(found, names[exact.astype(np.int64)])
        agree = agreement(mine, found)
        report(same and len(names) == index.size and recall > 0.9 and agree > 0.999,
               f"{metric} {scalar} {kind.__name__}: rows back {same}, package recall {recall:.3f} on our index, "
               f"our ids agree {agree:.4f}")


def theirs(x, ids, metric):
    """The package's index, static and dynamic with removed rows, searched by us."""
    alpha = 1.2 if metric == "l2" else 0.95
    parameters = svs.VamanaBuildParameters(graph_max_degree=32, window_size=64, alpha=alpha)
    static = svs.Vamana.build(parameters, x, DISTANCES[metric], num_threads=1)
    indexes = [static]
    if metric != "cos":
        dynamic = svs.DynamicVamana.build(parameters, x, ids, DISTANCES[metric], num_threads=1)
        dynamic.delete(ids[::7])
        dynamic.consolidate()
        dynamic.compact(N)
        indexes.append(dynamic)
    for index in indexes:
        index.search_parameters = svs.VamanaSearchParameters(svs.SearchBufferConfig(WINDOW, WINDOW), True, 4, 1)
        os.mkdir("theirs.svs")
        index.save("theirs.svs/config", "theirs.svs/graph", "theirs.svs/data")
        found, _ = index.search(np.load("q.npy"), K)
        agree = agreement(our_ids("theirs.svs", metric), found)
        report(agree > 0.999, f"{metric} f32 {type(index).__name__}: our search of the package's index agrees {agree:.4f}")
        run("inspect", "theirs.svs")
        subprocess.run(["rm", "-r", "theirs.svs"], check=True)


LVQ = """
import sys, numpy as np, svs
index = svs.Vamana.build(svs.VamanaBuildParameters(graph_max_degree=8, window_size=16),
                         svs.LVQLoader(sys.argv[1]), svs.DistanceType.L2, num_threads=1)
np.save("lvq.npy", index.reconstruct(np.arange(index.size, dtype=np.uint64)))
"""


def lvq(x):
    """Our LVQ codes decoded by the package, which ends the process where it does not want to."""
    np.save("rows.npy", x)
    for kind in ("lvq8", "lvq4x8"):
        run("convert", "rows.npy", "quantized.svs", "--quantize", kind)
        run("convert", "quantized.svs", "decoded.npy")
        result = subprocess.run([sys.executable, "-c", LVQ, "quantized.svs"], capture_output=True, text=True)
        if "not supported" in result.stdout + result.stderr:
            print(f"SKIPPED {kind}: {(result.stdout + result.stderr).strip().splitlines()[-1]}")
            continue
        far = np.max(np.abs(np.load("lvq.npy") - np.load("decoded.npy"))) if result.returncode == 0 else np.inf
        report(far < 1e-5, f"{kind}: what the package decodes is within {far:.1e} of ours {result.stderr[-200:]}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    rng = np.random.default_rng(7)
    centers = rng.standard_normal((30, DIM))
    x = (centers[rng.integers(0, 30, N)] + 0.6 * rng.standard_normal((N, DIM))).astype(np.float32)
    q = (centers[rng.integers(0, 30, 40)] + 0.6 * rng.standard_normal((40, DIM))).astype(np.float32)
    np.save("q.npy", q)
    ids = rng.choice(10**9, N, replace=False).astype(np.uint64)
    for metric in DISTANCES:
        for scalar in TYPES if metric == "l2" else ["f32"]:
            ours(x, ids, metric, scalar)
        theirs(x, ids, metric)
    lvq(x)
sys.exit(1 if failures else 0)
