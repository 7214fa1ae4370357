"""embed_file() over Parquet and Arrow files: the rows of the same texts as lines, ids, errors, resuming."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import embd
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

TEXTS = [f"the text {i} of many" for i in range(100)] + ["", "Ein Satz über Käse."]


def write_parquet(table: Any, path: Path) -> None:
    pq.write_table(table, path, row_group_size=7)


def write_arrow(table: Any, path: Path) -> None:
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)


def write_stream(table: Any, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)


WRITERS = {".parquet": write_parquet, ".arrow": write_arrow, ".ipc": write_stream}


@pytest.mark.parametrize("extension", WRITERS)
@pytest.mark.parametrize("string", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_rows_and_ids(model: embd.Model, tmp_path: Path, extension: str, string: Any) -> None:
    ids = [3 * i for i in range(len(TEXTS))]
    table = pa.table({"n": ids, "text": pa.array(TEXTS).cast(string), "name": [f"row {i}" for i in ids]})
    WRITERS[extension](table, tmp_path / f"texts{extension}")
    lines = (json.dumps({"id": id, "text": text}) + "\n" for id, text in zip(ids, TEXTS))
    (tmp_path / "texts.jsonl").write_text("".join(lines))
    embd.embed_file(model, tmp_path / "texts.jsonl", tmp_path / "expected.usearch", id_field="id")

    report = embd.embed_file(model, tmp_path / f"texts{extension}", tmp_path / "rows.usearch", id_column="n", progress=True)
    assert report.rows == len(TEXTS)
    assert (tmp_path / "rows.usearch").read_bytes() == (tmp_path / "expected.usearch").read_bytes()
    embd.embed_file(model, tmp_path / f"texts{extension}", tmp_path / "rows.cvc", id_column="name", compression="none")
    named = embd.read_vectors(tmp_path / "rows.cvc")
    assert named.ids == [f"row {i}" for i in ids]
    assert (named.rows == model.encode(TEXTS)).all()


def test_any_name_with_a_column(model: embd.Model, tmp_path: Path) -> None:
    write_parquet(pa.table({"body": TEXTS}), tmp_path / "download")
    embd.embed_file(model, tmp_path / "download", tmp_path / "rows.npy", column="body", id_start=5)
    assert (embd.read_vectors(tmp_path / "rows.npy").rows == model.encode(TEXTS)).all()


def test_no_rows(model: embd.Model, tmp_path: Path) -> None:
    write_parquet(pa.table({"text": pa.array([], pa.string())}), tmp_path / "texts.parquet")
    assert embd.embed_file(model, tmp_path / "texts.parquet", tmp_path / "rows.npy").rows == 0
    assert embd.read_vectors(tmp_path / "rows.npy").rows.shape == (0, model.dim)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"text": ["a", None, "b"]}, {}, r"texts.parquet: row 1 has no value in column 'text'"),
        ({"text": ["a", "b"], "n": [1, None]}, {"id_column": "n"}, r"row 1 has no value in column 'n'"),
        ({"text": ["a"], "n": [-1]}, {"id_column": "n"}, "whole number"),
        ({"text": [1, 2]}, {}, "column 'text' has the type int64, expected texts"),
        ({"body": ["a"]}, {}, r"column 'text' does not occur exactly once; the columns are 'body'"),
        ({"text": ["a"]}, {"id_column": "n"}, "column 'n' does not occur"),
        ({"text": [{"inner": "a"}]}, {}, "column 'text' has the type struct<inner: string>, expected texts"),
        ({"text": ["a"]}, {"column": "text", "text_field": "text"}, "give column"),
        ({"text": ["a"]}, {"id_column": "text", "id_start": 1}, "expected at most one"),
    ],
)
def test_bad_values(model: embd.Model, tmp_path: Path, columns: Any, options: Any, message: str) -> None:
    write_parquet(pa.table(columns), tmp_path / "texts.parquet")
    with pytest.raises(ValueError, match=message):
        embd.embed_file(model, tmp_path / "texts.parquet", tmp_path / "rows.npy", **options)
    assert not (tmp_path / "rows.npy").exists()


def test_the_input_is_not_replaced(model: embd.Model, tmp_path: Path) -> None:
    write_parquet(pa.table({"text": TEXTS}), tmp_path / "texts.parquet")
    before = (tmp_path / "texts.parquet").read_bytes()
    with pytest.raises(ValueError, match="are the same file"):
        embd.embed_file(model, tmp_path / "texts.parquet", tmp_path / "texts.parquet")
    assert (tmp_path / "texts.parquet").read_bytes() == before


@pytest.mark.parametrize(
    ("columns", "error"), [({"text": ["a"], "n": [1.5]}, TypeError), (None, pa.ArrowInvalid)]
)
def test_what_python_raises_is_what_comes_out(model: embd.Model, tmp_path: Path, columns: Any, error: Any) -> None:
    if columns is None:
        (tmp_path / "texts.parquet").write_bytes(b"no Parquet at all")
    else:
        write_parquet(pa.table(columns), tmp_path / "texts.parquet")
    id_column = "n" if columns and "n" in columns else None
    with pytest.raises(error):
        embd.embed_file(model, tmp_path / "texts.parquet", tmp_path / "rows.npy", id_column=id_column)


def test_resume(model: embd.Model, tmp_path: Path) -> None:
    """Rows that were finished before a bad one are not computed again when the file is mended."""
    many = [f"text {i}" for i in range(20_000)]
    write: Callable[[list[Any]], None] = lambda texts: pq.write_table(pa.table({"text": texts}), tmp_path / "texts.parquet")
    write([*many[:-1], None])
    with pytest.raises(ValueError, match="row 19999"):
        embd.embed_file(model, tmp_path / "texts.parquet", tmp_path / "rows.npy", resume=True)
    write(many)
    report = embd.embed_file(model, tmp_path / "texts.parquet", tmp_path / "rows.npy", resume=True)
    assert report.rows == 20_000 and 0 < report.resumed_rows < 20_000
    assert (embd.read_vectors(tmp_path / "rows.npy").rows == model.encode(many)).all()
