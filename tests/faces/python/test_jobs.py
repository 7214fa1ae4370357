"""Whole jobs from Python: the bytes of the command line, resumed, interrupted, verified."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import embd
import numpy as np
import pytest
from conftest import seconds_to_stop


@pytest.fixture
def source(tmp_path: Path, texts: list[str]) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


def test_embed_and_verify(model: embd.Model, source: Path, texts: list[str], tmp_path: Path) -> None:
    outputs = [tmp_path / "rows.npy", tmp_path / "rows.cvc"]
    report = embd.embed_file(model, source, outputs, compression="none", progress=True)
    assert report.rows == len(texts) and report.tokens > 0
    assert (np.load(outputs[0]) == model.encode(texts)).all()
    for output in outputs:
        found = embd.verify(model, output, source)
        assert found.is_good() and found.checked_rows == len(texts) and found.has_recipe
    recipe = embd.read_vectors(outputs[1]).recipe
    assert recipe is not None and recipe["model_sha256"] == model.recipe["model_sha256"]
    rows = np.load(outputs[0])
    rows[1, 2] += 0.5
    embd.write_vectors(outputs[0], rows, recipe=model.recipe)
    found = embd.verify(model, outputs[0], source)
    assert not found.is_good() and found.equal_rows == len(texts) - 1
    assert found.largest_difference == pytest.approx(0.5, abs=1e-5) and found.is_good(0.6)


def test_the_bytes_of_the_command_line(model: embd.Model, model_path: str, source: Path, tmp_path: Path, program: str) -> None:
    embd.embed_file(model, source, tmp_path / "ours.cvc", truncate_dim=8)
    subprocess.run(
        [program, "embed", "-m", model_path, "--truncate-dim", "8", source, "-o", tmp_path / "theirs.cvc"], check=True
    )
    assert (tmp_path / "ours.cvc").read_bytes() == (tmp_path / "theirs.cvc").read_bytes()


def test_fields(model: embd.Model, tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text('{"id": "a", "body": "A cat."}\n{"id": "b", "body": "A mat."}\n')
    embd.embed_file(
        model, tmp_path / "texts.jsonl", tmp_path / "rows.cvc", text_field="body", id_field="id", compression="none"
    )
    vectors = embd.read_vectors(tmp_path / "rows.cvc")
    assert vectors.ids == ["a", "b"]
    assert (vectors.rows == model.encode(["A cat.", "A mat."])).all()


def test_empty_texts(model: embd.Model, tmp_path: Path, texts: list[str]) -> None:
    source = tmp_path / "texts.txt"
    source.write_text("\n".join([texts[0], "", " ", texts[2]]) + "\n", encoding="utf-8")
    assert embd.embed_file(model, source, tmp_path / "all.npy").empty_rows == 2
    report = embd.embed_file(model, source, tmp_path / "rows.npy", skip_empty=True)
    assert (report.rows, report.empty_rows) == (2, 0)
    assert (np.load(tmp_path / "rows.npy") == model.encode([texts[0], texts[2]])).all()
    assert embd.verify(model, tmp_path / "rows.npy", source, skip_empty=True).is_good()
    with pytest.raises(ValueError, match="delimiter"):
        embd.embed_file(model, source, tmp_path / "rows.npy", column="text", delimiter=";")
    with pytest.raises(ValueError, match="skip_empty"):
        embd.embed_file(model, source, tmp_path / "rows.npy", column="text", skip_empty=True)


def test_a_table_with_another_delimiter(model: embd.Model, tmp_path: Path, texts: list[str]) -> None:
    (tmp_path / "in.csv").write_text("".join(f'1;"{text}"\n' for text in ["text", *texts[:3]]))
    rows = embd.embed_file(
        model, tmp_path / "in.csv", tmp_path / "rows.npy", delimiter=";", text_field="2", has_header=False
    ).rows
    assert rows == 4
    embd.embed_file(model, tmp_path / "in.csv", tmp_path / "rows.npy", delimiter=";")
    assert (np.load(tmp_path / "rows.npy") == model.encode(texts[:3])).all()
    for delimiter in ("", ";;", '"', "x"):
        with pytest.raises(ValueError, match="delimiter"):
            embd.embed_file(model, tmp_path / "in.csv", tmp_path / "rows.npy", delimiter=delimiter)


def test_token_ids(model: embd.Model, tmp_path: Path, texts: list[str]) -> None:
    rows = [json.dumps({"ids": [int(id) for id in ids]}) for ids in model.tokenize(texts[:5])]
    (tmp_path / "ids.jsonl").write_text("\n".join(rows))
    embd.embed_file(model, tmp_path / "ids.jsonl", tmp_path / "rows.npy", token_ids_field="ids")
    assert (np.load(tmp_path / "rows.npy") == model.encode(texts[:5])).all()
    assert embd.verify(model, tmp_path / "rows.npy", tmp_path / "ids.jsonl", token_ids_field="ids").is_good()
    digest = embd.digest_file(tmp_path / "rows.npy", tmp_path / "ids.jsonl", token_ids_field="ids")
    assert digest.count == 5


def test_what_is_read_is_not_replaced(model: embd.Model, tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text('{"text": "A cat."}\n')
    with pytest.raises(ValueError, match="are the same file"):
        embd.embed_file(model, tmp_path / "texts.jsonl", tmp_path / "texts.jsonl")
    assert (tmp_path / "texts.jsonl").read_text() == '{"text": "A cat."}\n'


def test_errors(model: embd.Model, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        embd.embed_file(model, tmp_path / "none.txt", tmp_path / "rows.npy")
    (tmp_path / "texts.jsonl").write_text('{"text": "A cat."}\n{"text": 5}\n')
    with pytest.raises(embd.Error) as wrong:
        embd.embed_file(model, tmp_path / "texts.jsonl", tmp_path / "rows.npy")
    assert wrong.value.line == 2 and wrong.value.file == str(tmp_path / "texts.jsonl")
    assert not (tmp_path / "rows.npy").exists()


def test_interrupted_and_resumed(model: embd.Model, model_path: str, texts: list[str], tmp_path: Path) -> None:
    source = tmp_path / "texts.txt"
    source.write_text("".join(f"{text} {i}\n" for i, text in enumerate(texts * 10_000)), encoding="utf-8")
    out = tmp_path / "rows.npy"
    before = "import embd; model = embd.Model(sys.argv[1]); journal = sys.argv[3] + '.journal'"
    call = "embd.embed_file(model, sys.argv[2], sys.argv[3], resume=True)"
    # A journal's header has some kilobytes, so that one of this size holds rows, on a slow machine as on a quick one.
    when = "os.path.exists(journal) and os.path.getsize(journal) > 1_000_000"
    seconds_to_stop(before, call, model_path, source, out, when=when, after=0)
    assert not out.exists()
    report = embd.embed_file(model, source, out, resume=True)
    assert report.rows == len(texts) * 10_000 and report.resumed_rows > 0
    assert (np.load(out)[:100] == model.encode([f"{text} {i}" for i, text in enumerate(texts * 13)][:100])).all()


def test_several_inputs_columns_and_a_row_report(model: embd.Model, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    rows = [{"text": "a cat", "level": "ERROR", "year": 1999}, {"text": "a dog", "level": "INFO", "year": 2024}]
    (tmp_path / "docs" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": "rain", "level": "", "year": 0}) + "\n")
    output = tmp_path / "rows.jsonl"
    inputs = [tmp_path / "docs", tmp_path / "b.jsonl"]
    report = embd.embed_file(
        model,
        inputs,
        output,
        id_from="file",
        column_fields=["level:text", "year"],
        row_report=tmp_path / "report.jsonl",
    )
    assert report.rows == 3
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["id"] for line in lines] == [f"{tmp_path}/docs/a.jsonl:1", f"{tmp_path}/docs/a.jsonl:2", f"{tmp_path}/b.jsonl:1"]
    assert [(line["level"], line["year"]) for line in lines] == [("ERROR", 1999), ("INFO", 2024), ("", 0)]
    reported = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text().splitlines()]
    assert [(row["file"], row["line"]) for row in reported] == [
        (f"{tmp_path}/docs/a.jsonl", 1),
        (f"{tmp_path}/docs/a.jsonl", 2),
        (f"{tmp_path}/b.jsonl", 1),
    ]
    assert embd.verify(model, output, inputs, id_from="file").is_good()
    assert embd.digest_file(output, inputs, id_from="file").count == 3
    with pytest.raises(embd.Error):
        embd.embed_file(model, [tmp_path / "b.jsonl", "-"], output)
    with pytest.raises(ValueError, match="one file in each call"):
        embd.embed_file(model, ["a.parquet", "b.parquet"], output)
