"""An embedding function for Chroma.

Import this module before you open a collection that was made with this function: it registers the function's name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from chromadb.api.types import Documents, EmbeddingFunction, Embeddings, Space
from chromadb.utils.embedding_functions import register_embedding_function
from embd.integrations import ModelOrName, name_of, open_model


@register_embedding_function
class EmbdEmbeddingFunction(EmbeddingFunction[Documents]):
    """An embedding function of Chroma. Documents and queries get the model's own prompts for them, if it has any.

        client.create_collection("docs", embedding_function=EmbdEmbeddingFunction("all-MiniLM-L6-v2"))
    """

    def __init__(self, model: ModelOrName = "all-MiniLM-L6-v2") -> None:
        self._name = name_of(model)
        self._model = open_model(model)

    def __call__(self, input: Documents) -> Embeddings:
        return list(self._model.encode_document(list(input)).astype(np.float32, copy=False))

    def embed_query(self, input: Documents) -> Embeddings:
        return list(self._model.encode_query(list(input)).astype(np.float32, copy=False))

    @staticmethod
    def name() -> str:
        return "embd"

    def default_space(self) -> Space:
        return "cosine"

    def supported_spaces(self) -> list[Space]:
        return ["cosine", "l2", "ip"]

    def get_config(self) -> dict[str, Any]:
        return {"model": self._name}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> EmbdEmbeddingFunction:
        return EmbdEmbeddingFunction(config["model"])
