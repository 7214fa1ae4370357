"""The work that a worker of a cluster does on its rows, for the engines Ray and Spark."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from embd import parts
from embd._errors import make_error
from embd._keywords import WorkerEncodeKeywords, WorkerScoreKeywords
from embd.digest import Digest
from embd.model import Model
from embd.reranker import Reranker

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Unpack

    from embd.model import Compute, Recipe

# The number of rows that are encoded at once. The offsets of an Arrow list array count at most 2**31 values.
_MAX_ROWS = 100_000

_models: dict[tuple[str, str], Model] = {}
_rerankers: dict[tuple[str, str], Reranker] = {}


class ColumnNames(NamedTuple):
    """The names of the columns of texts, ids and vectors."""

    column: str = "text"
    """The column of texts."""
    id_column: str = "id"
    """The column of ids."""
    vector_column: str = "embedding"
    """The column of vectors."""


_NAMES = ColumnNames()


class ColumnKeywords(TypedDict, total=False):
    """The names of the columns of texts, ids and vectors, which embed() and digest() of each engine take."""

    column: str
    """The column of texts ("text")"""
    id_column: str
    """The column of ids ("id")"""
    vector_column: str
    """The column of vectors ("embedding")"""


class JobKeywords(ColumnKeywords, WorkerEncodeKeywords, total=False):
    """The options of embed() in embd.ray and embd.spark that make_job() takes, too."""

    columns: Sequence[str] | None
    """The columns of the input that the result has, too (all)"""
    compute: Compute
    """The arithmetic of the model ("f32")"""
    compression: parts.Compression
    """The compression of the parts ("none")"""
    row_group_rows: int
    """The number of rows of a row group in a part (32,768)"""


class ScoreJobKeywords(WorkerScoreKeywords, total=False):
    """The options of rerank() in embd.ray and embd.spark that make_score_job() takes, too."""

    query_column: str
    """The column of the first text of a pair ("query")"""
    column: str
    """The column of the second text of a pair ("text")"""
    score_column: str
    """The name of the new column, for the scores ("score")"""
    columns: Sequence[str] | None
    """The columns of the input that the result has, too (all)"""
    compute: Compute
    """The arithmetic of the reranker ("f32")"""


class Job(NamedTuple):
    """The settings of a job that embeds, which every worker gets.

    They are pickled on the way, so they hold the path of the model and not the model itself.
    """

    model: str
    """The path or name of the model."""
    compute: str
    """The arithmetic of the model: "f32", "bf16" or "int8"."""
    options: WorkerEncodeKeywords
    """The options of Model.encode() that change vectors."""
    recipe: Recipe
    """The recipe of the driver's model. The recipe of every worker's model must be equal."""
    threads: int
    """The number of threads of a worker."""
    column: str
    """The column of texts."""
    id_column: str
    """The column of ids."""
    vector_column: str
    """The name of the new column, for the vectors."""
    columns: tuple[str, ...] | None
    """The columns of the input that the result has, too. None means all."""
    output: str
    """The folder of parts, or "" if the rows are returned instead of written."""
    compression: parts.Compression
    """The compression of the parts."""
    row_group_rows: int
    """The number of rows of a row group in a part."""


class ScoreJob(NamedTuple):
    """The settings of a job that scores pairs, which every worker gets.

    They are pickled on the way, so they hold the path of the reranker and not the reranker itself.
    """

    model: str
    """The path or name of the reranker."""
    compute: str
    """The arithmetic of the reranker: "f32", "bf16" or "int8"."""
    options: WorkerScoreKeywords
    """The options of Reranker.score() that change scores."""
    recipe: Recipe
    """The recipe of the driver's reranker. The recipe of every worker's reranker must be equal."""
    threads: int
    """The number of threads of a worker."""
    query_column: str
    """The column of the first text of a pair."""
    column: str
    """The column of the second text of a pair."""
    score_column: str
    """The name of the new column, for the scores."""
    num_labels: int
    """The number of the reranker's labels, and so of the scores of a pair."""
    columns: tuple[str, ...] | None
    """The columns of the input that the result has, too. None means all."""


class Done(NamedTuple):
    """The report of a worker on one part, as a row of a table that is sent to the driver."""

    file: str
    """The name of the part's file."""
    rows: int
    """The number of rows in the part."""
    encoded_rows: int
    """The number of texts that went through the model. Equal texts count once; it is 0 if the part existed already."""
    first_id: str
    """The id of the first row, as JSON because ids are numbers or strings."""
    last_id: str
    """The id of the last row, as JSON."""
    digest: str
    """The digest of the part, as JSON."""
    worker: str
    """The worker: its host and process."""
    kernels: str
    """The kernels that the worker used, such as "avx512"."""


