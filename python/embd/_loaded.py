"""The base class of embd.Model and embd.Reranker: a model of the engine over a file or a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from embd import _native

Native = TypeVar("Native", _native.Model, _native.Reranker)


class LoadedModel(Generic[Native]):
    """Opened by _open(), which a class calls in its constructor and which pickle calls again.

    Pickled as its class, path, options and attributes.
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
        **options: Any,
    ) -> None:
        from embd._find_model import find_model

        self._path = find_model(path_or_name)
        self._arguments = {"threads": threads, **options}
        self._threads = threads
        self._native = open_native(self._path, {"verify": verify, **options})

    def __repr__(self) -> str:
        return f"embd.{type(self).__name__}({str(self._path)!r}, compute={self.compute!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        own = ("_path", "_arguments", "_threads", "_native")
        state = {name: value for name, value in vars(self).items() if name not in own}
        return _reopen, (type(self), os.path.abspath(self._path), self._arguments), state

    @property
    def path(self) -> str:
        """The file or folder it was opened from."""
        return str(self._path)

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def max_seq_length(self) -> int:
        """Tokens an input is cut to, special ones counted: a text, or a pair."""
        return self._native.max_length

    @property
    def max_positions(self) -> int:
        """The most that max_length may be."""
        return self._native.max_positions

    @property
    def default_prompt_name(self) -> str | None:
        """The name of the prompt that is used where a call is given none."""
        return self._native.default_prompt_name or None

    @property
    def compute(self) -> str:
        return self._native.compute

    @property
    def instruction_set(self) -> str:
        """The kernels in use, such as "avx512". All but "reference" give equal inputs equal bytes."""
        return self._native.instruction_set


def _reopen(model_class: type[LoadedModel[Any]], path: str, arguments: dict[str, Any]) -> LoadedModel[Any]:
    model = model_class.__new__(model_class)
    model._open(path, **arguments)
    return model
