#!/usr/bin/env python3
"""Recall of our indexes over rows that are hard to link, beside usearch and SVS over the same rows.

    hard_rows.py --peer build/bench/bench/index/hard_rows_peer [--only "NAME;..."] [--kind hnsw|vamana]
                 [--json FILE] [--others FILE]

For each set of rows: recall@10 by distance (a hit counts if it is no farther than the tenth nearest row, whichever of equal
rows it is) at expansions, or windows, of 16, 32, 64 and 128; and how many rows are never found: searched for with the
row itself at 128, they are not among the ten hits, nor are ten others as near. "!" marks a recall more than 0.005 below the
other library's, and rows that are lost. Each metric's distances are computed here, in double precision, from the rows as the
index stores them. Exit status 1 if anything is marked.

Needs: numpy usearch==2.26.6 scalable-vs==0.5.0 (in an environment outside the tree)."""
import argparse
import json
import subprocess
import sys
import tempfile
import zlib

import numpy as np

K = 10
EXPANSIONS = [16, 32, 64, 128]
NONE = np.uint64(2**64 - 1)
rng = np.random.default_rng()


# Rows.

def sentences(n, dim=96):
    """Returns unit rows that lie as sentence embeddings do: in topics of topics, which have fewer dimensions than the rows have values."""
    inner = min(dim, 48)
    topics = rng.standard_normal((40, inner)) * 0.7
    x = topics[rng.integers(0, 40, n)] + rng.standard_normal((n, inner)) * np.linspace(1.2, 0.2, inner)
    x = x @ rng.standard_normal((inner, dim)) + 0.6 * rng.standard_normal((n, dim)) + 0.3
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30)


def repeated(x, times):
    return np.repeat(x, times, axis=0)


def scattered(x):
    return x[rng.permutation(len(x))]


def walk(n, dim, window, stride):
    """Returns the means of windows of one sequence, as `--windows` makes them."""
    tokens = rng.standard_normal((n * stride + window, dim))
    sums = np.concatenate([np.zeros((1, dim)), np.cumsum(tokens, axis=0)])
    starts = np.arange(n) * stride
    return unit(sums[starts + window] - sums[starts])


def with_zeros(x, count, front):
    zeros = np.zeros((count, x.shape[1]))
    both = np.concatenate([zeros, x])
    return both if front else scattered(both)


def line(n, dim):
    return np.linspace(-1, 1, n)[:, None] * rng.standard_normal(dim) + rng.standard_normal(dim)


