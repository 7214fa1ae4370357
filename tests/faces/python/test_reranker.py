"""embd.Reranker: the scores of the golden pairs, order, options, errors, processes."""

from __future__ import annotations

import json
import pickle
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import embd
import numpy as np
import pytest
from golden_rerankers import GOLDEN, golden_pairs


@pytest.mark.parametrize("name", ["bert_sigmoid", "bert_three"])
def test_golden_pairs(reranker_path: Callable[[str], str], name: str) -> None:
    reranker = embd.Reranker(reranker_path(name))
    pairs = golden_pairs(name)
    logits = np.load(GOLDEN / f"{name}.logits.npy")
    ours = reranker.score(pairs, activation="identity")
    assert ours.dtype == np.float32
    assert ours.shape == ((len(pairs),) if len(reranker.labels) == 1 else (len(pairs), len(reranker.labels)))
    bound = 5e-6 * max(1, np.abs(logits).max())
    assert np.abs(ours - logits.reshape(ours.shape)).max() <= bound
    scores = np.load(GOLDEN / f"{name}.scores.npy").reshape(ours.shape)
    assert np.abs(reranker.score(pairs) - scores).max() <= (3e-6 if reranker.activation == "sigmoid" else bound)


def test_scores_are_the_program_s(reranker: embd.Reranker, program: str, tmp_path: Path) -> None:
    pairs = (golden_pairs("bert_sigmoid") * 3)[:60]
    (tmp_path / "pairs.jsonl").write_text(
        "".join(json.dumps({"query": first, "text": second}) + "\n" for first, second in pairs)
    )
    told = subprocess.run(
        [program, "rerank", tmp_path / "pairs.jsonl", "-m", reranker.path], check=True, capture_output=True, text=True
    )
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    assert [np.float32(line["score"]) for line in lines] == list(reranker.score(pairs))
    assert [np.float32(line["logit"]) for line in lines] == list(reranker.score(pairs, activation="identity"))


def test_bytes_do_not_depend_on_neighbours(reranker: embd.Reranker) -> None:
    pairs = golden_pairs("bert_sigmoid")[:40]
    whole = reranker.score(pairs)
    assert [reranker.score([pair])[0] for pair in pairs] == list(whole)
    assert (reranker.score(pairs[::-1], threads=2, batch_tokens=7)[::-1] == whole).all()
    assert (reranker.score(iter(pairs), progress=True) == whole).all()
    with ThreadPoolExecutor(4) as threads:
        for scores in threads.map(lambda _: reranker.score(pairs), range(8)):
            assert (scores == whole).all()


def test_rank(reranker: embd.Reranker) -> None:
    query = "a cat"
    documents = [second for _, second in golden_pairs("bert_sigmoid")[:20]] * 2
    ranked = reranker.rank(query, documents)
    logits = reranker.score([(query, document) for document in documents], activation="identity")
    assert [document.index for document in ranked] == list(np.argsort(-logits, kind="stable"))
    assert [np.float32(document.logit) for document in ranked] == [logits[document.index] for document in ranked]
    assert reranker.rank(query, documents, 3) == ranked[:3]
    assert reranker.rank(query, documents, 0) == reranker.rank(query, []) == []
    assert reranker.rank(query, np.array(documents), 3) == ranked[:3]
    raw = reranker.rank(query, documents, activation="identity")
    assert all(document.score == document.logit for document in raw)


def test_options(reranker: embd.Reranker) -> None:
    pair = ("a cat sits on the mat and sleeps all day", "two dogs run")
    [(ids, types)] = reranker.tokenize([pair])
    assert len(ids) == len(types) and set(types) == {0, 1}
    [(cut, _)] = reranker.tokenize([pair], max_length=8)
    assert len(cut) == 8
    assert reranker.score([pair], max_length=8) != reranker.score([pair])
    assert reranker.score([pair], prompt="query: ") == reranker.score([("query: " + pair[0], pair[1])])
    assert reranker.activation == "sigmoid" and reranker.labels == ["LABEL_0"]
    assert reranker.recipe.get("model_name") == reranker.name
    assert reranker.score([]).shape == (0,)


