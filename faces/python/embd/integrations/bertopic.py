"""A backend for BERTopic: BERTopic(embedding_model=EmbdBackend("all-MiniLM-L6-v2"))"""

from __future__ import annotations

from typing import Any

from bertopic.backend import BaseEmbedder
from embd.integrations import ModelOrName, open_model


class EmbdBackend(BaseEmbedder):
    """A backend of BERTopic that embeds documents and words with an embd.Model."""

    def __init__(self, model: ModelOrName = "all-MiniLM-L6-v2") -> None:
        super().__init__()
        self.embedding_model = open_model(model)

    def embed(self, documents: Any, verbose: bool = False) -> Any:
        """Returns the vectors of documents, [n, dim]. With `verbose`, a progress bar is shown."""
        return self.embedding_model.encode(list(documents), progress=verbose)
