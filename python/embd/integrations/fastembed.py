"""fastembed: models of embd in TextEmbedding.

    from embd.integrations.fastembed import add_model
    add_model("embd/minilm", "all-MiniLM-L6-v2")
    TextEmbedding("embd/minilm").embed(texts)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from embd.integrations import ModelOrName, open_model
from fastembed import TextEmbedding
from fastembed.common.model_description import DenseModelDescription, ModelSource
from fastembed.text.text_embedding_base import TextEmbeddingBase

_MODELS: dict[str, Any] = {}


class EmbdTextEmbedding(TextEmbeddingBase):
    """What TextEmbedding makes of the names that add_model() was given."""

    @classmethod
    def _list_supported_models(cls) -> list[DenseModelDescription]:
        return [
            DenseModelDescription(
                model=name,
                sources=ModelSource(url="file://" + model.path),
                model_file=model.path,
                description="embd",
                license="",
                size_in_GB=0.0,
                dim=model.dim,
            )
            for name, model in _MODELS.items()
        ]

    def __init__(self, model_name: str, cache_dir: str | None = None, threads: int | None = None, **kwargs: Any) -> None:
        super().__init__(model_name, cache_dir, threads, **kwargs)
        self._model = next(model for name, model in _MODELS.items() if name.lower() == model_name.lower())

    def embed(
        self, documents: str | Iterable[str], batch_size: int = 256, parallel: int | None = None, **kwargs: Any
    ) -> Iterable[Any]:
        texts = [documents] if isinstance(documents, str) else documents
        for rows in self._model.encode_stream(texts, batch_size=batch_size, threads=self.threads):
            yield from rows

    def query_embed(self, query: str | Iterable[str], **kwargs: Any) -> Iterable[Any]:
        texts = [query] if isinstance(query, str) else list(query)
        yield from self._model.encode_query(texts, threads=self.threads)

    def passage_embed(self, texts: Iterable[str], **kwargs: Any) -> Iterable[Any]:
        yield from self._model.encode_document(list(texts), threads=self.threads)

    @property
    def embedding_size(self) -> int:
        dim: int = self._model.dim
        return dim

    @classmethod
    def get_embedding_size(cls, model_name: str) -> int:
        return next(model.dim for name, model in _MODELS.items() if name.lower() == model_name.lower())

    def token_count(self, texts: str | Iterable[str], batch_size: int = 1024, **kwargs: Any) -> int:
        batch = [texts] if isinstance(texts, str) else list(texts)
        return sum(map(len, self._model.tokenize(batch, max_length=None)))


def add_model(name: str, model: ModelOrName) -> None:
    """Has TextEmbedding(name) be this model."""
    _MODELS[name] = open_model(model)
    if EmbdTextEmbedding not in TextEmbedding.EMBEDDINGS_REGISTRY:
        TextEmbedding.EMBEDDINGS_REGISTRY.insert(0, EmbdTextEmbedding)
