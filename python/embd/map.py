"""A map of rows: a place on a plane for each, near its nearest rows.

    rows = model.encode(texts)
    places = embd.project(rows)                        # float32 [n, 2]
    embd.Map(rows, texts=texts)                        # shows itself in a notebook
    embd.Map(rows, texts=texts, color_by=labels).save("map.html")

Equal rows and options give equal bytes, on any processor and number of threads.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embd import _native
from embd._rows import as_rows
from embd._texts import Texts, as_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


def project(rows: Any, *, neighbours: int = 15, epochs: int = 300, threads: int = 0) -> NDArray[np.float32]:
    """Lays rows [n, dim] out on a plane, [n, 2], so that rows of a great cosine are near each other.

    neighbours: the nearest rows that a row is laid beside; fewer show finer groups. Raises embd.Error: bad_value for a
    row with a value that is not finite.
    """
    return _native.project(as_rows(rows, single=False), neighbours, epochs, threads)


class Map:
    """A map of rows [n, dim], which a notebook shows and save() writes.

    texts, ids: one a row. color_by: a value a row (words, numbers, None) whose groups the colors are; color_name says
    what they are. Without it, `groups` groups are found and named by words of their texts: 0 for none, None for as many
    as are usual. nearest: how many of a row's nearest rows are shown. A page holds the first `text_bytes` bytes of a
    text. Raises embd.Error: bad_value for a row with a value that is not finite, invalid_argument for another number of
    texts, ids or colors than of rows.
    """

    def __init__(
        self,
        rows: Any,
        *,
        texts: Texts | None = None,
        ids: Texts | None = None,
        color_by: Iterable[Any] | None = None,
        color_name: str = "color",
        groups: int | None = None,
        title: str = "Map",
        neighbours: int = 15,
        epochs: int = 300,
        nearest: int = 8,
        text_bytes: int = 1000,
        threads: int = 0,
    ) -> None:
        colors = None if color_by is None else getattr(color_by, "tolist", lambda: list(color_by))()
        self._map = _native.make_map(
            as_rows(rows, single=False),
            None if texts is None else as_texts(texts),
            None if ids is None else as_texts(ids),
            colors,
            color_name,
            groups,
            title,
            neighbours,
            epochs,
            nearest,
            threads,
        )
        self._text_bytes = text_bytes
        self._map.page(0)  # Parts that do not fit the rows are an error here.

    @property
    def places(self) -> NDArray[np.float32]:
        """[n, 2]: where the rows are."""
        return self._map.places

    @property
    def labels(self) -> NDArray[np.int32]:
        """[n]: the group of each row; -1 for a row in none."""
        return self._map.labels

    @property
    def names(self) -> list[str]:
        """The names of the groups."""
        return self._map.names

    def html(self) -> str:
        """The map as a page in one piece, which asks nothing of any network."""
        return self._map.page(self._text_bytes)

    def svg(self, *, width: int = 1200, height: int = 800, dark: bool = False) -> str:
        """The map as a picture."""
        return self._map.picture(width, height, dark)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a picture if the name ends in .svg, otherwise a page."""
        path = Path(path)
        path.write_text(self.svg() if path.suffix == ".svg" else self.html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        # In a frame of its own: the page's script can neither reach the notebook nor the other way round.
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.html())}" title="Map" loading="lazy" '
            'style="width: 100%; height: 38rem; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<embd.Map of {len(self.labels)} rows in {len(self.names)} groups>"
