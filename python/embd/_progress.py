"""Bars that show how much is done, by tqdm where that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any


@contextmanager
def progress_bar(texts: Any, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Yields what is to be called with the number of texts done so far; None without tqdm.

    texts: what has a length, where that is known.
    """
    with _bar(total=len(texts) if hasattr(texts, "__len__") else None, unit=unit) as bar:
        yield None if bar is None else lambda done: bar.update(done - bar.n)


@contextmanager
def byte_bar() -> Iterator[Callable[[int, int], None]]:
    """Yields what is to be called with the number of bytes that are there so far, and of all."""

    def update(done: int, of: int) -> None:
        if bar is not None:
            bar.total = of
            bar.update(done - bar.n)

    with _bar(unit="B", unit_scale=True) as bar:
        yield update


def _bar(**options: Any) -> AbstractContextManager[Any]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return nullcontext()
    return tqdm(**options)  # type: ignore[no-any-return]
