"""Components of Haystack that embed a query and documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import embd
from embd.integrations._haystack import text_of
from haystack import Document, component, default_from_dict, default_to_dict


class _Embedder:
    """The base class of the two embedders. It opens the model in warm_up() or, without it, in the first run().

    model: the path or name of the model.
    truncate_dim: the number of leading components that are kept. None keeps all.
    threads: the number of threads; 0 takes all CPUs that the process may use.
    """

    def __init__(self, model: str = "all-MiniLM-L6-v2", truncate_dim: int | None = None, threads: int = 0) -> None:
        self.model = model
        self.truncate_dim = truncate_dim
        self.threads = threads
        self._opened: embd.Model | None = None

    def warm_up(self) -> None:
        """Opens the model, unless it is open already."""
        if self._opened is None:
            self._opened = embd.Model(self.model, threads=self.threads)

    def _ready(self) -> embd.Model:
        """Returns the model, which is opened at the first use."""
        self.warm_up()
        assert self._opened is not None
        return self._opened

    def to_dict(self) -> dict[str, Any]:
        saved: dict[str, Any] = default_to_dict(
            self, model=self.model, truncate_dim=self.truncate_dim, threads=self.threads
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        return default_from_dict(cls, data)


@component
class EmbdTextEmbedder(_Embedder):
    """Embeds a query, with the model's prompt for queries: run(text) returns {"embedding": …}."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        if not isinstance(text, str):
            raise TypeError(f"{type(text).__name__} where a str was expected: documents have EmbdDocumentEmbedder")
        return {"embedding": self._ready().encode_query(text, truncate_dim=self.truncate_dim).tolist()}


@component
class EmbdDocumentEmbedder(_Embedder):
    """Embeds documents, with the model's prompt for documents: run(documents) returns {"documents": …}.

    The documents that it returns are copies with their embeddings.

    meta_fields_to_embed: the fields of a document's meta whose values are put before its content.
    separator: the string between these values and the content.
    """

    def __init__(
        self,
        model: str = "all-MiniLM-L6-v2",
        truncate_dim: int | None = None,
        threads: int = 0,
        meta_fields_to_embed: list[str] | None = None,
        separator: str = "\n",
    ) -> None:
        # Called by its name because the decorator replaces the class, and super() would not know the new one.
        _Embedder.__init__(self, model, truncate_dim, threads)
        self.meta_fields_to_embed = meta_fields_to_embed or []
        self.separator = separator

    def to_dict(self) -> dict[str, Any]:
        saved: dict[str, Any] = default_to_dict(
            self,
            model=self.model,
            truncate_dim=self.truncate_dim,
            threads=self.threads,
            meta_fields_to_embed=self.meta_fields_to_embed,
            separator=self.separator,
        )
        return saved

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        if not isinstance(documents, list) or any(not isinstance(document, Document) for document in documents):
            raise TypeError("a list of documents was expected: a text has EmbdTextEmbedder")
        texts = [text_of(document, self.meta_fields_to_embed, self.separator) for document in documents]
        rows = self._ready().encode_document(texts, truncate_dim=self.truncate_dim)
        return {"documents": [replace(document, embedding=row.tolist()) for document, row in zip(documents, rows)]}
