"""Classes for LangChain that embed texts, score pairs of texts, and rank documents.

    from embd.integrations.langchain import EmbdCrossEncoder, EmbdEmbeddings, EmbdReranker
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from embd.integrations import ModelOrName, RerankerOrName, open_model, open_reranker
from langchain_core.cross_encoders import BaseCrossEncoder
from langchain_core.documents import Document
from langchain_core.documents.compressor import BaseDocumentCompressor
from langchain_core.embeddings import Embeddings
from pydantic import PrivateAttr


class EmbdEmbeddings(Embeddings):
    """Embeds documents and queries for LangChain, with the model's own prompts for them, if it has any.

    options: the options of embd.Model.encode(), such as truncate_dim.
    """

    def __init__(self, model: ModelOrName = "all-MiniLM-L6-v2", **options: Any) -> None:
        self.model = open_model(model)
        self.options = options

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self.model.encode_document(texts, **self.options).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        row: list[float] = self.model.encode_query(text, **self.options).tolist()
        return row


class EmbdCrossEncoder(BaseCrossEncoder):
    """Scores pairs of texts for LangChain with a reranker.

    options: the options of embd.Reranker.score(), such as activation.
    """

    def __init__(self, model: RerankerOrName, **options: Any) -> None:
        self.reranker = open_reranker(model)
        self.options = options

    def score(self, text_pairs: list[tuple[str, str]]) -> list[float]:
        scores: list[float] = self.reranker.score(text_pairs, **self.options).tolist()
        return scores


class EmbdReranker(BaseDocumentCompressor):
    """A document compressor of LangChain that ranks documents for a query with a reranker.

    It returns copies of the best documents, best first, with the score of each as metadata["relevance_score"].

    top_n: the number of documents to return. None returns all.
    options: the options of embd.Reranker.rank(), such as activation.
    """

    top_n: int | None = 3
    _reranker: Any = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr()

    def __init__(self, model: RerankerOrName, top_n: int | None = 3, **options: Any) -> None:
        super().__init__(top_n=top_n)
        self._reranker = open_reranker(model)
        self._options = options

    def compress_documents(self, documents: Sequence[Document], query: str, callbacks: Any = None) -> Sequence[Document]:
        texts = [document.page_content for document in documents]
        ranked = self._reranker.rank(query, texts, self.top_n, **self._options)
        return [
            documents[best.index].model_copy(
                update={"metadata": {**documents[best.index].metadata, "relevance_score": best.score}}
            )
            for best in ranked
        ]