class Report(NamedTuple):
    """The result of embed() on a cluster, if it writes a folder of parts."""

    output: str
    """The folder. Its manifest lists the parts."""
    rows: int
    """The number of rows of all parts."""
    encoded_rows: int
    """The number of texts that went through the model in this run."""
    parts: int
    """The number of parts."""
    found_parts: int
    """The number of these parts that an earlier run had written."""
    digest: Digest
    """The digest of all rows, including the rows of an earlier run. One process with the same texts gets this digest, too."""
    workers: dict[str, int]
    """The number of rows of each worker, by its host and process."""
    kernels: frozenset[str]
    """The kernels that the workers used. All of them compute the same bytes."""
    seconds: float
    """The duration of the run."""


def make_job(
    model: str | os.PathLike[str] | Model,
    *,
    names: Sequence[str] | None,
    threads: int,
    output: str | os.PathLike[str] | None,
    column: str = _NAMES.column,
    id_column: str = _NAMES.id_column,
    vector_column: str = _NAMES.vector_column,
    columns: Sequence[str] | None = None,
    compute: Compute = "f32",
    compression: parts.Compression = "none",
    row_group_rows: int = 32_768,
    **options: Unpack[WorkerEncodeKeywords],
) -> Job:
    """Returns the settings of a job that embeds. It opens the model in the driver to learn its recipe.

    names: the columns of the input, if they are known.
    options: the options of Model.encode().

    Raises embd.Error if the model cannot be opened, TypeError for an option that is unknown, ValueError for options
    that exclude each other, for a column that is missing, and for a new column whose name the input has already.
    """
    if names is not None:
        parts.check_columns(names, column, id_column, vector_column)
    opened = model if isinstance(model, Model) else Model(model, compute=compute)
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
    threads: int,
    query_column: str = "query",
    column: str = _NAMES.column,
    score_column: str = "score",
    columns: Sequence[str] | None = None,
    compute: Compute = "f32",
    **options: Unpack[WorkerScoreKeywords],
) -> ScoreJob:
    """Returns the settings of a job that scores pairs. It opens the reranker in the driver to learn its recipe.

    names: the columns of the input, if they are known.
    options: the options of Reranker.score().

    Raises embd.Error if the reranker cannot be opened, TypeError for an option that is unknown, ValueError for a column
    that is missing and for a new column whose name the input has already.
    """
    if names is not None:
        parts.check_columns(names, column, query_column, score_column)
    opened = model if isinstance(model, Reranker) else Reranker(model, compute=compute)
    opened.score([], **options)  # of no pairs: raises for an option that the workers would refuse
    return ScoreJob(
        model=_path_or_name(model),
        compute=opened.compute,
        options=options,
        recipe=opened.recipe,
        threads=threads,
        query_column=query_column,
        column=column,
        score_column=score_column,
        num_labels=len(opened.labels),
        columns=None if columns is None else tuple(columns),
    )


def _path_or_name(model: str | os.PathLike[str] | Model | Reranker) -> str:
    """Returns the absolute path of a model, which all nodes must have, or its name, which each node looks up."""
    given = model.path if isinstance(model, (Model, Reranker)) else os.fspath(model)
    return os.path.abspath(given) if os.path.exists(given) else given


def _check_same_model(worker: str, path: str, ours: Recipe, job: Job | ScoreJob) -> None:
    """Raises embd.Error (recipe_mismatch) if the worker's model is not the driver's model."""
    if Digest(ours).recipe_hex() != Digest(job.recipe).recipe_hex():
        raise make_error(
            f"{worker}: the model {job.model} of this worker differs from the model with which the job was started", "recipe_mismatch", path
        )


def _carried(table: pa.Table, columns: tuple[str, ...] | None) -> pa.Table:
    """Returns the columns of the input that the result has, too."""
    return table if columns is None else table.select(list(columns))


