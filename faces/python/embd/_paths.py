"""Turns the argument of a job's inputs, one path or several, into a list."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def paths_of(given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> list[str]:
    """Returns the given path or paths as a list; an empty list for None."""
    if given is None:
        return []
    several = [given] if isinstance(given, (str, os.PathLike)) else given
    return [os.fspath(path) for path in several]
