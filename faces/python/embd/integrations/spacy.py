"""The component "embd" for pipelines of spaCy, which stores the vector of a document in doc.tensor[0]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from embd.integrations import open_model
from spacy.language import Language
from spacy.tokens import Doc


@Language.factory("embd", default_config={"model": "all-MiniLM-L6-v2", "threads": 0})
def make_embd(nlp: Language, name: str, model: str, threads: int) -> EmbdPipe:
    """Returns the component for nlp.add_pipe("embd", config={"model": "all-MiniLM-L6-v2"})."""
    return EmbdPipe(model, threads)


class EmbdPipe:
    """A component that stores the vector of each document's text in doc.tensor, [1, dim].

    doc.tensor is kept when a document is written with to_bytes().
    """

    def __init__(self, model: str, threads: int) -> None:
        self._name = model
        self._model = open_model(model, threads=threads)

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 128) -> Iterator[Doc]:
        """Yields the documents of a stream with their vectors. `batch_size` documents are embedded at once."""
        from itertools import islice

        source = iter(stream)
        while docs := list(islice(source, batch_size)):
            rows = self._model.encode_document([doc.text for doc in docs])
            for doc, row in zip(docs, rows):
                doc.tensor = row[None]
                yield doc

    # A saved pipeline holds the model's name in its configuration, and nothing of the model itself.
    def to_bytes(self, **kwargs: Any) -> bytes:
        return b""

    def from_bytes(self, data: bytes, **kwargs: Any) -> EmbdPipe:
        return self

    def to_disk(self, path: Any, **kwargs: Any) -> None:
        pass

    def from_disk(self, path: Any, **kwargs: Any) -> EmbdPipe:
        return self
