"""Daft: a provider. embed_text(daft.col("text"), provider=EmbdProvider(), model="all-MiniLM-L6-v2")"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from daft import DataType
from daft.ai.protocols import TextEmbedder, TextEmbedderDescriptor
from daft.ai.provider import Provider
from daft.ai.typing import EmbeddingDimensions, Options, UDFOptions
from embd.integrations import open_model


class EmbdProvider(Provider):
    """Embeds texts with models that embd opens. Nothing is downloaded.

    options: of embd.Model, such as compute and threads.
    """

    def __init__(self, **options: Any) -> None:
        self._options = options

    @property
    def name(self) -> str:
        return "embd"

    def get_text_embedder(
        self, model: str | os.PathLike[str] | None = None, dimensions: int | None = None, **options: Any
    ) -> EmbdTextEmbedderDescriptor:
        return EmbdTextEmbedderDescriptor(
            os.fspath(model or "all-MiniLM-L6-v2"), dimensions, options.pop("batch_size", 1024), self._options, options
        )


@dataclass
class EmbdTextEmbedderDescriptor(TextEmbedderDescriptor):
    """The function that Daft takes to its workers, each of which opens the model once.

    dimensions: leading components that are kept. encode_options: of embd.Model.encode, such as prompt.
    """

    model: str
    dimensions: int | None = None
    batch_size: int = 1024
    model_options: dict[str, Any] = field(default_factory=dict)
    encode_options: dict[str, Any] = field(default_factory=dict)

    def get_provider(self) -> str:
        return "embd"

    def get_model(self) -> str:
        return self.model

    def get_options(self) -> Options:
        return {"batch_size": self.batch_size, **self.encode_options}

    def get_dimensions(self) -> EmbeddingDimensions:
        size = self.dimensions or open_model(self.model, **self.model_options).dim
        return EmbeddingDimensions(size=size, dtype=DataType.float32())

    def get_udf_options(self) -> UDFOptions:
        return UDFOptions(batch_size=self.batch_size)

    def instantiate(self) -> TextEmbedder:
        return EmbdTextEmbedder(self)


class EmbdTextEmbedder(TextEmbedder):
    """The model, opened."""

    def __init__(self, descriptor: EmbdTextEmbedderDescriptor) -> None:
        self._model = open_model(descriptor.model, **descriptor.model_options)
        self._options = {"truncate_dim": descriptor.dimensions, **descriptor.encode_options}

    def embed_text(self, text: list[str]) -> list[Any]:
        return list(self._model.encode_document(text, **self._options))
