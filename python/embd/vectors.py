"""Files of vectors, in every format that embd reads and writes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Union

from embd import _native
from embd._rows import as_array, as_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from embd._keywords import ReadKeywords, WriteKeywords
    from embd.model import Recipe

    Ids: TypeAlias = Union[NDArray[np.uint64], list[str], None]

# As embd names the types of values, by NumPy's name.
_TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "int8": "i8", "uint8": "u8", "int32": "i32"}
_DTYPES = {name: dtype for dtype, name in _TYPES.items()} | {"b1": "uint8"}


class VectorSet:
    """Rows of vectors, [rows, dim], with what is known of them.

    A file that is open, or read: rows come from it as they are asked for. vectors[10:20] and np.asarray(vectors) give
    float32. Immutable; any number of threads may read at once. The file must not be changed meanwhile.
    """

    def __init__(self, reader: _native.VectorReader, path: str) -> None:
        self._reader = reader
        self.path = path

    def __repr__(self) -> str:
        return f"embd.VectorSet({self.path!r}, {self.format}, rows={len(self)}, dim={self.dim})"

    def __len__(self) -> int:
        return self._reader.num_rows

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.dim

    @property
    def dim(self) -> int:
        return self._reader.dim

    @property
    def format(self) -> str:
        """ "cvc", "finalfusion", "svs", "usearch", "npy", …"""
        return self._reader.format

    @property
    def encoding(self) -> str:
        """How rows are stored: "f32", "fp16", "int8", "pq", …"""
        return self._reader.encoding

    @property
    def rows(self) -> NDArray[np.float32]:
        """All rows: as they lie in the mapped file, read-only, where the format allows it; else read into memory."""
        view = _native.view_rows(self._reader)
        return self.read() if view is None else view

    def read(self, first: int = 0, count: int | None = None) -> NDArray[np.float32]:
        """Rows [first, first + count) in memory of their own. Raises embd.Error outside the file."""
        return self._reader.read(first, len(self) - first if count is None else count)

    def read_stored(self) -> NDArray[Any]:
        """All rows in the type that they are stored in. Raises TypeError for encoded ones."""
        import numpy as np

        raw = self._reader.read_raw(0, len(self))
        dtype = _DTYPES.get(self._reader.element_type)
        if raw is None or dtype is None:
            raise TypeError(f"rows stored as {self.encoding} have no type of NumPy")
        return raw.view(np.dtype(dtype))

    @property
    def ids(self) -> Ids:
        """An array of uint64, a list of str, or None: then row numbers stand for them."""
        return self._reader.ids()

    @property
    def norms(self) -> NDArray[np.float32]:
        """Original lengths of the rows, where the format keeps them; empty otherwise."""
        return self._reader.norms()

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that the vectors were made with, if the file says so."""
        found = self._reader.recipe()
        return None if found is None else json.loads(found)

    @property
    def metadata(self) -> str:
        """TOML, in formats that keep such; "" otherwise."""
        return self._reader.metadata()

    def describe(self) -> dict[str, Any]:
        """Every field of the header, as `embd inspect --json` says it."""
        description: dict[str, Any] = json.loads(self._reader.describe())
        return description

    def verify(self) -> None:
        """Reads everything and checks it: checksums, codes, graph. Raises embd.Error."""
        self._reader.verify()

    def __getitem__(self, rows: int | slice) -> NDArray[np.float32]:
        if isinstance(rows, slice):
            first, end, step = rows.indices(len(self))
            if step == 1:
                return self.read(first, max(0, end - first))
            return self.read()[rows]
        place = rows + len(self) if rows < 0 else rows
        if not 0 <= place < len(self):
            raise IndexError(f"row {rows} of {len(self)}")
        row: NDArray[np.float32] = self.read(place, 1)[0]
        return row

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        import numpy as np

        rows = self.rows
        if dtype is not None and np.dtype(dtype) != rows.dtype:
            return rows.astype(dtype)
        return rows.copy() if copy else rows


def read_vectors(
    path: str | os.PathLike[str], *, format: str = "", dtype: str | None = None, **options: Unpack[ReadKeywords]
) -> VectorSet:
    """Opens a file or directory of vectors in any format embd reads, after checking its structure.

    format: by default what its content, then its extension says. dtype: of raw files that do not say ("float32",
    "uint8", …). column, section: of a CVC file. all_rows: also those of subwords; unnormalize: word rows times their
    lengths (finalfusion, fastText). Raises embd.Error, which names the file and the place in it.
    """
    return VectorSet(_native.open_vectors(os.fspath(path), read_options(format, dtype, options)), os.fsdecode(path))


def read_options(format: str, dtype: str | None, options: ReadKeywords) -> dict[str, Any]:
    """How vectors are read, as the binding takes it. dtype: by NumPy's name or by embd's."""
    return {"format": format, "dtype": None if dtype is None else _TYPES.get(dtype, dtype), **options}


open_vectors = read_vectors


def write_vectors(
    path: str | os.PathLike[str],
    rows: Any,
    *,
    ids: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    recipe: Recipe | None = None,
    format: str = "",
    dtype: str | None = None,
    **options: Unpack[WriteKeywords],
) -> None:
    """Writes rows [n, dim] to a file in any format embd writes, by its extension, whole or not at all.

    rows: an array, or a VectorSet, whose ids and recipe are taken over where none are given.
    ids: whole numbers or strings, one a row. dtype: how they are stored; by default the rows' own type.
    options: compression="none"|"fp16"|"int8"|"lossless", chunk_rows, mmap and column (CVC); parquet_compression="zstd" and
    row_group_rows (Parquet); layout="directory"|"file"|"seed" (SVS); quantize="lvq4"|"lvq8"|… (SVS) or "pq"|"opq", bits,
    subquantizers, metadata and normalize_words (finalfusion); metric, scalar, connectivity, expansion_add, builder and
    threads (USearch, whose file is a search index). Raises embd.Error; ValueError for an option of another format.
    """
    if isinstance(rows, VectorSet):
        ids = rows.ids if ids is None else ids
        recipe = rows.recipe if recipe is None else recipe
        rows = rows.rows
    array = as_array(rows)
    stored = _TYPES.get(dtype or array.dtype.name, dtype or "f32")
    given: dict[str, Any] = {"format": format, "dtype": stored, **options}
    native_recipe = None if recipe is None else json.dumps(recipe)
    _native.write_vectors(os.fspath(path), as_rows(array, single=False), as_ids(ids), native_recipe, given)


def as_ids(ids: Any) -> Any:
    """Ids as the binding takes them: None, a list, a tuple, or an array of integers, str or objects.

    The binding checks each. Raises TypeError for what has no order and for an array of other values.
    """
    if ids is None or isinstance(ids, (list, tuple)):
        return ids
    if isinstance(ids, (str, bytes, bytearray, memoryview, dict, set, frozenset)):
        raise TypeError(f"{type(ids).__name__} where a sequence of ids was expected")
    if not hasattr(ids, "__array__"):
        return list(ids)
    import numpy as np

    array = np.asarray(ids)
    if array.dtype.kind not in "uiUOT" and array.size:
        raise TypeError(f"an array of {array.dtype} where ids were expected, whole numbers or str")
    return array if array.size else []
