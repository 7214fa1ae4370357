"""Models of embd in fastembed: in TextEmbedding, and rerankers in TextCrossEncoder.

    from embd.integrations.fastembed import add_model, add_reranker
    add_model("embd/minilm", "all-MiniLM-L6-v2")
    TextEmbedding("embd/minilm").embed(texts)
    add_reranker("embd/marco", "ms-marco-MiniLM-L6-v2")
    TextCrossEncoder("embd/marco").rerank(query, documents)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from embd.integrations import ModelOrName, RerankerOrName, open_model, open_reranker
from fastembed import TextEmbedding
from fastembed.common.model_description import BaseModelDescription, DenseModelDescription, ModelSource
from fastembed.rerank.cross_encoder.text_cross_encoder import TextCrossEncoder
from fastembed.rerank.cross_encoder.text_cross_encoder_base import TextCrossEncoderBase
from fastembed.text.text_embedding_base import TextEmbeddingBase

_MODELS: dict[str, Any] = {}
_RERANKERS: dict[str, Any] = {}


class EmbdTextEmbedding(TextEmbeddingBase):
    """Embeds texts with the models that add_model() registered.

    TextEmbedding of fastembed makes an object of this class for the names of these models.
    """

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
        self._model = _named(model_name, _MODELS)

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
        dim: int = _named(model_name, _MODELS).dim
        return dim

    def token_count(self, texts: str | Iterable[str], batch_size: int = 1024, **kwargs: Any) -> int:
        batch = [texts] if isinstance(texts, str) else list(texts)
        return sum(map(len, self._model.tokenize(batch, max_length=None)))


class EmbdTextCrossEncoder(TextCrossEncoderBase):
    """Scores pairs with the rerankers that add_reranker() registered. Scores are logits, as in fastembed.

    TextCrossEncoder of fastembed makes an object of this class for the names of these rerankers.
    """

    @classmethod
    def _list_supported_models(cls) -> list[BaseModelDescription]:
        return [
            BaseModelDescription(
                model=name,
                sources=ModelSource(url="file://" + reranker.path),
                model_file=reranker.path,
                description="embd",
                license="",
                size_in_GB=0.0,
            )
            for name, reranker in _RERANKERS.items()
        ]

    def __init__(self, model_name: str, cache_dir: str | None = None, threads: int | None = None, **kwargs: Any) -> None:
        super().__init__(model_name, cache_dir, threads, **kwargs)
        self._reranker = _named(model_name, _RERANKERS)

    def rerank(self, query: str, documents: Iterable[str], batch_size: int = 64, **kwargs: Any) -> Iterable[float]:
        return self.rerank_pairs(((query, document) for document in documents), batch_size)

    def rerank_pairs(
        self, pairs: Iterable[tuple[str, str]], batch_size: int = 64, parallel: int | None = None, **kwargs: Any
    ) -> Iterable[float]:
        scores = self._reranker.score(pairs, activation="identity", threads=self.threads)
        yield from (scores if scores.ndim == 1 else scores[:, 0]).tolist()

    def token_count(self, pairs: Iterable[tuple[str, str]], batch_size: int = 1024, **kwargs: Any) -> int:
        return sum(len(ids) for ids, _ in self._reranker.tokenize(pairs, max_length=None))


def _named(name: str, added: dict[str, Any]) -> Any:
    """Returns the model that was registered under a name. As in fastembed, upper and lower case are the same."""
    return next(model for own, model in added.items() if own.lower() == name.lower())


def add_model(name: str, model: ModelOrName) -> None:
    """Registers a model with fastembed, so that TextEmbedding(name) uses it."""
    _MODELS[name] = open_model(model)
    if EmbdTextEmbedding not in TextEmbedding.EMBEDDINGS_REGISTRY:
        TextEmbedding.EMBEDDINGS_REGISTRY.insert(0, EmbdTextEmbedding)


def add_reranker(name: str, model: RerankerOrName) -> None:
    """Registers a reranker with fastembed, so that TextCrossEncoder(name) uses it."""
    _RERANKERS[name] = open_reranker(model)
    if EmbdTextCrossEncoder not in TextCrossEncoder.CROSS_ENCODER_REGISTRY:
        TextCrossEncoder.CROSS_ENCODER_REGISTRY.insert(0, EmbdTextCrossEncoder)
