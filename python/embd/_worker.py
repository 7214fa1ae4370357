"""The work of a cluster's worker on its rows, whichever engine gives it them."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from embd import parts
from embd._errors import make_error
from embd.digest import Digest
from embd.model import Model
from embd.reranker import Reranker

if TYPE_CHECKING:
    import pyarrow as pa

    from embd.model import Recipe

# Rows of a piece that is encoded at once: the offsets of a list of Arrow hold 2**31 values.
_MAX_ROWS = 100_000

_models: dict[tuple[str, str], Model] = {}
_rerankers: dict[tuple[str, str], Reranker] = {}


class Job(NamedTuple):
    """The orders of every worker. Pickled; it holds a model's path or name, never a model."""

    model: str
    compute: str
    options: dict[str, Any]
    """Of Model.encode, that change vectors."""
    recipe: Recipe
    """The recipe of the driver's model: every worker's must be the same."""
    threads: int
    column: str
    id_column: str
    vector_column: str
    columns: tuple[str, ...] | None
    """The columns that are carried along; None: all."""
    output: str
    """The folder of parts; "" where rows are handed on."""
    compression: parts.Compression
    row_group_rows: int


class ScoreJob(NamedTuple):
    """The orders of every worker that scores pairs. Pickled, as Job is."""

    model: str
    compute: str
    options: dict[str, Any]
    """Of Reranker.score, that change scores."""
    recipe: Recipe
    threads: int
    query_column: str
    column: str
    score_column: str
    num_labels: int
    columns: tuple[str, ...] | None


class Done(NamedTuple):
    """A part that a worker has written, or found written: a row of what the driver is sent."""

    file: str
    rows: int
    encoded_rows: int
    """Texts that went through the model: without those that were there twice, and 0 where the part was there."""
    first_id: str
    last_id: str
    """As JSON, because ids are numbers or strings."""
    digest: str
    """As JSON."""
    worker: str
    """Host and process."""
    kernels: str


class Report(NamedTuple):
    """The result of embed() of an engine."""

    output: str
    """The folder, whose manifest lists the parts."""
    rows: int
    encoded_rows: int
    """Texts that went through the model in this run."""
    parts: int
    found_parts: int
    """Of them, those that an earlier run had written."""
    digest: Digest
    """The digest of all rows, found ones too: the one of a single process that embeds the same texts."""
    workers: dict[str, int]
    """Rows of each worker (host and process)."""
    kernels: frozenset[str]
    """The instruction sets that workers used. They change no byte."""
    seconds: float


def make_job(
    model: str | os.PathLike[str] | Model,
    *,
    names: Sequence[str] | None,
    compute: str,
    options: dict[str, Any],
    threads: int,
    column: str,
    id_column: str,
    vector_column: str,
    columns: Sequence[str] | None,
    output: str | os.PathLike[str] | None,
    compression: parts.Compression,
    row_group_rows: int = 32_768,
) -> Job:
    """Opens the model in the driver, for its recipe. names: the columns of the input, where they are known.

    Raises embd.Error, and ValueError for options that cannot be, and for columns that are not there, or there already.
    """
    if names is not None:
        parts.check_columns(names, column, id_column, vector_column)
    opened = model if isinstance(model, Model) else Model(model, compute=compute)  # type: ignore[arg-type]
    options = {name: value for name, value in options.items() if value is not None}
    return Job(
        model=_path_or_name(model),
        compute=opened.compute,
        options=options,
        recipe=opened.recipe_of(**options),
        threads=threads,
        column=column,
        id_column=id_column,
        vector_column=vector_column,
        columns=None if columns is None else tuple(columns),
        output="" if output is None else parts.absolute_path(output),
        compression=compression,
        row_group_rows=row_group_rows,
    )


def make_score_job(
    model: str | os.PathLike[str] | Reranker,
    *,
    names: Sequence[str] | None,
    compute: str,
    options: dict[str, Any],
    threads: int,
    query_column: str,
    column: str,
    score_column: str,
    columns: Sequence[str] | None,
) -> ScoreJob:
    """Opens the reranker in the driver, for its recipe. names: the columns of the input, where they are known.

    Raises embd.Error, and ValueError for columns that are not there, or there already.
    """
    if names is not None:
        parts.check_columns(names, column, query_column, score_column)
    opened = model if isinstance(model, Reranker) else Reranker(model, compute=compute)  # type: ignore[arg-type]
    return ScoreJob(
        model=_path_or_name(model),
        compute=opened.compute,
        options={name: value for name, value in options.items() if value is not None},
        recipe=opened.recipe,
        threads=threads,
        query_column=query_column,
        column=column,
        score_column=score_column,
        num_labels=len(opened.labels),
        columns=None if columns is None else tuple(columns),
    )


