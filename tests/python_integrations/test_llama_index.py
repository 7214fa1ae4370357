from __future__ import annotations

import asyncio

import embd
import pytest

pytest.importorskip("llama_index.core")

from embd.integrations.llama_index import EmbdEmbedding  # noqa: E402
from llama_index.core import Document, VectorStoreIndex  # noqa: E402


def test_embeddings(model: embd.Model, texts: list[str]) -> None:
    embedding = EmbdEmbedding(model)
    rows = model.encode(texts).tolist()
    assert embedding.get_text_embedding(texts[0]) == rows[0]
    assert embedding.get_query_embedding(texts[0]) == rows[0]
    assert embedding.get_text_embedding_batch(texts[:5]) == rows[:5]
    assert asyncio.run(embedding.aget_text_embedding_batch(texts[:5])) == rows[:5]


def test_index(model_path: str, texts: list[str]) -> None:
    documents = [Document(text=text) for text in texts if text]
    index = VectorStoreIndex.from_documents(documents, embed_model=EmbdEmbedding(model_path))
    found = index.as_retriever(similarity_top_k=1).retrieve(texts[2])
    assert found[0].node.get_content() == texts[2]
