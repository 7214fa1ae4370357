"""embd.collect. tests/jobs/collect has the rules by which collections are updated."""

from __future__ import annotations

from pathlib import Path

import embd
import pytest

pytestmark = pytest.mark.usefixtures("stemmer")


@pytest.fixture
def model() -> embd.Model:
    return embd.Model(Path(__file__).resolve().parents[2] / "data" / "embd" / "plain.weights")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Cats\n\nA cat sits.\n\n## Errors\n\nThe error is E4711.\n")
    (folder / "b.txt").write_text("A dog runs.\n")
    return folder


def test_a_folder_is_collected_and_searched(model: embd.Model, notes: Path, tmp_path: Path) -> None:
    collection = tmp_path / "notes.collection"
    report = embd.collect(model, notes, collection)
    assert report[:7] == (2, 2, 0, 0, 3, 3, 0) and not report.is_refused and report.seconds > 0
    hits = embd.Searcher(collection).search_texts(model, "E4711", 1)
    assert list(hits.ids) == [f"{notes}/a.md:5"] and hits.scores[0] == 1
    (notes / "b.txt").write_text("A bird sings.\n")
    assert embd.collect(model, [], collection, progress=True)[:7] == (2, 0, 1, 0, 3, 1, 2)
    assert embd.collect(model, [notes], collection, max_tokens=64, stemmer="none", check_content=True).embedded == 0


def test_most_files_are_dropped_on_request_only(model: embd.Model, notes: Path, tmp_path: Path) -> None:
    collection = tmp_path / "notes.collection"
    embd.collect(model, notes, collection)
    for file in notes.iterdir():
        file.unlink()
    refused = embd.collect(model, notes, collection)
    assert refused.is_refused and refused.gone == 2
    assert embd.collect(model, notes, collection, force=True).passages == 0


def test_what_cannot_be_collected(model: embd.Model, notes: Path, tmp_path: Path) -> None:
    collection = tmp_path / "notes.collection"
    (notes / "c.pdf").write_text("%PDF-1.7")
    with pytest.warns(UserWarning, match=r"c\.pdf"):
        embd.collect(model, notes, collection)
    other = embd.Model(Path(__file__).resolve().parents[2] / "data" / "embd" / "pooling_cls.weights")
    with pytest.raises(embd.Error) as error:
        embd.collect(other, notes, collection)
    assert error.value.code == "recipe_mismatch"
    with pytest.raises(FileNotFoundError):
        embd.collect(model, tmp_path / "none", collection)
    with pytest.raises(ValueError, match="stemmer"):
        embd.collect(model, notes, collection, stemmer="german")  # type: ignore[arg-type]