def clusters(n, dim, count, spread):
    return np.repeat(rng.standard_normal((count, dim)), n // count, axis=0) + spread * rng.standard_normal((n, dim))


def by_component(x):
    return x[np.argsort(x[:, 0])]


# name, rows, metric, scalar, plan. Rows are made when they are asked for, from the name's own random numbers.
def cases():
    def base():
        return sentences(2000)
    for metric in ("cos", "l2sq", "ip"):
        yield f"sentences {metric}", lambda: sentences(4000, 384), metric, "f32", "build"
    for metric in ("cos", "l2sq"):
        for times in (2, 4, 100):
            def groups(times=times):
                return repeated(sentences(4000 // times), times)
            yield f"each row {times}×, adjacent, {metric}", groups, metric, "f32", "build"
            yield f"each row {times}×, scattered, {metric}", lambda: scattered(groups()), metric, "f32", "build"
        for name, make in {
            "a third repeated": lambda: scattered(np.concatenate([sentences(2500), repeated(sentences(400), 4)])),
            "all equal": lambda: repeated(sentences(1), 3000),
            "half of them equal": lambda: scattered(np.concatenate([base(), repeated(sentences(1), 2000)])),
            "2 zero rows in front": lambda: with_zeros(base(), 2, True),
            "10 zero rows, scattered": lambda: with_zeros(base(), 10, False),
            "1000 zero rows in front": lambda: with_zeros(base(), 1000, True),
            "windows of a walk": lambda: walk(3000, 128, 64, 8),
            "windows of a walk, dim 16": lambda: walk(3000, 16, 64, 4),
            "collinear": lambda: line(2000, 64),
            "collinear, dim 16": lambda: line(2000, 16),
            "clusters in order": lambda: clusters(4000, 96, 40, 0.3),
            "tight clusters in order": lambda: clusters(4000, 96, 40, 1e-3),
            "sorted by a component": lambda: by_component(base()),
            "nearly equal fours": lambda: repeated(sentences(1000), 4) + 1e-5 * rng.standard_normal((4000, 96)),
            "nearly equal hundreds": lambda: repeated(sentences(40), 100) + 1e-6 * rng.standard_normal((4000, 96)),
        }.items():
            yield f"{name}, {metric}", make, metric, "f32", "build"
        for name, make in {
            "sentences": base,
            "each row 4×": lambda: scattered(repeated(sentences(1000), 4)),
            "windows of a walk": lambda: walk(3000, 128, 64, 8),
            "clusters in order": lambda: clusters(4000, 96, 40, 0.3),
            "all equal": lambda: repeated(sentences(1), 2000),
        }.items():
            yield f"{name}, changed, {metric}", make, metric, "f32", "change"
    yield "each row 4×, scaled, cos", lambda: repeated(sentences(1000), 4) * rng.uniform(0.1, 10, (4000, 1)), "cos", "f32", "build"
    yield "each row 4×, scattered, ip", lambda: scattered(repeated(sentences(1000), 4)), "ip", "f32", "build"
    for dim in (96, 384):
        for metric in ("l2sq", "ip"):
            def uneven(dim=dim):
                return sentences(2000, dim) * rng.uniform(0.5, 2, (2000, 1))
            yield f"lengths 0.5 to 2, dim {dim}, {metric}", uneven, metric, "f32", "build"
    for dim in (1, 2, 3, 8, 32, 1024):
        for metric in ("cos", "l2sq", "ip"):
            def some(dim=dim):
                return rng.standard_normal((2000, dim)) if dim < 1024 else sentences(1000, dim)
            yield f"random, dim {dim}, {metric}", some, metric, "f32", "build"
    for scalar in ("f16", "bf16", "i8"):
        yield f"each row 4×, {scalar}", lambda: scattered(repeated(sentences(1000), 4)), "cos", scalar, "build"
        yield f"windows of a walk, {scalar}", lambda: walk(3000, 128, 64, 8), "cos", scalar, "build"
        yield f"10 zero rows, {scalar}", lambda: with_zeros(base(), 10, True), "cos", scalar, "build"
    for metric in ("pearson", "divergence"):
        yield f"each row 4×, dim 24, {metric}", lambda: scattered(repeated(np.abs(sentences(500, 24)), 4)), metric, "f32", "build"
    yield "random, dim 2, pearson", lambda: rng.standard_normal((2000, 2)), "pearson", "f32", "build"
    yield "places, each 2×, haversine", lambda: repeated(rng.uniform((-80, -180), (80, 180), (1000, 2)), 2), "haversine", "f32", "build"
    for dim in (8, 16, 64, 256):
        for metric in ("hamming", "tanimoto"):
            def bits(dim=dim):
                return rng.standard_normal((2000, dim))
            yield f"bits, dim {dim}, {metric}", bits, metric, "b1", "build"


# The scalar that an index stores, and its distance.

def stored(x, scalar):
    x = x.astype(np.float32)
    if scalar == "f16":
        return x.astype(np.float16).astype(np.float64)
    if scalar == "bf16":
        bits = x.view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    if scalar == "i8":
        norm = np.linalg.norm(x.astype(np.float64), axis=1, keepdims=True)
        return np.trunc(np.clip(x * 127 / np.maximum(norm, 1e-300), -127, 127))
    if scalar == "b1":
        return (x > 0).astype(np.float64)
    return x.astype(np.float64)


def distances(q, x, metric):
    if metric == "ip":
        return 1 - q @ x.T
    if metric in ("cos", "pearson"):
        if metric == "pearson":
            q, x = q - q.mean(1, keepdims=True), x - x.mean(1, keepdims=True)
        a, b = np.linalg.norm(q, axis=1)[:, None], np.linalg.norm(x, axis=1)[None]
        d = 1 - (q @ x.T) / np.where(a * b == 0, 1, a * b)
        if metric == "pearson":
            return np.where(a * b < 1e-12, 0, d)
        return np.where((a == 0) & (b == 0), 0, d)
    if metric == "l2sq":
        return np.stack([((x - row) ** 2).sum(1) for row in q])
    if metric == "divergence":
        e = np.finfo(np.float32).eps

        def one(row):
            m = (row + x) / 2 + e
            return (row * np.log((row + e) / m) + x * np.log((x + e) / m)).sum(1) / 2
        return np.stack([one(row) for row in q])
    if metric == "haversine":
        q, x = np.radians(q), np.radians(x)
        h = np.sin((x[None, :, 0] - q[:, None, 0]) / 2) ** 2 + np.cos(q[:, None, 0]) * np.cos(x[None, :, 0]) * \
            np.sin((x[None, :, 1] - q[:, None, 1]) / 2) ** 2
        return 2 * np.arcsin(np.sqrt(np.minimum(1, h)))
    both, either = q @ x.T, q.sum(1)[:, None] + x.sum(1)[None] - q @ x.T
    return either - both if metric == "hamming" else np.where(either == 0, 0, 1 - both / np.maximum(either, 1))


def near_enough(found, all_distances):
    """Returns an array [queries, K]: true if the id found is as near as the K-th nearest row."""
    kth = np.partition(all_distances, K - 1, axis=1)[:, K - 1:K]
    there = found != NONE
    at = np.where(there, found, 0).astype(np.int64)
    reached = np.take_along_axis(all_distances, at, axis=1)
    good = there & (reached <= kth + 1e-6 * np.abs(kth) + 4e-7)
    for row, line_of in zip(found, good):  # an id given twice counts once
        line_of[np.setdiff1d(np.arange(len(row)), np.unique(row, return_index=True)[1])] = False
    return good


def lost_rows(found, x, metric):
    count = 0
    for first in range(0, len(x), 500):
        d = distances(x[first:first + 500], x, metric)
        own = np.arange(first, first + len(d))
        d -= d[np.arange(len(d)), own][:, None]
        some = found[first:first + 500]
        at = np.where(some == NONE, 0, some).astype(np.int64)
        as_near = (some != NONE) & (np.take_along_axis(d, at, axis=1) <= 1e-6)
        count += np.sum(~((some == own[:, None]).any(1) | as_near.all(1)))
    return int(count)


# The libraries. Each returns expansion → ids, and the ids each row finds.

def embd(x, q, kind, metric, scalar, plan, peer, folder):
    x.astype(np.float32).tofile(folder + "/rows")
    q.astype(np.float32).tofile(folder + "/queries")
    command = [peer, folder + "/rows", folder + "/queries", x.shape[1], kind, metric, scalar, plan, K, folder + "/index"]
    subprocess.run([str(a) for a in command + EXPANSIONS], check=True)

    def ids(name):
        return np.fromfile(f"{folder}/index.{name}", np.uint64).reshape(-1, K)
    return {e: ids(e) for e in EXPANSIONS}, ids("rows")


def usearch(x, q, metric, scalar, plan):
    from usearch.index import Index
    index = Index(ndim=x.shape[1], metric=metric, dtype=scalar, connectivity=16, expansion_add=128)
    x, q = x.astype(np.float32), q.astype(np.float32)
    if scalar == "b1":
        x, q = np.packbits(x > 0, axis=1), np.packbits(q > 0, axis=1)
    keys = np.arange(len(x), dtype=np.uint64)
    if plan == "build":
        index.add(keys, x, threads=1)
    else:
        half = len(x) // 2
        index.add(keys[:half], x[:half], threads=1)
        index.add(keys[half:], x[half:], threads=1)
        index.remove(keys[1::3], compact=True)
        index.add(keys[1::3], x[1::3], threads=1)

    def search(queries, expansion):
        index.expansion_search = expansion
        found = index.search(queries, K, threads=1)
        keys = np.asarray(found.keys).copy()
        keys[np.arange(K)[None] >= np.asarray(found.counts)[:, None]] = NONE
        return keys
    return {e: search(q, e) for e in EXPANSIONS}, search(x, EXPANSIONS[-1])


def svs(x, q, metric, scalar, plan):
    import svs
    kind = {"cos": svs.DistanceType.Cosine, "l2sq": svs.DistanceType.L2, "ip": svs.DistanceType.MIP}[metric]
    x, q = x.astype(np.float32), q.astype(np.float32)
    parameters = svs.VamanaBuildParameters(graph_max_degree=64, window_size=128, alpha=1.2 if metric == "l2sq" else 0.95)
    if plan == "build":
        index = svs.Vamana.build(parameters, x, kind, num_threads=1)
    else:
        half = len(x) // 2
        keys = np.arange(len(x), dtype=np.uint64)
        index = svs.DynamicVamana.build(parameters, x[:half], keys[:half], kind, num_threads=1)
        index.add(x[half:], keys[half:])
        index.delete(keys[1::3])
        index.consolidate()
        index.compact(len(x))
        index.add(x[1::3], keys[1::3])

    def search(queries, window):
        index.search_parameters = svs.VamanaSearchParameters(svs.SearchBufferConfig(window, window), False, 4, 1)
        return index.search(queries, K)[0].astype(np.uint64)
    return {e: search(q, e) for e in EXPANSIONS}, search(x, EXPANSIONS[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--only", help="parts of names, with ; between them")
    parser.add_argument("--kind", choices=["hnsw", "vamana"], help="(both)")
    parser.add_argument("--others", help="take the other libraries' figures from this file of an earlier --json")
    parser.add_argument("--json", help="also write the figures here")
    a = parser.parse_args()
    print(f"{'':44}{'':12}" + "".join(f"{e:>8}" for e in EXPANSIONS) + f"{'lost':>7}")
    known = {}
    if a.others:
        with open(a.others) as file:
            known = {(f["rows"], f["library"]): f for f in json.load(file)}
    figures, bad = [], 0
    for name, make, metric, scalar, plan in cases():
        if a.only and not any(part in name for part in a.only.split(";")):
            continue
        global rng
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        x = make()
        some = x[rng.integers(0, len(x), 150)]
        scale = 0.3 * np.std(x) if metric != "haversine" else 1
        q = np.concatenate([some + scale * rng.standard_normal(some.shape), x[rng.integers(0, len(x), 50)]])
        q = np.abs(q) if metric == "divergence" else q
        x, q = x.astype(np.float32), q.astype(np.float32)
        rows = stored(x, scalar)
        all_distances = distances(stored(q, scalar), rows, metric)
        for kind in [a.kind] if a.kind else ["hnsw", "vamana"]:
            if kind == "vamana" and (metric not in ("cos", "l2sq", "ip") or scalar != "f32"):
                continue
            other = "usearch" if kind == "hnsw" else "svs"
            with tempfile.TemporaryDirectory() as folder:
                of = {"embd " + kind: embd(x, q, kind, metric, scalar, plan, a.peer, folder)}
            if (name, other) not in known:
                of[other] = (usearch if kind == "hnsw" else svs)(x, q, metric, scalar, plan)
            measured = {p: {"rows": name, "library": p, "lost": lost_rows(own, rows, metric),
                            "recall": [near_enough(found[e], all_distances).mean() for e in EXPANSIONS]}
                        for p, (found, own) in of.items()}
            measured.setdefault(other, known.get((name, other)))
            for p, f in measured.items():
                ours = p != other
                below = [ours and r < theirs - 0.005 for r, theirs in zip(f["recall"], measured[other]["recall"])]
                bad += any(below) or (ours and f["lost"] > 0)
                print(f"{name[:43]:44}{p:12}" + "".join(f"{r:7.3f}{'!' if b else ' '}" for r, b in zip(f["recall"], below)) +
                      f"{f['lost']:6}{'!' if ours and f['lost'] else ' '}", flush=True)
                figures.append(f)
            if a.json:  # after each, so that a run that is stopped leaves what it has
                with open(a.json, "w") as file:
                    json.dump(figures, file)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
