"""embd.Index: finds the nearest vectors, exactly or with a graph."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from embd import _native
from embd._errors import InvalidArgumentError
from embd._rows import as_rows
from embd.vectors import as_ids

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from embd._keywords import IndexKeywords
    from embd.model import Recipe


class Matches(NamedTuple):
    """The nearest rows of one query, nearest first."""

    keys: NDArray[np.uint64]
    """The keys of the rows, [k]."""
    distances: NDArray[np.float32]
    """The distances of the rows to the query, [k], in the index's metric, such as 1 - cosine or squared Euclidean."""

    def to_list(self) -> list[tuple[int, float]]:
        """Returns the matches as pairs of a key and a distance."""
        return list(zip(self.keys.tolist(), self.distances.tolist()))


class BatchMatches:
    """The nearest rows of n queries. batch[i] gives the Matches of query i."""

    def __init__(
        self, keys: NDArray[np.uint64], distances: NDArray[np.float32], counts: NDArray[np.uint64]
    ) -> None:
        self.keys = keys
        """The keys of the rows, [n, k]. If a query has fewer than k matches, the rest of its row is 2**64 - 1."""
        self.distances = distances
        """The distances of the rows, [n, k]. If a query has fewer than k matches, the rest of its row is infinite."""
        self.counts = counts
        """The number of matches of each query, [n]."""

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, query: int) -> Matches:
        count = int(self.counts[query])
        return Matches(self.keys[query, :count], self.distances[query, :count])

    def __iter__(self) -> Iterator[Matches]:
        return (self[query] for query in range(len(self)))

    def to_list(self) -> list[list[tuple[int, float]]]:
        """Returns, for each query, its matches as pairs of a key and a distance."""
        return [matches.to_list() for matches in self]


class _Searchable:
    """The base class of Index and Indexes, which has the method search()."""

    expansion_search: int
    """The default of search() for `expansion` and `window`."""

    def _searched(self) -> list[_native.Index]:
        raise NotImplementedError

    def search(
        self,
        vectors: Any,
        count: int = 10,
        *,
        exact: bool = False,
        filter: Any = None,
        expansion: int | None = None,
        window: int | None = None,
        capacity: int = 0,
        threads: int = 0,
    ) -> Any:
        """Finds the `count` nearest vectors. Returns Matches for one query [dim], BatchMatches for queries [n, dim].

        vectors: the query or queries. For an index of bits they may also be packed bits: uint8 [n, dim / 8], eight
            components in a byte.
        exact: compare each query with every vector, instead of walking the graph.
        filter: the keys that may be found. Keys that the index does not have are ignored.
        expansion: the number of candidates that a search in an HNSW graph keeps. A larger number finds more of the true
            nearest vectors and takes longer.
        window: the number of candidates that a search in a Vamana graph keeps.
        capacity: the number of these candidates that remain for the final choice; 0 keeps all (Vamana).
        threads: the number of threads; 0 takes all CPUs that the process may use.

        By default, expansion and window are `expansion_search`; both are at least `count`. Raises embd.Error:
        invalid_argument for a count below 1 or vectors of another dimension.
        """
        import numpy as np

        count = min(operator.index(count), np.iinfo(np.int32).max)  # no index has more vectors than this
        if count < 1:
            raise InvalidArgumentError(f"count is {count}, expected at least 1", "invalid_argument")
        single = getattr(vectors, "ndim", None) == 1 or (
            isinstance(vectors, (list, tuple)) and len(vectors) > 0 and np.ndim(vectors[0]) == 0
        )
        searched = self._searched()
        if _are_packed_bits(vectors, searched):
            search: Any = _native.search_indexes_by_bits
            queries: Any = np.ascontiguousarray(np.atleast_2d(vectors))
        else:
            search, queries = _native.search_indexes, as_rows(vectors)
        found = search(
            searched,
            queries,
            count,
            None if filter is None else _keys(filter),
            {
                "expansion": max(count, self.expansion_search if expansion is None else expansion),
                "window": max(count, self.expansion_search if window is None else window),
                "capacity": capacity,
                "exact": exact,
                "threads": threads,
            },
        )
        matches = BatchMatches(*found)
        return matches[0] if single else matches


