"""The table of questions of tests/matrix, put to the Python package; and the right answers beside NumPy's."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "matrix" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for a class's module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def matrix(program: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    model = ROOT / "tests" / "data" / "embd" / "no_checksums.weights"
    return load("matrix").Matrix(program, model, tmp_path_factory.mktemp("matrix"))


def hits(found: Any) -> Iterator[tuple[str, float]]:
    for key, distance in found.to_list():
        yield str(key), distance


def ask(model: embd.Model, question: Any, count: int) -> Any:
    try:
        searcher = embd.Searcher(question.paths, metric=question.metric, terms=question.terms)
        options = {"exact": question.exact, "filter": question.allow, "where": question.where}
        source = question.ask["from"]
        if source == "texts":
            options["match"] = question.match if question.terms else None
            found = searcher.search_texts(model, question.texts, count, prompt=question.prompt, **options)
        elif source == "file":
            found = searcher.search_file(question.file, count, **options)
        elif source == "bits":
            found = searcher.search(np.load(question.file), count, **options)
        else:
            found = searcher.search(np.array(question.vectors, np.float32), count, **options)
    except embd.Error as error:
        return str(error)
    return [list(hits(of_query)) for of_query in found]


def test_python_gives_the_right_answers(matrix: Any) -> None:
    model = embd.Model(matrix.model)
    count = load("matrix").TABLE["count"]
    wrong = []
    for question in matrix.questions("python"):
        if question.ask == {"from": "texts"}:  # the prompt is the model's own, unasked
            question.prompt = None
        problem = matrix.check(question, ask(model, question, count))
        wrong += [problem] if problem else []
    assert wrong == []


def test_a_vector_that_is_not_finite_is_refused_with_the_number_of_its_text(matrix: Any, tmp_path: Path) -> None:
    overflow = load("matrix").TABLE["overflow"]
    model = embd.Model(matrix.overflowing)
    bad, place = overflow["bad"], f"line {overflow['number'] + 1}: .*expected a finite number"
    assert np.isfinite(model.encode(overflow["good"])).all()
    for encode in (model.encode, model.encode_query, embd.SentenceTransformer(matrix.overflowing).encode):
        with pytest.raises(embd.Error, match=place):
            encode(bad)
    with pytest.raises(embd.Error, match="expected a finite number"):
        model.encode_tokens(bad[overflow["number"]])
    (tmp_path / "bad.txt").write_text("".join(text + "\n" for text in bad))
    for output in ("out.npy", "out.jsonl"):
        with pytest.raises(embd.Error, match=f"bad.txt: {place}"):
            embd.embed_file(model, tmp_path / "bad.txt", tmp_path / output)
        assert not (tmp_path / output).exists()


def numpy_distances(metric: str, rows: Any, query: Any) -> Any:
    products = rows @ query
    if metric == "cos":
        return 1 - products / (np.linalg.norm(rows, axis=1) * np.linalg.norm(query))
    if metric == "ip":
        return 1 - products
    if metric == "l2sq":
        return ((rows - query) ** 2).sum(axis=1)
    if metric == "hamming":
        return (rows != query).sum(axis=1)
    return 1 - products / (rows.sum(axis=1) + query.sum() - products)


def test_the_tables_distances_are_those_of_numpy(matrix: Any) -> None:
    codings = load("matrix").CODINGS
    for question in matrix.questions("python"):
        if question.ask != {"from": "texts"}:
            continue
        entry = question.set
        rows = matrix.rows[entry.get("rows", "plain")]
        code, *of_rows_alone = entry.get("coding", "f32").split(" ")
        coded = np.array([codings[code](row, rows) for row in rows], np.float64)
        for vector, distances in zip(question.vectors, matrix.distances(question)):
            query = np.array(vector if of_rows_alone else codings[code](vector, rows), np.float64)
            expected = numpy_distances(entry["metric"], coded, query)
            np.testing.assert_allclose(list(distances.values()), expected, rtol=1e-12, atol=1e-12)
