#!/usr/bin/env python3
"""Measures build time, queries a second and recall@10 of our index beside usearch, hnswlib, faiss and SVS.

    index_peers.py --peer build/bench/bench/index/index_peer ROWS.npy [--queries 1000] [--threads 1]
                   [--rounds 3] [--random N,DIM] [--clock cpu|wall] [--json FILE]

The last --queries rows become queries and are left out of the index. Every library gets the same rows (normalized, so
cosine is the inner product), connectivity 16 (32 links on the base level; SVS: degree 32) and expansion 128 for building.
The rounds are interleaved, each library once a round. Of each measure the best round is shown, what the library does
while nothing else runs, and of ours the median over the rounds of what it is beside the best other library of its round.
With one thread the clock is the processor's time, which other programs disturb least; with more
it is the wall's. For each library the smallest expansion whose recall@10 reaches 0.95 is found, and its queries a second.

Needs: numpy usearch==2.26.6 hnswlib==0.8.0 faiss-cpu==1.15.1 scalable-vs==0.5.0 (in an environment outside the tree)."""
import argparse
import json
import subprocess
import tempfile
import time

import numpy as np

K, M, EFC = 10, 16, 128
EXPANSIONS = [10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128]
WALL, CPU = 0, 1


class Stopwatch:
    def __init__(self):
        self.start = time.perf_counter(), time.process_time()

    def __call__(self):
        return time.perf_counter() - self.start[WALL], time.process_time() - self.start[CPU]


def swept(set_expansion, search):
    """Returns, for each expansion, the seconds of the clock and of the processor, and the ids found."""
    found = {}
    for expansion in EXPANSIONS:
        set_expansion(expansion)
        watch = Stopwatch()
        ids = search()
        found[expansion] = watch(), ids.astype(np.int64)
    return found


def embd(x, q, threads, scalar, peer, folder):
    x.tofile(folder + "/rows")
    q.tofile(folder + "/queries")
    index = f"{folder}/index-{scalar}"
    command = [peer, folder + "/rows", folder + "/queries", x.shape[1], K, threads, scalar, M, EFC, index]
    out = subprocess.run([str(a) for a in command + EXPANSIONS], check=True, stdout=subprocess.PIPE, text=True).stdout
    times = json.loads(out)
    return times["build"], {e: (times["search"][str(e)], np.fromfile(f"{index}.{e}", np.uint64)
                                .reshape(len(q), K).astype(np.int64)) for e in EXPANSIONS}


def usearch(x, q, threads, scalar):
    from usearch.index import Index
    index = Index(ndim=x.shape[1], metric="cos", dtype=scalar, connectivity=M, expansion_add=EFC)
    watch = Stopwatch()
    index.add(np.arange(len(x), dtype=np.uint64), x, threads=threads)
    build = watch()

    def set_expansion(expansion):
        index.expansion_search = expansion
    return build, swept(set_expansion, lambda: index.search(q, K, threads=threads).keys)


def hnswlib(x, q, threads):
    import hnswlib
    index = hnswlib.Index(space="ip", dim=x.shape[1])
    index.init_index(max_elements=len(x), ef_construction=EFC, M=M)
    index.set_num_threads(threads)
    watch = Stopwatch()
    index.add_items(x, np.arange(len(x)), num_threads=threads)
    return watch(), swept(index.set_ef, lambda: index.knn_query(q, k=K, num_threads=threads)[0])


