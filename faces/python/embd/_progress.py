"""Shows progress bars with tqdm, if it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any


@contextmanager
def progress_bar(texts: Any, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Shows a bar within a `with` block. Yields a function to call with the number of texts that are done so far.

    It yields None if tqdm is not installed.

    texts: the texts; if they have a length, the bar shows the total.
    unit: the word for one item, such as "text".
    """
    with _bar(total=len(texts) if hasattr(texts, "__len__") else None, unit=unit) as bar:
        yield None if bar is None else lambda done: bar.update(done - bar.n)


@contextmanager
def byte_bar() -> Iterator[Callable[[int, int], None]]:
    """Shows a bar of bytes within a `with` block.

    Yields a function to call with the number of bytes that are done so far and the number of all bytes.
    """

    def update(done: int, of: int) -> None:
        if bar is not None:
            bar.total = of
            bar.update(done - bar.n)

    with _bar(unit="B", unit_scale=True) as bar:
        yield update


def _bar(**options: Any) -> AbstractContextManager[Any]:
    """Returns a bar of tqdm, or a context that gives None if tqdm is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return nullcontext()
    return tqdm(**options)  # type: ignore[no-any-return]
