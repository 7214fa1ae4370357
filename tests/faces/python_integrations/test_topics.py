"""BERTopic and KeyBERT."""

from __future__ import annotations

import embd
import numpy as np
import pytest


def test_bertopic(model_path: str, texts: list[str]) -> None:
    bertopic = pytest.importorskip("bertopic")
    from bertopic.dimensionality import BaseDimensionalityReduction
    from embd.integrations.bertopic import EmbdBackend
    from sklearn.cluster import KMeans

    topics = bertopic.BERTopic(
        embedding_model=EmbdBackend(model_path), umap_model=BaseDimensionalityReduction(), hdbscan_model=KMeans(2)
    )
    assert type(topics.embedding_model) is EmbdBackend
    found, _ = topics.fit_transform([text for text in texts if text] * 4)
    assert set(found) == {0, 1}
    assert type(topics.embedding_model) is EmbdBackend


def test_our_class_is_taken_as_it_is(model_path: str, texts: list[str]) -> None:
    """Neither package replaces it by a model of its own."""
    bertopic, keybert = pytest.importorskip("bertopic"), pytest.importorskip("keybert")
    from bertopic.dimensionality import BaseDimensionalityReduction
    from sklearn.cluster import KMeans

    model = embd.SentenceTransformer(model_path)
    topics = bertopic.BERTopic(embedding_model=model, umap_model=BaseDimensionalityReduction(), hdbscan_model=KMeans(2))
    found, _ = topics.fit_transform([text for text in texts if text] * 4)
    assert set(found) == {0, 1} and topics.embedding_model.embedding_model is model
    words = keybert.KeyBERT(model=model)
    assert words.model.embedding_model is model and len(words.extract_keywords(texts[0], top_n=2, stop_words=None)) == 2


def test_keybert(model: embd.Model, texts: list[str]) -> None:
    keybert = pytest.importorskip("keybert")
    from embd.integrations.keybert import EmbdBackend

    backend = EmbdBackend(model)
    assert np.array_equal(backend.embed(texts), model.encode(texts))
    words = keybert.KeyBERT(model=backend).extract_keywords(texts[0], top_n=2, stop_words=None)
    assert len(words) == 2
