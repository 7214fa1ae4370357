"""embd.Searcher: the rows nearest to texts or vectors, in files of any format."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from embd import _native
from embd._errors import InvalidArgumentError
from embd._rows import as_array, as_rows
from embd._texts import Texts, as_texts
from embd.vectors import read_options

if TYPE_CHECKING:
    import numpy as np
    from embd._keywords import ReadKeywords, SearchKeywords
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from embd.model import Model, Recipe


class Hits(NamedTuple):
    """The rows nearest to one query, nearest first."""

    ids: NDArray[np.uint64] | list[str]
    """[k]; row numbers where the set has no ids."""
    rows: NDArray[np.uint64]
    """Their numbers in the set, [k]."""
    distances: NDArray[np.float32]
    """Smaller is nearer, [k]: 1 - cosine, 1 - dot product, squared Euclidean, …"""

    def to_list(self) -> list[tuple[int | str, float]]:
        ids: list[Any] = self.ids if isinstance(self.ids, list) else self.ids.tolist()
        return list(zip(ids, self.distances.tolist()))


def _values_as_text(values: Any) -> list[str]:
    """The values that a column may have, each as the text that stands for it."""
    several = [values] if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) else values
    return [value if isinstance(value, str) else json.dumps(value, default=lambda number: number.item()) for value in several]


class Searcher:
    """Indexes or vector sets of any format, open to be searched with texts or vectors.

    paths: a file, or several that are searched as one set, as `embd search` takes them. A set without an index is compared
        row by row.
    metric: "cos", "ip", "l2sq" ("l2"), "hamming", … of a set of vectors, and of an index that does not say. None: what
        the file says, else cos, or hamming for binary codes.
    in_memory: read an index into memory instead of mapping it.
    force: go on where the files were made with other recipes.
    format, dtype, column, section, all_rows, unnormalize: how sets are read, as read_vectors() takes them.

    Queries are made as the rows were: with the model's "query" prompt, and as int8 or binary codes where rows are such
    codes. Files are opened once: one that is replaced meanwhile changes nothing. Immutable: any number of threads may
    search at once; calls release the GIL, and Ctrl-C ends them. Raises embd.Error.
    """

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        metric: str | None = None,
        in_memory: bool = False,
        force: bool = False,
        format: str = "",
        dtype: str | None = None,
        **read: Unpack[ReadKeywords],
    ) -> None:
        several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        given = {"metric": metric, "in_memory": in_memory, "force": force, **read_options(format, dtype, read)}
        self._native = _native.open_searcher([os.fspath(path) for path in several], given)
        self._ids: Any = self._native.ids()

    def __len__(self) -> int:
        rows: int = self.info["num_rows"]
        return rows

    @property
    def info(self) -> dict[str, Any]:
        """Its format, metric, has_index, num_rows, and dim: the values of a query."""
        info = self._native.info()
        del info["recipe"]
        return info

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that the rows were made with, where the files say so."""
        found = self._native.info()["recipe"]
        return None if found is None else json.loads(found)

    @property
    def ids(self) -> NDArray[np.uint64] | list[str] | None:
        """The ids of all rows in order; None where row numbers stand for them."""
        ids: NDArray[np.uint64] | list[str] | None = self._ids
        return ids

    @property
    def columns(self) -> list[str]:
        """The names of the columns that the rows have besides their vectors."""
        return self._native.columns()

    def row(self, number: int) -> dict[str, Any]:
        """The values of a row in all columns, by name."""
        found: dict[str, Any] = json.loads(self._native.columns_json(number) or "{}")
        return found

    def search(
        self,
        vectors: Any,
        count: int = 10,
        *,
        filter: Iterable[int | str] | None = None,
        where: Mapping[str, Any] | None = None,
        threads: int = 0,
        **options: Unpack[SearchKeywords],
    ) -> Any:
        """The `count` rows nearest to a vector [dim]: Hits; to rows [n, dim]: a list of Hits.

        vectors: as a model gives them; they are coded here. For rows of bits also packed bits, uint8 [n, dim / 8].
        filter: ids that may be found; none for an empty list. where: values that rows must have, by column: a string, a
        number, true, false, or a list of these, of which a row has one; a string is compared byte for byte with the texts
        of a column, and by its JSON with all else. exact: compare with every row. expansion (HNSW), window
        and capacity (Vamana): how much is looked at; more finds more. threads: 0 for all.
        """
        array = as_array(vectors)
        if array.dtype.name == "uint8" and array.shape[-1:] != (self.info["dim"],):
            import numpy as np

            queries = self._native.code_bits(np.ascontiguousarray(np.atleast_2d(array)))
        else:
            queries = self._native.code_queries(as_rows(array))
        found = self._find(queries, count, threads=threads, filter=filter, where=where, **options)
        return found[0] if array.ndim == 1 else found

    def search_texts(
        self,
        model: Model,
        texts: str | Texts,
        count: int = 10,
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        force: bool = False,
        threads: int = 0,
        filter: Iterable[int | str] | None = None,
        where: Mapping[str, Any] | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Any:
        """The `count` rows nearest to a text: Hits; to several texts: a list of Hits.

        prompt: put before each; by default the model's "query" prompt. prompt_name: another of the model's prompts. force: go on where the rows were made with another
        model. options: those of search().
        """
        single = isinstance(texts, str)
        if prompt_name is not None and prompt_name not in model.prompts:
            raise ValueError(f"the model has no prompt {prompt_name!r}, expected one of {', '.join(model.prompts)}")
        chosen = model.prompts.get(prompt_name or "query", "") if prompt is None else prompt
        given = {"prompt": chosen, "threads": threads, "force": force}
        queries = self._native.encode_queries(model._native, [texts] if single else as_texts(texts), given)
        found = self._find(queries, count, threads=threads, filter=filter, where=where, **options)
        return found[0] if single else found

    def search_file(
        self,
        path: str | os.PathLike[str],
        count: int = 10,
        *,
        force: bool = False,
        filter: Iterable[int | str] | None = None,
        where: Mapping[str, Any] | None = None,
        threads: int = 0,
        **options: Unpack[SearchKeywords],
    ) -> list[Hits]:
        """The `count` rows nearest to each row of a file: vectors, codes like those of the rows, or packed bits."""
        queries = self._native.read_queries(os.fspath(path), force)
        return self._find(queries, count, threads=threads, filter=filter, where=where, **options)

    def compute_note(self, model: Model) -> str:
        """Says so where the rows were made in another arithmetic than the model's; "" where they were not."""
        return self._native.compute_note(model._native)

    def _find(
        self,
        queries: _native.Queries,
        count: int,
        *,
        filter: Iterable[int | str] | None,
        where: Mapping[str, Any] | None,
        threads: int,
        **options: Unpack[SearchKeywords],
    ) -> list[Hits]:
        count = operator.index(count)
        if count < 1:
            raise InvalidArgumentError(f"count {count}, expected 1 or more", "invalid_argument")
        allowed = None if filter is None and where is None else self._filter(filter, where or {})
        most = min(count, len(self))
        rows, distances, counts = self._native.search(
            queries, max(1, most), allowed, {"threads": threads, **options}
        )
        return [
            Hits(self._ids_of(rows[query, :found]), rows[query, :found], distances[query, :found])
            for query, found in enumerate(counts.tolist())
        ]

    def _filter(self, ids: Iterable[int | str] | None, where: Mapping[str, Any]) -> _native.RowFilter:
        return self._native.filter(
            None if ids is None else [str(key) for key in ids],
            [(name, _values_as_text(values)) for name, values in where.items()],
        )

    def _ids_of(self, rows: NDArray[np.uint64]) -> NDArray[np.uint64] | list[str]:
        if self._ids is None:
            return rows
        if isinstance(self._ids, list):
            return [self._ids[row] for row in rows.tolist()]
        ids: NDArray[np.uint64] = self._ids[rows]
        return ids

    def __repr__(self) -> str:
        info = self.info
        return f"embd.Searcher({info['format']}, {info['metric']}, {info['num_rows']} × {info['dim']})"
