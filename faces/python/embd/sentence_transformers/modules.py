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


class StaticEmbedding(Transformer):
    """The module for a table of rows and its tokenizer, which makes the vector of a text at once."""

    def __repr__(self) -> str:
        return f"StaticEmbedding(embedding_dimension={self.get_embedding_dimension()})"


class Pooling(_Module):
    """The pooling module: it makes one vector of the rows that the encoder computes for the tokens of a text.

    pooling_mode: the name of the mode, or a tuple of the names of modes whose results are joined.
    """

    include_prompt = True

    def __init__(self, pooling_mode: str | tuple[str, ...], embedding_dimension: int) -> None:
        self.pooling_mode = pooling_mode
        self.embedding_dimension = embedding_dimension

    def __repr__(self) -> str:
        return f"Pooling(pooling_mode={self.pooling_mode!r}, embedding_dimension={self.embedding_dimension})"

    def get_embedding_dimension(self) -> int:
        modes = 1 if isinstance(self.pooling_mode, str) else len(self.pooling_mode)
        return modes * self.embedding_dimension

    get_sentence_embedding_dimension = get_embedding_dimension


class Dense(_Module):
    """The module for a linear step with a function, such as "Tanh"."""

    def __init__(self, in_features: int, out_features: int, bias: bool, activation_function: str) -> None:
        self.in_features = in_features
        self.out_features = out_features
        self.bias = bias
        self.activation_function = activation_function

    def __repr__(self) -> str:
        return (
            f"Dense(in_features={self.in_features}, out_features={self.out_features}, bias={self.bias}, "
            f"activation_function={self.activation_function!r})"
        )

    def get_embedding_dimension(self) -> int:
        return self.out_features

    get_sentence_embedding_dimension = get_embedding_dimension


class LayerNorm(_Module):
    """The module for a LayerNorm of the vector."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def __repr__(self) -> str:
        return f"LayerNorm(dimension={self.dimension})"

    def get_embedding_dimension(self) -> int:
        return self.dimension

    get_sentence_embedding_dimension = get_embedding_dimension


class Normalize(_Module):
    """The module that scales vectors to length 1."""

    def __repr__(self) -> str:
        return "Normalize()"


def _behind_pooling(kind: str, before: int, after: int, bias: bool, activation: str) -> Any:
    if kind == "Dense":
        return Dense(before, after, bias, activation)
    return LayerNorm(before) if kind == "LayerNorm" else Normalize()


def modules_of(model: SentenceTransformer) -> list[Any]:
    """Returns the modules of a model: Transformer and Pooling or StaticEmbedding, and those behind, such as Normalize."""
    inner = model._model
    modes = inner.poolings
    modules: list[Any] = [StaticEmbedding(model)]
    if not inner._native.is_static:
        modules = [Transformer(model), Pooling(modes[0] if len(modes) == 1 else tuple(modes), inner.hidden)]
    modules += [_behind_pooling(*facts) for facts in inner._native.modules]
    return [*modules, Normalize()] if inner.recipe["normalize"] else modules
