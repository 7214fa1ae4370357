from __future__ import annotations

import embd
import numpy as np
import pytest

fastembed = pytest.importorskip("fastembed")


def test_text_embedding(model: embd.Model, texts: list[str]) -> None:
    from embd.integrations.fastembed import add_model

    add_model("embd/plain", model)
    assert "embd/plain" in [each["model"] for each in fastembed.TextEmbedding.list_supported_models()]
    embedding = fastembed.TextEmbedding("embd/plain")
    assert np.array_equal(np.stack(list(embedding.embed(texts))), model.encode(texts))
    assert np.array_equal(next(iter(embedding.query_embed(texts[0]))), model.encode(texts[0]))
    assert embedding.embedding_size == model.dim


def test_text_cross_encoder(reranker: embd.Reranker, texts: list[str]) -> None:
    from embd.integrations.fastembed import add_reranker
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    add_reranker("embd/Small", reranker)
    assert "embd/Small" in [each["model"] for each in TextCrossEncoder.list_supported_models()]
    encoder = TextCrossEncoder("embd/small")
    pairs = [("a cat", text) for text in texts]
    logits = reranker.score(pairs, activation="identity").tolist()
    assert list(encoder.rerank("a cat", iter(texts))) == logits
    assert list(encoder.rerank_pairs(pairs)) == logits
    assert encoder.token_count(pairs) == sum(len(ids) for ids, _ in reranker.tokenize(pairs, max_length=None))
