#!/usr/bin/env python3
"""Measures how well a map keeps neighbours, beside umap-learn, PaCMAP and PCA:

    map_quality.py EMBD ROWS.npy [--labels TEXTS.jsonl] [--field kind] [--sample 2000] [--only embd,pca,…]

Prints for each: seconds by the clock and of processor time (one run, all rows, nearest rows included), trustworthiness and
continuity at 15 nearest under the cosine (1: a row's nearest on the map are its nearest), and how often most of a row's 15
nearest on the map have its label. The measures are over --sample rows. Needs bench/analysis/map_requirements.txt.
"""
import argparse
import base64
import json
import os
import re
import struct
import subprocess
import tempfile
import time
import warnings
import zlib
from collections import Counter
from pathlib import Path

import numpy as np

K = 15


def places_of_page(page):
    """Returns the places in a page that embd map wrote. They have 16 bits."""
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', page).group(1)))
    size = struct.unpack_from("<I", data)[0]
    count = json.loads(data[4:4 + size])["rows"]
    x, y = np.frombuffer(data, "<u2", 2 * count, 4 + size).reshape(2, count)
    return np.stack([x, y], axis=1).astype(np.float64)


def embd(arguments, rows):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "map.html"
        subprocess.run([arguments.embd, "map", arguments.rows, "--groups", "0", "-o", page], check=True, capture_output=True)
        return places_of_page(page.read_text(encoding="utf-8"))


def umap(arguments, rows):
    from umap import UMAP
    return UMAP(metric="cosine").fit_transform(rows)


def umap_seeded(arguments, rows):
    from umap import UMAP
    return UMAP(metric="cosine", random_state=1).fit_transform(rows)


def pacmap(arguments, rows):
    from pacmap import PaCMAP
    return PaCMAP(random_state=1).fit_transform(rows)


def pca(arguments, rows):
    from sklearn.decomposition import PCA
    return PCA(2).fit_transform(rows)


METHODS = {"embd": embd, "umap": umap, "umap seeded": umap_seeded, "pacmap": pacmap, "pca": pca}


def distances_on_map(places, chosen):
    return np.stack([((places - places[row]) ** 2).sum(axis=1) for row in chosen])


def distances_of_rows(rows, chosen):
    return -(rows[chosen] @ rows.T)


def nearest_of(distances, chosen):
    distances[np.arange(len(chosen)), chosen] = np.inf
    return np.argpartition(distances, K, axis=1)[:, :K]


def penalty(distances, nearest):
    """Returns the sum of how many ranks each of `nearest` is beyond the K nearest by `distances`."""
    total = 0
    for row, near in zip(distances, nearest):
        total += np.maximum(0, (row[None, :] < row[near][:, None]).sum(axis=1) + 1 - K).sum()
    return total


def judge(rows, places, labels, sample):
    places = places.astype(np.float64)
    lost = missed = right = 0
    for first in range(0, len(sample), 200):
        chosen = sample[first:first + 200]
        near, on_map = distances_of_rows(rows, chosen), distances_on_map(places, chosen)
        near_rows, near_places = nearest_of(near, chosen), nearest_of(on_map, chosen)
        lost += penalty(near, near_places)
        missed += penalty(on_map, near_rows)
        if labels is not None:
            right += sum(Counter(labels[i] for i in found).most_common(1)[0][0] == labels[row]
                         for row, found in zip(chosen, near_places))
    scale = 2 / (len(sample) * K * (2 * len(rows) - 3 * K - 1))
    return 1 - scale * lost, 1 - scale * missed, right / len(sample)


def processor_seconds():
    """Returns the processor time of this process and of the programs that it has run."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=lambda name: Path(name).resolve())
    parser.add_argument("rows", type=Path)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--field", default="kind")
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--only", default=",".join(METHODS))
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    rows = np.load(arguments.rows).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = None
    if arguments.labels:
        with open(arguments.labels, encoding="utf-8") as lines:
            labels = [json.loads(line)[arguments.field] for line in lines][:len(rows)]
    sample = np.random.default_rng(0).permutation(len(rows))[:arguments.sample]
    print(f"{len(rows)} rows of {rows.shape[1]} values; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(f"{'':12} {'seconds':>8} {'proc.':>8} {'trust':>8} {'contin.':>8} {'label':>8}")
    for name in arguments.only.split(","):
        start, processor_start = time.perf_counter(), processor_seconds()
        places = METHODS[name](arguments, rows)
        seconds, processor = time.perf_counter() - start, processor_seconds() - processor_start
        trust, continuity, label = judge(rows, places, labels, sample)
        label = label if labels else float("nan")
        print(f"{name:12} {seconds:8.1f} {processor:8.1f} {trust:8.4f} {continuity:8.4f} {label:8.3f}", flush=True)


main()
