"""LlamaIndex: a BaseEmbedding. from embd.integrations.llama_index import EmbdEmbedding"""

from __future__ import annotations

import asyncio
from typing import Any

from embd.integrations import ModelOrName, name_of, open_model
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

# The most that LlamaIndex accepts: fewer calls, the same bytes.
_BATCH = 2048


class EmbdEmbedding(BaseEmbedding):
    """Texts with the model's prompt for documents, queries with that for queries, where it has such."""

    _model: Any = PrivateAttr()

    def __init__(self, model: ModelOrName = "all-MiniLM-L6-v2", **options: Any) -> None:
        options.setdefault("embed_batch_size", _BATCH)
        options.setdefault("model_name", name_of(model))
        super().__init__(**options)
        self._model = open_model(model)

    @classmethod
    def class_name(cls) -> str:
        return "EmbdEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        row: list[float] = self._model.encode_query(query).tolist()
        return row

    def _get_text_embedding(self, text: str) -> list[float]:
        row: list[float] = self._model.encode_document(text).tolist()
        return row

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._model.encode_document(texts).tolist()
        return rows

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)
