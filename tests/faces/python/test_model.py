"""embd.Model: what it takes, what it gives, and that nothing about a call changes a byte."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest


def test_rows(model: embd.Model, texts: list[str]) -> None:
    rows = model.encode(texts)
    assert rows.shape == (len(texts), model.dim) and rows.dtype == np.float32
    assert rows.flags.writeable and rows.flags.c_contiguous
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    for i, text in enumerate(texts):
        one = model.encode(text)
        assert one.shape == (model.dim,)
        assert one.tobytes() == rows[i].tobytes()


def test_rows_outlive_their_model(model_path: str) -> None:
    model = embd.Model(model_path)
    rows = model.encode(["one", "two"])
    before = rows.copy()
    del model
    assert (rows == before).all()
    rows[:] = 0


def test_no_texts(model: embd.Model) -> None:
    assert model.encode([]).shape == (0, model.dim)
    assert model.encode(()).shape == (0, model.dim)
    assert model.encode(np.array([], dtype="U1")).shape == (0, model.dim)


@pytest.mark.parametrize("make", [tuple, iter, np.array, lambda texts: np.array(texts, dtype=object)])
def test_sequences(model: embd.Model, texts: list[str], make: Any) -> None:
    assert model.encode(make(texts)).tobytes() == model.encode(texts).tobytes()


def test_generator(model: embd.Model, texts: list[str]) -> None:
    assert model.encode(text for text in texts).tobytes() == model.encode(texts).tobytes()


@pytest.mark.skipif(not hasattr(np, "dtypes") or not hasattr(np.dtypes, "StringDType"), reason="NumPy 1 has none")
def test_string_dtype(model: embd.Model, texts: list[str]) -> None:
    array = np.array(texts, dtype=np.dtypes.StringDType())
    assert model.encode(array).tobytes() == model.encode(texts).tobytes()


@pytest.mark.parametrize(
    "texts",
    [None, 5, b"bytes", [b"bytes"], ["good", None], ["good", 5], {"a", "b"}, {"a": "b"}, np.zeros(3), [["a"]]],
)
def test_what_is_no_text(model: embd.Model, texts: Any) -> None:
    with pytest.raises(TypeError):
        model.encode(texts)


def test_the_place_of_what_is_no_text(model: embd.Model) -> None:
    with pytest.raises(TypeError, match="text 2 is int, expected str"):
        model.encode(["a", "b", 3])


def test_lone_surrogate(model: embd.Model) -> None:
    with pytest.raises(UnicodeEncodeError):
        model.encode(["\ud800"])


def test_out(model: embd.Model, texts: list[str]) -> None:
    out = np.full((len(texts), model.dim), np.nan, np.float32)
    assert model.encode(texts, out=out) is out
    assert out.tobytes() == model.encode(texts).tobytes()
    row = np.empty(model.dim, np.float32)
    assert model.encode(texts[0], out=row) is row
    assert row.tobytes() == out[0].tobytes()


def test_out_that_does_not_fit(model: embd.Model, texts: list[str]) -> None:
    shape = (len(texts), model.dim)
    read_only = np.zeros(shape, np.float32)
    read_only.flags.writeable = False
    outs: list[Any] = [
        np.zeros((len(texts) - 1, model.dim), np.float32),
        np.zeros(shape, np.float64),
        np.zeros((model.dim, len(texts)), np.float32).T,
        np.zeros((len(texts), model.dim * 2), np.float32)[:, ::2],
        read_only,
    ]
    for out in outs:
        with pytest.raises(embd.Error, match="out"):
            model.encode(texts, out=out)
    with pytest.raises(ValueError, match="float32"):
        model.encode(texts, out=np.zeros(shape, np.float32), precision="int8")


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 2}, {"threads": 3}, {"batch_tokens": 7}])
def test_options_that_change_no_byte(model: embd.Model, texts: list[str], options: Any) -> None:
    assert model.encode(texts * 9, **options).tobytes() == model.encode(texts * 9).tobytes()


def test_options_that_change_rows(model: embd.Model, texts: list[str]) -> None:
    assert model.encode(texts, prompt="query: ").tobytes() == model.encode(["query: " + t for t in texts]).tobytes()
    assert model.encode(texts, truncate_dim=8).shape == (len(texts), 8)
    long = model.encode(texts, normalize=False)
    assert not np.allclose(np.linalg.norm(long, axis=1), 1)
    assert np.allclose(long / np.linalg.norm(long, axis=1, keepdims=True), model.encode(texts), atol=1e-6)
    assert (model.encode(texts, pooling="cls") != model.encode(texts, pooling="max")).any()
    assert (model.encode(texts, max_length=4) != model.encode(texts)).any()


@pytest.mark.parametrize(
    "options",
    [
        {"pooling": "median"},
        {"truncate_dim": 100000},
        {"max_length": 1},
        {"max_length": 100000},
        {"threads": -1},
        {"stride": 3},
        {"windows": 8, "max_length": 8},
        {"precision": "float8"},
    ],
)
def test_options_that_cannot_be(model: embd.Model, texts: list[str], options: Any) -> None:
    with pytest.raises(ValueError):
        model.encode(texts, **options)


@pytest.mark.parametrize(
    ("precision", "dtype", "share"),
    [
        ("float32", np.float32, 1),
        ("float16", np.float16, 1),
        ("int8", np.int8, 1),
        ("uint8", np.uint8, 1),
        ("binary", np.int8, 8),
        ("ubinary", np.uint8, 8),
    ],
)
def test_precisions(model: embd.Model, texts: list[str], precision: Any, dtype: Any, share: int) -> None:
    rows = model.encode(texts, precision=precision)
    assert rows.dtype == dtype and rows.shape == (len(texts), (model.dim + share - 1) // share)
    if precision in ("int8", "uint8"):
        with pytest.raises(ValueError, match="ranges"):
            model.encode("alone", precision=precision)


def test_windows(model: embd.Model, texts: list[str]) -> None:
    rows, text_of_row = model.encode_windows(texts, windows=8, stride=4)
    assert rows.shape == (len(text_of_row), model.dim) and len(rows) > len(texts)
    assert text_of_row.tolist() == sorted(text_of_row.tolist()) and set(text_of_row.tolist()) == set(range(len(texts)))
    mean = model.encode(texts, windows=8, stride=4)
    assert mean.shape == (len(texts), model.dim)
    short = texts.index("a")
    assert mean[short].tobytes() == rows[text_of_row == short][0].tobytes()


def test_tokens(model: embd.Model, texts: list[str]) -> None:
    ids = model.tokenize(texts)
    assert [model.tokenize(text) for text in texts] == ids
    assert all(isinstance(i, int) for i in ids[0])
    assert model.token(ids[0][0]) == "[CLS]" and model.token(ids[0][-1]) == "[SEP]" and model.token(-1) == ""
    assert len(model.tokenize(texts[5], max_length=5)) == 5
    rows = model.encode_tokens(texts[0])
    assert rows.shape == (len(ids[0]), model.dim)


def test_stream(model: embd.Model, texts: list[str]) -> None:
    parts = list(model.encode_stream(iter(texts), batch_size=3))
    assert [len(part) for part in parts] == [3, 3, 2]
    assert np.concatenate(parts).tobytes() == model.encode(texts).tobytes()
    with pytest.raises(TypeError):
        next(model.encode_stream("a str"))
    with pytest.raises(ValueError):
        next(model.encode_stream(texts, batch_size=0))


def test_prompts(model_path: str, texts: list[str]) -> None:
    model = embd.Model(model_path, prompts={"query": "q: ", "passage": "p: "})
    assert model.encode_query(texts).tobytes() == model.encode(texts, prompt="q: ").tobytes()
    assert model.encode_document(texts).tobytes() == model.encode(texts, prompt="p: ").tobytes()
    assert model.encode_query(texts, prompt="").tobytes() == model.encode(texts).tobytes()
    assert embd.Model(model_path).encode_query(texts).tobytes() == model.encode(texts).tobytes()


def test_recipe(model: embd.Model) -> None:
    recipe = model.recipe
    assert recipe["max_length"] == model.max_seq_length and recipe["truncate_dim"] == model.dim
    assert len(recipe["model_sha256"]) == 64
    assert model.recipe_of(prompt="p", truncate_dim=8) == {**recipe, "prompt": "p", "truncate_dim": 8}


@pytest.mark.parametrize("compute", ["f32", "int8"])
def test_pickle(model_path: str, texts: list[str], compute: Any) -> None:
    model = embd.Model(model_path, compute=compute, threads=2, prompts={"query": "q: "})
    data = pickle.dumps(model)
    assert len(data) < 1000
    copy = pickle.loads(data)
    assert copy.compute == compute and copy.prompts == model.prompts
    assert copy.encode(texts).tobytes() == model.encode(texts).tobytes()


class Named(embd.Model):
    """A subclass whose constructor takes something else."""

    def __init__(self, words: tuple[str, str]) -> None:
        super().__init__("/".join(words))
        self.words = words


def test_pickle_of_a_subclass(model_path: str, texts: list[str]) -> None:
    folder, _, file = model_path.rpartition("/")
    model = Named((folder, file))
    model.prompts["query"] = "changed: "
    copy = pickle.loads(pickle.dumps(model))
    assert type(copy) is Named and copy.words == (folder, file) and copy.prompts == model.prompts
    assert copy.encode(texts).tobytes() == model.encode(texts).tobytes()


def test_compute(model_path: str, texts: list[str]) -> None:
    exact = embd.Model(model_path).encode(texts)
    coarse = embd.Model(model_path, compute="int8").encode(texts)
    assert (coarse != exact).any() and np.allclose(coarse, exact, atol=0.2)
    with pytest.raises(embd.Error, match="int4"):
        embd.Model(model_path, compute="int4")  # type: ignore[arg-type]


def test_progress(model: embd.Model, texts: list[str]) -> None:
    assert model.encode(texts * 30, progress=True).tobytes() == model.encode(texts * 30).tobytes()


def test_errors(tmp_path: Path, model_path: str) -> None:
    with pytest.raises(FileNotFoundError, match="no_such_model") as missing:
        embd.Model("no_such_model")
    assert isinstance(missing.value, embd.Error) and missing.value.code == "not_found"
    damaged = tmp_path / "damaged.weights"
    content = bytearray(Path(model_path).read_bytes())
    content[4] ^= 0xFF
    damaged.write_bytes(content)
    with pytest.raises(embd.Error) as wrong:
        embd.Model(damaged)
    assert wrong.value.file == str(damaged) and wrong.value.code and str(damaged) in str(wrong.value)
    copy = pickle.loads(pickle.dumps(wrong.value))
    assert (copy.code, copy.file, copy.offset, str(copy)) == (
        wrong.value.code,
        wrong.value.file,
        wrong.value.offset,
        str(wrong.value),
    )
    damaged.write_bytes(b"")
    with pytest.raises(embd.Error):
        embd.Model(damaged)
    odd = tmp_path / os.fsdecode(b"caf\xe9.weights")
    shutil.copy(model_path, odd)
    assert embd.Model(odd).dim > 0


def test_places_of_models(tmp_path: Path, model_path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    (tmp_path / "embd").mkdir()
    shutil.copy(model_path, tmp_path / "embd" / "own-model.weights")
    assert embd.Model("own-model").path == str(tmp_path / "embd" / "own-model.weights")
    with pytest.raises(embd.Error, match="models--org--name"):
        embd.Model("org/name")