def _path_or_name(model: str | os.PathLike[str] | Model | Reranker) -> str:
    """How workers find a model: a path is the same on every node; a name is looked for on each."""
    given = model.path if isinstance(model, (Model, Reranker)) else os.fspath(model)
    return os.path.abspath(given) if os.path.exists(given) else given


def _check_same_model(worker: str, path: str, ours: Recipe, job: Job | ScoreJob) -> None:
    if Digest(ours).recipe_hex() != Digest(job.recipe).recipe_hex():
        raise make_error(
            f"{worker}: the model {job.model} is another one here than where the job was started", "recipe_mismatch", path
        )


def _carried(table: pa.Table, columns: tuple[str, ...] | None) -> pa.Table:
    return table if columns is None else table.select(list(columns))


def _name() -> str:
    """Of this process, among those of all nodes."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Scorer:
    """One in a process, which opens the reranker once."""

    def __init__(self, job: ScoreJob) -> None:
        self.job = job
        key = (job.model, job.compute)
        if key not in _rerankers:
            _rerankers[key] = Reranker(job.model, compute=job.compute)  # type: ignore[arg-type]
        self.reranker = _rerankers[key]
        _check_same_model(_name(), self.reranker.path, self.reranker.recipe, job)

    def with_scores(self, table: pa.Table, *, fixed: bool = True) -> pa.Table:
        """The columns that are carried, and the scores: numbers, or lists for a reranker with several labels.

        fixed: lists are of one fixed length; else of any, which is all that Spark takes.
        """
        import pyarrow as pa

        job = self.job
        for name in (job.query_column, job.column):
            if table.column(name).null_count:
                raise ValueError(f"a row has nothing in the column {name}: fill or drop nulls first")
        pairs = zip(table.column(job.query_column).to_pylist(), table.column(job.column).to_pylist(), strict=True)
        scores = self.reranker.score(pairs, threads=job.threads, **job.options)
        if job.num_labels == 1:
            column = pa.array(scores)
        else:
            of_float = pa.list_(pa.float32(), job.num_labels if fixed else -1)
            column = pa.array(list(scores.reshape(-1, job.num_labels)), of_float)
        return _carried(table, job.columns).append_column(job.score_column, column)


class Worker:
    """One in a process. The model is opened once, however many workers a process makes one after the other."""

    def __init__(self, job: Job) -> None:
        self.job = job
        key = (job.model, job.compute)
        if key not in _models:
            _models[key] = Model(job.model, compute=job.compute)  # type: ignore[arg-type]
        self.model = _models[key]
        _check_same_model(_name(), self.model.path, self.model.recipe_of(**job.options), job)

    def encode(self, table: pa.Table) -> tuple[Any, int]:
        """The vectors of a table's texts, [n, dim], and how many texts went through the model: each once."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = table.column(self.job.column)
        if texts.null_count:
            rows = pc.indices_nonzero(texts.is_null())
            which = table.column(self.job.id_column)[rows[0].as_py()]
            raise ValueError(f"the row {which} has no text: fill or drop nulls first")
        if pa.types.is_dictionary(texts.type):
            texts = texts.cast(texts.type.value_type)
        coded = texts.combine_chunks().dictionary_encode()
        if isinstance(coded, pa.ChunkedArray):  # of no chunk, or of several
            coded = coded.combine_chunks() if coded.num_chunks else pa.array([], pa.string()).dictionary_encode()
        distinct = self.model.encode(coded.dictionary, threads=self.job.threads, **self.job.options)
        if len(distinct) == len(coded):
            return distinct, len(distinct)
        return distinct[np.asarray(coded.indices)], len(distinct)

    def with_vectors(self, table: pa.Table, *, fixed: bool = True) -> pa.Table:
        """The columns that are carried, and the vectors.

        fixed: as lists of one fixed length; else as lists, which is all that Spark takes.
        """
        import pyarrow as pa

        pieces = [table.slice(first, _MAX_ROWS) for first in range(0, table.num_rows, _MAX_ROWS)] or [table]
        return pa.concat_tables(
            self._append(piece, self.encode(piece)[0], fixed=fixed) for piece in pieces
        )

    def _append(self, table: pa.Table, rows: Any, *, fixed: bool = True) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        values = pa.array(rows.reshape(-1))
        if fixed:
            vectors = pa.FixedSizeListArray.from_arrays(values, rows.shape[1])
        else:
            offsets = np.arange(len(rows) + 1, dtype=np.int32) * np.int32(rows.shape[1])
            vectors = pa.ListArray.from_arrays(pa.array(offsets), values)
        return _carried(table, self.job.columns).append_column(self.job.vector_column, vectors)

    def write(self, table: pa.Table) -> Done:
        """Embeds a table and writes it as a part, unless it is there already."""
        import json

        import numpy as np

        ids = table.column(self.job.id_column)
        native = parts.native_ids_of(ids)
        if len(set(native if isinstance(native, list) else native.tolist())) < table.num_rows:
            raise ValueError(f"an id is there twice in the column {self.job.id_column}")
        texts = table.column(self.job.column)
        folder = parts.Folder(self.job.output)
        # The input's digest is known before the vectors are, and names the part.
        expected = Digest(self.job.recipe)
        if texts.null_count == 0:
            expected.update(np.zeros((table.num_rows, 0), np.float32), native, texts)
        name = parts.part_name(expected.input_hex(), expected.recipe_hex())
        digest = parts.finished_part(folder, name, expected.recipe_hex(), table.num_rows)
        encoded = 0
        if digest is None:
            rows, encoded = self.encode(table)
            digest = Digest(self.job.recipe)
            digest.update(rows, native, texts)
            parts.write_part(
                folder,
                name,
                self._append(table, rows),
                digest,
                vector_column=self.job.vector_column,
                compression=self.job.compression,
                row_group_rows=self.job.row_group_rows,
            )
        ends = json.dumps(ids[0].as_py()), json.dumps(ids[-1].as_py())
        return Done(
            name, table.num_rows, encoded, *ends, digest.to_json(), _name(), self.model.instruction_set
        )


