"""datasets, DuckDB, polars: a column of vectors beside one of texts."""

from __future__ import annotations

import embd
import numpy as np
import pytest


def test_datasets(model: embd.Model, texts: list[str]) -> None:
    datasets = pytest.importorskip("datasets")
    from embd.integrations.datasets import embed_column

    source = datasets.Dataset.from_dict({"text": texts})
    for processes in (None, 2):
        out = embed_column(source, model, num_proc=processes)
        assert np.array_equal(np.array(out["embedding"], np.float32), model.encode(texts))
    assert np.array_equal(model.encode(source["text"]), model.encode(texts))


def test_duckdb(model: embd.Model, texts: list[str]) -> None:
    duckdb = pytest.importorskip("duckdb")
    from embd.integrations.duckdb import register

    connection = duckdb.connect()
    register(connection, model)
    connection.execute("CREATE TABLE docs (id INTEGER, text VARCHAR)")
    many = [(i, texts[i % len(texts)] if i % 11 else None) for i in range(5000)]
    connection.executemany("INSERT INTO docs VALUES (?, ?)", many[:100])
    found = connection.execute("SELECT id, embed(text) FROM docs ORDER BY id").fetchall()
    for (number, row), (_, text) in zip(found, many):
        assert row is None if text is None else np.array_equal(np.array(row, np.float32), model.encode(text)), number
    assert model.encode(connection.sql("SELECT text FROM docs WHERE text IS NOT NULL")).shape[1] == model.dim


def test_polars(model: embd.Model, texts: list[str]) -> None:
    pl = pytest.importorskip("polars")
    from embd.integrations.polars import embed

    frame = pl.DataFrame({"text": [*texts, None]}).with_columns(vector=embed(pl.col("text"), model))
    assert frame["vector"].dtype == pl.Array(pl.Float32, model.dim)
    assert frame["vector"][-1] is None
    assert np.array_equal(frame["vector"][:-1].to_numpy(), model.encode(texts))
    lazy = pl.DataFrame({"text": texts}).lazy().with_columns(vector=embed(pl.col("text"), model)).collect()
    assert np.array_equal(lazy["vector"].to_numpy(), model.encode(texts))
