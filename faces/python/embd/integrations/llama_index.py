"""Classes for LlamaIndex that embed texts and rank nodes.

    from embd.integrations.llama_index import EmbdEmbedding, EmbdRerank
"""

from __future__ import annotations

import asyncio
from typing import Any

from embd.integrations import ModelOrName, RerankerOrName, name_of, open_model, open_reranker
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from pydantic import PrivateAttr

# The largest batch that LlamaIndex allows. Large batches need fewer calls and give the same bytes.
_BATCH = 2048


class EmbdEmbedding(BaseEmbedding):
    """Embeds texts and queries for LlamaIndex, with the model's own prompts for them, if it has any.

    options: further options of LlamaIndex's BaseEmbedding.
    """

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


class EmbdRerank(BaseNodePostprocessor):
    """Ranks nodes for a query with a reranker, as a postprocessor of LlamaIndex.

    It returns the best nodes with their scores, best first. The reranker reads the text of a node that LlamaIndex would
    embed, metadata included.

    top_n: the number of nodes to return.
    options: further options of LlamaIndex's BaseNodePostprocessor.
    """

    top_n: int = 2
    _reranker: Any = PrivateAttr()

    def __init__(self, model: RerankerOrName, top_n: int = 2, **options: Any) -> None:
        super().__init__(top_n=top_n, **options)
        self._reranker = open_reranker(model)

    @classmethod
    def class_name(cls) -> str:
        return "EmbdRerank"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise ValueError("a reranker needs the query: give query_bundle or query_str")
        texts = [node.node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
        ranked = self._reranker.rank(query_bundle.query_str, texts, self.top_n)
        return [NodeWithScore(node=nodes[best.index].node, score=best.score) for best in ranked]
