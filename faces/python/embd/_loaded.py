"""The base class of embd.Model and embd.Reranker."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from embd import _native

Native = TypeVar("Native", _native.Model, _native.Reranker)


class LoadedModel(Generic[Native]):
    """A model that the engine has opened from a file or a folder.

    The constructor of a derived class calls _open(), and so does pickle when it loads a model. pickle stores the class,
    the path, the options and the attributes, but not the weights.
    """

    _native: Native
    _path: os.PathLike[str]
    _arguments: dict[str, Any]
    _threads: int

    def _open(self, path_or_name: str | os.PathLike[str], **arguments: Any) -> None:
        raise NotImplementedError

    def _load(
        self,
        path_or_name: str | os.PathLike[str],
        open_native: Callable[[Any, Any], Native],
        *,
        threads: int,
        verify: bool | None = None,
        has_prompts: bool = False,
        **options: Any,
    ) -> None:
        """Finds the model, opens it with `open_native`, and warns of what a user should know about it.

        The options are the same as in the constructor. has_prompts: true if the caller gave prompts.
        """
        from embd._find_model import find_model

        self._path = find_model(path_or_name)
        self._arguments = {"threads": threads, **options}
        self._threads = threads
        self._native = open_native(self._path, {"verify": verify, **options})
        for subject, text in self._native.notes:
            if subject != "missing_prompts" or not has_prompts:
                warnings.warn(text, stacklevel=4)

    def __repr__(self) -> str:
        return f"embd.{type(self).__name__}({self.path!r}, compute={self.compute!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        own = ("_path", "_arguments", "_threads", "_native")
        state = {name: value for name, value in vars(self).items() if name not in own}
        return _reopen, (type(self), os.path.abspath(self._path), self._arguments), state

    @property
    def path(self) -> str:
        """The file or folder from which the model was opened."""
        return os.fspath(self._path)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._native.name

    @property
    def max_seq_length(self) -> int:
        """The number of tokens that a longer text or pair is cut to by default, special tokens included."""
        return self._native.max_length

    @property
    def max_positions(self) -> int:
        """The largest max_length that the model allows."""
        return self._native.max_positions

    @property
    def default_prompt_name(self) -> str | None:
        """The name of the prompt that is used if a call gives none. It is None if the model has no such prompt."""
        return self._native.default_prompt_name or None

    @property
    def compute(self) -> str:
        """The arithmetic of the weight matrices: "f32", "bf16" or "int8"."""
        return self._native.compute

    @property
    def instruction_set(self) -> str:
        """The kernels in use, such as "avx512". All kernels but "reference" compute the same bytes."""
        return self._native.instruction_set


def _reopen(model_class: type[LoadedModel[Any]], path: str, arguments: dict[str, Any]) -> LoadedModel[Any]:
    """Opens a model that was pickled."""
    model = model_class.__new__(model_class)
    model._open(path, **arguments)
    return model
