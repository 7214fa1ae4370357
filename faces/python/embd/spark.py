"""Embeds and scores data frames of Spark on a cluster, and computes digests and near-duplicates of what was embedded.

    report = embd.spark.embed(spark.read.parquet("texts/"), model="/models/m.weights", output="/data/vectors")
    report.digest.hex()     # the digest of one process that embeds the same texts

docs/scale.md says how rows are identified, what the loss of a worker or an executor costs, and what a cluster costs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Union, overload

from embd._worker import (
    ColumnNames,
    Done,
    Job,
    JobKeywords,
    Report,
    ScoreJob,
    Scorer,
    Worker,
    done_table,
    finish,
    make_job,
    make_score_job,
    tables_of,
)
from embd.digest import Digest
from embd.parts import Folder
from embd.shards import PartDuplicates
from embd.shards import dedupe as dedupe_shards
from pyspark.sql import functions

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa
    from embd._worker import ColumnKeywords, ScoreJobKeywords
    from embd.model import Model, Recipe
    from embd.reranker import Reranker
    from embd.shards import DedupeKeywords
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack

    Path: TypeAlias = Union[str, os.PathLike[str]]
    Batches: TypeAlias = Iterator[pa.RecordBatch]

__all__ = ["PartDuplicates", "Report", "dedupe", "digest", "embed", "rerank"]

_DONE = (
    "file string, rows long, encoded_rows long, first_id string, last_id string, digest string, worker string, kernels string"
)


class EmbedKeywords(JobKeywords, total=False):
    """The options of embed() besides the model and the output."""

    partitions: int | None
    """The number of partitions (as many as give each about rows_per_part rows)"""
    rows_per_part: int
    """The number of rows of a part (20,000)"""
    dedup: bool
    """Divide rows by their texts instead of their ids, so that equal texts are embedded once (False)"""


@overload
def embed(frame: DataFrame, *, model: Path | Model, output: None = ..., **options: Unpack[EmbedKeywords]) -> DataFrame: ...


@overload
def embed(frame: DataFrame, *, model: Path | Model, output: Path, **options: Unpack[EmbedKeywords]) -> Report: ...


def embed(
    frame: DataFrame,
    *,
    model: Path | Model,
    output: Path | None = None,
    partitions: int | None = None,
    rows_per_part: int = 20_000,
    dedup: bool = False,
    **options: Unpack[JobKeywords],
) -> DataFrame | Report:
    """Embeds a column of texts on the cluster, with Python workers that open the model once each.

    Returns a data frame with a column of vectors, array<float>. Nothing is computed until the data frame is used. With
    `output`, writes the vectors and returns a Report instead.

    model: the path of a model, which all executors must have, or a name that each executor can find.
    output: a folder that all executors share. The vectors are written there as parts with a manifest (embd.parts). If
        the folder has parts of an earlier run, their rows are not embedded again. Parts of other rows are removed at
        the end.
    partitions: the number of partitions. By default the rows are counted, and each partition gets about `rows_per_part`
        rows. Spark itself divides by bytes, and a partition of 128 MB of short texts would take an hour.
    rows_per_part: the number of rows of a part.
    dedup: divide rows by their texts, so that equal texts are embedded once. By default rows are divided and sorted by
        their ids, so that another run makes the same parts.

    embd.ray takes the following options, too:
    column: the column of texts, by default "text".
    id_column: the column of ids, whole numbers from 0 or strings, by default "id". No two rows may have the same id,
        because rows are identified by their ids alone. monotonically_increasing_id() is no such column: it gives other
        numbers if a partition is computed again.
    vector_column: the name of the new column, by default "embedding".
    columns: the columns of the data frame that the result has, too; by default all.
    compute: the arithmetic, as in embd.Model; by default "f32".
    compression: the compression of the parts, "none" (the default) or "zstd".
    row_group_rows: the number of rows of a row group in a part, by default 32,768.
    prompt, prompt_name, max_length, truncate_side, pooling, normalize, truncate_dim, batch_tokens: the options of
        Model.encode().

    A worker has as many threads as spark.task.cpus says. The digest of the rows is not an accumulator of Spark, because
    Spark would add the value of a task twice if it computes the task again. Instead each task returns its digests as
    rows, and Spark takes the rows of one attempt only.

    Raises embd.Error if the model cannot be opened, if a part is missing at the end, or if two parts hold the same
    rows; ValueError if a column is missing; and the errors of Spark if a task fails.
    """
    if rows_per_part < 1 or (partitions is not None and partitions < 1):
        raise ValueError(f"rows_per_part is {rows_per_part} and partitions is {partitions}, expected at least 1 for each")
    job = make_job(model, names=frame.columns, threads=_threads(frame.sparkSession), output=output, **options)
    if partitions is None:
        partitions = max(1, -(-frame.count() // rows_per_part))
    by = [job.column, job.id_column] if dedup else [job.id_column]
    placed = frame.repartition(partitions, by[0]).sortWithinPartitions(*by)
    if output is None:
        return placed.mapInArrow(
            partial(_with_vectors, job, rows_per_part), _schema_with(placed, job.columns, job.vector_column, "array<float>")
        )
    Folder(job.output).create()
    start = time.monotonic()
    # A partition becomes one part, even if it has some more rows than rows_per_part by chance.
    rows = placed.mapInArrow(partial(_write, job, 2 * rows_per_part), _DONE).collect()
    done = sorted((Done(**row.asDict()) for row in rows), key=lambda each: each.file)
    return finish(job, done, time.monotonic() - start)


def rerank(
    frame: DataFrame,
    *,
    model: Path | Reranker,
    partitions: int | None = None,
    rows_at_once: int = 5_000,
    **options: Unpack[ScoreJobKeywords],
) -> DataFrame:
    """Returns the data frame with a column of scores, one for the pair of texts in each row. Nothing is computed yet.

    The score of a row is a float with the bytes that embd.Reranker computes in one process. A reranker with several
    labels gives array<float>.

    model: the path of a reranker, which all executors must have, or a name that each executor can find.
    partitions: the number of partitions; by default the frame keeps its partitions. A worker scores ten to fifty pairs
        in a second, so a frame of few partitions should be divided into more.
    rows_at_once: the number of pairs that a worker scores in one call.

    embd.ray takes the following options, too:
    query_column, column: the columns of the first and the second text of a pair, by default "query" and "text".
    score_column: the name of the new column, by default "score".
    columns: the columns of the data frame that the result has, too; by default all.
    compute: the arithmetic, as in embd.Reranker; by default "f32".
    activation, prompt, prompt_name, max_length, truncate_side, refuse_truncated, batch_tokens, dedup: the options of
        Reranker.score().

    A worker has as many threads as spark.task.cpus says. Raises embd.Error if the reranker cannot be opened; ValueError
    if a column is missing; and the errors of Spark if a task fails.
    """
    if rows_at_once < 1 or (partitions is not None and partitions < 1):
        raise ValueError(f"rows_at_once is {rows_at_once} and partitions is {partitions}, expected at least 1 for each")
    job = make_score_job(model, names=frame.columns, threads=_threads(frame.sparkSession), **options)
    placed = frame if partitions is None else frame.repartition(partitions)
    score_type = "float" if job.num_labels == 1 else "array<float>"
    return placed.mapInArrow(
        partial(_with_scores, job, rows_at_once), _schema_with(placed, job.columns, job.score_column, score_type)
    )


def digest(frame: DataFrame, recipe: Recipe, **columns: Unpack[ColumnKeywords]) -> Digest:
    """Computes the digest of a data frame that has vectors. This executes the frame.

    recipe: the recipe of the vectors, such as model.recipe.
    column, id_column, vector_column: the columns of texts, ids and vectors, by default "text", "id" and "embedding".
    """
    names = ColumnNames(**columns)
    chosen = frame.select(*(functions.col(f"`{name}`") for name in names))
    found = chosen.mapInArrow(partial(_digest, recipe, names), "digest string").collect()
    return sum((Digest.from_json(row["digest"]) for row in found), Digest(recipe))


def dedupe(
    session: SparkSession,
    folder: Path,
    *,
    shards: int,
    **options: Unpack[DedupeKeywords],
) -> PartDuplicates:
    """Finds the near-duplicates among all rows that embed() wrote to a folder, two shards at a time.

    shards, min_similarity, exact_rows: as in embd.shards.dedupe(), which describes the result and the memory of a task,
        too.

    A task has as many threads as spark.task.cpus says.

    Raises embd.Error if the manifest is missing or not valid, ValueError if there are fewer parts than shards, and the
    errors of Spark if a task fails.
    """
    def run(function: Callable[[Any], Any], tasks: list[Any]) -> list[Any]:
        found: list[Any] = session.sparkContext.parallelize(tasks, len(tasks)).map(function).collect()
        return found

    return dedupe_shards(folder, shards=shards, threads=_threads(session), run=run, **options)


def _threads(session: SparkSession) -> int:
    """Returns the number of threads of a task: spark.task.cpus, or 1 if it is not set."""
    return int(session.conf.get("spark.task.cpus", "1") or 1)


def _schema_with(frame: DataFrame, columns: Sequence[str] | None, name: str, type: str) -> str:
    """Returns the schema of a frame with a new column added, as a string of Spark's schema language.

    columns: the columns of the frame to keep; None keeps all.
    name, type: the name and the type of the new column.
    """
    kept = [field for field in frame.schema.fields if columns is None or field.name in columns]
    fields = [f"`{field.name}` {field.dataType.simpleString()}" for field in kept]
    return ", ".join([*fields, f"`{name}` {type}"])


def _with_scores(job: ScoreJob, rows_at_once: int, batches: Batches) -> Batches:
    """Adds a column of scores to the rows of a partition."""
    scorer = Scorer(job)
    for table in tables_of(batches, rows_at_once):
        yield from scorer.with_scores(table, fixed=False).to_batches()


def _with_vectors(job: Job, rows_at_once: int, batches: Batches) -> Batches:
    """Adds a column of vectors to the rows of a partition."""
    worker = Worker(job)
    for table in tables_of(batches, rows_at_once):
        yield from worker.with_vectors(table, fixed=False).to_batches()


def _write(job: Job, most_rows: int, batches: Batches) -> Batches:
    """Writes the rows of a partition as parts, and yields the reports on them."""
    worker = Worker(job)
    for table in tables_of(batches, most_rows):
        yield from done_table([worker.write(table)]).to_batches()


def _digest(recipe: Recipe, names: ColumnNames, batches: Batches) -> Batches:
    """Yields the digest of each batch of a partition."""
    import pyarrow as pa
    from embd.parts import digest_of

    for batch in batches:
        if batch.num_rows:
            found = digest_of(recipe, batch, names.id_column, names.column, names.vector_column)
            yield pa.RecordBatch.from_pydict({"digest": [found.to_json()]})
