"""A provider for Daft: embed_text(daft.col("text"), provider=EmbdProvider(), model="all-MiniLM-L6-v2")"""

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
    """A provider for Daft: embeds texts with a model of embd. Nothing is downloaded.

    options: the options of embd.Model, such as compute and threads.
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
    """The settings that Daft sends to its workers. Each worker opens the model once."""

    model: str
    """The path or name of the model."""
    dimensions: int | None = None
    """The number of leading components that are kept. None keeps all."""
    batch_size: int = 1024
    """The number of texts that are embedded at once."""
    model_options: dict[str, Any] = field(default_factory=dict)
    """The options of embd.Model."""
    encode_options: dict[str, Any] = field(default_factory=dict)
    """The options of embd.Model.encode(), such as prompt."""

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
    """Embeds texts in a worker of Daft, with the model opened."""

    def __init__(self, descriptor: EmbdTextEmbedderDescriptor) -> None:
        self._model = open_model(descriptor.model, **descriptor.model_options)
        self._options = {"truncate_dim": descriptor.dimensions, **descriptor.encode_options}

    def embed_text(self, text: list[str]) -> list[Any]:
        return list(self._model.encode_document(text, **self._options))
