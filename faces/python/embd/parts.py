"""Reads and writes folders of vectors that many workers fill: Parquet files, called parts, and a manifest of them.

Each part holds some rows of one run: their columns and their vectors. Its name is a hash of its contents (recipe, ids
and texts), so a worker that makes the same part again overwrites it with the same bytes. A part appears in the folder
complete or not at all.

The manifest, `_manifest.json`, is written last. It lists the parts that belong together, with the digest of each and of
all rows. A part that the manifest does not list was left by a run that did not finish. `_SUCCESS` is written, too, for
readers that look for it. Readers of folders skip names that begin with "_" or ".".

This module needs pyarrow. A folder is a path, or a URI that pyarrow.fs opens (s3://, gs://, hdfs://).
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from embd._errors import Error, make_error
from embd.digest import Digest

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa
    from embd.model import Recipe

    Compression: TypeAlias = Literal["none", "zstd"]

MANIFEST = "_manifest.json"
_SUCCESS = "_SUCCESS"
_VERSION = 1
_METADATA_KEY = b"embd"
# The names of files that write_manifest() may remove: parts, and parts that are being written.
_OURS = re.compile(r"part-[0-9a-f]{32}\.parquet|\.part-[0-9a-f]{32}\.parquet\.[0-9a-f]{32}")

Path = Union[str, "os.PathLike[str]"]


class Part(NamedTuple):
    """A part: one Parquet file of the folder."""

    file: str
    """The name of the file."""
    rows: int
    """The number of rows in the file."""
    first_id: int | str
    """The id of the first row in the file."""
    last_id: int | str
    """The id of the last row in the file."""
    digest: Digest
    """The digest of the file's rows."""


class Manifest(NamedTuple):
    """The list of the parts that make up the vectors of one run."""

    recipe: Recipe
    """The recipe of all vectors."""
    column: str
    """The name of the column of texts, which the digests cover."""
    id_column: str
    """The name of the column of ids."""
    vector_column: str
    """The name of the column of vectors."""
    digest: Digest
    """The digest of all rows of all parts."""
    parts: tuple[Part, ...]
    """The parts, in the order of their rows."""

    @property
    def rows(self) -> int:
        """The number of rows of all parts."""
        return self.digest.count


class Folder:
    """A folder of parts, on this machine or in a store that pyarrow.fs opens."""

    def __init__(self, folder: Path) -> None:
        from pyarrow import fs

        name = os.fspath(folder)
        self.filesystem: Any
        """The pyarrow.fs.FileSystem of the folder."""
        if "://" in name:
            self.filesystem, self.root = fs.FileSystem.from_uri(name)
        else:
            self.filesystem, self.root = fs.LocalFileSystem(), os.path.abspath(name)

    def path(self, name: str) -> str:
        """Returns the full path of the file `name` in the folder."""
        return posixpath.join(self.root, name)

    def create(self) -> None:
        """Makes the folder, and the folders above it, if they do not exist."""
        self.filesystem.create_dir(self.root, recursive=True)

    def write(self, name: str, content: Any) -> None:
        """Writes a file. It appears complete, and replaces an older file of the same name."""
        from pyarrow import fs

        if not isinstance(self.filesystem, fs.LocalFileSystem):
            # In such a store, an object appears when its stream is closed.
            with self.filesystem.open_output_stream(self.path(name)) as stream:
                stream.write(content)
            return
        temporary = self.path(f".{name}.{uuid.uuid4().hex}")
        try:
            with open(temporary, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path(name))
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise

    def read(self, name: str) -> bytes | None:
        """Returns the bytes of a file, or None if the file does not exist."""
        try:
            with self.filesystem.open_input_stream(self.path(name)) as stream:
                content: bytes = stream.read()
                return content
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        """Returns the names of the files in the folder; none if the folder does not exist."""
        from pyarrow import fs

        selector = fs.FileSelector(self.root, allow_not_found=True)
        return [info.base_name for info in self.filesystem.get_file_info(selector) if info.is_file]

    def remove(self, name: str) -> None:
        """Removes a file."""
        self.filesystem.delete_file(self.path(name))


