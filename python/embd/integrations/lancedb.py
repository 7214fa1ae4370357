"""LanceDB: the embedding function "embd". Import this before a table that was made with it is opened again."""

from __future__ import annotations

from typing import Any

from embd.integrations import open_model
from lancedb.embeddings import TextEmbeddingFunction, register
from pydantic import PrivateAttr


@register("embd")
class EmbdEmbeddings(TextEmbeddingFunction):
    """embd = EmbdEmbeddings.create(model="all-MiniLM-L6-v2"); fields embd.SourceField(), embd.VectorField()"""

    model: str = "all-MiniLM-L6-v2"
    _opened: Any = PrivateAttr(default=None)

    def _ready(self) -> Any:
        if self._opened is None:
            self._opened = open_model(self.model)
        return self._opened

    def ndims(self) -> int:
        dim: int = self._ready().dim
        return dim

    def generate_embeddings(self, texts: Any, *args: Any, **kwargs: Any) -> list[Any]:
        return list(self._ready().encode_document(list(texts)))

    def compute_query_embeddings(self, query: Any, *args: Any, **kwargs: Any) -> list[Any]:
        return list(self._ready().encode_query(self.sanitize_input(query)))
