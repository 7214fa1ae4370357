"""Finds the file or folder of a model. Nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from embd import _native

_CARRIERS = ("embd_minilm",)


def find_model(name: str | os.PathLike[str], cache_folder: str | os.PathLike[str] | None = None) -> Path:
    """Returns the file or folder of a model.

    name: the path of a model, which is returned as it is, or a name such as "all-MiniLM-L6-v2". A name is looked for in
        the places that `embd -m NAME` searches, and in the package libembd-minilm; docs/python.md lists them.
    cache_folder: a cache of Hugging Face's tools to search, instead of the one that $SENTENCE_TRANSFORMERS_HOME names.

    Raises embd.Error (not_found), whose message lists the places.
    """
    return Path(_native.find_model(os.fspath(name), list(_packages()), cache_folder or ""))


def _packages() -> Iterator[Path]:
    """Yields the folders of installed packages that carry models."""
    from importlib.util import find_spec

    for package in _CARRIERS:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            yield Path(spec.origin).parent