def faiss(x, q, threads):
    import faiss
    faiss.omp_set_num_threads(threads)
    index = faiss.IndexHNSWFlat(x.shape[1], M, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = EFC
    watch = Stopwatch()
    index.add(x)
    build = watch()

    def set_expansion(expansion):
        index.hnsw.efSearch = expansion
    return build, swept(set_expansion, lambda: index.search(q, K)[1])


def svs(x, q, threads):
    import svs
    parameters = svs.VamanaBuildParameters(graph_max_degree=2 * M, window_size=EFC, alpha=1.2)
    watch = Stopwatch()
    index = svs.Vamana.build(parameters, x, svs.DistanceType.L2, num_threads=threads)
    build = watch()

    def set_expansion(expansion):
        index.search_parameters = svs.VamanaSearchParameters(svs.SearchBufferConfig(expansion, expansion), False, 4, 1)
    return build, swept(set_expansion, lambda: index.search(q, K)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?")
    parser.add_argument("--peer", required=True)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, help="rows of the index at most")
    parser.add_argument("--random", help="N,DIM: random unit rows instead of a file")
    parser.add_argument("--only", help="comma-separated names")
    parser.add_argument("--expansions", help="comma-separated, instead of those up to 128 (random rows need more)")
    parser.add_argument("--clock", choices=["cpu", "wall"], help="(cpu with one thread, else wall)")
    parser.add_argument("--json", help="also write the figures here")
    a = parser.parse_args()
    if a.expansions:
        EXPANSIONS[:] = map(int, a.expansions.split(","))
    clock = {"cpu": CPU, "wall": WALL}[a.clock or ("cpu" if a.threads == 1 else "wall")]
    if a.random:
        n, dim = map(int, a.random.split(","))
        x = np.random.default_rng(1).standard_normal((n + a.queries, dim), dtype=np.float32)
    else:
        x = np.load(a.rows).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x, q = np.ascontiguousarray(x[:-a.queries][:a.limit]), np.ascontiguousarray(x[-a.queries:])
    truth = np.concatenate([np.argpartition(-(q[i:i + 100] @ x.T), K, axis=1)[:, :K] for i in range(0, len(q), 100)])

    def recall(ids):
        return np.mean([len(set(r) & set(t)) for r, t in zip(ids.tolist(), truth.tolist())]) / K
    with tempfile.TemporaryDirectory() as folder:
        libraries = {
            "embd f32": lambda: embd(x, q, a.threads, "f32", a.peer, folder),
            "embd f16": lambda: embd(x, q, a.threads, "f16", a.peer, folder),
            "embd bf16": lambda: embd(x, q, a.threads, "bf16", a.peer, folder),
            "embd i8": lambda: embd(x, q, a.threads, "i8", a.peer, folder),
            "embd vamana": lambda: embd(x, q, a.threads, "vamana", a.peer, folder),
            "usearch f32": lambda: usearch(x, q, a.threads, "f32"),
            "usearch f16": lambda: usearch(x, q, a.threads, "f16"),
            "usearch bf16": lambda: usearch(x, q, a.threads, "bf16"),
            "usearch i8": lambda: usearch(x, q, a.threads, "i8"),
            "hnswlib f32": lambda: hnswlib(x, q, a.threads),
            "faiss f32": lambda: faiss(x, q, a.threads),
            "svs f32": lambda: svs(x, q, a.threads),
        }
        if a.only:
            libraries = {name: libraries[name] for name in a.only.split(",")}
        builds = {name: [] for name in libraries}
        times = {name: [] for name in libraries}
        recalls = {}
        for number in range(1, a.rounds + 1):
            for name, measure in libraries.items():
                build, found = measure()
                builds[name].append(build[clock])
                times[name].append({e: seconds[clock] for e, (seconds, _) in found.items()})
                recalls[name] = {e: recall(ids) for e, (_, ids) in found.items()}
            print(f"{len(x)} rows of {x.shape[1]}, {len(q)} queries, {a.threads} thread(s), "
                  f"best of {number} interleaved rounds by the {'processor' if clock == CPU else 'wall'}'s clock")
            show(len(x), len(q), builds, times, recalls, a.json)


def show(num_rows, num_queries, builds, times, recalls, json_path):
    print(f"{'':14}{'build rows/s':>14}{'expansion':>11}{'recall@10':>11}{'queries/s':>11}")
    figures = {}
    for name, recall in recalls.items():
        e = next((e for e in EXPANSIONS if recall[e] >= 0.95), EXPANSIONS[-1])
        figures[name] = {"build": num_rows / min(builds[name]), "expansion": e, "recall": recall[e],
                         "queries": num_queries / min(t[e] for t in times[name]), "recalls": recall,
                         "builds": builds[name], "times": times[name]}
        f = figures[name]
        print(f"{name:14}{f['build']:14.0f}{e:11}{f['recall']:11.4f}{f['queries']:11.0f}", flush=True)
    peers = [name for name in figures if not name.startswith("embd")]
    for name in figures if peers else []:
        if name.startswith("embd"):
            rounds = range(len(builds[name]))
            # Rates of one round: seconds of the fastest other library over ours.
            build = [min(builds[p][r] for p in peers) / builds[name][r] for r in rounds]
            search = [min(times[p][r][figures[p]["expansion"]] for p in peers) /
                      times[name][r][figures[name]["expansion"]] for r in rounds]
            print(f"{name}: building {np.median(build):.2f}, searching {np.median(search):.2f} times the best other, "
                  f"median of {len(rounds)} rounds ({min(search):.2f} to {max(search):.2f})", flush=True)
    if json_path:
        with open(json_path, "w") as file:
            json.dump(figures, file)


if __name__ == "__main__":
    main()
