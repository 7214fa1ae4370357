"""embd.util against plain loops over what the functions are said to give."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import embd
import numpy as np
import pytest
from embd import util


@pytest.fixture(scope="module")
def rows() -> Any:
    return np.random.default_rng(3).standard_normal((60, 12), np.float32)


def cosine(a: Any, b: Any) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_scores(rows: Any) -> None:
    for i, j in [(0, 1), (5, 9)]:
        assert util.cos_sim(rows, rows)[i, j] == pytest.approx(cosine(rows[i], rows[j]), abs=1e-6)
        assert util.dot_score(rows, rows)[i, j] == pytest.approx(float(rows[i] @ rows[j]), abs=1e-5)
        assert util.euclidean_sim(rows, rows)[i, j] == pytest.approx(-float(np.linalg.norm(rows[i] - rows[j])), abs=1e-5)
        assert util.manhattan_sim(rows, rows)[i, j] == pytest.approx(-float(np.abs(rows[i] - rows[j]).sum()), abs=1e-5)
    assert util.cos_sim(rows[0], rows[1]).shape == (1, 1)
    assert util.cos_sim(list(rows[:3]), rows).shape == (3, 60)
    assert (util.cos_sim(np.zeros(12), rows) == 0).all()
    for pairwise, matrix in [
        (util.pairwise_cos_sim, util.cos_sim),
        (util.pairwise_dot_score, util.dot_score),
        (util.pairwise_euclidean_sim, util.euclidean_sim),
        (util.pairwise_manhattan_sim, util.manhattan_sim),
    ]:
        assert np.allclose(pairwise(rows[:30], rows[30:]), np.diag(matrix(rows[:30], rows[30:])), atol=1e-5)


@pytest.mark.parametrize("function", [util.cos_sim, util.dot_score, util.manhattan_sim])
def test_semantic_search(rows: Any, function: Any) -> None:
    hits = util.semantic_search(rows[:10], rows, top_k=7, score_function=function, query_chunk_size=3, corpus_chunk_size=11)
    scores = function(rows[:10], rows)
    for query, found in enumerate(hits):
        order = np.argsort(-scores[query])[:7]
        assert [hit["corpus_id"] for hit in found] == order.tolist()
        assert np.allclose([hit["score"] for hit in found], scores[query][order], atol=2e-6)
    assert len(util.semantic_search(rows[0], rows)) == 1
    assert len(util.semantic_search(rows[:2], rows[:3])[0]) == 3
    assert util.semantic_search(rows[:2], []) == [[], []]


def test_paraphrase_mining(rows: Any) -> None:
    pairs = util.paraphrase_mining_embeddings(rows, top_k=59, query_chunk_size=7)
    expected = sorted(((cosine(rows[i], rows[j]), i, j) for i, j in combinations(range(60), 2)), reverse=True)
    assert [(i, j) for _, i, j in pairs] == [(i, j) for _, i, j in expected]
    assert np.allclose([score for score, _, _ in pairs], [score for score, _, _ in expected], atol=2e-6)
    best = util.paraphrase_mining_embeddings(rows, top_k=59, max_pairs=10)
    assert best == pairs[:10]
    assert util.paraphrase_mining_embeddings(np.zeros((0, 12))) == []


def test_paraphrase_mining_of_texts(model_path: str, texts: list[str]) -> None:
    model = embd.SentenceTransformer(model_path)
    pairs = util.paraphrase_mining(model, [*texts, texts[0]])
    assert pairs[0][1:] == [0, len(texts)] and pairs[0][0] == pytest.approx(1, abs=1e-6)


def test_community_detection(capfd: pytest.CaptureFixture[str]) -> None:
    centres = np.eye(4, dtype=np.float32)
    rng = np.random.default_rng(4)
    sizes = [12, 30, 5, 20]
    rows = np.concatenate([centre + 0.05 * rng.standard_normal((size, 4)) for centre, size in zip(centres, sizes)])
    groups = util.community_detection(rows, threshold=0.9, min_community_size=10, batch_size=7)
    assert [len(group) for group in groups] == [30, 20, 12]
    assert [sorted(group) for group in groups] == [list(range(12, 42)), list(range(47, 67)), list(range(12))]
    for group in groups:
        scores = [cosine(rows[group[0]], rows[other]) for other in group[1:]]
        assert scores == sorted(scores, reverse=True)
    assert util.community_detection(rows[:5]) == [] and util.community_detection([]) == []
    assert capfd.readouterr().err == ""


def test_quantize(rows: Any) -> None:
    ranges = np.stack([rows.min(0), rows.max(0)])
    codes: Any = util.quantize_embeddings(rows, "int8")
    assert codes.dtype == np.int8 and (codes.min(0) == -128).all() and (codes.max(0) >= 126).all()
    assert (codes == util.quantize_embeddings(rows, "int8", ranges=ranges)).all()
    assert (codes == util.quantize_embeddings(rows, "int8", calibration_embeddings=rows)).all()
    unsigned: Any = util.quantize_embeddings(rows, "uint8")
    assert (unsigned.astype(int) - 128 == codes).all()
    bits: Any = util.quantize_embeddings(rows, "ubinary")
    assert (np.unpackbits(bits, axis=1)[:, :12] == (rows > 0)).all()
    assert (util.quantize_embeddings(rows, "binary") == bits.astype(int) - 128).all()
    parts: Any = util.quantize_embeddings([rows[:20], rows[20:]], "int8")
    assert (np.concatenate(parts) == codes).all()
    with pytest.raises(ValueError, match="ranges"):
        util.quantize_embeddings(rows[:1], "int8")
    with pytest.raises(TypeError):
        util.quantize_embeddings(codes, "int8")
    with pytest.raises(ValueError):
        util.quantize_embeddings(rows, "int4")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rows_that_are_no_place_are_refused(rows: Any, value: float) -> None:
    bad = rows.copy()
    bad[7, 3] = value
    for call in (
        lambda: util.semantic_search(bad, rows),
        lambda: util.semantic_search(rows, bad),
        lambda: util.paraphrase_mining_embeddings(bad),
    ):
        with pytest.raises(embd.Error, match="row 7 contains"):
            call()
    for precision in ("int8", "uint8", "binary", "ubinary"):
        with pytest.raises(ValueError, match="infinite or not a number"):
            util.quantize_embeddings(bad, precision)