def tables_of(batches: Iterable[Any], most_rows: int) -> Iterator[pa.Table]:
    """Record batches put together to tables of up to `most_rows` rows, none of them empty."""
    import pyarrow as pa

    held: list[Any] = []
    count = 0
    for batch in batches:
        while batch.num_rows:
            taken = batch.slice(0, most_rows - count)
            held.append(taken)
            count += taken.num_rows
            batch = batch.slice(taken.num_rows)
            if count == most_rows:
                yield pa.Table.from_batches(held)
                held, count = [], 0
    if held:
        yield pa.Table.from_batches(held)


def done_table(done: Sequence[Done]) -> pa.Table:
    """As an engine carries them to the driver."""
    import pyarrow as pa

    numbers = {"rows", "encoded_rows"}
    types = [(name, pa.int64() if name in numbers else pa.string()) for name in Done._fields]
    return pa.Table.from_pylist([each._asdict() for each in done], schema=pa.schema(types))


def finish(job: Job, done: Sequence[Done], seconds: float) -> Report:
    """Writes the manifest of what workers have written. Parts in the order in which `done` has them."""
    import json

    listed = tuple(
        parts.Part(
            each.file, each.rows, json.loads(each.first_id), json.loads(each.last_id), Digest.from_json(each.digest)
        )
        for each in done
    )
    digest = sum((part.digest for part in listed), Digest(job.recipe))
    folder = parts.Folder(job.output)
    there = set(folder.names())
    for each in done:
        if each.file not in there:
            raise make_error(
                f"the worker {each.worker} wrote a part that is not here: all must share the folder",
                "not_found", folder.path(each.file),
            )
    parts.write_manifest(
        folder, parts.Manifest(job.recipe, job.column, job.id_column, job.vector_column, digest, listed)
    )
    workers: dict[str, int] = {}
    for each in done:
        workers[each.worker] = workers.get(each.worker, 0) + each.rows
    return Report(
        output=job.output,
        rows=digest.count,
        encoded_rows=sum(each.encoded_rows for each in done),
        parts=len(listed),
        found_parts=sum(each.encoded_rows == 0 for each in done),
        digest=digest,
        workers=workers,
        kernels=frozenset(each.kernels for each in done),
        seconds=seconds,
    )
