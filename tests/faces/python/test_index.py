"""embd.Index: nearest vectors equal to those that NumPy finds, filters, changes, files, threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest
from conftest import seconds_to_stop


@pytest.fixture(scope="module")
def rows() -> Any:
    rows = np.random.default_rng(2).standard_normal((500, 24), np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def nearest(rows: Any, query: Any, count: int) -> list[int]:
    places: list[int] = np.argsort(-(rows @ query), kind="stable")[:count].tolist()
    return places


@pytest.mark.parametrize("kind", ["hnsw", "vamana"])
def test_search(rows: Any, kind: Any) -> None:
    index = embd.Index.from_vectors(rows, kind=kind)
    assert len(index) == index.size == 500 and index.ndim == 24 and index.metric == "cos" and index.dtype == "f32"
    matches = index.search(rows[7], 5, exact=True)
    assert matches.keys.tolist() == nearest(rows, rows[7], 5)
    assert abs(matches.distances[0]) < 1e-6 and matches.to_list()[0][0] == 7
    batch = index.search(rows[:50], 5)
    assert len(batch) == 50 and batch.keys.shape == (50, 5)
    found = sum(len(set(m.keys.tolist()) & set(nearest(rows, rows[i], 5))) for i, m in enumerate(batch))
    assert found > 0.95 * 250


def test_add_and_remove(rows: Any) -> None:
    index = embd.Index(24)
    assert len(index) == 0
    assert index.add(None, rows[:10]).tolist() == list(range(10))
    assert index.add(None, rows[10]).tolist() == [10]
    assert index.add(77, rows[11]).tolist() == [77]
    assert index.add([100, 101], rows[12:14]).tolist() == [100, 101]
    assert len(index) == 14 and 77 in index and 78 not in index
    assert index.contains([77, 78]).tolist() == [True, False]
    assert np.allclose(index.get(77), rows[11], atol=1e-6) and index.get([100, 101]).shape == (2, 24)
    assert index.remove([77, 5000]) == 1
    assert 77 not in index.search(rows[11], 14, exact=True).keys
    index.compact()
    with pytest.raises(KeyError):
        index.get(77)
    with pytest.raises(embd.Error):
        index.add([100], rows[14])  # an id twice
    with pytest.raises(embd.Error):
        index.add([200], np.zeros((1, 3), np.float32))
    few = index.search(rows[0], 50)
    assert len(few.keys) == 13


def test_filter(rows: Any) -> None:
    index = embd.Index.from_vectors(rows, keys=np.arange(1000, 1500))
    allowed = np.arange(1000, 1500, 7)
    matches = index.search(rows[3], 10, filter=allowed)
    assert set(matches.keys.tolist()) <= set(allowed.tolist()) and len(matches.keys) == 10
    assert len(index.search(rows[3], 10, filter=[]).keys) == 0


@pytest.mark.parametrize("kind", ["hnsw", "vamana"])
def test_files(rows: Any, tmp_path: Path, kind: Any, model: embd.Model) -> None:
    index = embd.Index.from_vectors(rows, kind=kind, recipe=model.recipe)
    path = tmp_path / ("rows.usearch" if kind == "hnsw" else "rows.svs")
    index.save(path)
    expected = index.search(rows[:20], 5)
    for view in (False, True):
        copy = embd.Index.restore(path, view=view)
        found = copy.search(rows[:20], 5)
        assert (found.keys == expected.keys).all() and (found.distances == expected.distances).all()
    if kind == "hnsw":
        assert embd.Index.restore(path, view=True).info["immutable"]
        with pytest.raises(embd.Error):
            embd.Index.restore(path, view=True).add([9999], rows[:1])
    if kind == "vamana":
        assert embd.Index.restore(path).recipe == model.recipe
    other = embd.Index(24)
    other.load(path)
    assert len(other) == 500


def test_the_same_file_with_any_number_of_threads(rows: Any, tmp_path: Path) -> None:
    files = []
    for threads in (1, 2):
        path = tmp_path / f"{threads}.usearch"
        embd.Index.from_vectors(rows, threads=threads).save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1]


def test_threads_that_search_while_one_adds(rows: Any) -> None:
    index = embd.Index.from_vectors(rows[:200])

    def search(i: int) -> bool:
        return bool(index.search(rows[i], 1, exact=True).keys[0] == i)

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(search, i % 200) for i in range(100)]
        adding = [pool.submit(index.add, None, rows[200 + i : 201 + i]) for i in range(1)]
        assert all(result.result() for result in results)
        for each in adding:
            each.result()
    assert len(index) == 201


def test_get_beside_remove() -> None:
    rows = (np.arange(2000, dtype=np.float32)[:, None] + 1) * np.ones((1, 4), np.float32)
    index = embd.Index.from_vectors(rows, metric="l2")
    kept = [1100, 1500, 1999]
    stop = threading.Event()

    def read() -> list[Any]:
        wrong: list[Any] = []
        while not stop.is_set():
            found = index.get(kept)
            if not (found == rows[kept]).all() or not index.contains(kept).all():
                wrong.append(found)
        return wrong

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        end = time.monotonic() + 1
        for key in range(1000):
            index.remove(key)
            if time.monotonic() > end:
                break
        stop.set()
        assert [reader.result() for reader in readers] == [[], [], [], []]


@pytest.mark.parametrize("multi", [False, True])
def test_threads_that_add_get_keys_of_their_own(multi: bool) -> None:
    index = embd.Index(4, multi=multi)

    def add(_: int) -> list[int]:
        keys: list[int] = index.add(None, np.ones((3, 4), np.float32)).tolist()
        return keys

    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(add, range(200)))
    assert all(keys == list(range(keys[0], keys[0] + 3)) for keys in added)
    assert sorted(key for keys in added for key in keys) == list(range(600)) == sorted(index.keys.tolist())


def test_numbers_follow_the_greatest_key_there_was(rows: Any) -> None:
    index = embd.Index(24)
    index.add(41, rows[0])
    assert index.add(None, rows[1]).tolist() == [42]
    index.add(7, rows[2])
    index.remove(42)
    assert index.add(None, rows[3:5]).tolist() == [43, 44]
    with pytest.raises(embd.Error):
        index.add([7, 100], rows[:2])  # 7 is there
    assert index.add(None, rows[5]).tolist() == [45]


def test_a_key_of_several_vectors(rows: Any) -> None:
    index = embd.Index(24, multi=True)
    index.add([5, 5, 6], rows[:3])
    assert np.allclose(index.get(5), rows[1], atol=1e-6)
    index.remove(5)
    with pytest.raises(KeyError, match="5"):
        index.get([6, 5])
    assert index.contains([5, 6]).tolist() == [False, True]


@pytest.mark.parametrize("kind", ["hnsw", "vamana"])
def test_get(rows: Any, kind: Any) -> None:
    index = embd.Index.from_vectors(rows, np.arange(1000, 1500), kind=kind, metric="l2")
    index.remove(range(1000, 1100, 3))
    wanted = [1499, 1101, 1001, 1101]
    assert (index.get(wanted) == rows[np.array(wanted) - 1000]).all()
    assert (index.get(1499) == rows[499]).all() and index.get([]).shape == (0, 24)
    assert index.contains(wanted).all() and 1000 not in index and not index.contains(2000)


def test_waiting_for_another_thread_is_interrupted() -> None:
    before = """
