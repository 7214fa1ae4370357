"""embd.Reranker: pairs of texts in, scores out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from embd import _native
from embd._loaded import LoadedModel
from embd._progress import progress_bar
from embd._texts import Texts, as_texts

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from embd._keywords import ScoreKeywords
    from embd.model import Compute, Recipe
    from numpy.typing import NDArray
    from typing_extensions import Unpack

Activation: TypeAlias = Literal["identity", "sigmoid"]


@dataclass(frozen=True)
class RankedDocument:
    """A document of a ranking."""

    index: int
    """Its place among the documents that were given."""
    score: float
    """The activation of the logit."""
    logit: float
    truncated: bool
    """Whether the query or the document was cut."""


class Reranker(LoadedModel[_native.Reranker]):
    """A cross-encoder: it reads two texts together, such as a question and a passage, and says how well they match.

    path_or_name: a file of embd (NAME.weights), a folder of Hugging Face's, or the name of a model that is in one of
        the places find_model() lists. Nothing is downloaded.
    compute, threads, vocab, verify, hash_record: as embd.Model takes them.

    Immutable: any number of Python threads may use one reranker at once, and calls release the GIL. A pair's score has
    the same bytes whatever else is in the call, with any number of threads. Pickled as its class, path, options and
    attributes; works after fork() and in processes that are spawned. Raises embd.Error.
    """

    def __init__(
        self,
        path_or_name: str | os.PathLike[str],
        *,
        compute: Compute = "f32",
        threads: int = 0,
        vocab: str | os.PathLike[str] | None = None,
        verify: bool = False,
        hash_record: str | os.PathLike[str] | None = None,
    ) -> None:
        self._open(
            path_or_name, compute=compute, threads=threads, vocab=vocab, verify=verify, hash_record=hash_record
        )

    def _open(self, path_or_name: str | os.PathLike[str], **arguments: Any) -> None:
        self._load(path_or_name, _native.open_reranker, **arguments)

    @property
    def labels(self) -> list[str]:
        """The names of a pair's scores, one or more. A reranker to rank with has one."""
        return self._native.labels

    @property
    def activation(self) -> str:
        """The activation of score() and rank() where they are told nothing: "sigmoid" or "identity"."""
        return self._native.activation

    @property
    def prompts(self) -> dict[str, str]:
        """Texts that may be put before the first text of a pair, by name."""
        return self._native.prompts

    @property
    def recipe(self) -> Recipe:
        """The recipe of score() where it is told nothing. The first time the model file is hashed."""
        import json

        recipe: Recipe = json.loads(self._native.recipe(self._options()))
        return recipe

    def _options(self, **options: Unpack[ScoreKeywords]) -> _native.ScoreOptions:
        if options.get("threads") is None:
            options["threads"] = self._threads
        return _native.ScoreOptions(**options)

    def score(
        self,
        pairs: Iterable[tuple[str, str] | list[str]],
        *,
        progress: bool = False,
        **options: Unpack[ScoreKeywords],
    ) -> NDArray[np.float32]:
        """Returns the scores of pairs of texts: [n], or [n, labels] of a model with several labels.

        pairs: tuples or lists of two str, such as a query and a document.
        activation: "identity" gives logits, "sigmoid" numbers from 0 to 1; by default the model's own.
        prompt: put before the first text of each pair; by default the model's own, where it has such.
        prompt_name: the prompt by its name in `prompts` instead.
        max_length: tokens a pair is cut to, special ones counted; its longer text is cut first. truncate_side: which end of
            a text is cut off, "right" or "left"; by default the model's.
        threads: as the reranker's. batch_tokens: tokens a thread takes at a time; dedup: compute pairs with the same
            tokens once (True). Neither changes a byte. refuse_truncated: a pair of more tokens is an error.
        progress: a bar of tqdm, if it is installed, that counts pairs.

        Ctrl-C ends it within a moment. Raises TypeError for what is no pair of texts, embd.Error.
        """
        first, second = texts_of_pairs(pairs)
        native_options = self._options(**options)
        if progress:
            with progress_bar(first, unit="pair") as update:
                scores = self._native.score(first, second, native_options, update)
        else:
            scores = self._native.score(first, second, native_options)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def rank(
        self,
        query: str,
        documents: Texts,
        k: int | None = None,
        **options: Unpack[ScoreKeywords],
    ) -> list[RankedDocument]:
        """Returns the best `k` of the documents for a query (None: all), the best first.

        The order is that of the logits; of equal ones the earlier document is first, and NaN is last. Scores that an
        activation rounds to the same number keep their order so. The options are those of score(). Raises embd.Error
        for a model with several labels.
        """
        native_options = self._options(**options)
        return [RankedDocument(*ranked) for ranked in self._native.rank(query, as_texts(documents), k, native_options)]

    def tokenize(
        self, pairs: Iterable[tuple[str, str] | list[str]], *, prompt: str | None = None, max_length: int | None = 0
    ) -> list[tuple[list[int], list[int]]]:
        """Returns the ids and the types of each pair's tokens, special ones counted.

        max_length: 0 does not cut; None cuts as score() does.
        """
        first, second = texts_of_pairs(pairs)
        return self._native.tokenize(first, second, self._options(prompt=prompt, max_length=max_length))


def texts_of_pairs(pairs: Iterable[Any]) -> tuple[list[str], list[str]]:
    """Returns the first and the second texts of pairs. Raises TypeError for an item that is no pair of str."""
    first, second = [], []
    for i, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise TypeError(f"item {i} is {_description(pair)}, expected a pair of str")
        first.append(pair[0])
        second.append(pair[1])
    return first, second


def _description(item: Any) -> str:
    if isinstance(item, (tuple, list)):
        return f"a {type(item).__name__} of {', '.join(type(part).__name__ for part in item) or 'nothing'}"
    return type(item).__name__
