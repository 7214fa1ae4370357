"""Reads texts and ids from Parquet and Arrow files, with pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from typing import TypeAlias

    Path: TypeAlias = Union[str, os.PathLike[str]]

_ARROW = (".arrow", ".feather", ".ipc")
_ROWS = 8192
"""The number of rows that are read at once from a Parquet file."""


def is_table(path: Path) -> bool:
    """Returns true if the extension is one of a Parquet or Arrow file."""
    return os.fspath(path).lower().endswith((".parquet", *_ARROW))


@contextmanager
def text_batches(
    path: Path, column: str, id_column: str | None, query_column: str | None = None
) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Opens a file within a `with` block and yields an iterator over its rows, a batch at a time.

    Each batch is a tuple of the texts, an Arrow array, and their ids in a form that Digest takes, or None without
    `id_column`. With `query_column` the tuple has a third item, the texts of that column.

    Raises ImportError if pyarrow is not installed. Raises ValueError, with file and row, for a column that does not
    exist and a row without a text or an id. Errors of pyarrow are passed on.
    """
    import pyarrow as pa

    texts = [column] if query_column is None else [column, query_column]
    names = list(dict.fromkeys(texts if id_column is None else [*texts, id_column]))
    with pa.memory_map(os.fspath(path)) as file:
        schema, batches = _batches(file, names)
        for name in names:
            if schema.names.count(name) != 1:
                known = ", ".join(map(repr, schema.names))
                raise ValueError(f"{os.fspath(path)}: column {name!r} does not occur exactly once; the columns are {known}")
        for name in texts:
            if not _is_text(schema.field(name).type):
                raise ValueError(f"{os.fspath(path)}: column {name!r} has the type {schema.field(name).type}, expected texts")
        yield _tuples(os.fspath(path), batches, texts, id_column)


def _is_text(type: Any) -> bool:
    """Returns true if an Arrow type is a type of strings."""
    import pyarrow as pa

    if pa.types.is_dictionary(type):
        type = type.value_type
    return bool(pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type))


def _batches(file: Any, names: list[str]) -> tuple[Any, Iterator[Any]]:
    """Returns the schema of a Parquet or Arrow file, and its record batches.

    The first bytes tell the format: an Arrow file begins with ARROW1, an Arrow stream with 0xFFFFFFFF and the length of
    a message.
    """
    import pyarrow.parquet as pq
    from pyarrow import ipc

    start: bytes = file.read(6)
    file.seek(0)
    if start == b"ARROW1":
        reader = ipc.open_file(file)
        return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
    if start[:4] == b"\xff\xff\xff\xff":
        stream = ipc.open_stream(file)
        return stream.schema, iter(stream)
    parquet = pq.ParquetFile(file)
    return parquet.schema_arrow, parquet.iter_batches(batch_size=_ROWS, columns=names)


def _tuples(path: str, batches: Iterator[Any], texts: list[str], id_column: str | None) -> Iterator[tuple[Any, ...]]:
    """Yields a tuple for each batch, as text_batches() describes it. Raises ValueError, naming the row, for a null."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from embd.parts import native_ids_of

    first = 0
    for batch in batches:
        for name in texts if id_column is None else [*texts, id_column]:
            if batch.column(name).null_count:
                row = first + pc.index(batch.column(name).is_null(), pa.scalar(True)).as_py()
                raise ValueError(f"{path}: row {row} has no value in column {name!r}: fill or drop nulls first")
        ids = None if id_column is None else native_ids_of(batch.column(id_column))
        yield (batch.column(texts[0]), ids, *(batch.column(name) for name in texts[1:]))
        first += batch.num_rows
