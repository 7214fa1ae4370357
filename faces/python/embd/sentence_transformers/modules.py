"""The modules that describe the steps of a SentenceTransformer: model[0], model[1], ….

They compute nothing, because the engine does all steps at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embd.sentence_transformers.model import SentenceTransformer
    from embd.sentence_transformers.tokenizer import Tokenizer


class _Module:
    """The base class of modules that only describe a step of the computation."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"embd's {type(self).__name__} has no {name!r}, because it only describes the model, which computes in C++. "
            "The class of sentence-transformers has modules of torch."
        )


class Transformer(_Module):
    """The module for the encoder and its tokenizer."""

    def __init__(self, model: SentenceTransformer) -> None:
        self._model = model

    def __repr__(self) -> str:
        return f"Transformer(max_seq_length={self.max_seq_length})"

    @property
    def max_seq_length(self) -> int:
        """The number of tokens that a longer text is cut to. Setting it changes the SentenceTransformer."""
        return self._model.max_seq_length

    @max_seq_length.setter
    def max_seq_length(self, value: int) -> None:
        self._model.max_seq_length = value

    @property
    def tokenizer(self) -> Tokenizer:
        return self._model.tokenizer

    @property
    def processor(self) -> Tokenizer:
        return self._model.tokenizer

    @property
    def modalities(self) -> list[str]:
        return self._model.modalities

    def get_embedding_dimension(self) -> int:
        """Returns the number of components of a token's row."""
        return self._model._model.hidden

    get_word_embedding_dimension = get_embedding_dimension


class Pooling(_Module):
    """The pooling module: it makes one vector of the rows that the encoder computes for the tokens of a text."""

    include_prompt = True

    def __init__(self, pooling_mode: str, embedding_dimension: int) -> None:
        self.pooling_mode = pooling_mode
        self.embedding_dimension = embedding_dimension

    def __repr__(self) -> str:
        return f"Pooling(pooling_mode={self.pooling_mode!r}, embedding_dimension={self.embedding_dimension})"

    def get_embedding_dimension(self) -> int:
        return self.embedding_dimension

    get_sentence_embedding_dimension = get_embedding_dimension


class Normalize(_Module):
    """The module that scales vectors to length 1."""

    def __repr__(self) -> str:
        return "Normalize()"


def modules_of(model: SentenceTransformer) -> list[Any]:
    """Returns the modules of a model: Transformer and Pooling, and Normalize if the model normalizes its vectors."""
    recipe = model._model.recipe
    modules: list[Any] = [Transformer(model), Pooling(recipe["pooling"], model._model.hidden)]
    return [*modules, Normalize()] if recipe["normalize"] else modules
