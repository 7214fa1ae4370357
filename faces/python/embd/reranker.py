"""embd.Reranker: computes the scores of pairs of texts."""

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
    """A document in a ranking, as rank() returns it."""

    index: int
    """The document's place in the list that was given to rank(), from 0."""
    score: float
    """The score, which the activation makes of the logit."""
    logit: float
    """The number that the model computes for the pair of query and document."""
    truncated: bool
    """True if the query or the document was cut."""


class Reranker(LoadedModel[_native.Reranker]):
    """A reranker, or cross-encoder: it reads two texts together and says how well they match.

    path_or_name: a weight file of embd (NAME.weights), a model's folder in the form of Hugging Face, or the name of a
        model. find_model() says where names are looked for. Nothing is downloaded.
    compute, threads, vocab, verify, hash_record: as in embd.Model.

    A reranker is immutable: any number of Python threads may use it at once, and calls release the GIL. The score of a
    pair has the same bytes with any number of threads and whatever other pairs are in the call. A reranker can be
    pickled; it then consists of its class, path, options and attributes. It works after fork() and in spawned
    processes. Errors are raised as embd.Error.
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
        """The names of the scores that a pair gets. A reranker that can rank documents has exactly one."""
        return self._native.labels

    @property
    def activation(self) -> str:
        """The activation that score() and rank() use by default: "sigmoid" or "identity"."""
        return self._native.activation

    @property
    def prompts(self) -> dict[str, str]:
        """The strings that can be put before the first text of a pair, by name."""
        return self._native.prompts

    @property
    def recipe(self) -> Recipe:
        """The recipe of scores that score() makes without options.

        The first use reads the whole model file to hash it.
        """
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
        """Computes the scores of pairs of texts: [n], or [n, labels] if the model has several labels.

        pairs: tuples or lists of two str, such as a query and a document.
        activation: "identity" gives logits, "sigmoid" numbers from 0 to 1; by default the model's own.
        prompt: the string put before the first text of each pair. By default it is the model's own prompt, if it has
            one.
        prompt_name: the name of a prompt in `prompts`, instead of `prompt`.
        max_length: the number of tokens that a longer pair is cut to, special tokens included. The longer text of the
            pair is cut first.
        truncate_side: the end of a text that is cut off, "right" or "left"; by default the model's.
        refuse_truncated: raise an error for a pair that would be cut.
        threads: the number of threads; by default the reranker's.
        batch_tokens: the number of tokens that a thread computes at a time. It changes no byte of the result.
        dedup: compute pairs with the same tokens only once; by default True. It changes no byte of the result.
        progress: show a progress bar that counts pairs, if tqdm is installed.

        Ctrl-C ends the call within a moment. Raises TypeError for an item that is no pair of texts, embd.Error for all
        other faults.
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
        """Ranks documents for a query. Returns the best `k`, best first; all documents if k is None.

        Documents are ordered by their logits, because the activation may round different logits to the same score. Of
        equal logits the earlier document comes first, and NaN comes last. The options are the same as in score().
        Raises embd.Error (invalid_argument) for a model with several labels.
        """
        native_options = self._options(**options)
        return [RankedDocument(*ranked) for ranked in self._native.rank(query, as_texts(documents), k, native_options)]

    def tokenize(
        self, pairs: Iterable[tuple[str, str] | list[str]], *, prompt: str | None = None, max_length: int | None = 0
    ) -> list[tuple[list[int], list[int]]]:
        """Returns the token ids and the token types of each pair, special tokens included.

        prompt: the string put before the first text of each pair; by default the model's own prompt, if it has one.
        max_length: the number of tokens that a longer pair is cut to. 0 does not cut; None cuts as score() does.
        """
        first, second = texts_of_pairs(pairs)
        return self._native.tokenize(first, second, self._options(prompt=prompt, max_length=max_length))


def texts_of_pairs(pairs: Iterable[Any]) -> tuple[list[str], list[str]]:
    """Returns the first texts of pairs and the second texts. Raises TypeError for an item that is no pair of str."""
    first, second = [], []
    for i, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise TypeError(f"item {i} is {_description(pair)}, expected a pair of str")
        first.append(pair[0])
        second.append(pair[1])
    return first, second


def _description(item: Any) -> str:
    """Describes an item that is no pair of str, for an error message."""
    if isinstance(item, (tuple, list)):
        return f"a {type(item).__name__} of {', '.join(type(part).__name__ for part in item) or 'nothing'}"
    return type(item).__name__