import embd, numpy as np
rows = np.random.default_rng(1).random((200_000, 96), np.float32)
index = embd.Index(96)
threading.Thread(target=index.add, args=(None, rows), daemon=True).start()
time.sleep(0.2)
"""
    then = "sys.stdout.flush(); os._exit(0)"  # else the thread would be waited for
    for call in ("len(index)", "index.add(None, rows[0])"):
        assert seconds_to_stop(before, call, then=then) < 30  # not the minutes of the other thread's call


def test_bad_calls(rows: Any) -> None:
    index = embd.Index.from_vectors(rows)
    for count in (0, -1):
        with pytest.raises(embd.Error, match=f"count is {count}"):
            index.search(rows[0], count)
    assert len(index.search(rows[0], 2**64).keys) == len(index)
    for nothing in (1.5, "3", None):
        with pytest.raises(TypeError, match="interpreted as an integer"):
            index.search(rows[0], nothing)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="whole number"):
        index.contains(-1)
    with pytest.raises(TypeError, match="complex"):
        index.search(rows[0] + 1j, 1)
    with pytest.raises(ValueError, match="too large for float32"):
        index.search(np.full(index.ndim, 1e300), 1)
    with pytest.raises(embd.Error):
        index.search(np.zeros((1, 3), np.float32), 5)
    with pytest.raises(ValueError, match="metric.*expected one of"):
        embd.Index(8, metric="colour")
    with pytest.raises(ValueError):
        embd.Index(8, dtype="f12")
    with pytest.raises(TypeError):
        index.search(rows[0], 5, filter=["a"])
    with pytest.raises(ValueError):
        embd.Index.from_vectors(np.zeros((2, 3, 4)))


@pytest.mark.parametrize("kind", ["hnsw", "vamana"])
def test_several_are_searched_as_one(rows: Any, kind: Any, tmp_path: Path) -> None:
    rows = np.concatenate([rows, rows[:40]])  # equal ones in other shards
    keys = np.random.default_rng(3).permutation(len(rows)).astype(np.uint64)
    whole = embd.Index.from_vectors(rows, keys, kind=kind)
    cuts = [(0, 100), (100, 101), (101, 400), (400, len(rows))]
    shards = [embd.Index.from_vectors(rows[a:b], keys[a:b], kind=kind) for a, b in cuts]
    paths = []
    for i, shard in enumerate(shards[2:]):
        paths.append(tmp_path / (f"{i}.usearch" if kind == "hnsw" else f"{i}.svs"))
        shard.save(paths[-1])
    indexes = embd.Indexes(shards[:2], paths, view=kind == "hnsw")
    assert len(indexes) == 4 and "540 vectors" in repr(indexes) and [len(each) for each in indexes] == [100, 1, 299, 140]
    for count in (1, 7, 200):
        for threads in (1, 2, 9):
            found = indexes.search(rows[:30], count, exact=True, threads=threads)
            expected = whole.search(rows[:30], count, exact=True)
            assert (found.keys == expected.keys).all() and found.distances.tobytes() == expected.distances.tobytes()
    walked = indexes.search(rows[3], 2)
    assert set(walked.keys.tolist()) == {keys[3], keys[503]}
    filtered = indexes.search(rows[0], 20, filter=keys[95:105])
    assert sorted(filtered.keys) == sorted(keys[95:105])
    assert indexes.search(rows[:2], 1000, exact=True).keys.shape == (2, 540)


def test_an_interrupted_first_add_leaves_nothing() -> None:
    before = """
import embd, numpy as np
rows = np.random.default_rng(1).random((200_000, 96), np.float32)
index = embd.Index(96)
"""
    then = """
index.add(range(100), rows[:100])
assert len(index) == 100 and index.search(rows[3], 1).keys.tolist() == [3]
"""
    assert seconds_to_stop(before, "index.add(None, rows)", then=then) < 30  # not the minutes of the whole call


def test_several_that_do_not_go_together(rows: Any) -> None:
    index = embd.Index.from_vectors(rows)
    with pytest.raises(ValueError, match="twice"):
        embd.Indexes([index, index])
    with pytest.raises(embd.Error, match="metric"):
        embd.Indexes([index, embd.Index.from_vectors(rows, metric="l2")]).search(rows[0])
    with pytest.raises(embd.Error, match="values"):
        embd.Indexes([index, embd.Index.from_vectors(rows[:, :20])]).search(rows[0])
    with pytest.raises(embd.Error, match="no index"):
        embd.Indexes().search(rows[0])
