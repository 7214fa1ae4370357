"""Texts and ids out of Parquet and Arrow files, read with pyarrow."""

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
"""Read at once."""


def is_table(path: Path) -> bool:
    """By its extension."""
    return os.fspath(path).lower().endswith((".parquet", *_ARROW))


@contextmanager
def text_batches(
    path: Path, column: str, id_column: str | None, query_column: str | None = None
) -> Iterator[Iterator[tuple[Any, ...]]]:
    """Tuples of texts, an Arrow array, and ids, as Digest takes them, or None; a batch of rows each, while the file is open.
    With query_column the third of a tuple are its texts.

    Raises: ImportError without pyarrow; ValueError for a column that is not there and a row without text or id, with file
    and row; what pyarrow raises.
    """
    import pyarrow as pa

    texts = [column] if query_column is None else [column, query_column]
    names = list(dict.fromkeys(texts if id_column is None else [*texts, id_column]))
    with pa.memory_map(os.fspath(path)) as file:
        schema, batches = _batches(file, names)
        for name in names:
            if schema.names.count(name) != 1:
                known = ", ".join(map(repr, schema.names))
                raise ValueError(f"{os.fspath(path)}: column {name!r} is not there once; the columns are {known}")
        for name in texts:
            if not _is_text(schema.field(name).type):
                raise ValueError(f"{os.fspath(path)}: column {name!r} holds {schema.field(name).type}, texts were expected")
        yield _tuples(os.fspath(path), batches, texts, id_column)


def _is_text(type: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(type):
        type = type.value_type
    return bool(pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type))


def _batches(file: Any, names: list[str]) -> tuple[Any, Iterator[Any]]:
    """The schema, and the batches. An Arrow file begins with its name, a stream with the length of a message behind 0xFFFFFFFF."""
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
    import pyarrow as pa
    import pyarrow.compute as pc
    from embd.parts import native_ids_of

    first = 0
    for batch in batches:
        for name in texts if id_column is None else [*texts, id_column]:
            if batch.column(name).null_count:
                row = first + pc.index(batch.column(name).is_null(), pa.scalar(True)).as_py()
                raise ValueError(f"{path}: row {row} has nothing in column {name!r}")
        ids = None if id_column is None else native_ids_of(batch.column(id_column))
        yield (batch.column(texts[0]), ids, *(batch.column(name) for name in texts[1:]))
        first += batch.num_rows
