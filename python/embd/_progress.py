"""A bar that shows how many texts are done, by tqdm where that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress_bar(texts: Any, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Yields what is to be called with the number of texts done so far; None without tqdm.

    texts: what has a length, where that is known.
    """
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=len(texts) if hasattr(texts, "__len__") else None, unit=unit) as bar:

        def update(done: int) -> None:
            bar.update(done - bar.n)

        yield update
