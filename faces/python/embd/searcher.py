"""embd.Searcher: finds the rows that are nearest to texts or vectors, in files of any format."""

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
from embd.vectors import as_ids, read_options

if TYPE_CHECKING:
    import numpy as np
    from embd._keywords import ReadKeywords, SearchKeywords
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from embd.model import Model, Recipe


class Hits(NamedTuple):
    """The nearest rows of one query, nearest first."""

    ids: NDArray[np.uint64] | list[str]
    """The ids of the rows, [k]. If the vector set has no ids, they are row numbers."""
    rows: NDArray[np.uint64]
    """The numbers of the rows in the vector set, [k]."""
    distances: NDArray[np.float32]
    """The distances of the rows to the query, [k], in the set's metric, such as 1 - cosine or squared Euclidean."""

    def to_list(self) -> list[tuple[int | str, float]]:
        """Returns the hits as pairs of an id and a distance."""
        ids: list[Any] = self.ids if isinstance(self.ids, list) else self.ids.tolist()
        return list(zip(ids, self.distances.tolist()))


class TermHits(NamedTuple):
    """The rows of one query that a search for terms found, best first."""

    ids: NDArray[np.uint64] | list[str]
    """The ids of the rows, [k]. If the vector set has no ids, they are row numbers."""
    rows: NDArray[np.uint64]
    """The numbers of the rows in the vector set, [k]."""
    term_scores: NDArray[np.float32]
    """The BM25 scores of the rows' texts, [k]. A larger score is better."""

    def to_list(self) -> list[tuple[int | str, float]]:
        """Returns the hits as pairs of an id and a term score."""
        ids: list[Any] = self.ids if isinstance(self.ids, list) else self.ids.tolist()
        return list(zip(ids, self.term_scores.tolist()))


class FusedHits(NamedTuple):
    """The rows of one query that a search by vectors and terms found, best first."""

    ids: NDArray[np.uint64] | list[str]
    """The ids of the rows, [k]. If the vector set has no ids, they are row numbers."""
    rows: NDArray[np.uint64]
    """The numbers of the rows in the vector set, [k]."""
    scores: NDArray[np.float32]
    """The scores of the rows, [k], from 0 to 1: 0.6 of the distance and 0.4 of the term score. A larger one is better."""
    distances: NDArray[np.float32]
    """The distances of the rows to the query, [k]."""
    term_scores: NDArray[np.float32]
    """The BM25 scores of the rows' texts, [k]; 0 for a text without a term of the query."""

    def to_list(self) -> list[tuple[int | str, float]]:
        """Returns the hits as pairs of an id and a score."""
        ids: list[Any] = self.ids if isinstance(self.ids, list) else self.ids.tolist()
        return list(zip(ids, self.scores.tolist()))


_HITS: dict[str, Any] = {"vectors": Hits, "terms": TermHits, "both": FusedHits}