def absolute_path(folder: Path) -> str:
    """Returns a path of the folder that is valid in every process of this machine. A URI is returned unchanged."""
    name = os.fspath(folder)
    return name if "://" in name or not name else os.path.abspath(name)


def digest_of(recipe: Recipe, table: Any, id_column: str, column: str, vector_column: str) -> Digest:
    """Computes the digest of the rows of an Arrow table or record batch that has vectors."""
    digest = Digest(recipe)
    digest.update(vectors_of(table.column(vector_column)), native_ids_of(table.column(id_column)), table.column(column))
    return digest


def native_ids_of(column: Any) -> Any:
    """Returns a column of ids in a form that Digest takes: an array of uint64, or a list of str.

    Raises ValueError for a null or a negative number, TypeError for ids of another type.
    """
    import numpy as np
    import pyarrow as pa

    if column.null_count:
        raise ValueError("a row has no id: fill or drop nulls first")
    if pa.types.is_integer(column.type):
        numbers = column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy()
        if len(numbers) and numbers.min() < 0:
            raise ValueError(f"an id is {numbers.min()}, expected a whole number from 0 or a string")
        return numbers.astype(np.uint64)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        return column.to_pylist()
    raise TypeError(f"the ids have the type {column.type}, expected whole numbers from 0 or strings")


def vectors_of(column: Any) -> Any:
    """Returns a column of vectors as float32 rows [n, dim]. The lists of the column may have a fixed length or not.

    Raises ValueError for a null, or if the vectors have different lengths.
    """
    import numpy as np
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # combine_chunks() gives one for no chunk, or if one chunk cannot hold all
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    if array.null_count:
        raise ValueError("a row has no vector: fill or drop nulls first")
    values = np.asarray(array.flatten(), dtype=np.float32)
    if len(array) == 0:
        return values.reshape(0, 0)
    dim, rest = divmod(len(values), len(array))
    if rest or (not pa.types.is_fixed_size_list(array.type) and (np.diff(array.offsets.to_numpy()) != dim).any()):
        raise ValueError("the vectors have different lengths, expected one length")
    return values.reshape(len(array), dim)


def part_name(input_hex: str, recipe_hex: str) -> str:
    """Returns the name of the part with these rows.

    input_hex: Digest.input_hex() of the rows, a sum over ids and texts, so that the order of the rows does not matter.
    recipe_hex: Digest.recipe_hex() of the recipe.
    """
    both = hashlib.sha256(f"{recipe_hex} {input_hex}".encode())
    return f"part-{both.hexdigest()[:32]}.parquet"


def write_part(
    folder: Folder,
    name: str,
    table: pa.Table,
    digest: Digest,
    *,
    vector_column: str,
    compression: Compression,
    row_group_rows: int,
) -> None:
    """Writes a table as a part: a Parquet file that appears complete and replaces an older part of the same name.

    digest: the digest of the rows, which is stored in the metadata of the file.
    vector_column: the column of vectors.
    compression: "none" or "zstd". Raises ValueError for any other word.
    row_group_rows: the number of rows of a row group.
    """
    import io

    import pyarrow.parquet as pq

    if compression not in ("none", "zstd"):
        raise ValueError(f'compression is "{compression}", expected none or zstd')
    others = [column for column in table.column_names if column != vector_column]
    path = f"{vector_column}.list.element"
    table = table.replace_schema_metadata({_METADATA_KEY: digest.to_json()})
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        row_group_size=row_group_rows,
        compression="zstd" if compression == "zstd" else "none",
        use_dictionary=others,
        use_byte_stream_split=[path] if compression == "zstd" else False,
        write_statistics=others,
        store_schema=True,
    )
    folder.write(name, buffer.getbuffer())


