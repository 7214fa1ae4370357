"""Texts in columns of other packages: read where they lie, by the Arrow C data interface."""

from __future__ import annotations

from typing import Any

import embd
import pytest

pa = pytest.importorskip("pyarrow")


@pytest.fixture(params=["string", "large_string", "string_view", "dictionary", "sliced", "chunked", "table"])
def column(request: pytest.FixtureRequest, texts: list[str]) -> Any:
    kind = request.param
    if kind == "dictionary":
        return pa.array(texts).dictionary_encode()
    if kind == "sliced":
        return pa.array(["x" * 50, "y", *texts, "z"]).slice(2, len(texts))
    if kind == "chunked":
        return pa.chunked_array([texts[:3], [], texts[3:]])
    if kind == "table":
        return pa.table({"text": ["before", *texts]}).slice(1)
    return pa.array(texts, getattr(pa, kind)())


def test_pyarrow(model: embd.Model, texts: list[str], column: Any) -> None:
    assert model.encode(column).tobytes() == model.encode(texts).tobytes()


def test_record_batch_with_offset(model: embd.Model, texts: list[str]) -> None:
    batch = pa.record_batch({"text": ["before", *texts]}).slice(1)
    assert model.encode(batch).tobytes() == model.encode(texts).tobytes()


def test_refused(model: embd.Model) -> None:
    with pytest.raises(ValueError, match="row 1 is null"):
        model.encode(pa.array(["a", None, "c"]))
    with pytest.raises(ValueError, match="row 2 is null"):
        model.encode(pa.array(["a", "c", None]).dictionary_encode())
    with pytest.raises(TypeError, match="strings"):
        model.encode(pa.array([1, 2]))
    with pytest.raises(TypeError, match="strings"):
        model.encode(pa.array([["a"]]))
    with pytest.raises(ValueError, match="2 columns"):
        model.encode(pa.table({"a": ["x"], "b": ["y"]}))


def test_polars(model: embd.Model, texts: list[str]) -> None:
    pl = pytest.importorskip("polars")
    series = pl.Series("text", texts)
    for column in (series, series.cast(pl.Categorical), pl.concat([series[:2], series[2:]], rechunk=False)):
        assert model.encode(column).tobytes() == model.encode(texts).tobytes()
    assert model.encode(pl.DataFrame({"text": texts})).tobytes() == model.encode(texts).tobytes()


def test_pandas(model: embd.Model, texts: list[str]) -> None:
    pd = pytest.importorskip("pandas")
    for series in (pd.Series(texts), pd.Series(texts, dtype=object), pd.Series(texts, index=range(9, 9 + len(texts)))):
        assert model.encode(series).tobytes() == model.encode(texts).tobytes()
    assert model.encode(pd.Index(texts)).tobytes() == model.encode(texts).tobytes()
    with pytest.raises((TypeError, ValueError)):
        model.encode(pd.Series(["a", None]))