def _name() -> str:
    """Returns a name for this process that no process of another node has."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Scorer:
    """Scores batches of pairs in a worker process.

    The reranker is opened for the first Scorer of a process and kept for the following ones.
    """

    def __init__(self, job: ScoreJob) -> None:
        self.job = job
        key = (job.model, job.compute)
        if key not in _rerankers:
            _rerankers[key] = Reranker(job.model, compute=job.compute)  # type: ignore[arg-type]
        self.reranker = _rerankers[key]
        _check_same_model(_name(), self.reranker.path, self.reranker.recipe, job)

    def with_scores(self, table: pa.Table, *, fixed: bool = True) -> pa.Table:
        """Returns the columns to keep of a table, and a column of the scores of its pairs.

        The scores are numbers, or lists for a reranker with several labels.

        fixed: make lists of a fixed length. Spark needs False, because it takes only lists of any length.

        Raises ValueError for a null.
        """
        import pyarrow as pa

        job = self.job
        for name in (job.query_column, job.column):
            if table.column(name).null_count:
                raise ValueError(f"a row has no value in the column {name}: fill or drop nulls first")
        pairs = zip(table.column(job.query_column).to_pylist(), table.column(job.column).to_pylist(), strict=True)
        scores = self.reranker.score(pairs, threads=job.threads, **job.options)
        if job.num_labels == 1:
            column = pa.array(scores)
        else:
            of_float = pa.list_(pa.float32(), job.num_labels if fixed else -1)
            column = pa.array(list(scores.reshape(-1, job.num_labels)), of_float)
        return _carried(table, job.columns).append_column(job.score_column, column)


class Worker:
    """Embeds batches of texts in a worker process.

    The model is opened for the first Worker of a process and kept for the following ones.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        key = (job.model, job.compute)
        if key not in _models:
            _models[key] = Model(job.model, compute=job.compute)  # type: ignore[arg-type]
        self.model = _models[key]
        _check_same_model(_name(), self.model.path, self.model.recipe_of(**job.options), job)

    def encode(self, table: pa.Table) -> tuple[Any, int]:
        """Returns the vectors of a table's texts, [n, dim], and the number of different texts.

        Each different text goes through the model once. Raises ValueError for a row without a text.
        """
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
        if isinstance(coded, pa.ChunkedArray):  # it has no chunk, or several
            coded = coded.combine_chunks() if coded.num_chunks else pa.array([], pa.string()).dictionary_encode()
        distinct = self.model.encode(coded.dictionary, threads=self.job.threads, **self.job.options)
        if len(distinct) == len(coded):
            return distinct, len(distinct)
        return distinct[np.asarray(coded.indices)], len(distinct)

    def with_vectors(self, table: pa.Table, *, fixed: bool = True) -> pa.Table:
        """Returns the columns to keep of a table, and a column of the vectors of its texts.

        fixed: make lists of a fixed length. Spark needs False, because it takes only lists of any length.
        """
        import pyarrow as pa

        pieces = [table.slice(first, _MAX_ROWS) for first in range(0, table.num_rows, _MAX_ROWS)] or [table]
        return pa.concat_tables(
            self._append(piece, self.encode(piece)[0], fixed=fixed) for piece in pieces
        )

    def _append(self, table: pa.Table, rows: Any, *, fixed: bool = True) -> pa.Table:
        """Returns the columns to keep of a table, and a column of the given vectors [n, dim]."""
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
        """Embeds the texts of a table and writes them as a part, unless the folder has this part already.

        Raises ValueError if two rows have the same id.
        """
        import json

        import numpy as np

        ids = table.column(self.job.id_column)
        native = parts.native_ids_of(ids)
        if len(set(native if isinstance(native, list) else native.tolist())) < table.num_rows:
            raise ValueError(f"an id occurs twice in the column {self.job.id_column}, expected a different id for each row")
        texts = table.column(self.job.column)
        folder = parts.Folder(self.job.output)
        # The part is named by the digest of its ids and texts, which is known before the vectors are.
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
    """Joins record batches into tables of `most_rows` rows; the last table may have fewer. No table is empty."""
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
    """Returns the reports of a worker as a table, the form in which an engine sends them to the driver."""
    import pyarrow as pa

    numbers = {"rows", "encoded_rows"}
    types = [(name, pa.int64() if name in numbers else pa.string()) for name in Done._fields]
    return pa.Table.from_pylist([each._asdict() for each in done], schema=pa.schema(types))


def finish(job: Job, done: Sequence[Done], seconds: float) -> Report:
    """Writes the manifest of the parts that the workers have written, and returns the report of the run.

    done: the parts, in the order that the manifest gets.
    seconds: the duration of the run.

    Raises embd.Error (not_found) if a part is not in the folder, because a worker writes to another one.
    """
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
                f"the worker {each.worker} wrote a part that this process cannot find: all workers must share the folder",
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
