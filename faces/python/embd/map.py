"""A map of rows: it places each row on a plane, close to the rows with the most similar vectors.

    rows = model.encode(texts)
    places = embd.project(rows)                        # float32 [n, 2]
    embd.Map(rows, texts=texts)                        # shows itself in a notebook
    embd.Map(rows, texts=texts, color_by=labels).save("map.html")

Equal rows and options give equal bytes, on any processor and with any number of threads.
"""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any

from embd import _native
from embd._rows import as_rows
from embd._texts import Texts, as_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


def project(rows: Any, *, neighbours: int = 15, epochs: int = 300, threads: int = 0) -> NDArray[np.float32]:
    """Computes a place on a plane for each row, so that rows with a high cosine similarity are close together.

    rows: the vectors, [n, dim].
    neighbours: the number of nearest neighbours that a row is placed close to. A smaller number shows finer groups.
    epochs: the number of steps in which the places are moved, at least 1.
    threads: the number of threads; 0 takes all CPUs that the process may use.

    Returns the places [n, 2]; they have no unit. Raises embd.Error: bad_value for a row with a value that is not
    finite, invalid_argument for an option out of range.
    """
    return _native.project(as_rows(rows, single=False), neighbours, epochs, threads)


class Map:
    """A map of vectors [n, dim], in which similar vectors are close together. A notebook shows it; save() writes it.

    texts, ids: a text and an id for each row, which the map shows.
    color_by: a value for each row, a word, a number or None. Rows with equal values form a group with a color of its
        own; more than 12 different numbers form seven groups from low to high. Without `color_by`, groups are found by
        the vectors and named by words of their texts.
    color_name: the name of the values in `color_by`, for the legend.
    groups: the number of groups to find if there is no `color_by`. 0 finds none; None takes a number that suits the
        number of rows.
    title: the title of the map.
    neighbours, epochs: the options of project().
    nearest: the number of nearest neighbours that the map shows for a row, at most `neighbours`.
    text_bytes: the number of bytes of each text that a page holds. A longer text is cut.
    threads: the number of threads; 0 takes all CPUs that the process may use.

    Raises embd.Error: bad_value for a row with a value that is not finite, invalid_argument if the number of texts, ids
    or colors is not the number of rows.
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
        matrix = as_rows(rows, single=False)
        texts = None if texts is None else as_texts(texts)
        ids = None if ids is None else as_texts(ids)
        self._map = _native.map_rows(matrix, neighbours, epochs, nearest, threads)
        self._map.title = title
        if texts is not None:
            self._map.set_texts(texts)
        if ids is not None:
            self._map.set_ids(ids)
        if colors is None:
            self._map.find_groups(matrix, groups, threads)
        else:
            self._map.color_by(colors, color_name)
        self._text_bytes = text_bytes
        self._map.page(0)  # Raises an error here if the number of texts, ids or colors is not the number of rows.

    @property
    def places(self) -> NDArray[np.float32]:
        """The place of each row on the plane, [n, 2]."""
        return self._map.places

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group number of each row, [n]. It is -1 for a row that belongs to no group."""
        return self._map.labels

    @property
    def names(self) -> list[str]:
        """The names of the groups, in the order of their numbers."""
        return self._map.names

    def html(self) -> str:
        """Returns the map as one page of HTML, which loads nothing from any network."""
        return self._map.page(self._text_bytes)

    def svg(self, *, width: int = 1200, height: int = 800, dark: bool = False) -> str:
        """Returns the map as a picture in SVG.

        width, height: the size in pixels, from 200 to 20,000.
        dark: draw for a dark background.
        """
        return self._map.picture(width, height, dark)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the map to a file: an SVG picture if the name ends in .svg, otherwise a page of HTML.

        The file appears when it is complete. Raises embd.Error, which is an OSError, if it cannot be written.
        """
        name = os.fspath(path)
        _native.write_file(name, self.svg() if name.endswith(".svg") else self.html())

    def _repr_html_(self) -> str:
        # A frame of its own keeps the page's script and the notebook from reaching each other.
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.html())}" title="Map" loading="lazy" '
            'style="width: 100%; height: 38rem; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<embd.Map of {len(self.labels)} rows in {len(self.names)} groups>"
