"""txtai: vectors. Embeddings(method="embd.integrations.txtai.EmbdVectors", path="all-MiniLM-L6-v2")"""

from __future__ import annotations

from typing import Any

from embd.integrations import open_model
from txtai.vectors import Vectors


class EmbdVectors(Vectors):
    """Queries and data with the model's prompts for them, where it has such and no instructions are configured."""

    def loadmodel(self, path: str) -> Any:
        return open_model(path)

    def encode(self, data: Any, category: str | None = None) -> Any:
        return self.model.encode_query(data) if category == "query" else self.model.encode_document(data)
