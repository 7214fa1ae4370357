"""BERTopic: a backend. BERTopic(embedding_model=EmbdBackend("all-MiniLM-L6-v2"))"""

from __future__ import annotations

from typing import Any

from bertopic.backend import BaseEmbedder
from embd.integrations import ModelOrName, open_model


class EmbdBackend(BaseEmbedder):
    """Embeds documents and words."""

    def __init__(self, model: ModelOrName = "all-MiniLM-L6-v2") -> None:
        super().__init__()
        self.embedding_model = open_model(model)

    def embed(self, documents: Any, verbose: bool = False) -> Any:
        return self.embedding_model.encode(list(documents), progress=verbose)
