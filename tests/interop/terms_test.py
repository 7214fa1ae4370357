#!/usr/bin/env python3
"""Term indexes of ours, and those of collections, opened by bm25s, NumPy and SciPy.

    terms_test.py EMBD [--rounds N] [--seed S]     (needs tests/interop/requirements.txt)

bm25s, in memory and mapped, has to find our rows with our scores, to 1e-6; and so has an index that bm25s itself makes
of the same terms."""
import json
import os

import bm25s
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse

from driver import DATA, Driver

driver = Driver(__doc__)
MODEL = os.path.join(DATA, "embd", "plain.weights")
K = 10
WORDS = ["error", "errors", "4711", "EMBD_KERNELS", "don't", "3.14", "東京タワー", "Café", "running", "the", "TermIndex", "back\\slash"]
ARRAYS = {"data.csc": np.float32, "indices.csc": np.int32, "indptr.csc": np.int64, "tf.csc": np.uint16, "lengths": np.uint32}


def texts_of_round():
    count = driver.rng.integers(20, 400)
    words = WORDS + [f"word{i}" for i in range(50)]
    return [" ".join(driver.rng.choice(words, driver.rng.integers(0, 40))) for _ in range(count)]


def terms_of(query):
    with open("query.txt", "w") as file:
        file.write(query + "\n")
    return json.loads(driver.embd("tokenize", "--terms", "query.txt"))["terms"]


def our_hits(query):
    line = driver.embd("search", "set.parquet", "--terms", "set.terms", "--match", "terms", "-q", query, "-k", K, "--json")
    return [(int(hit["id"]), hit["term_score"]) for hit in json.loads(line)["hits"]]


def same_hits(ours, index, terms, count):
    """Rows of equal scores may come in another order there, so each row is compared with its score."""
    rows, scores = index.retrieve([terms], k=count, show_progress=False)
    score_of = dict(zip(rows[0].tolist(), scores[0].tolist()))
    best = scores[0][scores[0] > 0][:K]
    return len(ours) == len(best) and np.allclose([score for _, score in ours], best, rtol=0, atol=1e-6) and np.allclose(
        [score for _, score in ours], [score_of[row] for row, _ in ours], rtol=0, atol=1e-6)


def check_arrays(what):
    arrays = {name: np.load(f"set.terms/{name}.index.npy") for name in ARRAYS}
    driver.check(f"{what}: NumPy, types", all(arrays[name].dtype == kind and arrays[name].ndim == 1 for name, kind in ARRAYS.items()))
    for name, array in arrays.items():
        np.save("again.npy", array)
        driver.same_bytes(f"{what}: NumPy, {name}", f"set.terms/{name}.index.npy", "again.npy")
    shape = len(arrays["lengths"]), len(arrays["indptr.csc"]) - 1
    counts = scipy.sparse.csc_matrix((arrays["tf.csc"].astype(np.int64), arrays["indices.csc"], arrays["indptr.csc"]), shape)
    counts.check_format()
    driver.check(f"{what}: SciPy, lengths", np.array_equal(np.asarray(counts.sum(axis=1)).ravel(), arrays["lengths"]))
    return counts


def index_of_bm25s(counts, vocabulary):
    names = sorted(vocabulary, key=vocabulary.get)
    rows = counts.tocsr()
    texts = [[names[c] for c, n in zip(rows[i].indices, rows[i].data) for _ in range(n)] for i in range(rows.shape[0])]
    index = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    index.index(texts, show_progress=False)
    return index


def check_collection():
    """The term index of a collection, after an update."""
    os.mkdir("notes")
    for round, word in enumerate(("4711", "4712")):
        for i in range(30):
            with open(f"notes/{i}.md", "w") as file:
                file.write(f"# Note {i}\n\nThe error {word if i == 3 else i} is here.\n\n## More\n\nRunning word{i}.\n")
        driver.embd("collect", "notes", "-m", MODEL, "-o", "notes.collection")
        folder = f"notes.collection/{round + 1}"
        names = pq.read_table(f"{folder}/passages.parquet")["id"].to_pylist()
        hits = json.loads(driver.embd("search", "notes.collection", "--match", "terms", "-q", f"error {word}", "-k", K, "--json"))["hits"]
        ours = [(names.index(hit["id"]), hit["term_score"]) for hit in hits]
        for mapped in (False, True):
            index = bm25s.BM25.load(f"{folder}/terms", mmap=mapped)
            driver.check(f"collection, generation {round + 1}", bool(ours) and same_hits(ours, index, terms_of(f"error {word}"), len(names)))


with driver.folder():
    check_collection()
    for round in driver.rounds:
        texts = texts_of_round()
        ids = pa.array(range(len(texts)), pa.uint64())
        vectors = pa.array([[1.0, 0.0]] * len(texts), pa.list_(pa.float32(), 2))
        pq.write_table(pa.table({"id": ids, "embedding": vectors, "text": texts}), "set.parquet")
        driver.embd("index", "set.parquet", "-o", "set.terms")
        counts = check_arrays(f"round {round}")
        opened = bm25s.BM25.load("set.terms")
        indexes = {"opened": opened, "mapped": bm25s.BM25.load("set.terms", mmap=True),
                   "made by it": index_of_bm25s(counts, opened.vocab_dict)}
        for query in ("error 4711", "embd_kernels don't 3.14", "東京 cafe word1 word1", "back\\slash term running word2 word3"):
            ours = our_hits(query)
            terms = terms_of(query)
            for name, index in indexes.items():
                driver.check(f"round {round}: bm25s, {name}, {query}", bool(ours) and same_hits(ours, index, terms, len(texts)))