class Index(_Searchable):
    """A search index over vectors and their keys, with the interface of usearch's Index.

    ndim: the number of components of a vector.
    metric: the distance of two vectors: "cos", "ip", "l2sq" (or "l2"), "pearson", "haversine" or "divergence"; for bits
        "hamming", "tanimoto" or "sorensen".
    dtype: the type in which vectors are stored: "f32", "f16", "bf16", "i8" or "b1".
    expansion_search: the default of search() for `expansion` and `window`.
    kind: "hnsw" for a graph that is saved as a .usearch file, "vamana" for one that is saved as an SVS directory. A
        Vamana index can only be made from all its vectors at once, with from_vectors().
    connectivity, expansion_add: the number of links of a vector in the graph, and the number of candidates among which
        they are chosen (HNSW).
    builder: "parallel" builds on all threads; "usearch" adds one vector after the other by usearch's own rules (HNSW).
    multi: let several vectors have the same key (HNSW).
    degree, window, alpha: the number of links of a vector in the graph, the number of candidates among which they are
        chosen, and the strictness with which superfluous links are removed (Vamana).
    threads: the number of threads; 0 takes all CPUs that the process may use.

    Building is deterministic: the same vectors give the same file with any number of threads. Any number of Python
    threads may search at once; add() and remove() wait until searches have ended. All methods release the GIL. Errors
    are raised as embd.Error.
    """

    def __init__(
        self,
        ndim: int,
        metric: str = "cos",
        dtype: str = "f32",
        *,
        expansion_search: int = 64,
        **options: Unpack[IndexKeywords],
    ) -> None:
        import numpy as np

        given = {"metric": metric, "scalar": dtype, **options}
        self._native: Any = _native.build_index(np.zeros((0, ndim), np.float32), None, given)
        self.expansion_search = expansion_search

    @classmethod
    def _of(cls, native: Any, expansion_search: int = 64) -> Index:
        index = cls.__new__(cls)
        index._native = native
        index.expansion_search = expansion_search
        return index

    @classmethod
    def from_vectors(
        cls,
        vectors: Any,
        keys: Any = None,
        metric: str = "cos",
        dtype: str = "f32",
        *,
        expansion_search: int = 64,
        recipe: Recipe | None = None,
        **options: Unpack[IndexKeywords],
    ) -> Index:
        """Builds an index over vectors [n, dim] and their keys. Without keys, the vectors get the keys 0, 1, 2, ….

        recipe: the recipe that the vectors were made with, which an SVS directory keeps.

        The other arguments are the same as in Index.
        """
        given = {"metric": metric, "scalar": dtype, **options}
        native = _native.build_index(as_rows(vectors), as_ids(keys), given)
        index = cls._of(native, expansion_search)
        if recipe is not None:
            index._native.set_recipe(json.dumps(recipe))
        return index

    @classmethod
    def restore(
        cls, path: str | os.PathLike[str], view: bool = False, *, metric: str | None = None, expansion_add: int = 128
    ) -> Index:
        """Opens a .usearch file or an SVS directory, and checks all of it.

        view: leave the vectors in the mapped file. This takes less memory, but the index cannot be changed.
        metric: the metric of an SVS directory that another program wrote and that does not name it. By default it is
            "cos".
        expansion_add: the number of candidates among which the links of an added vector are chosen (HNSW).

        An index of int8 codes is refused, because queries must be coded in the same way: open it with embd.Searcher.
        """
        return cls._of(_native.open_index(os.fspath(path), view, metric, expansion_add))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads an index from a file into memory, in place of the present contents."""
        self._native = _native.open_index(os.fspath(path), False)

    def view(self, path: str | os.PathLike[str]) -> None:
        """Opens an index whose vectors stay in the mapped file, in place of the present contents.

        The index cannot be changed afterwards.
        """
        self._native = _native.open_index(os.fspath(path), True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the index to a .usearch file or an SVS directory, which appears complete or not at all."""
        self._native.save(os.fspath(path))

    def add(self, keys: Any, vectors: Any, *, threads: int = 0) -> NDArray[np.uint64]:
        """Adds one vector [dim] with its key, or vectors [n, dim] with keys [n]. Returns the keys.

        With keys of None, the vectors get the numbers that follow the greatest key that the index has ever had. Several
        threads that add at the same time get different numbers.
        """
        added: NDArray[np.uint64] = self._native.add(as_rows(vectors), None if keys is None else _keys(keys), threads)
        return added

    def _searched(self) -> list[_native.Index]:
        return [self._native]

    def remove(self, keys: Any) -> int:
        """Removes the vectors with these keys from all results. Returns the number of vectors that were removed.

        Keys that the index does not have are ignored. The places of the removed vectors stay in the graph until
        compact().
        """
        removed: int = self._native.remove(_keys(keys))
        return removed

    def compact(self) -> None:
        """Drops the links to removed vectors from the graph."""
        self._native.compact()

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The keys of the vectors, in the order of their places in the index."""
        ids: NDArray[np.uint64] = self._native.ids()
        return ids

    def get(self, keys: Any) -> Any:
        """Returns the vector of a key, [dim], or the vectors of keys, [n, dim], decoded to float32.

        If several vectors have the same key, the vector added last is returned. Raises KeyError for a key that the
        index does not have.
        """
        rows = self._native.get(_keys(keys))
        return rows[0] if _is_one(keys) else rows

    def contains(self, keys: Any) -> Any:
        """Returns true if the index has the key; for a sequence of keys, an array of bool."""
        found = self._native.contains(_keys(keys))
        return bool(found[0]) if _is_one(keys) else found

    def __contains__(self, key: int) -> bool:
        return bool(self.contains(key))

    def __len__(self) -> int:
        size: int = self.info["num_rows"]
        return size

    @property
    def size(self) -> int:
        """The number of vectors."""
        return len(self)

    @property
    def info(self) -> dict[str, Any]:
        """A dict that describes the index: format, kind, metric, dtype, dim, num_rows, num_removed, connectivity, …."""
        info: dict[str, Any] = self._native.info()
        return info

    @property
    def ndim(self) -> int:
        """The number of components of a vector."""
        dim: int = self.info["dim"]
        return dim

    @property
    def metric(self) -> str:
        """The name of the metric, such as "cos"."""
        metric: str = self.info["metric"]
        return metric

    @property
    def dtype(self) -> str:
        """The type in which vectors are stored, such as "f32"."""
        dtype: str = self.info["dtype"]
        return dtype

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that the vectors were made with, as from_vectors() or an SVS directory gave it; otherwise None."""
        found = self.info["recipe"]
        return None if found is None else json.loads(found)

    def __repr__(self) -> str:
        info = self.info
        return f"embd.Index({info['kind']}, {info['metric']}, {info['dtype']}, {info['num_rows']} × {info['dim']})"


