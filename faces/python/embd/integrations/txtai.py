"""Vectors for txtai: Embeddings(method="embd.integrations.txtai.EmbdVectors", path="all-MiniLM-L6-v2")"""

from __future__ import annotations

from typing import Any

from embd.integrations import open_model
from txtai.vectors import Vectors


class EmbdVectors(Vectors):
    """The class that computes vectors for txtai. Queries and data get the model's own prompts for them, if it has any.

    Instructions that are configured in txtai take the place of these prompts, as they do in txtai's default method.
    """

    def loadmodel(self, path: str) -> Any:
        return open_model(path)

    def encode(self, data: Any, category: str | None = None) -> Any:
        if self.instructions is not None:  # txtai has put them before the texts
            return self.model.encode(data, prompt="")
        return self.model.encode_query(data) if category == "query" else self.model.encode_document(data)
