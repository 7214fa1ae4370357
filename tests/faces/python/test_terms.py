"""embd.TermIndex, and searches by vectors and terms. The table of questions (test_matrix.py) has the right answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("stemmer")
TEXTS = ["the disk is full", "error E4711 in backup_job", "error E4712 in mail_job", "nothing", "backups of the week"]


@pytest.fixture
def model() -> embd.Model:
    return embd.Model(Path(__file__).resolve().parents[2] / "data" / "embd" / "plain.weights")


@pytest.fixture
def searcher(model: embd.Model, tmp_path: Path) -> embd.Searcher:
    (tmp_path / "log.txt").write_text("".join(text + "\n" for text in TEXTS))
    embd.embed_file(model, tmp_path / "log.txt", [tmp_path / "log.npy", tmp_path / "log.terms"])
    return embd.Searcher(tmp_path / "log.npy", terms=tmp_path / "log.terms")


def test_a_term_index_finds_texts_by_their_words(tmp_path: Path) -> None:
    index = embd.TermIndex.from_texts(TEXTS)
    assert len(index) == 5
    assert index.info["term_kind"] == "stems" and index.info["num_rows"] == 5
    assert index.terms("The Backups of backup_job") == ["backup", "backup_job", "backup", "job"]
    found = index.search("MAIL_JOB", 10)
    assert found.rows.tolist() == [2, 1] and found.scores[0] > found.scores[1] > 0
    assert found.to_list()[0][0] == 2
    assert index.search(["backup"], 1, rows=[0, 4]).rows.tolist() == [4]
    assert index.search("the of").rows.tolist() == []
    np.testing.assert_array_equal(index.scores("MAIL_JOB", [1, 0, 2]), [found.scores[1], 0, found.scores[0]])
    assert index.weight("mail_job") > index.weight("backup") > index.weight("unknown") == 0
    index.save(tmp_path / "log.terms")
    again = embd.TermIndex(tmp_path / "log.terms")
    assert again.search("MAIL_JOB", 10).to_list() == found.to_list() and again.info == index.info


def test_terms_are_words_or_tokens_on_request(model: embd.Model) -> None:
    assert embd.TermIndex.from_texts(TEXTS, stemmer="none").terms("Backups") == ["backups"]
    assert embd.TermIndex.from_texts(TEXTS, term_kind="words").terms("the backups") == ["the", "backups"]
    tokens = embd.TermIndex.from_texts(TEXTS, term_kind="tokens", model=model)
    assert tokens.info["term_kind"] == "tokens" and len(tokens.terms("a cat")) >= 2
    with pytest.raises(ValueError, match="stemmer"):
        embd.TermIndex.from_texts(TEXTS, stemmer="german")  # type: ignore[arg-type]
    with pytest.raises(embd.Error):
        embd.TermIndex.from_texts(TEXTS, term_kind="tokens")
    with pytest.raises(ValueError, match="count is 0"):
        tokens.search(["a"], 0)


def test_a_searcher_compares_vectors_and_terms(model: embd.Model, searcher: embd.Searcher) -> None:
    near = searcher.search_texts(model, "backup_job", 5, match="vectors")
    best = searcher.search_texts(None, "backup_job", 5, match="terms")
    both = searcher.search_texts(model, ["backup_job", "nothing known"], 5)[0]
    assert isinstance(near, embd.Hits) and isinstance(best, embd.TermHits) and isinstance(both, embd.FusedHits)
    assert best.ids[0] == 1 and best.to_list()[0] == (1, best.term_scores[0])
    distances: dict[Any, float] = dict(near.to_list())
    scores: dict[Any, float] = dict(best.to_list())
    for key, score, distance, term_score in zip(both.ids, both.scores, both.distances, both.term_scores):
        assert 0 <= score <= 1 and distance == distances[key] and term_score == scores.get(key, 0)
    assert both.to_list() == sorted(both.to_list(), key=lambda hit: -hit[1])
    vector = model.encode_query("backup_job")
    assert searcher.search(vector, 5, texts="backup_job").to_list() == both.to_list()
    assert searcher.search(vector, 5).to_list() == near.to_list()
    assert searcher.search_texts(None, "backup", 5, match="terms", filter=[4]).rows.tolist() == [4]


def test_what_cannot_be_compared_is_refused(model: embd.Model, searcher: embd.Searcher, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="model is None"):
        searcher.search_texts(None, "a")
    with pytest.raises(ValueError, match="match is"):
        searcher.search_texts(model, "a", match="words")
    without = embd.Searcher(tmp_path / "log.npy")
    assert isinstance(without.search_texts(model, "a"), embd.Hits)
    with pytest.raises(embd.Error, match="term index"):
        without.search_texts(None, "a", match="terms")
    embd.write_vectors(tmp_path / "less.npy", np.zeros((2, 8), np.float32) + 1)
    with pytest.raises(embd.Error, match=r"log\.terms.*5 rows.*less\.npy has 2"):
        embd.Searcher(tmp_path / "less.npy", terms=tmp_path / "log.terms")
    with pytest.raises(ValueError, match="stemmer"):
        embd.embed_file(model, tmp_path / "log.txt", tmp_path / "a.npy", stemmer="none")
