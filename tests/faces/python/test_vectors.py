"""Files of vectors from Python: every format back and forth, mapped where it can be, errors with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

FORMATS = ["rows.npy", "rows.cvc", "rows.fifu", "rows.svs", "rows.usearch", "rows.jsonl", "rows.fvecs", "rows.fbin", "rows.w2v.bin"]


@pytest.fixture
def rows() -> Any:
    rows = np.random.default_rng(1).standard_normal((20, 16), np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("name", FORMATS)
def test_round_trip(tmp_path: Path, rows: Any, name: str) -> None:
    path = tmp_path / name
    options: dict[str, Any] = {"compression": "none"} if name.endswith("cvc") else {}
    words = [f"word{i}" for i in range(len(rows))]
    ids: Any = words if name.endswith(("fifu", "w2v.bin")) else None
    embd.write_vectors(path, rows, ids=ids, **options)
    back = embd.read_vectors(path)
    assert len(back) == 20 and back.dim == 16 and back.shape == (20, 16)
    assert np.allclose(back.rows, rows, atol=1e-6)
    assert (back[3:5] == back.rows[3:5]).all() and (back[-1] == back.rows[19]).all() and len(back[::7]) == 3
    assert np.asarray(back).shape == (20, 16) and np.asarray(back, np.float64).dtype == np.float64
    if ids is not None:
        assert back.ids == words
    back.verify()
    assert back.describe()


def test_mapped_rows_are_read_only_and_outlive_the_reader(tmp_path: Path, rows: Any) -> None:
    embd.write_vectors(tmp_path / "rows.npy", rows)
    view = embd.read_vectors(tmp_path / "rows.npy").rows
    assert not view.flags.writeable and not view.flags.owndata
    assert (view == rows).all()


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint8, np.float64])
def test_types(tmp_path: Path, dtype: Any) -> None:
    rows = np.arange(60).reshape(5, 12).astype(dtype)
    embd.write_vectors(tmp_path / "rows.npy", rows)
    assert np.load(tmp_path / "rows.npy").dtype == dtype
    back = embd.read_vectors(tmp_path / "rows.npy")
    assert (back.rows == rows).all()
    stored = back.read_stored()
    assert stored.dtype == dtype and (stored == rows).all()


def test_ids_and_recipe(tmp_path: Path, model: embd.Model, texts: list[str]) -> None:
    rows = model.encode(texts)
    path = tmp_path / "rows.cvc"
    embd.write_vectors(path, rows, ids=range(5, 5 + len(texts)), recipe=model.recipe, compression="none")
    back = embd.read_vectors(path)
    assert np.asarray(back.ids).tolist() == list(range(5, 5 + len(texts)))
    assert back.recipe == model.recipe
    embd.write_vectors(tmp_path / "copy.npy", back)
    copy = embd.read_vectors(tmp_path / "copy.npy")
    assert (copy.rows == rows).all() and copy.recipe == model.recipe
    assert np.asarray(copy.ids).tolist() == list(range(5, 5 + len(texts)))


def test_bad_calls(tmp_path: Path, rows: Any) -> None:
    with pytest.raises(FileNotFoundError):
        embd.read_vectors(tmp_path / "none.npy")
    with pytest.raises(embd.Error):
        embd.write_vectors(tmp_path / "rows.unknown", rows)
    with pytest.raises(ValueError):
        embd.write_vectors(tmp_path / "rows.npy", rows[0])
    with pytest.raises(ValueError):
        embd.write_vectors(tmp_path / "rows.npy", rows, ids=[-1] * 20)
    with pytest.raises(TypeError, match="complex"):
        embd.write_vectors(tmp_path / "rows.npy", rows + 1j)
    with pytest.raises(ValueError, match="too large for float32"):
        embd.write_vectors(tmp_path / "rows.npy", rows.astype(np.float64) * 1e300)
    assert not list(tmp_path.iterdir())
    with pytest.raises(TypeError, match="colour"):
        embd.write_vectors(tmp_path / "rows.npy", rows, colour="red")  # type: ignore[call-arg]
    embd.write_vectors(tmp_path / "rows.npy", rows)
    vectors = embd.read_vectors(tmp_path / "rows.npy")
    for first, count in ((0, 21), (21, 1)):
        with pytest.raises(embd.Error):
            vectors.read(first, count)
    with pytest.raises(IndexError):
        vectors[20]
    (tmp_path / "rows.npy").write_bytes((tmp_path / "rows.npy").read_bytes()[:-3])
    with pytest.raises(embd.Error) as cut:
        embd.read_vectors(tmp_path / "rows.npy")
    assert cut.value.file == str(tmp_path / "rows.npy")
