#!/usr/bin/env python3
"""Build time, queries a second and recall@10 of our index beside usearch, hnswlib and faiss.

    index_peers.py --peer build/bench/bench/index/index_peer ROWS.npy [--queries 1000] [--threads 1]
                   [--rounds 3] [--random N,DIM]

The last --queries rows become queries and are left out of the index. Every library gets the same
rows (normalised, so cosine is the inner product), connectivity 16 (32 links on the base level) and
expansion 128 for building. The rounds are interleaved: each library once a round, and the median of
each is shown, so that a busy machine slows all of them alike. For each library the smallest expansion
whose recall@10 reaches 0.95 is found and its queries a second are compared.

Needs: numpy usearch==2.26.6 hnswlib faiss-cpu (in an environment outside the tree)."""
import argparse, json, os, statistics, subprocess, tempfile, time
import numpy as np

K, M, EFC = 10, 16, 128
EXPANSIONS = [10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128]


def embd(x, q, threads, scalar, peer, folder):
    x.tofile(folder + "/rows"); q.tofile(folder + "/queries")
    out = subprocess.run([peer, folder + "/rows", folder + "/queries", str(x.shape[1]), str(K), str(threads), scalar,
                          str(M), str(EFC), folder + "/index"] + [str(e) for e in EXPANSIONS],
                         check=True, capture_output=True, text=True).stdout
    r = json.loads(out)
    ids = {e: np.fromfile(f"{folder}/index.{e}", np.uint64).reshape(len(q), K).astype(np.int64) for e in EXPANSIONS}
    return r["build"], {e: (r["search"][str(e)], ids[e]) for e in EXPANSIONS}


def usearch(x, q, threads, scalar):
    from usearch.index import Index
    ix = Index(ndim=x.shape[1], metric="cos", dtype=scalar, connectivity=M, expansion_add=EFC)
    t = time.perf_counter(); ix.add(np.arange(len(x), dtype=np.uint64), x, threads=threads); build = time.perf_counter() - t
    found = {}
    for e in EXPANSIONS:
        ix.expansion_search = e
        t = time.perf_counter(); r = ix.search(q, K, threads=threads); s = time.perf_counter() - t
        found[e] = (s, r.keys.astype(np.int64))
    return build, found


def hnswlib(x, q, threads):
    import hnswlib
    ix = hnswlib.Index(space="ip", dim=x.shape[1])
    ix.init_index(max_elements=len(x), ef_construction=EFC, M=M); ix.set_num_threads(threads)
    t = time.perf_counter(); ix.add_items(x, np.arange(len(x)), num_threads=threads); build = time.perf_counter() - t
    found = {}
    for e in EXPANSIONS:
        ix.set_ef(e)
        t = time.perf_counter(); r, _ = ix.knn_query(q, k=K, num_threads=threads); s = time.perf_counter() - t
        found[e] = (s, r.astype(np.int64))
    return build, found


def faiss(x, q, threads):
    import faiss
    faiss.omp_set_num_threads(threads)
    ix = faiss.IndexHNSWFlat(x.shape[1], M, faiss.METRIC_INNER_PRODUCT); ix.hnsw.efConstruction = EFC
    t = time.perf_counter(); ix.add(x); build = time.perf_counter() - t
    found = {}
    for e in EXPANSIONS:
        ix.hnsw.efSearch = e
        t = time.perf_counter(); _, r = ix.search(q, K); s = time.perf_counter() - t
        found[e] = (s, r)
    return build, found


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("rows", nargs="?"); ap.add_argument("--peer", required=True)
    ap.add_argument("--queries", type=int, default=1000); ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--rounds", type=int, default=3); ap.add_argument("--limit", type=int)
    ap.add_argument("--random", help="N,DIM: random unit rows instead of a file")
    ap.add_argument("--only", help="comma-separated names")
    a = ap.parse_args()
    if a.random:
        n, dim = map(int, a.random.split(","))
        x = np.random.default_rng(1).standard_normal((n + a.queries, dim), dtype=np.float32)
    else:
        x = np.load(a.rows).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x, q = np.ascontiguousarray(x[:-a.queries][:a.limit]), np.ascontiguousarray(x[-a.queries:])
    truth = np.concatenate([np.argpartition(-(q[i:i + 100] @ x.T), K, axis=1)[:, :K] for i in range(0, len(q), 100)])
    recall = lambda ids: np.mean([len(set(r) & set(t)) for r, t in zip(ids.tolist(), truth.tolist())]) / K
    with tempfile.TemporaryDirectory() as folder:
        libraries = {
            "embd f32": lambda: embd(x, q, a.threads, "f32", a.peer, folder),
            "embd f16": lambda: embd(x, q, a.threads, "f16", a.peer, folder),
            "embd i8": lambda: embd(x, q, a.threads, "i8", a.peer, folder),
            "usearch f32": lambda: usearch(x, q, a.threads, "f32"),
            "usearch f16": lambda: usearch(x, q, a.threads, "f16"),
            "usearch i8": lambda: usearch(x, q, a.threads, "i8"),
            "hnswlib f32": lambda: hnswlib(x, q, a.threads),
            "faiss f32": lambda: faiss(x, q, a.threads),
        }
        if a.only:
            libraries = {k: v for k, v in libraries.items() if k in a.only.split(",")}
        builds, times, recalls = ({k: [] for k in libraries} for _ in range(3))
        recalls = {}
        for _ in range(a.rounds):
            for name, measure in libraries.items():
                build, found = measure()
                builds[name].append(build); times[name].append({e: s for e, (s, _) in found.items()})
                recalls[name] = {e: recall(ids) for e, (_, ids) in found.items()}
    print(f"{len(x)} rows of {x.shape[1]}, {len(q)} queries, {a.threads} thread(s), median of {a.rounds} interleaved rounds")
    print(f"{'':14}{'build rows/s':>14}{'expansion':>11}{'recall@10':>11}{'queries/s':>11}")
    for name in libraries:
        b = len(x) / statistics.median(builds[name])
        e = next((e for e in EXPANSIONS if recalls[name][e] >= 0.95), EXPANSIONS[-1])
        s = statistics.median(t[e] for t in times[name])
        print(f"{name:14}{b:14.0f}{e:11}{recalls[name][e]:11.4f}{len(q) / s:11.0f}")


if __name__ == "__main__":
    main()
