"""LangChain: an Embeddings. from embd.integrations.langchain import EmbdEmbeddings"""

from __future__ import annotations

from typing import Any

from embd.integrations import ModelOrName, open_model
from langchain_core.embeddings import Embeddings


class EmbdEmbeddings(Embeddings):
    """Documents with the model's prompt for documents, queries with that for queries, where it has such.

    options: of embd.Model.encode, such as truncate_dim.
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
