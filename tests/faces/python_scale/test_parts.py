"""A folder of parts: what a worker writes, what the manifest says, and what is found where something is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from embd import _worker, parts
from golden_rerankers import copy_reranker

MODEL = str(Path(__file__).resolve().parents[2] / "data" / "embd" / "plain.weights")
TEXTS = ["A cat sits on the mat.", "", "cat mat sat", "Ein Satz über Käse.", "cat mat sat", "a"]


def job(output: Path, **options: Any) -> _worker.Job:
    parts.Folder(output).create()
    return _worker.make_job(MODEL, names=None, threads=1, output=output, **options)


def table(ids: Any, texts: list[str] = TEXTS) -> pa.Table:
    return pa.table({"id": ids, "text": texts})


def run(output: Path, **options: Any) -> _worker.Report:
    this = job(output, **options)
    worker = _worker.Worker(this)
    whole = table(range(len(TEXTS)))
    return _worker.finish(this, [worker.write(whole.slice(0, 4)), worker.write(whole.slice(4))], 1.0)


@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_round_trip(tmp_path: Path, compression: str) -> None:
    report = run(tmp_path, compression=compression)
    model = embd.Model(MODEL)
    expected = embd.Digest(model.recipe)
    expected.update(model.encode(TEXTS), texts=TEXTS)
    assert report.digest == expected == parts.verify_parts(tmp_path)
    assert report.rows == 6 and report.parts == 2 and report.encoded_rows == 6 and report.found_parts == 0
    back = pq.read_table(tmp_path)
    assert back.schema.field("embedding").type == pa.list_(pa.float32(), model.dim)
    order = np.argsort(back.column("id").to_numpy())
    assert parts.vectors_of(back.column("embedding"))[order].tobytes() == model.encode(TEXTS).tobytes()
    manifest = parts.read_manifest(tmp_path)
    assert manifest.recipe == model.recipe and manifest.rows == 6
    assert [(part.rows, part.first_id, part.last_id) for part in manifest.parts] == [(4, 0, 3), (2, 4, 5)]


def test_equal_texts_are_embedded_once(tmp_path: Path) -> None:
    this = job(tmp_path)
    rows, encoded = _worker.Worker(this).encode(table(range(6)))
    assert encoded == 5 and (rows[2] == rows[4]).all()
    assert rows.tobytes() == embd.Model(MODEL).encode(TEXTS).tobytes()


def test_what_is_there_is_found(tmp_path: Path) -> None:
    first = run(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    again = run(tmp_path)
    assert again.found_parts == 2 and again.encoded_rows == 0 and again.digest == first.digest
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    # One that is cut, and one of another recipe, are made anew.
    victim = next(tmp_path.glob("part-*"))
    victim.write_bytes(victim.read_bytes()[:-20])
    assert run(tmp_path).found_parts == 1
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    shorter = run(tmp_path, truncate_dim=8)
    assert shorter.found_parts == 0 and shorter.digest.recipe_hex() != first.digest.recipe_hex()
    assert len(list(tmp_path.glob("part-*"))) == 2 and parts.verify_parts(tmp_path) == shorter.digest


def test_leftovers_are_removed_and_other_files_are_not(tmp_path: Path) -> None:
    for name in ("part-" + "0" * 32 + ".parquet", ".part-" + "0" * 32 + ".parquet." + "1" * 32, "part-of-mine.parquet", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    run(tmp_path)
    assert {"part-of-mine.parquet", "notes.txt"} < {file.name for file in tmp_path.iterdir()}
    assert len(list(tmp_path.iterdir())) == 6


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="manifest"):
        parts.read_manifest(tmp_path)
    run(tmp_path)
    manifest = parts.read_manifest(tmp_path)
    victim = tmp_path / manifest.parts[0].file
    content = victim.read_bytes()
    back = pq.read_table(victim)
    rows = parts.vectors_of(back.column("embedding")).copy()
    rows.view(np.uint32)[1, 2] ^= 1
    changed = back.set_column(2, "embedding", pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), rows.shape[1]))
    pq.write_table(changed, victim)
    with pytest.raises(embd.Error, match="expected") as wrong:
        parts.verify_parts(tmp_path)
    assert wrong.value.file == str(victim)
    victim.unlink()
    with pytest.raises(FileNotFoundError, match="does not exist"):
        parts.verify_parts(tmp_path)
    victim.write_bytes(content)
    said = json.loads((tmp_path / "_manifest.json").read_text())
    del said["parts"][0]
    (tmp_path / "_manifest.json").write_text(json.dumps(said))
    with pytest.raises(embd.Error, match="add up"):
        parts.verify_parts(tmp_path)
    for text in ("{", "[]", '{"embd_manifest": 1}', '{"embd_manifest": 9}'):
        (tmp_path / "_manifest.json").write_text(text)
        with pytest.raises(embd.Error):
            parts.read_manifest(tmp_path)


def test_ids_that_repeat(tmp_path: Path) -> None:
    this = job(tmp_path)
    worker = _worker.Worker(this)
    done = worker.write(table(range(6)))
    with pytest.raises(embd.Error, match="unique"):
        _worker.finish(this, [done, done], 0)
    assert not (tmp_path / "_manifest.json").exists()


def test_a_folder_that_is_not_shared(tmp_path: Path) -> None:
    done = _worker.Worker(job(tmp_path / "there")).write(table(range(6)))
    with pytest.raises(FileNotFoundError, match="share the folder"):
        _worker.finish(job(tmp_path / "here"), [done], 0)


def test_rows_that_cannot_be(tmp_path: Path) -> None:
    worker = _worker.Worker(job(tmp_path))
    for bad, error, words in (
        (pa.table({"id": [1, 2], "text": ["a", None]}), ValueError, "row 2 has no text"),
        (pa.table({"id": [1, None], "text": ["a", "b"]}), ValueError, "has no id"),
        (pa.table({"id": [-1], "text": ["a"]}), ValueError, "-1"),
        (pa.table({"id": [7, 7], "text": ["a", "b"]}), ValueError, "twice"),
        (pa.table({"id": [1.5], "text": ["a"]}), TypeError, "double"),
    ):
        with pytest.raises(error, match=words):
            worker.write(bad)
    assert not list(tmp_path.glob("*part-*"))
    with pytest.raises(embd.Error, match="differs from the model") as other:
        _worker.Worker(job(tmp_path)._replace(recipe=embd.Model(MODEL).recipe_of(max_length=7)))
    assert other.value.code == "recipe_mismatch"
    with pytest.raises(ValueError, match="compression"):
        _worker.Worker(job(tmp_path, compression="gzip")).write(table(range(6)))


def test_options_of_a_job(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, row_group_rows=1, prompt=None, max_length=7)
    assert {pq.read_metadata(part).num_row_groups for part in out.glob("part-*")} == {4, 2}
    assert parts.read_manifest(out).recipe == embd.Model(MODEL).recipe_of(max_length=7)
    with pytest.raises(TypeError, match="colour"):
        job(out, colour="red")


def test_options_of_a_job_of_scores(tmp_path: Path) -> None:
    reranker: Any = {"model": str(copy_reranker("bert_sigmoid", tmp_path / "model")), "names": ["query", "text"], "threads": 1}
    scoring = _worker.make_score_job(**reranker, activation="identity", max_length=None)
    pairs = pa.table({"query": ["a cat"], "text": ["the mat"]})
    score = _worker.Scorer(scoring).with_scores(pairs).column("score").to_pylist()
    assert score == embd.Reranker(reranker["model"]).score([("a cat", "the mat")], activation="identity").tolist()
    for wrong in ({"colour": "red"}, {"threads": 2}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            _worker.make_score_job(**reranker, **wrong)
    with pytest.raises(embd.Error, match="max_length"):  # in the driver, not in the workers
        _worker.make_score_job(**reranker, max_length=10**6)


@pytest.mark.parametrize("ids", [["a", "b", "c", "d", "e", "ü"], pa.array(range(6), pa.uint64()), pa.array(range(6), pa.int32())])
def test_ids_of_every_kind(tmp_path: Path, ids: Any) -> None:
    this = job(tmp_path, columns=["id"])
    report = _worker.finish(this, [_worker.Worker(this).write(table(ids))], 0)
    expected = embd.Digest(this.recipe)
    expected.update(embd.Model(MODEL).encode(TEXTS), list(pa.array(ids).to_pylist()), TEXTS)
    assert report.digest == expected
    assert pq.read_table(tmp_path).column_names == ["id", "embedding"]
    assert parts.verify_parts(tmp_path) == expected  # without texts: by ids and vectors


def test_tables_of() -> None:
    batches = pa.table({"n": range(25)}).to_batches(max_chunksize=4)
    sizes = [table.num_rows for table in _worker.tables_of([*batches, batches[0].slice(0, 0)], 10)]
    assert sizes == [10, 10, 5]
    assert list(_worker.tables_of([], 10)) == []


@pytest.mark.parametrize("string_ids", [False, True])
def test_shards_of_parts_are_searched_as_one(tmp_path: Path, string_ids: bool) -> None:
    out = tmp_path / "out"
    this = job(out)
    worker = _worker.Worker(this)
    texts = [f"text {i} of the cat" for i in range(60)]
    ids: list[Any] = [f"row {3 * i}" if string_ids else 3 * i for i in range(60)]
    whole = table(ids, texts)
    _worker.finish(this, [worker.write(whole.slice(first, 10)) for first in range(0, 60, 10)], 1.0)
    shards = [tmp_path / f"{shard}.usearch" for shard in range(4)]
    sizes = [parts.index_parts(out, path, shard=shard, shards=4, metric="ip") for shard, path in enumerate(shards)]
    assert sizes == [10, 20, 10, 20]
    model = embd.Model(MODEL)
    rows = model.encode(texts)
    assert all(embd.read_vectors(path).recipe == model.recipe for path in shards)
    if string_ids:
        assert [id for path in shards for id in embd.read_vectors(path).ids or []] == ids
        return
    found = embd.Indexes(paths=shards, view=True).search(rows, 5, exact=True)
    expected = embd.Index.from_vectors(rows, ids, metric="ip").search(rows, 5, exact=True)
    assert (found.keys == expected.keys).all() and (found.distances == expected.distances).all()
    for shard, shard_count in ((4, 4), (-1, 4), (0, 7)):
        with pytest.raises(ValueError, match="shards|shard "):
            parts.index_parts(out, tmp_path / "x.usearch", shard=shard, shards=shard_count)
    victim = out / parts.read_manifest(out).parts[0].file
    victim.unlink()
    with pytest.raises(FileNotFoundError, match="does not exist"):
        parts.index_parts(out, tmp_path / "x.usearch")
    assert not (tmp_path / "x.usearch").exists()
