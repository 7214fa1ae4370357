"""embd.Searcher. That its answers are right is test_matrix.py's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

ROWS = np.eye(4, dtype=np.float32)


@pytest.fixture
def path(tmp_path: Path) -> str:
    embd.write_vectors(tmp_path / "rows.npy", ROWS, ids=[10, 20, 30, 40])
    return str(tmp_path / "rows.npy")


def test_one_query_has_hits_and_several_have_lists_of_them(path: str) -> None:
    searcher = embd.Searcher(path)
    assert (len(searcher), searcher.info["dim"], searcher.info["metric"]) == (4, 4, "cos")
    one = searcher.search(ROWS[1], 2)
    assert isinstance(one, embd.Hits)
    assert one.to_list()[0] == (20, 0.0)
    several = searcher.search(ROWS, 2)
    assert [hits.rows[0] for hits in several] == [0, 1, 2, 3]
    assert len(searcher.search(ROWS[:0], 2)) == 0
    assert len(several[0].ids) == 2
    assert len(searcher.search(ROWS[0], 2**70).ids) == 4


def test_a_filter_allows_what_it_names(path: str) -> None:
    searcher = embd.Searcher(path)
    several: list[Any] = [[30, 40], ("30", "40"), iter([40, 30]), np.array([30, 40, 30], np.int16)]
    for filter in several:
        assert searcher.search(ROWS[1], filter=filter).to_list() == [(30, 1.0), (40, 1.0)]
    assert searcher.search(ROWS[1], filter=[]).to_list() == []
    assert searcher.search(ROWS[1], filter=["030", "-1"]).to_list() == []


def test_where_names_values_of_columns(tmp_path: Path) -> None:
    rows = [{"id": i, "embedding": ROWS[i].tolist(), "level": level, "year": 2020 + i} for i, level in enumerate("abab")]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    searcher = embd.Searcher(tmp_path / "rows.jsonl")
    assert searcher.columns == ["level", "year"]
    assert searcher.row(3) == {"level": "b", "year": 2023}

    def found(**options: Any) -> list[int]:
        return sorted(searcher.search(ROWS[0], **options).rows.tolist())

    assert found(where={"level": "a"}) == [0, 2]
    assert found(where={"level": ["a", "b"], "year": 2021.0}) == [1]
    assert found(where={"year": np.int64(2022)}) == [2]
    assert found(where={"year": ("2020", 2023)}) == [0, 3]
    assert found(where={"level": []}) == []
    assert found(where={}) == [0, 1, 2, 3]
    assert found(where={"level": "a"}, filter=[0, 1]) == [0]
    assert found(where={"year": {"gte": 2021, "lt": np.float32(2023)}}) == [1, 2]
    assert found(where={"year": {"ne": [2021, "2023"]}, "level": {"lte": "a"}}) == [0, 2]
    with pytest.raises(embd.Error, match="level, year"):
        searcher.search(ROWS[0], where={"levl": "a"})
    with pytest.raises(embd.Error, match='"year" holds numbers, but "soon" is none'):
        searcher.search(ROWS[0], where={"year": {"lt": "soon"}})
    with pytest.raises(embd.Error, match="has 2 values, expected one"):
        searcher.search(ROWS[0], where={"year": {"lt": [1, 2]}})
    with pytest.raises(embd.Error, match='relation "above", expected eq, ne'):
        searcher.search(ROWS[0], where={"year": {"above": 1}})


@pytest.mark.parametrize(
    "where", [{"n": None}, {"n": [None]}, {"n": b"a"}, {"n": [b"a"]}, {"n": [[1]]}, {"n": {"eq": {"a": 1}}}, {"n": {"gte": None}},
              {1: "a"}, {"n": np.ma.masked}, {"n": np.ma.array([1, 2], mask=[True, False])}, {"n": float("nan")}, {"n": {}}],
    ids=repr,
)
def test_what_is_no_value_is_refused(where: Any, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "embedding": [1, 0], "n": 2}\n')
    with pytest.raises((TypeError, ValueError)):
        embd.Searcher(tmp_path / "rows.jsonl").search([1.0, 0.0], where=where)


def test_ids_are_of_the_sets_kind(tmp_path: Path) -> None:
    embd.write_vectors(tmp_path / "strings.npy", ROWS, ids=["a", "b", "c", "d"])
    embd.write_vectors(tmp_path / "none.npy", ROWS)
    assert embd.Searcher(tmp_path / "strings.npy").search(ROWS[2], 1).ids == ["c"]
    assert embd.Searcher(tmp_path / "none.npy").search(ROWS[2], 1).ids.tolist() == [2]
    with pytest.raises(embd.Error, match="some inputs have ids and others have none"):
        embd.Searcher([tmp_path / "strings.npy", tmp_path / "none.npy"])


def test_errors(path: str, model: embd.Model, tmp_path: Path) -> None:
    searcher = embd.Searcher(path)
    for wrong in (lambda: searcher.search(ROWS[:, :3]), lambda: searcher.search(ROWS, 0),
                  lambda: searcher.search_texts(model, "a cat"), lambda: searcher.search(np.zeros((1, 1), np.uint8)),
                  lambda: embd.Searcher(path, metric="far"), lambda: embd.Searcher(tmp_path / "missing.npy"),
                  lambda: embd.Searcher([])):
        with pytest.raises(embd.Error):
            wrong()


def test_the_metric_travels_with_an_index(tmp_path: Path) -> None:
    rows = np.array([[100, 0], [1, 0.3], [0, 1]], np.float32)
    for name, kind in (("l2.usearch", "hnsw"), ("l2.svs", "vamana")):
        embd.Index.from_vectors(rows, metric="l2sq", kind=kind).save(tmp_path / name)  # type: ignore[arg-type]
        assert embd.Index.restore(tmp_path / name).metric == "l2sq"
        assert embd.Searcher(tmp_path / name).search(np.array([1, 0], np.float32)).rows.tolist() == [1, 2, 0]
        with pytest.raises(embd.Error, match="l2sq"):
            embd.Index.restore(tmp_path / name, metric="cos")


def test_an_index_of_codes_is_for_a_searcher(tmp_path: Path, model: embd.Model, program: str) -> None:
    import subprocess

    (tmp_path / "in.txt").write_text("a cat\na dog\nthe house\n")
    embd.embed_file(model, tmp_path / "in.txt", [tmp_path / "codes.npy"], output_type="int8")
    subprocess.run([program, "index", tmp_path / "codes.npy", "-o", tmp_path / "codes.usearch"], check=True)
    with pytest.raises(embd.Error, match="Searcher"):
        embd.Index.restore(tmp_path / "codes.usearch")
    hits = embd.Searcher(tmp_path / "codes.usearch").search(model.encode_query("a dog"), 1)
    assert hits.rows.tolist() == [1]


def test_packed_bits_are_queries_of_an_index_of_bits() -> None:
    rows = np.random.default_rng(0).standard_normal((50, 20)).astype(np.float32)
    index = embd.Index.from_vectors(rows, metric="hamming", dtype="b1")
    expected = index.search(rows, 5)
    found = index.search(np.packbits(rows > 0, axis=1), 5)
    assert np.array_equal(found.keys, expected.keys) and np.array_equal(found.distances, expected.distances)
    assert index.search(np.packbits(rows[3] > 0), 1).keys.tolist() == [3]
    with pytest.raises(embd.Error):
        index.search(np.packbits(rows > 0, axis=1)[:, :2], 5)


def test_the_int8_of_older_builds_is_refused_by_its_name(tmp_path: Path, model_path: str) -> None:
    model = embd.Model(model_path, compute="int8")
    texts = ["a cat sits", "two dogs run"]
    assert model.compute == "int8" and model.recipe.get("compute") == "int8-blocks"
    for compute in ("int8-blocks", "int8", "f32"):
        file = tmp_path / f"{compute}.npy"
        embd.write_vectors(file, model.encode(texts), recipe={**model.recipe, "compute": compute})
        searcher = embd.Searcher(file)
        if compute == "int8":
            with pytest.raises(embd.Error, match="int8 and int8-blocks") as refused:
                searcher.search_texts(model, texts)
            assert refused.value.code == "recipe_mismatch"
        assert len(searcher.search_texts(model, texts, force=compute == "int8")) == 2
        assert (searcher.compute_note(model) == "") == (compute == "int8-blocks")
