"""embd dedupe, embd cluster and embd map beside NumPy, SciPy and scikit-learn.

dedupe finds the very pairs and groups that comparing all rows in NumPy finds, on 20,000 rows with planted duplicates. k-means'
inertia is within 1 % of scikit-learn's, and the adjusted Rand index to the rows' true groups within 0.02 of it; so are those of
HDBSCAN. All three have the same bytes on 1, 2 and 8 threads and with every set of kernels that the processor has.

    analysis_test.py EMBD
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import pyarrow.parquet
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

EMBD = os.path.abspath(sys.argv.pop(1))


def kernels():
    """The sets of kernels that promise the same bytes, on this processor."""
    asked = subprocess.run([EMBD, "tokenize"], env={**os.environ, "EMBD_KERNELS": "?"}, input="", capture_output=True, text=True)
    names = asked.stderr.split("there are: ")[1].split("\n")[0].split(", ")
    return [name for name in names if name not in ("reference", "amx_model")]


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def blobs(num_rows, dim, num_blobs, spread, seed, power=0.0):
    """Unit rows about random directions, and which; blob i is picked in proportion to (i + 1)^-power."""
    random = np.random.default_rng(seed)
    chances = np.arange(1, num_blobs + 1) ** -power
    labels = random.choice(num_blobs, num_rows, p=chances / chances.sum())
    centers = unit(random.normal(size=(num_blobs, dim)))
    return unit(centers[labels] + spread * random.normal(size=(num_rows, dim)) / np.sqrt(dim)), labels


def inertia(rows, labels):
    """The sum of squared distances to the means of groups."""
    total = 0.0
    for label in np.unique(labels):
        of_group = rows[labels == label].astype(np.float64)
        total += ((of_group - of_group.mean(axis=0)) ** 2).sum()
    return total


class AnalysisTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_embd(self, *arguments, **environment):
        done = subprocess.run(
            [EMBD, *arguments], cwd=self.folder.name, env={**os.environ, **environment}, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def read_lines(self, name):
        with open(self.path(name), encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def planted(self):
        """20,000 rows: near-duplicates of others at all similarities about 0.9, and copies."""
        random = np.random.default_rng(7)
        rows, _ = blobs(20_000, 384, 300, 1.2, 1)
        for row in random.choice(20_000, 3_000, replace=False):
            noise = unit(random.normal(size=(1, 384)))[0]
            rows[row] = unit((rows[random.integers(20_000)] + random.uniform(0, 0.7) * noise)[None])[0]
        for row in random.choice(20_000, 500, replace=False):
            rows[row] = rows[random.integers(20_000)]
        return rows

    def test_dedupe_finds_the_pairs_of_all_rows(self):
        rows = self.planted()
        np.save(self.path("rows.npy"), rows)
        self.run_embd("dedupe", "rows.npy", "-o", "kept.npy", "--report", "pairs.parquet")
        table = pyarrow.parquet.read_table(self.path("pairs.parquet")).to_pydict()
        found = dict(zip(zip(table["id"], table["other"]), table["similarity"]))

        _, first, inverse = np.unique(rows.view("V1536"), return_index=True, return_inverse=True)
        firsts = first[inverse.reshape(-1)]
        expected = {(row, int(firsts[row])): 1.0 for row in range(len(rows)) if firsts[row] != row}
        self.assertGreater(len(expected), 300)
        distinct = np.flatnonzero(firsts == np.arange(len(rows)))
        unsure = set()
        for begin in range(0, len(distinct), 1000):
            cosines = rows[distinct[begin : begin + 1000]].astype(np.float64) @ rows[distinct].T.astype(np.float64)
            for i, j in zip(*np.nonzero(cosines > 0.9 - 1e-6)):
                if begin + i > j:
                    pair = (int(distinct[begin + i]), int(distinct[j]))
                    expected[pair] = cosines[i, j]
                    if abs(cosines[i, j] - 0.9) < 1e-6:
                        unsure.add(pair)
        self.assertEqual(set(found) - unsure, set(expected) - unsure)
        self.assertGreater(len(found), 2000)
        for pair, similarity in found.items():
            self.assertAlmostEqual(similarity, expected[pair], delta=2e-6)

        pairs = np.array(list(found))
        graph = coo_matrix((np.ones(len(pairs)), pairs.T), shape=(len(rows), len(rows)))
        num_groups, groups = connected_components(graph, directed=False)
        kept = np.sort(np.unique(groups, return_index=True)[1])
        ids = [line if isinstance(line, int) else line["id"] for line in self.read_lines("kept.npy.ids.jsonl")]
        self.assertEqual(ids, kept.tolist())
        np.testing.assert_array_equal(np.load(self.path("kept.npy")), rows[kept])

    def test_an_index_finds_nearly_all_pairs_and_says_so(self):
        np.save(self.path("rows.npy"), self.planted())
        self.run_embd("dedupe", "rows.npy", "--report", "exact.jsonl")
        done = self.run_embd("dedupe", "rows.npy", "--report", "found.jsonl", "--exact-rows", "1000")
        exact = {(line["id"], line["other"]) for line in self.read_lines("exact.jsonl")}
        found = {(line["id"], line["other"]) for line in self.read_lines("found.jsonl")}
        self.assertLessEqual(found, exact)
        self.assertGreater(len(found), 0.99 * len(exact))
        said = float(done.stderr.split("recall is ")[1].split(":")[0])
        self.assertAlmostEqual(said, len(found) / len(exact), delta=0.02)

    def test_kmeans_is_as_good_as_scikit_learn(self):
        for name, num_blobs, spread, power in ("even", 20, 1.5, 0.0), ("uneven", 30, 1.2, 1.0), ("mixed", 12, 3.0, 0.5):
            rows, labels = blobs(6000, 128, num_blobs, spread, 11, power)
            np.save(self.path("rows.npy"), rows)
            self.run_embd("cluster", "rows.npy", "-k", str(num_blobs), "-o", "groups.jsonl")
            ours = np.array([line["group"] for line in self.read_lines("groups.jsonl")])
            theirs = KMeans(num_blobs, n_init=4, random_state=0).fit_predict(rows)
            ratio = inertia(rows, ours) / inertia(rows, theirs)
            rand = adjusted_rand_score(labels, ours), adjusted_rand_score(labels, theirs)
            print(f"k-means, {name}: inertia {ratio:.4f} of scikit-learn's, adjusted Rand index {rand[0]:.4f} and {rand[1]:.4f}")
            self.assertLess(ratio, 1.01)
            self.assertGreater(rand[0], rand[1] - 0.02)

    def test_density_is_that_of_scikit_learn(self):
        for spread, min_size in (0.6, 20), (0.9, 15), (1.3, 10):
            rows, labels = blobs(3000, 24, 15, spread, 13)
            np.save(self.path("rows.npy"), rows)
            self.run_embd("cluster", "rows.npy", "--density", "--min-size", str(min_size), "-o", "groups.jsonl")
            ours = np.array([line["group"] for line in self.read_lines("groups.jsonl")])
            theirs = HDBSCAN(min_size, copy=True).fit_predict(rows.astype(np.float64))
            same = adjusted_rand_score(theirs, ours)
            rand = adjusted_rand_score(labels, ours), adjusted_rand_score(labels, theirs)
            print(
                f"HDBSCAN, spread {spread}: {ours.max() + 1} and {theirs.max() + 1} groups, {(ours < 0).sum()} and "
                f"{(theirs < 0).sum()} rows in none, adjusted Rand index to scikit-learn's {same:.4f}"
            )
            self.assertGreater(rand[0], rand[1] - 0.02)
            self.assertGreater(same, 0.98)

    def test_bytes_are_the_same_on_any_threads_and_kernels(self):
        rows, _ = blobs(3000, 200, 40, 1.0, 17)
        rows[100:150] = unit(rows[:50] + 0.01 * rows[200:250])
        np.save(self.path("rows.npy"), rows)
        runs = [
            ("dedupe", "rows.npy", "--report", "out.jsonl"),
            ("dedupe", "rows.npy", "--exact-rows", "10", "--report", "out.jsonl"),
            ("cluster", "rows.npy", "-o", "out.jsonl"),
            ("cluster", "rows.npy", "-k", "25", "-o", "out.jsonl"),
            ("cluster", "rows.npy", "--density", "--min-size", "5", "-o", "out.jsonl"),
            ("cluster", "rows.npy", "--density", "--exact-rows", "10", "-o", "out.jsonl"),
            ("map", "rows.npy", "--epochs", "20", "-o", "out.html"),
        ]
        ways = [(1, None), (2, None), (8, None), *((2, name) for name in kernels())]
        self.assertGreaterEqual(len(ways), 5)
        for run in runs:
            outputs = {}
            for threads, name in ways:
                self.run_embd(*run, "--threads", str(threads), **({"EMBD_KERNELS": name} if name else {}))
                with open(self.path(run[-1]), "rb") as file:
                    outputs.setdefault(file.read(), []).append((threads, name))
            self.assertEqual(len(outputs), 1, (run, list(outputs.values())))


if __name__ == "__main__":
    unittest.main()
