#!/usr/bin/env python3
"""Measures how well groups agree with the labels of texts, beside the groups of scikit-learn:

    cluster_quality.py EMBD ROWS.npy LABELS.jsonl [--field kind] [--seeds 3] [--components 0]

k-means with as many groups as there are labels, `--k auto`, and density. Prints for each: seconds, groups, rows in none, inertia
(the sum of the squared distances of unit rows to the means of their groups), and the adjusted Rand index to the labels; for
k-means the means over --seeds seeds. --components: of unit rows along so many principal components instead, since density means
little in hundreds of dimensions. Rows of embd embed, labels of bench/analysis/wordnet_corpus.py. Needs
bench/analysis/map_requirements.txt.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

STARTS = 4  # of embd's k-means, of which the best counts
MIN_SIZE = 10


def inertia(rows, groups):
    return sum(((of_group - of_group.mean(axis=0)) ** 2).sum() for of_group in (rows[groups == group] for group in np.unique(groups)))


def embd(program, rows_file, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "groups.jsonl"
        subprocess.run([program, "cluster", rows_file, "-o", out, *options], check=True, capture_output=True)
        with open(out, encoding="utf-8") as lines:
            return np.array([json.loads(line)["group"] for line in lines])


def timed(function):
    begin, user = time.perf_counter(), os.times()
    groups = function()
    now = os.times()
    return groups, time.perf_counter() - begin, now.user + now.children_user - user.user - user.children_user


def say(name, results, rows, labels):
    """Prints the mean inertia and the mean adjusted Rand index, and returns them."""
    inertias = [inertia(rows, groups) if (groups >= 0).all() else np.nan for groups, _, _ in results]
    rands = [adjusted_rand_score(labels, groups) for groups, _, _ in results]
    groups = [len(np.unique(each[each >= 0])) for each, _, _ in results]
    none = np.mean([(each < 0).sum() for each, _, _ in results])
    seconds, user = np.mean([each[1:] for each in results], axis=0)
    print(f"{name:28} {seconds:8.1f} {user:8.1f} {np.mean(groups):8.1f} {none:9.0f} {np.mean(inertias):10.1f} {np.mean(rands):8.4f}", flush=True)
    return np.mean(inertias), np.mean(rands)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=lambda name: Path(name).resolve())
    parser.add_argument("rows", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--field", default="kind")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--components", type=int, default=0)
    parser.add_argument("--only", default="kmeans,auto,density")
    arguments = parser.parse_args()
    rows = np.load(arguments.rows).astype(np.float32)
    with open(arguments.labels, encoding="utf-8") as lines:
        labels = [json.loads(line)[arguments.field] for line in lines][:len(rows)]
    if arguments.components:
        rows = PCA(arguments.components, random_state=0).fit_transform(rows)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    k = len(set(labels))
    print(f"{len(rows)} rows of {rows.shape[1]} values, {k} labels; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(f"{'':28} {'seconds':>8} {'user':>8} {'groups':>8} {'in none':>9} {'inertia':>10} {'Rand':>8}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npy"
        np.save(file, rows)
        seeds = range(arguments.seeds)
        wanted = arguments.only.split(",")
        if "kmeans" in wanted:
            ours = say("embd cluster -k", [timed(lambda: embd(arguments.embd, file, "-k", str(k), "--seed", str(seed))) for seed in seeds],
                       rows, labels)
            theirs = say("scikit-learn KMeans",
                         [timed(lambda: KMeans(k, n_init=STARTS, random_state=seed).fit_predict(rows)) for seed in seeds], rows, labels)
            print(f"  inertia {ours[0] / theirs[0]:.4f} of scikit-learn's, adjusted Rand index {ours[1] - theirs[1]:+.4f}")
        if "auto" in wanted:
            say("embd cluster --k auto", [timed(lambda: embd(arguments.embd, file, "--seed", str(seed))) for seed in seeds], rows, labels)
        if "density" in wanted:
            ours = say("embd cluster --density", [timed(lambda: embd(arguments.embd, file, "--density", "--min-size", str(MIN_SIZE)))],
                       rows, labels)
            theirs = say("scikit-learn HDBSCAN", [timed(lambda: HDBSCAN(MIN_SIZE, copy=True).fit_predict(rows.astype(np.float64)))], rows,
                         labels)
            print(f"  adjusted Rand index {ours[1] - theirs[1]:+.4f}")


main()
