"""embd.Index: nearest vectors, exactly or by a graph."""

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
    """The rows nearest to one query, nearest first."""

    keys: NDArray[np.uint64]
    """Ids, [k]."""
    distances: NDArray[np.float32]
    """Smaller is nearer, [k]: 1 - cosine, 1 - dot product, squared Euclidean, …"""

    def to_list(self) -> list[tuple[int, float]]:
        return list(zip(self.keys.tolist(), self.distances.tolist()))


class BatchMatches:
    """The rows nearest to each of several queries: batch[i] are the Matches of query i."""

    def __init__(
        self, keys: NDArray[np.uint64], distances: NDArray[np.float32], counts: NDArray[np.uint64]
    ) -> None:
        self.keys = keys
        """Ids, [n, k]; 2**64 - 1 where there were fewer than k."""
        self.distances = distances
        """[n, k]; infinite where there were fewer than k."""
        self.counts = counts
        """How many there are of each query, [n]."""

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, query: int) -> Matches:
        count = int(self.counts[query])
        return Matches(self.keys[query, :count], self.distances[query, :count])

    def __iter__(self) -> Iterator[Matches]:
        return (self[query] for query in range(len(self)))

    def to_list(self) -> list[list[tuple[int, float]]]:
        return [matches.to_list() for matches in self]


