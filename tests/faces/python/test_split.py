"""embd.split and its passages. tests/jobs/split has the rules by which documents are divided."""

from __future__ import annotations

from pathlib import Path

import embd
import pytest

DOCUMENT = "# Cats\n\nA cat sits.\n\n## Mats\n\nRed.\n"


@pytest.fixture
def model() -> embd.Model:
    return embd.Model(Path(__file__).resolve().parents[2] / "data" / "families" / "distilbert_mean")


def test_a_document_becomes_passages(model: embd.Model, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(DOCUMENT)
    first, second = embd.split(model, path)
    assert first.text == "# Cats\n\nA cat sits." and first.lines == (1, 3) and first.bytes == (0, 19)
    assert first.headings == ("Cats",) and first.context == "" and first.title == "Cats"
    assert second == embd.Passage(
        id=f"{path}:5",
        file=str(path),
        lines=(5, 7),
        bytes=(21, 34),
        headings=("Cats", "Mats"),
        context="Cats",
        text="## Mats\n\nRed.",
        title="Cats",
    )


def test_a_text_can_be_given_instead_of_a_file(model: embd.Model) -> None:
    given = embd.split(model, "none.md", DOCUMENT)
    assert [passage.id for passage in given] == ["none.md:1", "none.md:5"]
    assert embd.split(model, "none.md", DOCUMENT.encode()) == given
    assert [passage.text for passage in embd.split(model, "none.md", DOCUMENT, kind="text")] == [DOCUMENT.strip()]
    words = "The cat sits on the red mat. " * 20
    assert len(embd.split(model, "a.txt", words, max_tokens=32)) > len(embd.split(model, "a.txt", words))
    assert embd.split(model, "a.md", " \n") == []


def test_other_files_are_refused(model: embd.Model) -> None:
    with pytest.raises(embd.Error) as error:
        embd.split(model, "a.pdf", "x")
    assert error.value.code == "unsupported"
    with pytest.raises(embd.Error) as error:
        embd.split(model, "a.md", b"\xff")
    assert error.value.code == "invalid_utf8"
    assert embd.split(model, "a.md", b"a \xff", invalid_utf8="replace")[0].text == "a \N{REPLACEMENT CHARACTER}"
    with pytest.raises(FileNotFoundError):
        embd.split(model, "none.md")
