from __future__ import annotations

import asyncio

import embd
import pytest

pytest.importorskip("llama_index.core")

from embd.integrations.llama_index import EmbdEmbedding, EmbdRerank  # noqa: E402
from llama_index.core import Document, VectorStoreIndex  # noqa: E402
from llama_index.core.schema import NodeWithScore, TextNode  # noqa: E402


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


def test_rerank(reranker: embd.Reranker, texts: list[str]) -> None:
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.5) for text in texts]
    found = EmbdRerank(reranker, top_n=3).postprocess_nodes(nodes, query_str="a cat")
    ranked = reranker.rank("a cat", texts, 3)
    assert [(node.node.get_content(), node.score) for node in found] == [(texts[each.index], each.score) for each in ranked]
    assert nodes[0].score == 0.5
    assert asyncio.run(EmbdRerank(reranker).apostprocess_nodes(nodes, query_str="a cat")) == found[:2]
    with pytest.raises(ValueError, match="query"):
        EmbdRerank(reranker).postprocess_nodes(nodes)
