"""embd.dedupe, find_leaks, cluster and compare_neighbours: arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import embd
import numpy as np
import pytest


def blobs(num_rows: int, num_blobs: int, spread: float) -> Any:
    random = np.random.default_rng(1)
    centers = random.normal(size=(num_blobs, 24))
    rows = centers[np.arange(num_rows) % num_blobs] + spread * random.normal(size=(num_rows, 24))
    return rows.astype(np.float32)


def test_dedupe() -> None:
    rows = blobs(300, 300, 0)
    rows[10] = rows[3]
    rows[20] = 2 * rows[4] + 0.05
    found = embd.dedupe(rows)
    assert found.pairs.tolist() == [[10, 3], [20, 4]]
    assert found.similarities[0] == 1
    assert 0.99 < found.similarities[1] < 1
    assert found.representatives[[3, 10, 20]].tolist() == [3, 3, 4]
    assert found.kept.tolist() == [row for row in range(300) if row not in (10, 20)]
    assert found.recall is None
    texts = ["x" * (1 + (row == 20)) for row in range(300)]
    assert embd.dedupe(rows, keep="longest", texts=texts).representatives[4] == 20
    by_index = embd.dedupe(rows, exact_rows=10, threads=2)
    assert by_index.pairs.tolist() == found.pairs.tolist()
    assert by_index.recall is not None and by_index.recall.share == 1
    assert embd.dedupe(np.zeros((0, 4), np.float32)).kept.tolist() == []


def test_dedupe_refuses() -> None:
    rows = blobs(5, 5, 0)
    refused: list[dict[str, Any]] = [{"min_similarity": 3.0}, {"keep": "longest"}, {"keep": "longest", "texts": ["a"]}]
    for options in refused:
        with pytest.raises(embd.Error):
            embd.dedupe(rows, **options)
    rows[2, 3] = np.nan
    with pytest.raises(embd.Error, match="row 2 contains the value nan"):
        embd.dedupe(rows)


def test_find_leaks() -> None:
    train = blobs(200, 200, 0)
    test = np.concatenate([train[7:8], train[50:51] * 3, -train[1:2]])
    found = embd.find_leaks(test, train)
    assert found.pairs.tolist() == [[0, 7], [1, 50]]
    assert found.rows.tolist() == [0, 1]


def test_cluster() -> None:
    rows = blobs(120, 4, 0.2)
    texts = [f"{('cat', 'market', 'bread', 'tree')[row % 4]} number {row}" for row in range(120)]
    found = embd.cluster(rows, k=4, texts=texts)
    assert found.labels.dtype == np.int32
    assert found.labels.tolist() == [row % 4 for row in range(120)]
    assert [words[0] for words in found.words] == ["cat", "market", "bread", "tree"]
    assert found.sizes.tolist() == [30] * 4
    assert found.centers.shape == (4, 24)
    np.testing.assert_allclose(np.linalg.norm(found.centers, axis=1), 1, atol=1e-6)
    for group, central in enumerate(found.central_rows):
        nearest = np.flatnonzero(found.labels == group)
        assert central == nearest[np.argsort(found.distances[nearest], kind="stable")][:3].tolist()
        assert found.places[central].tolist() == [0, 1, 2]
    assert found.inertia == pytest.approx(found.distances.sum(), rel=1e-4)
    assert embd.cluster(rows).labels.max() == 3
    dense = embd.cluster(rows, density=True, min_size=8, threads=2)
    assert dense.labels.max() == 3
    assert dense.words == [[]] * 4
    with pytest.raises(embd.Error, match="121 groups were asked for, but there are only 120 rows"):
        embd.cluster(rows, k=121)
    with pytest.raises(ValueError, match="at least one group"):
        embd.cluster(rows, k=0)
    with pytest.raises(embd.Error, match="1 texts were given for 120 rows"):
        embd.cluster(rows, k=2, texts=["a"])


def test_compare_neighbours() -> None:
    rows = blobs(80, 80, 0)
    other = np.concatenate([rows, np.zeros((80, 3), np.float32)], axis=1)
    other[5] = -other[5]
    same = embd.compare_neighbours(rows, rows * 4, 5)
    assert (same.k, same.overlap) == (5, 1)
    moved = embd.compare_neighbours(rows, other, 5)
    assert moved.rows[0] == 5
    assert moved.overlaps[0] == 0
    assert np.all(np.diff(moved.overlaps) >= 0)
    assert len(embd.compare_neighbours(rows, other, 5, sample=9).rows) == 9
    with pytest.raises(embd.Error, match="one set has 80 rows and the other has 79"):
        embd.compare_neighbours(rows, other[1:])
