"""The Parquet that embd itself writes, as every reader returns it: our bits. Spark's is in test_spark.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import FEW, OwnParquet, Reference
from embd import parts


def by_pyarrow(file: str) -> tuple[Any, Any, Any]:
    table = pq.read_table(file)
    return table["id"].to_pylist(), table["text"].to_pylist(), parts.vectors_of(table["embedding"])


def by_duckdb(file: str) -> tuple[Any, Any, Any]:
    import duckdb

    found = duckdb.sql(f"SELECT id, text, embedding FROM '{file}' ORDER BY id").fetchnumpy()
    return found["id"], found["text"], np.array([list(row) for row in found["embedding"]])


def by_polars(file: str) -> tuple[Any, Any, Any]:
    import polars

    frame = polars.read_parquet(file)
    return frame["id"], frame["text"], frame["embedding"].to_numpy()


def by_datasets(file: str) -> tuple[Any, Any, Any]:
    import datasets

    cache = str(Path(file).parent / "cache")
    found = datasets.load_dataset("parquet", data_files=file, split="train", cache_dir=cache).with_format("numpy")
    return found["id"][:], found["text"][:], np.stack(found["embedding"][:])


def by_daft(file: str) -> tuple[Any, Any, Any]:
    import daft

    found = daft.read_parquet(file).sort("id").to_pydict()
    return found["id"], found["text"], np.array(found["embedding"])


@pytest.mark.parametrize("read", [by_pyarrow, by_duckdb, by_polars, by_datasets, by_daft])
def test_a_reader_returns_our_bits(
    reference: Reference, own_parquet: OwnParquet, read: Callable[[str], tuple[Any, Any, Any]]
) -> None:
    for file, rows in own_parquet:
        ids, texts, vectors = read(str(file))
        assert list(ids) == list(range(FEW)) and list(texts) == reference.texts[:FEW]
        # Readers that know no halves give float32, which holds them exactly.
        assert np.asarray(vectors).astype(rows.dtype).tobytes() == rows.tobytes(), file.name