class Indexes(_Searchable):
    """Several indexes that are searched as one, with the interface of usearch's Indexes.

    This is for a set of vectors that is too large for one index: each index is a shard of the set. All shards must have
    the same metric and dimension, and each key may be in one shard only. A search looks into every shard and keeps the
    nearest vectors of all. With exact=True it finds the same as in one index of all vectors. Any number of threads may
    search at once.

    indexes: open indexes.
    paths: files or directories, which are opened with Index.restore(path, view).
    view: leave the vectors in the mapped files.
    metric: the metric of files that do not name it, as in Index.restore().
    expansion_search: the default of search() for `expansion` and `window`.
    """

    def __init__(
        self,
        indexes: Iterable[Index] = (),
        paths: Iterable[str | os.PathLike[str]] = (),
        view: bool = False,
        *,
        metric: str | None = None,
        expansion_search: int = 64,
    ) -> None:
        self._indexes: list[Index] = []
        self.expansion_search = expansion_search
        for index in indexes:
            self.merge(index)
        for path in paths:
            self.merge_path(path, view, metric=metric)

    def merge(self, index: Index) -> None:
        """Adds an open index as a shard. Raises ValueError if it is a shard already."""
        if any(index is other for other in self._indexes):
            raise ValueError("an index was given twice, expected different indexes")
        self._indexes.append(index)

    def merge_path(self, path: str | os.PathLike[str], view: bool = False, *, metric: str | None = None) -> None:
        """Opens a file with Index.restore(path, view, metric=metric) and adds it as a shard."""
        self.merge(Index.restore(path, view, metric=metric))

    def _searched(self) -> list[_native.Index]:
        return [index._native for index in self._indexes]

    def __len__(self) -> int:
        """Returns the number of shards."""
        return len(self._indexes)

    def __iter__(self) -> Iterator[Index]:
        return iter(self._indexes)

    def __repr__(self) -> str:
        return f"embd.Indexes({len(self)} shards, {sum(map(len, self._indexes))} vectors)"


def _is_one(keys: Any) -> bool:
    """Returns true if `keys` is a single key, false if it is a sequence of keys."""
    return getattr(keys, "ndim", None) == 0 or not hasattr(keys, "__iter__")


def _are_packed_bits(vectors: Any, searched: list[_native.Index]) -> bool:
    """Returns true if `vectors` are rows of packed bits and the indexes store bits."""
    if getattr(vectors, "dtype", None) != "uint8" or not searched:
        return False
    info = searched[0].info()
    return bool(info["dtype"] == "b1" and vectors.shape[-1] == (info["dim"] + 7) // 8 != info["dim"])


def _keys(keys: Any) -> Any:
    """Returns a key or keys in a form that the binding takes."""
    return [keys] if _is_one(keys) else as_ids(keys)
