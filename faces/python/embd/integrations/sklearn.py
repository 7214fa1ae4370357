"""A transformer for pipelines of scikit-learn, which turns texts into vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from embd.integrations import open_model
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin


class EmbdVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer of scikit-learn: it takes texts and returns vectors.

        make_pipeline(EmbdVectorizer("all-MiniLM-L6-v2"), LogisticRegression())

    model: the path or name of a model. When the transformer is cloned, pickled or printed, only this string is kept;
        each process opens the model at its first transform().
    prompt, max_length, truncate_dim, threads: the options of embd.Model.encode().
    """

    def __init__(
        self,
        model: str = "all-MiniLM-L6-v2",
        *,
        prompt: str = "",
        max_length: int | None = None,
        truncate_dim: int | None = None,
        threads: int = 0,
    ) -> None:
        self.model = model
        self.prompt = prompt
        self.max_length = max_length
        self.truncate_dim = truncate_dim
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> EmbdVectorizer:
        """Checks that X holds texts. There is nothing to learn from them."""
        _texts(X)
        return self

    def transform(self, X: Any) -> Any:
        """Returns the vectors of texts, float32 [n, dim]."""
        return self._opened().encode(
            _texts(X),
            prompt=self.prompt,
            max_length=self.max_length,
            truncate_dim=self.truncate_dim,
            threads=self.threads,
        )

    def _opened(self) -> Any:
        """Returns the model, which is opened at the first use."""
        if self.__dict__.get("_cache", (None, None))[0] != self.model:
            self._cache = (self.model, open_model(self.model))
        return self._cache[1]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_cache", None)
        return state

    @property
    def _n_features_out(self) -> int:
        dim: int = self._opened().dim
        return dim if self.truncate_dim is None else self.truncate_dim

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        tags.transformer_tags.preserves_dtype = []
        return tags


def _texts(X: Any) -> list[str]:
    """Returns the texts of a list, an array, a column, or a table of one column. Raises ValueError for other input."""
    if isinstance(X, str):
        raise ValueError("X is a str, expected a sequence of str")
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        if X.shape[1] != 1:
            raise ValueError(f"X has {X.shape[1]} columns, expected one column of texts")
        X = X.iloc[:, 0]
    array = np.asarray(X, dtype=object) if not isinstance(X, (list, tuple)) else X
    if isinstance(array, np.ndarray):
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise ValueError(f"X has {array.ndim} dimensions, expected a sequence of texts")
    texts = list(array)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"X[{i}] is {type(text).__name__}, expected str")
    return texts