def finished_part(folder: Folder, name: str, recipe_hex: str, rows: int) -> Digest | None:
    """Returns the digest that a part was written with, or None if the folder has no complete part of this name.

    A part counts as complete if it has the given recipe and the given number of rows.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with folder.filesystem.open_input_file(folder.path(name)) as file:
            metadata = pq.read_metadata(file)
        digest = Digest.from_json((metadata.metadata or {})[_METADATA_KEY].decode())
    except (OSError, KeyError, pa.ArrowInvalid, Error):
        return None
    good = digest.recipe_hex() == recipe_hex and digest.count == rows == metadata.num_rows
    return digest if good else None


def write_manifest(folder: Folder, manifest: Manifest) -> None:
    """Writes the manifest, which makes the parts one set, and then removes parts that it does not list.

    Raises embd.Error (bad_value) if two parts hold the same ids and texts.
    """
    names = {part.file for part in manifest.parts}
    if len(names) != len(manifest.parts):
        raise make_error(
            "two parts have the same ids and texts: the ids are not unique, or an input was given twice", "bad_value", folder.root
        )
    content = {
        "embd_manifest": _VERSION,
        "column": manifest.column,
        "id_column": manifest.id_column,
        "vector_column": manifest.vector_column,
        "recipe": manifest.recipe,
        "digest": json.loads(manifest.digest.to_json()),
        "parts": [{**part._asdict(), "digest": json.loads(part.digest.to_json())} for part in manifest.parts],
    }
    folder.write(MANIFEST, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
    folder.write(_SUCCESS, b"")
    for name in folder.names():
        if _OURS.fullmatch(name) and name not in names:
            folder.remove(name)


def read_manifest(folder: Path) -> Manifest:
    """Reads the manifest of a folder, and checks that the digests of the parts add up to the digest of all rows.

    Raises embd.Error: not_found if there is no manifest, bad_version, bad_json or bad_value if it is not valid.
    """
    place = Folder(folder)
    content = place.read(MANIFEST)
    file = place.path(MANIFEST)
    if content is None:
        raise make_error("the folder has no manifest, because the run that writes it has not ended", "not_found", file)
    try:
        said = json.loads(content)
        if said.get("embd_manifest") != _VERSION:
            raise make_error(f"the manifest has version {said.get('embd_manifest')}, expected version {_VERSION}", "bad_version", file)
        parts = tuple(
            Part(each["file"], each["rows"], each["first_id"], each["last_id"], Digest.from_json(json.dumps(each["digest"])))
            for each in said["parts"]
        )
        digest = Digest.from_json(json.dumps(said["digest"]))
        manifest = Manifest(said["recipe"], said["column"], said["id_column"], said["vector_column"], digest, parts)
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        if isinstance(wrong, Error):
            raise
        raise make_error(f"the file is not a manifest that embd wrote: {wrong!r}", "bad_json", file) from wrong
    if sum((part.digest for part in parts), Digest(manifest.recipe)) != digest:
        raise make_error("the digests of the parts do not add up to the digest of all rows", "bad_value", file)
    return manifest


def verify_parts(folder: Path) -> Digest:
    """Reads every part and compares its digest with the manifest. Returns the digest of all rows.

    Raises embd.Error, which names the part: not_found if it is missing, bad_value if its digest differs.
    """
    place = Folder(folder)
    manifest = read_manifest(folder)
    for part in manifest.parts:
        for _ in _batches_of(place, manifest, part):
            pass
    return manifest.digest


def index_parts(folder: Path, output: Path, *, shard: int = 0, shards: int = 1, **options: Any) -> int:
    """Builds a search index over the parts of a folder, or over one shard of them. Returns the number of its rows.

    The keys of the index are the ids of the rows. The vectors are held in memory. Each part is compared with its
    digest.

    output: a .usearch file or an .svs directory on this machine.
    shard, shards: the parts are divided into `shards` shares, and the index is built over share number `shard`, from 0.
        embd.Indexes and `embd search` search the indexes of all shards as one.
    options: the options of write_vectors() for an index: metric, dtype, connectivity, expansion_add, threads.

    Raises embd.Error as verify_parts() does, ValueError if there are fewer parts than shards.
    """
    from embd.vectors import write_vectors

    manifest = read_manifest(folder)
    ids, rows = read_shard(folder, manifest, shard, shards)
    write_vectors(output, rows, ids=ids, recipe=manifest.recipe, **options)
    return len(rows)


def read_shard(folder: Path, manifest: Manifest, shard: int, shards: int) -> tuple[Any, Any]:
    """Reads the ids and vectors of one shard of the parts, and compares each part with its digest.

    shards: the number of shards that the parts are divided into.
    shard: the number of the shard to read, counted from 0.

    Returns the ids, an array of uint64 or a list of str, and the vectors [n, dim]. Raises embd.Error as verify_parts()
    does, ValueError if there are fewer parts than shards.
    """
    import numpy as np

    place = Folder(folder)
    chosen = manifest.parts[slice(*shard_bounds(manifest, shard, shards))]
    rows: Any = np.empty((sum(part.rows for part in chosen), manifest.recipe["truncate_dim"]), np.float32)
    ids: list[Any] = []
    first = 0
    for part in chosen:
        for some, vectors in _batches_of(place, manifest, part):
            rows[first : first + len(vectors)] = vectors
            first += len(vectors)
            ids.append(some)
    return [id for some in ids for id in some] if isinstance(ids[0], list) else np.concatenate(ids), rows


def shard_bounds(manifest: Manifest, shard: int, shards: int) -> tuple[int, int]:
    """Returns the number of the first part of a shard, and one more than the number of its last part.

    Raises ValueError if there are fewer parts than shards, or no shard of this number.
    """
    if not 0 <= shard < shards:
        raise ValueError(f"shard is {shard}, expected 0 to {shards - 1}")
    count = len(manifest.parts)
    if count < shards:
        raise ValueError(f"there are {count} parts for {shards} shards, expected at least one part for each shard")
    return shard * count // shards, (shard + 1) * count // shards


def _batches_of(place: Folder, manifest: Manifest, part: Part) -> Iterator[tuple[Any, Any]]:
    """Yields the ids and vectors of a part, some rows at a time.

    Raises embd.Error: not_found if the part is missing; bad_value, after the last rows, if their digest is not the
    part's.
    """
    import pyarrow.parquet as pq

    found = Digest(manifest.recipe)
    try:
        with place.filesystem.open_input_file(place.path(part.file)) as source:
            file = pq.ParquetFile(source)
            has_texts = manifest.column in file.schema_arrow.names
            columns = [manifest.id_column, manifest.vector_column] + [manifest.column] * has_texts
            for batch in file.iter_batches(columns=columns):
                vectors = vectors_of(batch.column(manifest.vector_column))
                ids = native_ids_of(batch.column(manifest.id_column))
                found.update(vectors, ids, batch.column(manifest.column) if has_texts else None)
                yield ids, vectors
    except FileNotFoundError:
        raise make_error("the manifest lists a part that does not exist", "not_found", place.path(part.file)) from None
    good = found == part.digest if has_texts else found.vectors_hex() == part.digest.vectors_hex()
    if not good:
        message = f"the digest {found.hex()} of {found.count} rows, expected {part.digest.hex()} of {part.rows}"
        raise make_error(message, "bad_value", place.path(part.file))


def check_columns(names: Sequence[str], column: str, id_column: str, vector_column: str) -> None:
    """Raises ValueError unless a table has the columns to read, and no column with the name of the new one.

    names: the columns of the table.
    column, id_column: the columns to read.
    vector_column: the new column.
    """
    for name in (column, id_column):
        if name not in names:
            raise ValueError(f'no column is named "{name}", expected one of {", ".join(names)}')
    if vector_column in names:
        raise ValueError(f'a column is named "{vector_column}" already: choose another vector_column')
