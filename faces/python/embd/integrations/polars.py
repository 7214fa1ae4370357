"""An expression of vectors for polars: df.with_columns(vector=embed(pl.col("text"), "all-MiniLM-L6-v2"))"""

from __future__ import annotations

import polars as pl
from embd.integrations import ModelOrName, open_model


def embed(texts: pl.Expr, model: ModelOrName) -> pl.Expr:
    """Returns an expression that gives the vectors of a column of texts as Array(Float32, dim); null gives null."""
    opened = open_model(model)
    dtype = pl.Array(pl.Float32, opened.dim)

    def encode(column: pl.Series) -> pl.Series:
        missing = column.is_null()
        rows = opened.encode(column.fill_null("") if missing.any() else column)
        vectors = pl.Series(column.name, rows, dtype=dtype)
        return vectors.set(missing, None) if missing.any() else vectors

    return texts.map_batches(encode, return_dtype=dtype)