class _Searchable:
    """The base class of Index and Indexes."""

    expansion_search: int

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
        """The `count` nearest to a vector [dim]: Matches; to rows [n, dim]: BatchMatches.

        For an index of bits also packed bits: uint8 [n, dim / 8], eight values a byte. exact: compare with every
        vector. filter: keys that may be found; the others are passed over.
        expansion (HNSW), window and capacity (Vamana): how much is looked at; more finds more.
        """
        import numpy as np

        count = min(operator.index(count), np.iinfo(np.int32).max)  # more than that means all
        if count < 1:
            raise InvalidArgumentError(f"count {count}, expected 1 or more", "invalid_argument")
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

    ndim: components of a vector. metric: "cos", "ip", "l2sq" ("l2"), "pearson", "haversine", "divergence"; of bits
    "hamming", "tanimoto", "sorensen". dtype: how vectors are kept: "f32", "f16", "bf16", "i8", "b1".
    kind: "hnsw" (a .usearch file) or "vamana" (an SVS directory; made from all its rows at once, by from_vectors()).
    connectivity, expansion_add, builder ("parallel", or "usearch" for one vector after the other by usearch's own rules):
    of HNSW; multi: several vectors may share a key. degree, window, alpha: of Vamana. threads: 0 for all.

    Builds are deterministic: the same vectors give the same file with any number of threads. Any number of Python
    threads may search at once; add() and remove() wait for them. All release the GIL. Raises embd.Error.
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
        """An index over rows [n, dim] and their keys (0, 1, 2 … where there are none)."""
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
        """Opens a .usearch file or an SVS directory, after checking all of it.

        view: leave the rows in the mapped file; the index cannot be changed then. metric: of an SVS directory of another
        maker, which does not say; None: what the file says, else cos. An index of int8 codes is refused: Searcher opens
        it.
        """
        return cls._of(_native.open_index(os.fspath(path), view, metric, expansion_add))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Replaces this index by the one in a file."""
        self._native = _native.open_index(os.fspath(path), False)

    def view(self, path: str | os.PathLike[str]) -> None:
        """Becomes the index of a file whose rows stay there; it cannot be changed."""
        self._native = _native.open_index(os.fspath(path), True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, or the directory, whole or not at all."""
        self._native.save(os.fspath(path))

    def add(self, keys: Any, vectors: Any, *, threads: int = 0) -> NDArray[np.uint64]:
        """Adds a vector [dim] under a key or rows [n, dim] under keys [n]. Returns the keys.

        keys: None gives the rows the numbers that follow the greatest key the index has had; threads that add at once
        get different ones.
        """
        added: NDArray[np.uint64] = self._native.add(as_rows(vectors), None if keys is None else _keys(keys), threads)
        return added

    def _searched(self) -> list[_native.Index]:
        return [self._native]

    def remove(self, keys: Any) -> int:
        """Takes vectors out of all results. Returns how many went; keys that are not there are passed over."""
        removed: int = self._native.remove(_keys(keys))
        return removed

    def compact(self) -> None:
        """Drops the links to removed vectors."""
        self._native.compact()

    @property
    def keys(self) -> NDArray[np.uint64]:
        """In the order of their places."""
        ids: NDArray[np.uint64] = self._native.ids()
        return ids

    def get(self, keys: Any) -> Any:
        """The vector of a key, [dim], or those of keys, [n, dim], decoded; of a key that several vectors share, the last.

        Raises KeyError.
        """
        rows = self._native.get(_keys(keys))
        return rows[0] if _is_one(keys) else rows

    def contains(self, keys: Any) -> Any:
        """Whether a key is there, or an array of bool for keys."""
        found = self._native.contains(_keys(keys))
        return bool(found[0]) if _is_one(keys) else found

    def __contains__(self, key: int) -> bool:
        return bool(self.contains(key))

    def __len__(self) -> int:
        size: int = self.info["num_rows"]
        return size

    @property
    def size(self) -> int:
        return len(self)

    @property
    def info(self) -> dict[str, Any]:
        """Its kind, metric, dtype, dim, num_rows, num_removed, connectivity, …"""
        info: dict[str, Any] = self._native.info()
        return info

    @property
    def ndim(self) -> int:
        dim: int = self.info["dim"]
        return dim

    @property
    def metric(self) -> str:
        metric: str = self.info["metric"]
        return metric

    @property
    def dtype(self) -> str:
        dtype: str = self.info["dtype"]
        return dtype

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that the vectors were made with, where an SVS directory says so."""
        found = self.info["recipe"]
        return None if found is None else json.loads(found)

    def __repr__(self) -> str:
        info = self.info
        return f"embd.Index({info['kind']}, {info['metric']}, {info['dtype']}, {info['num_rows']} × {info['dim']})"


class Indexes(_Searchable):
    """Several indexes that are searched as one, with the interface of usearch's Indexes: shards of a set too large for one.

    indexes: open ones; paths: files, each opened as Index.restore(path, view) does. All have one metric and dimension, and
    no key is in two of them. A search looks at every shard and keeps the nearest of all; with exact=True it finds what
    it finds in one index of all vectors. Any number of threads may search at once.
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
        """Adds a shard. ValueError if it is there already."""
        if any(index is other for other in self._indexes):
            raise ValueError("an index is there twice")
        self._indexes.append(index)

    def merge_path(self, path: str | os.PathLike[str], view: bool = False, *, metric: str | None = None) -> None:
        """Adds a file as a shard. metric: as Index.restore() takes it."""
        self.merge(Index.restore(path, view, metric=metric))

    def _searched(self) -> list[_native.Index]:
        return [index._native for index in self._indexes]

    def __len__(self) -> int:
        """Shards."""
        return len(self._indexes)

    def __iter__(self) -> Iterator[Index]:
        return iter(self._indexes)

    def __repr__(self) -> str:
        return f"embd.Indexes({len(self)} shards, {sum(map(len, self._indexes))} vectors)"


def _is_one(keys: Any) -> bool:
    """Whether it is a key and no sequence of keys."""
    return getattr(keys, "ndim", None) == 0 or not hasattr(keys, "__iter__")


def _are_packed_bits(vectors: Any, searched: list[_native.Index]) -> bool:
    """Whether an array is one of rows of bits, and the indexes are of bits."""
    if getattr(vectors, "dtype", None) != "uint8" or not searched:
        return False
    info = searched[0].info()
    return bool(info["dtype"] == "b1" and vectors.shape[-1] == (info["dim"] + 7) // 8 != info["dim"])


def _keys(keys: Any) -> Any:
    """A key or keys as the binding takes them."""
    return [keys] if _is_one(keys) else as_ids(keys)
