"""LangChain: its own standard tests, and a vector store."""

from __future__ import annotations

from pathlib import Path

import embd
import pytest

pytest.importorskip("langchain_tests")

from embd.integrations.langchain import EmbdEmbeddings  # noqa: E402
from langchain_core.vectorstores import InMemoryVectorStore  # noqa: E402
from langchain_tests.integration_tests import EmbeddingsIntegrationTests  # noqa: E402
from langchain_tests.unit_tests import EmbeddingsUnitTests  # noqa: E402

MODEL = str(Path(__file__).resolve().parents[1] / "data" / "embd" / "plain.weights")


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
