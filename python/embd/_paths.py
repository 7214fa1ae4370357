"""Paths of inputs: one or several."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def paths_of(given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> list[str]:
    """Returns one path, several or none as a list."""
    if given is None:
        return []
    several = [given] if isinstance(given, (str, os.PathLike)) else given
    return [os.fspath(path) for path in several]
