"""Where a model of a name is. Nothing is ever downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from embd import _native

_CARRIERS = ("embd_minilm",)


def find_model(name: str | os.PathLike[str], cache_folder: str | os.PathLike[str] | None = None) -> Path:
    """The file or folder of a model.

    A path is itself. A name is looked for as `embd -m NAME` does (embd/find_model.h), and in the package libembd-minilm.
    Raises embd.Error (not_found), which lists the places.
    """
    return Path(_native.find_model(os.fspath(name), list(_packages()), cache_folder or ""))


def _packages() -> Iterator[Path]:
    """The folders of the installed packages that carry models."""
    from importlib.util import find_spec

    for package in _CARRIERS:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            yield Path(spec.origin).parent
