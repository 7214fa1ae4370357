"""Spark: embed(frame, model=…) gives a data frame with vectors, or writes them with one digest for all.

    report = embd.spark.embed(spark.read.parquet("texts/"), model="/models/m.weights", output="/data/vectors")
    report.digest.hex()     # that of one process that embeds the same texts

docs/scale.md says how rows are told apart, what a killed worker or executor costs, and what a cluster costs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Union, overload

from embd._worker import (
    Done,
    Job,
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
    from embd.model import Compute, Model, Recipe
    from embd.parts import Compression
    from embd.reranker import Activation, Reranker
    from pyspark.sql import DataFrame, SparkSession

    Path: TypeAlias = Union[str, os.PathLike[str]]
    Batches: TypeAlias = Iterator[pa.RecordBatch]

__all__ = ["PartDuplicates", "Report", "dedupe", "digest", "embed", "rerank"]

_DONE = (
    "file string, rows long, encoded_rows long, first_id string, last_id string, digest string, worker string, kernels string"
)


@overload
def embed(frame: DataFrame, *, model: Path | Model, output: None = ..., **options: Any) -> DataFrame: ...


@overload
def embed(frame: DataFrame, *, model: Path | Model, output: Path, **options: Any) -> Report: ...


def embed(
    frame: DataFrame,
    *,
    model: Path | Model,
    column: str = "text",
    id_column: str = "id",
    vector_column: str = "embedding",
    columns: Sequence[str] | None = None,
    output: Path | None = None,
    compute: Compute = "f32",
    partitions: int | None = None,
    rows_per_part: int = 20_000,
    dedup: bool = False,
    compression: Compression = "none",
    **options: Any,
) -> DataFrame | Report:
    """Embeds a column of texts on the cluster, by mapInArrow: each Python worker opens the model once.

    model: a path that every executor has, or a name that every executor finds. id_column: whole numbers from 0 or
    strings, of which no two rows have the same: rows are told apart by them alone; not monotonically_increasing_id(), which
    gives other numbers where a partition is computed again. columns: those that are carried along; by default all.
    output: a folder for Parquet files and their manifest (embd.parts), which all executors share, and which may be there:
    parts that an earlier run has written are not embedded again, and those of other rows are removed at the end.
    Without it the data frame is returned, with array<float>, and nothing is computed yet.
    compute: as embd.Model takes it. options: prompt, max_length, pooling, normalize, truncate_dim, as encode() takes them.

    partitions: by default as many as make `rows_per_part` rows each, for which the rows are counted: Spark's own follow bytes, and
    128 MB of short texts are an hour. Rows come to a partition by their id, and lie in it in the order of their ids, so
    that a rerun makes the same parts. dedup: by their texts instead, so that equal texts are embedded once. A worker's threads
    are spark.task.cpus.

    The digest is no accumulator: Spark adds those of a task that it computes again. Each task returns the digests of the
    parts that it wrote as rows, of which Spark takes one task's for each partition.

    Raises embd.Error; ValueError for columns that are not there; what Spark raises where a task failed.
    """
    if rows_per_part < 1 or (partitions is not None and partitions < 1):
        raise ValueError(f"rows_per_part {rows_per_part}, partitions {partitions}: expected at least 1")
    job = make_job(
        model,
        names=frame.columns,
        compute=compute,
        options=options,
        threads=int(_configured(frame.sparkSession, "spark.task.cpus", "1")),
        column=column,
        id_column=id_column,
        vector_column=vector_column,
        columns=columns,
        output=output,
        compression=compression,
    )
    if partitions is None:
        partitions = max(1, -(-frame.count() // rows_per_part))
    by = [column, id_column] if dedup else [id_column]
    placed = frame.repartition(partitions, by[0]).sortWithinPartitions(*by)
    if output is None:
        return placed.mapInArrow(
            partial(_with_vectors, job, rows_per_part), _schema_with(placed, columns, vector_column, "array<float>")
        )
    Folder(job.output).create()
    start = time.monotonic()
    # A partition is a part, even if chance gave it more rows than others.
    rows = placed.mapInArrow(partial(_write, job, 2 * rows_per_part), _DONE).collect()
    done = sorted((Done(**row.asDict()) for row in rows), key=lambda each: each.file)
    return finish(job, done, time.monotonic() - start)


def rerank(
    frame: DataFrame,
    *,
    model: Path | Reranker,
    query_column: str = "query",
    column: str = "text",
    score_column: str = "score",
    columns: Sequence[str] | None = None,
    compute: Compute = "f32",
    activation: Activation | None = None,
    prompt: str | None = None,
    max_length: int | None = None,
    partitions: int | None = None,
    rows_at_once: int = 5_000,
) -> DataFrame:
    """Returns the data frame with a column of scores, float, of the pairs of texts of each row; nothing is computed yet.

    A row's score has the bytes that embd.Reranker gives it in one process. A reranker with several labels makes
    array<float>. query_column, column: the first text of a pair, and the second. columns: those that are carried along; by default all.
    compute: as embd.Reranker takes it. activation, prompt, max_length: as its score() does.
    partitions: by default those of the frame, which follow bytes: a task takes a second for ten to fifty pairs, so a frame of few
    partitions is better cut into more. rows_at_once: that a worker scores in one call. A worker's threads are spark.task.cpus.

    Raises embd.Error; ValueError for columns that are not there; what Spark raises where a task failed.
    """
    if rows_at_once < 1 or (partitions is not None and partitions < 1):
        raise ValueError(f"rows_at_once {rows_at_once}, partitions {partitions}: expected at least 1")
    job = make_score_job(
        model,
        names=frame.columns,
        compute=compute,
        options={"activation": activation, "prompt": prompt, "max_length": max_length},
        threads=int(_configured(frame.sparkSession, "spark.task.cpus", "1")),
        query_column=query_column,
        column=column,
        score_column=score_column,
        columns=columns,
    )
    placed = frame if partitions is None else frame.repartition(partitions)
    score_type = "float" if job.num_labels == 1 else "array<float>"
    return placed.mapInArrow(
        partial(_with_scores, job, rows_at_once), _schema_with(placed, columns, score_column, score_type)
    )


def digest(
    frame: DataFrame,
    recipe: Recipe,
    *,
    column: str = "text",
    id_column: str = "id",
    vector_column: str = "embedding",
) -> Digest:
    """The digest of a data frame that has vectors, which is computed for it. recipe: such as model.recipe."""
    names = (id_column, column, vector_column)
    chosen = frame.select(*(functions.col(f"`{name}`") for name in names))
    found = chosen.mapInArrow(partial(_digest, recipe, names), "digest string").collect()
    return sum((Digest.from_json(row["digest"]) for row in found), Digest(recipe))


def dedupe(
    session: SparkSession,
    folder: Path,
    *,
    shards: int,
    min_similarity: float = 0.9,
    exact_rows: int = 1_000_000,
) -> PartDuplicates:
    """Finds the near-duplicates among all rows that embed() wrote to a folder, two shards of them at a time.

    embd.shards.dedupe() says what they are and what a task holds. A task's threads are spark.task.cpus. Raises embd.Error,
    ValueError, and what Spark raises where a task failed.
    """
    def run(function: Callable[[Any], Any], tasks: list[Any]) -> list[Any]:
        found: list[Any] = session.sparkContext.parallelize(tasks, len(tasks)).map(function).collect()
        return found

    threads = int(_configured(session, "spark.task.cpus", "1"))
    return dedupe_shards(
        folder, shards=shards, min_similarity=min_similarity, exact_rows=exact_rows, threads=threads, run=run
    )


def _configured(session: SparkSession, name: str, default: str) -> str:
    value = session.conf.get(name, default)
    return default if value is None else value


def _schema_with(frame: DataFrame, columns: Sequence[str] | None, name: str, type: str) -> str:
    """Returns the schema of the columns that are carried along from a frame, and of one more column."""
    kept = [field for field in frame.schema.fields if columns is None or field.name in columns]
    fields = [f"`{field.name}` {field.dataType.simpleString()}" for field in kept]
    return ", ".join([*fields, f"`{name}` {type}"])


def _with_scores(job: ScoreJob, rows_at_once: int, batches: Batches) -> Batches:
    scorer = Scorer(job)
    for table in tables_of(batches, rows_at_once):
        yield from scorer.with_scores(table, fixed=False).to_batches()


def _with_vectors(job: Job, rows_at_once: int, batches: Batches) -> Batches:
    worker = Worker(job)
    for table in tables_of(batches, rows_at_once):
        yield from worker.with_vectors(table, fixed=False).to_batches()


def _write(job: Job, most_rows: int, batches: Batches) -> Batches:
    worker = Worker(job)
    for table in tables_of(batches, most_rows):
        yield from done_table([worker.write(table)]).to_batches()


def _digest(recipe: Recipe, names: tuple[str, str, str], batches: Batches) -> Batches:
    import pyarrow as pa
    from embd.parts import digest_of

    for batch in batches:
        if batch.num_rows:
            found = digest_of(recipe, batch, *names)
            yield pa.RecordBatch.from_pydict({"digest": [found.to_json()]})