def test_errors(reranker: embd.Reranker, reranker_path: Callable[[str], str], model_path: str) -> None:
    for wrong in (["ab"], [("a",)], [("a", "b", "c")], [("a", None)], ["a", "b"], [1]):
        with pytest.raises(TypeError, match="item 0"):
            reranker.score(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="text 1"):
        reranker.rank("a", ["b", 1])
    with pytest.raises(ValueError, match="sigmoid"):
        reranker.score([("a", "b")], activation="tanh")  # type: ignore[arg-type]
    with pytest.raises(embd.Error):
        reranker.score([("a", "b")], max_length=2)
    with pytest.raises(embd.Error, match="labels"):
        embd.Reranker(reranker_path("bert_three")).rank("a", ["b"])
    with pytest.raises(embd.Error, match="sentence"):
        embd.Reranker(model_path)
    with pytest.raises(embd.Error, match="cross-encoder"):
        embd.Model(reranker.path)


def test_pickled(reranker: embd.Reranker) -> None:
    again = pickle.loads(pickle.dumps(reranker))
    assert again.score([("a", "b")]) == reranker.score([("a", "b")])


def write_pairs(file: Path, pairs: list[tuple[str, str]]) -> None:
    lines = [json.dumps({"query": first, "text": second, "key": f"k{i}"}) for i, (first, second) in enumerate(pairs)]
    file.write_text("\n".join(lines) + "\n")


def test_files_of_scores_are_the_program_s(reranker: embd.Reranker, program: str, tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs.jsonl", (golden_pairs("bert_sigmoid") * 3)[:60])
    outputs = [tmp_path / "a.jsonl", tmp_path / "a.parquet"]
    report = embd.score_pairs_file(reranker, tmp_path / "pairs.jsonl", outputs, id_field="key", progress=True, threads=2)
    assert (report.rows, report.resumed_rows) == (60, 0)
    subprocess.run(
        [program, "rerank", tmp_path / "pairs.jsonl", "-m", reranker.path, "--id-field", "key", "-o", tmp_path / "b.jsonl",
         "-o", tmp_path / "b.parquet"], check=True, stderr=subprocess.DEVNULL,
    )
    for name in ("jsonl", "parquet"):
        assert (tmp_path / f"a.{name}").read_bytes() == (tmp_path / f"b.{name}").read_bytes()


def test_parquet_in_and_out(reranker: embd.Reranker, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pairs = (golden_pairs("bert_sigmoid") * 3)[:60]
    table = pa.table({"q": [first for first, _ in pairs], "d": [second for _, second in pairs], "key": [f"k{i}" for i in range(60)]})
    pq.write_table(table, tmp_path / "pairs.parquet", row_group_size=13)
    columns = {"query_column": "q", "column": "d", "id_column": "key"}
    embd.score_pairs_file(reranker, tmp_path / "pairs.parquet", tmp_path / "a.parquet", resume=True, **columns)  # type: ignore[arg-type]
    scores = pq.read_table(tmp_path / "a.parquet")
    assert scores.column_names == ["id", "score", "logit"]
    assert scores.column("id").to_pylist() == table.column("key").to_pylist()
    assert scores.column("score").to_numpy().tobytes() == reranker.score(pairs).tobytes()
    assert scores.column("logit").to_numpy().tobytes() == reranker.score(pairs, activation="identity").tobytes()
    with pytest.raises(ValueError, match="column 'text' does not occur exactly once"):
        embd.score_pairs_file(reranker, tmp_path / "pairs.parquet", tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="have columns"):
        embd.score_pairs_file(reranker, tmp_path / "pairs.parquet", tmp_path / "b.parquet", query_field="q")
    pq.write_table(table.set_column(0, "q", pa.array([None] * 60, pa.string())), tmp_path / "nulls.parquet")
    with pytest.raises(ValueError, match="row 0 has no value in column 'q'"):
        embd.score_pairs_file(reranker, tmp_path / "nulls.parquet", tmp_path / "b.parquet", **columns)  # type: ignore[arg-type]
    assert not (tmp_path / "b.parquet").exists()


def test_files_that_cannot_be_scored(reranker: embd.Reranker, tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs.jsonl", golden_pairs("bert_sigmoid")[:5])
    for arguments in ({"output": tmp_path / "a.npy"}, {"query_field": "none"}, {"max_length": 2}):
        options = {"output": tmp_path / "a.jsonl", **arguments}
        with pytest.raises(embd.Error):
            embd.score_pairs_file(reranker, tmp_path / "pairs.jsonl", **options)  # type: ignore[arg-type]
    assert {file.name for file in tmp_path.iterdir()} == {"pairs.jsonl"}
