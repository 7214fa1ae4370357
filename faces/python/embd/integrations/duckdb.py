"""A function of SQL for DuckDB: register(connection, "all-MiniLM-L6-v2"), then SELECT embed(text) FROM docs"""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from embd.integrations import ModelOrName, open_model


def register(connection: duckdb.DuckDBPyConnection, model: ModelOrName, name: str = "embed") -> None:
    """Adds a function of SQL to a connection. It takes VARCHAR and returns the vector as FLOAT[dim]; NULL gives NULL.

    name: the name of the function in SQL.
    """
    opened = open_model(model)

    def embed(texts: Any) -> Any:
        column = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
        valid = column.is_valid()
        rows = opened.encode(pc.fill_null(column, ""))
        values = pa.array(rows.reshape(-1))
        return pa.FixedSizeListArray.from_arrays(values, opened.dim, mask=pc.invert(valid))

    connection.create_function(
        name,
        embed,
        ["VARCHAR"],
        f"FLOAT[{opened.dim}]",
        type="arrow",
        null_handling="special",
    )
