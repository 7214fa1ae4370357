"""Ids of rows and keys of indexes: whole numbers or strings, each of which is checked, wherever they are given."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

ROWS = np.eye(3, 4, dtype=np.float32)
LARGEST = 2**64 - 1


def as_written(ids: Any, folder: Path) -> Any:
    embd.write_vectors(folder / "rows.npy", ROWS, ids=ids)
    return embd.read_vectors(folder / "rows.npy").ids


def as_digested(ids: Any, folder: Path) -> Any:
    digest = embd.Digest()
    digest.update(ROWS, ids)
    return digest.hex()


def as_keys(ids: Any, folder: Path) -> Any:
    return embd.Index.from_vectors(ROWS, keys=ids).keys


def as_keys_added(ids: Any, folder: Path) -> Any:
    return embd.Index(4).add(ids, ROWS)


def as_filter(ids: Any, folder: Path) -> Any:
    return embd.Index.from_vectors(ROWS).search(ROWS[0], filter=ids)


def as_filter_of_a_searcher(ids: Any, folder: Path) -> Any:
    with tempfile.TemporaryDirectory() as elsewhere:
        embd.write_vectors(Path(elsewhere) / "rows.npy", ROWS)
        return embd.Searcher(Path(elsewhere) / "rows.npy").search(ROWS[0], filter=ids)


EVERYWHERE = [as_written, as_digested, as_keys, as_keys_added, as_filter, as_filter_of_a_searcher]
Use = Callable[[Any, Path], Any]


@pytest.mark.parametrize("use", [as_written, as_keys, as_keys_added])
@pytest.mark.parametrize(
    "ids",
    [
        [7, 0, 2],
        (7, 0, 2),
        range(7, 10),
        [2**63, 1, 2],
        np.array([2**63, 1, 2], np.uint64),
        np.array([7, 0, 2], object),
        np.array([7, 9, 0, 9, 2], np.int16)[::2],
        np.array([7, 0, 2], ">i4"),
        [np.int64(7), np.uint8(0), 2],
    ],
    ids=repr,
)
def test_numbers(use: Use, ids: Any, tmp_path: Path) -> None:
    expected = [int(id) for id in ids]
    assert use(ids, tmp_path).tolist() == use(iter(expected), tmp_path).tolist() == expected


@pytest.mark.parametrize(
    "ids", [["a", "b", "ü"], ("a", "b", "ü"), np.array(["a", "b", "ü"]), np.array(["a", "b", "ü"], object)], ids=repr
)
def test_strings(ids: Any, tmp_path: Path) -> None:
    assert as_written(ids, tmp_path) == ["a", "b", "ü"]
    assert as_digested(ids, tmp_path) == as_digested(["a", "b", "ü"], tmp_path)
    for use in (as_keys, as_keys_added, as_filter):
        with pytest.raises(TypeError, match="whole numbers"):
            use(ids, tmp_path)


@pytest.mark.parametrize("use", EVERYWHERE)
@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([None] * 3, TypeError, "id 0 is NoneType"),
        ([1, 2, None], TypeError, "id 2 is NoneType"),
        (["a", None, "b"], TypeError, "id 1 is NoneType"),
        (np.array([1.0, 2.0, np.nan], object), TypeError, "id 0 is float"),
        ([1, float("nan"), 3], TypeError, "id 1 is float"),
        (np.array([1.0, 2.0, np.nan]), TypeError, "type float64"),
        ([True, False, True], TypeError, "id 0 is bool"),
        (np.array([True, False, True]), TypeError, "type bool"),
        (np.array(["2020-01-01"] * 3, "datetime64[ns]"), TypeError, "array of ids has the type datetime64"),
        (["a", 1, "b"], TypeError, "id 1 is int"),
        ([1, "a", 2], TypeError, "id 1 is str"),
        ([b"a", b"b", b"c"], TypeError, "id 0 is bytes"),
        ([[1], [2], [3]], TypeError, "id 0 is list"),
        ("abc", TypeError, "the ids are str, expected a sequence"),
        (b"abc", TypeError, "the ids are bytes, expected a sequence"),
        ({1: "a", 2: "b", 3: "c"}, TypeError, "the ids are dict, expected a sequence"),
        (np.array([1.0, 2.0, 3.0]), TypeError, "type float64"),
        (np.ma.array([1, 2, 3], mask=[False, True, False]), ValueError, "masked"),
        ({1, 2, 3}, TypeError, "the ids are set, expected a sequence"),
        ([1, -1, 2], ValueError, "id 1 is -1, expected a whole number from 0"),
        (np.array([1, -1, 2]), ValueError, "id 1 is -1, expected a whole number from 0"),
        ([2**64, 1, 2], ValueError, "id 0 is 18446744073709551616, expected a whole number from 0"),
        ([1, 2, 2**80], ValueError, "id 2 is 1208925819614629174706176"),
    ],
    ids=repr,
)
def test_what_is_no_id(use: Use, ids: Any, error: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=message):
        use(ids, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("use", [as_written, as_digested, as_keys, as_keys_added])
@pytest.mark.parametrize("ids", [[], [1, 2], [1, 2, 3, 4], np.zeros(0)], ids=repr)
def test_a_number_of_ids_that_is_not_that_of_the_rows(use: Use, ids: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        use(ids, tmp_path)


def test_the_largest_number_that_is_left_for_keys() -> None:
    index = embd.Index(4)
    index.add([LARGEST - 2], ROWS[:1])
    assert index.add(None, ROWS[1:2]).tolist() == [LARGEST - 1]
    with pytest.raises(embd.Error):
        index.add(None, ROWS[:2])
    assert len(index) == 2


# Calls of str() that are meant: names of torch's devices and types, and what Haystack puts before a text.
TEXT_ON_PURPOSE = {
    ("sentence_transformers/base.py", "str(value)"),
    ("sentence_transformers/base.py", "str(name)"),
    ("integrations/_haystack.py", "str(document.meta[name])"),
}


def test_no_argument_becomes_text() -> None:
    """str() would take everything, and make an id or a value of it that nobody meant."""
    package = Path(embd.__file__).parent
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = [node.func, *(node.args if getattr(node.func, "id", "") == "map" else [])]
            if any(isinstance(name, ast.Name) and name.id == "str" for name in called):
                found.add((path.relative_to(package).as_posix(), ast.unparse(node)))
    assert found == TEXT_ON_PURPOSE


def test_rows_are_numbers(tmp_path: Path) -> None:
    for rows, error in (
        ([[1.0, None]], TypeError),
        (np.array([["1", 2]], object), TypeError),
        (np.ma.array([[1.0, 2.0]], mask=[[True, False]]), ValueError),
    ):
        with pytest.raises(error):
            embd.write_vectors(tmp_path / "rows.npy", rows)
    assert not list(tmp_path.iterdir())
    embd.write_vectors(tmp_path / "rows.npy", np.ma.array([[1.0, 2.0]], mask=False), ids=np.ma.array([3], mask=[False]))
    ids = embd.read_vectors(tmp_path / "rows.npy").ids
    assert isinstance(ids, np.ndarray) and ids.tolist() == [3]
