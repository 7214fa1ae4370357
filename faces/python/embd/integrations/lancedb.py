"""The embedding function "embd" for LanceDB.

Import this module before you open a table that was made with this function: it registers the function's name.
"""

from __future__ import annotations

from typing import Any

from embd.integrations import open_model
from lancedb.embeddings import TextEmbeddingFunction, register
from pydantic import PrivateAttr


@register("embd")
class EmbdEmbeddings(TextEmbeddingFunction):
    """An embedding function of LanceDB. Texts and queries get the model's own prompts for them, if it has any.

        embd = EmbdEmbeddings.create(model="all-MiniLM-L6-v2")
        embd.SourceField(), embd.VectorField()              # the fields of a table
    """

    model: str = "all-MiniLM-L6-v2"
    _opened: Any = PrivateAttr(default=None)

    def _ready(self) -> Any:
        """Returns the model, which is opened at the first use."""
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
