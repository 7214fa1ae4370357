"""embd.TermIndex: finds texts by their words."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from embd import _native
from embd._errors import InvalidArgumentError
from embd._texts import Texts, as_texts

if TYPE_CHECKING:
    import numpy as np
    from embd._keywords import TermKeywords
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from embd.model import Model


class TermMatches(NamedTuple):
    """The texts with the best scores for one query, best first."""

    rows: NDArray[np.uint64]
    """The numbers of the texts, [k], from 0."""
    scores: NDArray[np.float32]
    """The BM25 scores of the texts, [k]. A larger score is better."""

    def to_list(self) -> list[tuple[int, float]]:
        """Returns the matches as pairs of a row and a score."""
        return list(zip(self.rows.tolist(), self.scores.tolist()))


class TermIndex:
    """An index of the words of texts, which scores texts by BM25.

    path: a folder that save() or `embd embed -o X.terms` wrote. Its files are mapped.

    An index is immutable, and any number of threads may search at once. Calls release the GIL. Errors are raised as
    embd.Error. bm25s, SciPy and NumPy open the folder, too (docs/formats/terms.md).
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._native = _native.open_terms(os.fspath(path))
        self._model: Model | None = None

    @classmethod
    def from_texts(cls, texts: Texts, *, model: Model | None = None, **options: Unpack[TermKeywords]) -> TermIndex:
        """Builds an index over texts: row i is text i.

        term_kind: what a term is: "stems" (the default), "words" or "tokens", the tokens of `model`.
        stemmer: the rules for stems: "english" (the default), or "none" for texts in other languages.
        model: the model whose tokens are the terms; needed for term_kind="tokens" only.
        """
        index = cls.__new__(cls)
        index._native = _native.build_terms(as_texts(texts), _native_model(model), dict(options))
        index._model = model
        return index

    def __len__(self) -> int:
        return len(self._native)

    @property
    def info(self) -> dict[str, Any]:
        """A dict that describes the index: num_rows, num_terms, num_postings, average_length, term_kind and stemmer."""
        return self._native.info()

    def terms(self, text: str, *, model: Model | None = None) -> list[str]:
        """Returns the terms of a text, as this index counts them.

        model: the model whose tokens are the terms, for an index of tokens that was opened from a folder.
        """
        return self._native.terms(text, _native_model(model or self._model))

    def weight(self, term: str) -> float:
        """Returns how much a term distinguishes texts (its idf); 0 for a term that no text has."""
        return self._native.weight(term)

    def search(
        self, query: str | list[str], count: int = 10, *, rows: Any = None, model: Model | None = None
    ) -> TermMatches:
        """Finds the `count` texts with the best scores for a query. Texts without a term of the query are not found.

        query: a text, or a list of terms.
        rows: the numbers of the texts that may be found, ascending; None allows all.
        """
        count = operator.index(count)
        if count < 1:
            raise InvalidArgumentError(f"count is {count}, expected at least 1", "invalid_argument")
        return TermMatches(*self._native.search(self._terms_of(query, model), min(count, max(1, len(self))), rows))

    def scores(self, query: str | list[str], rows: Any, *, model: Model | None = None) -> NDArray[np.float32]:
        """Returns the score of each of `rows` for a query, [len(rows)]; 0 for a text without a term of the query."""
        return self._native.scores(self._terms_of(query, model), rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the index to a folder, whose name should end in ".terms". It appears when it is complete."""
        self._native.save(os.fspath(path))

    def _terms_of(self, query: str | list[str], model: Model | None) -> list[str]:
        return self.terms(query, model=model) if isinstance(query, str) else list(query)

    def __repr__(self) -> str:
        info = self.info
        return f"embd.TermIndex({info['term_kind']}, {info['num_rows']} rows, {info['num_terms']} terms)"


def _native_model(model: Model | None) -> _native.Model | None:
    return None if model is None else model._native
