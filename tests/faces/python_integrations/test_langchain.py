"""LangChain: its own standard tests, and a vector store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import embd
import pytest

pytest.importorskip("langchain_tests")

from embd.integrations.langchain import EmbdCrossEncoder, EmbdEmbeddings, EmbdReranker  # noqa: E402
from langchain_core.documents import Document  # noqa: E402
from langchain_core.vectorstores import InMemoryVectorStore  # noqa: E402
from langchain_tests.integration_tests import EmbeddingsIntegrationTests  # noqa: E402
from langchain_tests.unit_tests import EmbeddingsUnitTests  # noqa: E402

MODEL = str(Path(__file__).resolve().parents[2] / "data" / "embd" / "plain.weights")


class TestUnit(EmbeddingsUnitTests):
    @property
    def embeddings_class(self) -> type[EmbdEmbeddings]:
        return EmbdEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, str]:
        return {"model": MODEL}


class TestIntegration(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[EmbdEmbeddings]:
        return EmbdEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, str]:
        return {"model": MODEL}


def test_store(model: embd.Model, texts: list[str]) -> None:
    store = InMemoryVectorStore.from_texts(texts, EmbdEmbeddings(model))
    assert store.similarity_search(texts[2], k=1)[0].page_content == texts[2]


def test_rerankers(reranker: embd.Reranker, texts: list[str]) -> None:
    pairs = [("a cat", text) for text in texts]
    assert EmbdCrossEncoder(reranker).score(pairs) == reranker.score(pairs).tolist()
    assert EmbdCrossEncoder(reranker, activation="identity").score(pairs[:1]) == [reranker.rank("a cat", texts[:1])[0].logit]
    documents = [Document(page_content=text, metadata={"i": i}) for i, text in enumerate(texts)]
    kept = EmbdReranker(reranker, top_n=2).compress_documents(documents, "a cat")
    ranked = reranker.rank("a cat", texts, 2)
    assert [document.metadata for document in kept] == [{"i": each.index, "relevance_score": each.score} for each in ranked]
    assert documents[0].metadata == {"i": 0}
    assert len(asyncio.run(EmbdReranker(reranker, top_n=None).acompress_documents(documents, "a cat"))) == len(texts)
