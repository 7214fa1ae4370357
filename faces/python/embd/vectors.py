"""Reads and writes files of vectors, in every format that embd knows."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Union

from embd import _native
from embd._rows import as_array, as_rows, unmasked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from embd._keywords import ReadKeywords, WriteKeywords
    from embd.model import Recipe

    Ids: TypeAlias = Union[NDArray[np.uint64], list[str], None]

# The names that embd has for the types of values, by the names that NumPy has for them.
_TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "int8": "i8", "uint8": "u8", "int32": "i32"}
_DTYPES = {name: dtype for dtype, name in _TYPES.items()} | {"b1": "uint8"}


class VectorSet:
    """An open file of vectors: rows [rows, dim] with their ids and recipe.

    Rows are read from the file when they are asked for. vectors[10:20] and np.asarray(vectors) give arrays of float32.
    A VectorSet is immutable, and any number of threads may read from it at once. The file must not change while it is
    open.
    """

    def __init__(self, reader: _native.VectorReader, path: str) -> None:
        self._reader = reader
        self.path = path
        """The path of the file or directory, as it was given."""

    def __repr__(self) -> str:
        return f"embd.VectorSet({self.path!r}, {self.format}, rows={len(self)}, dim={self.dim})"

    def __len__(self) -> int:
        return self._reader.num_rows

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of components of a row."""
        return len(self), self.dim

    @property
    def dim(self) -> int:
        """The number of components of a row."""
        return self._reader.dim

    @property
    def format(self) -> str:
        """The name of the file's format, such as "cvc", "finalfusion", "svs", "usearch" or "npy"."""
        return self._reader.format

    @property
    def encoding(self) -> str:
        """The type or code in which the file stores rows, such as "f32", "fp16", "int8" or "pq"."""
        return self._reader.encoding

    @property
    def rows(self) -> NDArray[np.float32]:
        """All rows as an array of float32, [rows, dim].

        If the file stores plain float32 rows that can be used in place, the array is a read-only view of the mapped
        file. Otherwise the rows are read into memory.
        """
        view = _native.view_rows(self._reader)
        return self.read() if view is None else view

    def read(self, first: int = 0, count: int | None = None) -> NDArray[np.float32]:
        """Reads `count` rows, from row `first` on, into memory as float32. With a count of None it reads to the end.

        Raises embd.Error if the file does not have these rows.
        """
        return self._reader.read(first, len(self) - first if count is None else count)

    def read_stored(self) -> NDArray[Any]:
        """Reads all rows in the type in which the file stores them, without conversion to float32.

        Bits are returned as bytes, eight components in each. Raises TypeError if the rows are stored in a code for
        which NumPy has no type.
        """
        import numpy as np

        raw = self._reader.read_raw(0, len(self))
        dtype = _DTYPES.get(self._reader.element_type)
        if raw is None or dtype is None:
            raise TypeError(f"the rows are stored as {self.encoding}, which NumPy has no type for")
        return raw.view(np.dtype(dtype))

    @property
    def ids(self) -> Ids:
        """The ids of the rows: an array of uint64, a list of str, or None if the rows are only numbered."""
        return self._reader.ids()

    @property
    def norms(self) -> NDArray[np.float32]:
        """The lengths that the rows had before they were normalized, [rows]; empty if the format does not keep them."""
        return self._reader.norms()

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that the vectors were made with. It is None if neither the file nor a file beside it has one."""
        found = self._reader.recipe()
        return None if found is None else json.loads(found)

    @property
    def metadata(self) -> str:
        """The metadata of a finalfusion file, a text in TOML; "" if there is none or the format is another."""
        return self._reader.metadata()

    def describe(self) -> dict[str, Any]:
        """Returns every field of the file's header as a dict, the same as `embd inspect --json` prints."""
        description: dict[str, Any] = json.loads(self._reader.describe())
        return description

    def verify(self) -> None:
        """Reads the whole file and checks it: checksums, codes and, in an index, the graph. Raises embd.Error."""
        self._reader.verify()

    def __getitem__(self, rows: int | slice) -> NDArray[np.float32]:
        if isinstance(rows, slice):
            first, end, step = rows.indices(len(self))
            if step == 1:
                return self.read(first, max(0, end - first))
            return self.read()[rows]
        place = rows + len(self) if rows < 0 else rows
        if not 0 <= place < len(self):
            raise IndexError(f"row {rows} was asked for, but there are {len(self)} rows, counted from 0")
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
    """Opens a file or directory of vectors, in any format that embd reads, and checks its structure.

    format: the name of the format. By default the content decides, and then the extension.
    dtype: the type of the values in a raw file, which does not name it: "float32", "uint8", ….
    column: the column to read, of a file with several columns of vectors (CVC, Parquet).
    section: "KEY=VALUE", to read only the rows of the sections whose metadata has this value (CVC).
    all_rows: read the rows of subwords, too, not only those of words (finalfusion, fastText).
    unnormalize: multiply the rows of words by the lengths that they had before they were normalized (finalfusion).

    Raises embd.Error, which names the file and the place in it.
    """
    return VectorSet(_native.open_vectors(os.fspath(path), read_options(format, dtype, options)), os.fsdecode(path))


def read_options(format: str, dtype: str | None, options: ReadKeywords) -> dict[str, Any]:
    """Returns the options for reading vectors as the binding takes them. `dtype` is a name of NumPy's or of embd's."""
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
    """Writes rows [n, dim] to a file, in any format that embd writes. The file appears complete, or not at all.

    rows: an array, or a VectorSet, whose ids and recipe are written, too, unless others are given.
    ids: the ids of the rows, whole numbers or strings, one for each row.
    recipe: the recipe that the vectors were made with, such as model.recipe.
    format: the name of the format. By default the extension of `path` decides.
    dtype: the type in which values are stored. By default it is the type of `rows`, or float32 if embd does not store
        that type.
    options: the options of single formats:
    - CVC: compression="none"|"fp16"|"int8"|"lossless", chunk_rows, mmap, column
    - Parquet: parquet_compression="none"|"zstd", row_group_rows
    - SVS: layout="directory"|"file"|"seed", quantize="lvq4"|"lvq8"|…
    - finalfusion: quantize="pq"|"opq", bits, subquantizers, metadata, normalize_words
    - USearch, whose file is a search index: metric, scalar, connectivity, expansion_add, builder, threads

    Raises ValueError for an option of another format than the file's, embd.Error if the file cannot be written.
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
    """Returns ids in a form that the binding takes: None, a list, a tuple, or an array of integers, str or objects.

    The binding checks each id. Raises TypeError for a collection without an order, such as a set, and for an array of
    another type, ValueError for an array with masked ids.
    """
    if ids is None or isinstance(ids, (list, tuple)):
        return ids
    if isinstance(ids, (str, bytes, bytearray, memoryview, dict, set, frozenset)):
        raise TypeError(f"the ids are {type(ids).__name__}, expected a sequence of ids")
    if not hasattr(ids, "__array__"):
        return list(ids)
    import numpy as np

    array = np.asarray(unmasked(ids))
    if array.dtype.kind not in "uiUOT" and array.size:
        raise TypeError(f"the array of ids has the type {array.dtype}, expected whole numbers or str")
    return array if array.size else []