def _conditions_of(where: Mapping[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Returns the conditions on columns as the binding takes them: name, relation and values as texts of each."""
    conditions = []
    for name, wanted in where.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a column is {type(name).__name__}, expected str")
        relations = wanted if isinstance(wanted, Mapping) else {"eq": wanted}
        if not relations:
            raise ValueError(f"the column {name!r} has no condition, expected eq, ne, lt, lte, gt or gte")
        for relation, values in relations.items():
            is_one = isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable)
            conditions.append((name, relation, [_value_as_text(name, value) for value in ([values] if is_one else values)]))
    return conditions


def _value_as_text(column: str, value: Any) -> str:
    """Returns a value that rows are compared with as a text: a str as it is, a number or a bool as JSON."""
    import numpy as np

    if isinstance(value, str):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return json.dumps(value, allow_nan=False)
    raise TypeError(f"a value for the column {column!r} is {type(value).__name__}, expected a str, a number or a bool")


class Searcher:
    """Searches indexes or vector sets of any format, with texts or vectors as queries.

    paths: a file, or several files that are searched as one set. A set without an index is compared row by row.
    metric: the distance of two rows: "cos", "ip", "l2sq" (or "l2"), "hamming", …. It is needed for vector sets, and for
        an index whose file does not name its metric. By default it is the metric that the file names, else "cos", or
        "hamming" for binary codes.
    in_memory: read an index into memory instead of mapping it. Opening takes longer, and each search is faster.
    force: accept files whose recipes differ. By default that is an error, because their vectors are not comparable.
    terms: the term index (X.terms) of the texts of the rows. Searches can then compare words, too.
    format, dtype, column, section, all_rows, unnormalize: the options of read_vectors() for reading vector sets.

    Queries are made as the rows were: with the model's prompt for queries, and as int8 or binary codes if the rows are
    such codes. Files are opened once, so a file that is replaced later changes nothing. A Searcher is immutable, and
    any number of threads may search at once. Calls release the GIL, and Ctrl-C ends them. Errors are raised as
    embd.Error.
    """

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        metric: str | None = None,
        in_memory: bool = False,
        force: bool = False,
        terms: str | os.PathLike[str] | None = None,
        format: str = "",
        dtype: str | None = None,
        **read: Unpack[ReadKeywords],
    ) -> None:
        several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        given = {"metric": metric, "in_memory": in_memory, "force": force, "terms": terms, **read_options(format, dtype, read)}
        self._native = _native.open_searcher([os.fspath(path) for path in several], given)
        self._ids: Any = self._native.ids()

    def __len__(self) -> int:
        rows: int = self.info["num_rows"]
        return rows

    @property
    def info(self) -> dict[str, Any]:
        """A dict that describes the set: format, metric, has_index, num_rows, and dim, the components of a query."""
        info = self._native.info()
        del info["recipe"]
        return info

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that the rows were made with. It is None if no file has one."""
        found = self._native.info()["recipe"]
        return None if found is None else json.loads(found)

    @property
    def ids(self) -> NDArray[np.uint64] | list[str] | None:
        """The ids of all rows, in order. It is None if the rows are only numbered."""
        ids: NDArray[np.uint64] | list[str] | None = self._ids
        return ids

    @property
    def columns(self) -> list[str]:
        """The names of the columns that the rows have beside their vectors."""
        return self._native.columns()

    def row(self, number: int) -> dict[str, Any]:
        """Returns the values of a row in all columns, by the name of the column."""
        found: dict[str, Any] = json.loads(self._native.columns_json(number) or "{}")
        return found

    def search(
        self,
        vectors: Any,
        count: int = 10,
        *,
        texts: str | Texts | None = None,
        match: str | None = None,
        filter: Iterable[int | str] | None = None,
        where: Mapping[str, Any] | None = None,
        threads: int = 0,
        **options: Unpack[SearchKeywords],
    ) -> Any:
        """Finds the `count` nearest rows. Returns Hits for one vector [dim], a list of Hits for vectors [n, dim].

        With texts, rows are compared by vectors and by terms, and the results are FusedHits. That needs a term index.

        vectors: the queries, as a model computes them; if the rows are codes, the queries are coded, too. If the rows
            are bits, queries may also be packed bits: uint8 [n, dim / 8].
        texts: the text of each query: a str for one vector, several for several vectors.
        match: what queries are compared by: "vectors", "terms" or "both". By default "both" with texts, else "vectors".
        filter: the ids that may be found. An empty list allows none. Ids that no row has are ignored.
        where: the conditions on the values of a row, by the name of the column; a row must meet all of them. A
            condition is a value (a str, a number or a bool), a list of values, of which the row must have one, or a
            dict of values by relation: eq, ne, lt, lte, gt, gte. {"year": {"gte": 2020, "lt": 2024}} finds the rows of
            four years. A text is compared byte by byte, a number by value, other values by their JSON.
        threads: the number of threads; 0 takes all CPUs that the process may use.
        exact: compare each query with every row, instead of walking a graph.
        expansion: the number of candidates that a search in an HNSW graph keeps. A larger number finds more of the true
            nearest rows and takes longer.
        window: the number of candidates that a search in a Vamana graph keeps.
        capacity: the number of these candidates from which the hits are chosen; by default all.
        """
        array = as_array(vectors)
        if array.dtype.name == "uint8" and array.shape[-1:] != (self.info["dim"],):
            import numpy as np

            queries = self._native.code_bits(np.ascontiguousarray(np.atleast_2d(array)))
        else:
            queries = self._native.code_queries(as_rows(array))
        if texts is not None:
            several = [texts] if isinstance(texts, str) else as_texts(texts)
            self._native.add_terms(several, None, queries)
        match = match or ("vectors" if texts is None else "both")
        found = self._find(queries, count, match, threads=threads, filter=filter, where=where, **options)
        return found[0] if array.ndim == 1 else found

    def search_texts(
        self,
        model: Model | None,
        texts: str | Texts,
        count: int = 10,
        *,
        match: str | None = None,
        prompt: str | None = None,
        prompt_name: str | None = None,
        force: bool = False,
        threads: int = 0,
        filter: Iterable[int | str] | None = None,
        where: Mapping[str, Any] | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Any:
        """Finds the `count` rows nearest to each text. Returns Hits for one str, a list of Hits for several texts.

        The hits are FusedHits with match="both", and TermHits with match="terms".

        model: the model that the rows were made with. It may be None with match="terms", unless the terms are tokens.
        match: what queries are compared by: "vectors", "terms" or "both". By default "both" if there is a term index.
        prompt: the string put before each text. By default it is the model's prompt "query".
        prompt_name: the name of another prompt of the model.
        force: search even if the rows were made with another model or other options.

        The other options are the same as in search(). Raises ValueError for a prompt that the model does not have,
        embd.Error (recipe_mismatch) if the rows were made with another model and `force` is not set.
        """
        single = isinstance(texts, str)
        match = match or ("both" if self._native.has_terms() else "vectors")
        several = [texts] if single else as_texts(texts)
        if match == "terms":
            queries = self._native.term_queries(several, None if model is None else model._native)
            found = self._find(queries, count, match, threads=threads, filter=filter, where=where, **options)
            return found[0] if single else found
        if model is None:
            raise TypeError(f'model is None, expected a Model: match is {match!r}, and only "terms" needs none')
        if prompt_name is not None and prompt_name not in model.prompts:
            raise ValueError(f"the model has no prompt {prompt_name!r}, expected one of {', '.join(model.prompts)}")
        chosen = model.prompts.get(prompt_name or "query", "") if prompt is None else prompt
        given = {"prompt": chosen, "threads": threads, "force": force}
        queries = self._native.encode_queries(model._native, several, given)
        found = self._find(queries, count, match, threads=threads, filter=filter, where=where, **options)
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
        """Finds the `count` rows nearest to each row of a file. Returns a list of Hits.

        path: a file of vectors, a file of codes of the same kind as the rows, or packed bits if the rows are bits.
        force: search even if the recipes of the file and the rows differ.

        The other options are the same as in search().
        """
        queries = self._native.read_queries(os.fspath(path), force)
        found: list[Hits] = self._find(
            queries, count, "vectors", threads=threads, filter=filter, where=where, **options
        )
        return found

    def compute_note(self, model: Model) -> str:
        """Returns a warning if the rows were made in another arithmetic than the model computes in; otherwise ""."""
        return self._native.compute_note(model._native)

    def length_note(self) -> str:
        """Returns a warning if an index keeps only the directions of rows, but its metric depends on lengths; otherwise "".

        Another program may have written such an index: a USearch index of i8 or u8 under l2 or ip, without a recipe.
        """
        return self._native.length_note()

    def _find(
        self,
        queries: _native.Queries,
        count: int,
        match: str,
        *,
        filter: Iterable[int | str] | None,
        where: Mapping[str, Any] | None,
        threads: int,
        **options: Unpack[SearchKeywords],
    ) -> list[Any]:
        count = operator.index(count)
        if count < 1:
            raise InvalidArgumentError(f"count is {count}, expected at least 1", "invalid_argument")
        allowed = None if filter is None and where is None else self._filter(filter, where or {})
        most = min(count, len(self))
        counts, rows, *numbers = self._native.search(
            queries, max(1, most), allowed, match, {"threads": threads, **options}
        )
        return [
            _HITS[match](self._ids_of(rows[query, :found]), rows[query, :found], *(array[query, :found] for array in numbers))
            for query, found in enumerate(counts.tolist())
        ]

    def _filter(self, ids: Iterable[int | str] | None, where: Mapping[str, Any]) -> _native.RowFilter:
        return self._native.filter(as_ids(ids), _conditions_of(where))

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
