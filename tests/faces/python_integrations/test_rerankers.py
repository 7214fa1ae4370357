from __future__ import annotations

import asyncio

import embd
import pytest

rerankers = pytest.importorskip("rerankers")

QUERY = "a cat"


def test_ranker(reranker: embd.Reranker, texts: list[str]) -> None:
    from embd.integrations.rerankers import EmbdRanker

    ranker = EmbdRanker(reranker)
    expected = reranker.rank(QUERY, texts)
    results = ranker.rank(QUERY, texts)
    assert [(each.doc_id, each.score, each.rank, each.text) for each in results] == [
        (each.index, each.score, place, texts[each.index]) for place, each in enumerate(expected, start=1)
    ]
    assert [each.doc_id for each in results.top_k(2)] == [each.index for each in expected[:2]]
    assert [ranker.score(QUERY, text) for text in texts] == reranker.score([(QUERY, text) for text in texts]).tolist()
    assert ranker.rank(QUERY, []).results_count() == 0
    assert [each.doc_id for each in asyncio.run(ranker.rank_async(QUERY, texts))] == [each.index for each in expected]


def test_documents_keep_ids_and_metadata(reranker: embd.Reranker, texts: list[str]) -> None:
    from embd.integrations.rerankers import EmbdRanker

    documents = [rerankers.Document(text=text, doc_id=f"d{i}", metadata={"n": i}) for i, text in enumerate(texts)]
    results = EmbdRanker(reranker, activation="identity").rank(QUERY, documents)
    for result, each in zip(results, reranker.rank(QUERY, texts, activation="identity"), strict=True):
        assert (result.doc_id, result.metadata["n"], result.score) == (f"d{each.index}", each.index, each.logit)
    assert [each.doc_id for each in EmbdRanker(reranker).rank(QUERY, texts[0])] == [0]


def test_the_package_finds_it_by_name(reranker: embd.Reranker, texts: list[str]) -> None:
    import embd.integrations.rerankers  # noqa: F401

    ranker = rerankers.Reranker(reranker.path, model_type="embd", verbose=0, max_length=20)
    expected = reranker.rank(QUERY, texts, max_length=20)
    assert [(each.doc_id, each.score) for each in ranker.rank(QUERY, texts)] == [(each.index, each.score) for each in expected]
