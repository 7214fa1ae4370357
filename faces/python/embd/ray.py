"""Embeds and scores datasets of Ray Data on a cluster, and computes digests and near-duplicates of what was embedded.

    report = embd.ray.embed(ray.data.read_parquet("texts/"), model="/models/m.weights", output="/data/vectors")
    report.digest.hex()     # the digest of one process that embeds the same texts

docs/scale.md says how rows are identified, what the loss of an actor or a node costs, and what a cluster costs.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Union, overload

import ray
from embd._progress import progress_bar
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
)
from embd.digest import Digest
from embd.parts import Folder
from embd.shards import PartDuplicates
from embd.shards import dedupe as dedupe_shards
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa
    from embd._worker import ColumnKeywords, ScoreJobKeywords
    from embd.model import Model, Recipe
    from embd.reranker import Reranker
    from embd.shards import DedupeKeywords
    from ray.data import Dataset
    from typing_extensions import Unpack

    Path: TypeAlias = Union[str, os.PathLike[str]]

__all__ = ["PartDuplicates", "Report", "dedupe", "digest", "embed", "rerank"]

_log = logging.getLogger(__name__)
# The number of seconds between two checks of the nodes.
_LOOK_SECONDS = 2.0
# The number of seconds after which Ray has surely noticed that a node is lost. Ray checks a node five times, every
# three seconds; the rest is a margin.
_LOSS_SECONDS = 60.0


class EmbedKeywords(JobKeywords, total=False):
    """The options of embed() besides the model and the output."""

    workers: int | None
    """The number of actors (as many as fit into the cluster)"""
    cpus: int | None
    """The number of CPUs, and so of threads, of an actor (one less than the smallest node has)"""
    rows_per_block: int
    """The number of rows of a block, and so of a part (20,000)"""
    dedup: bool
    """Sort the dataset by its texts first, so that equal texts are embedded once (False)"""
    order: bool
    """Keep rows and parts in the order of the dataset, which takes longer (False)"""
    start_timeout: float
    """The number of seconds within which the first block must be done (600)"""
    progress: bool
    """Show a progress bar that counts rows, if tqdm is installed (False)"""
    actor_options: dict[str, Any] | None
    """Further options of Dataset.map_batches(), such as memory, resources or runtime_env"""


@overload
def embed(dataset: Dataset, *, model: Path | Model, output: None = ..., **options: Unpack[EmbedKeywords]) -> Dataset: ...


@overload
def embed(dataset: Dataset, *, model: Path | Model, output: Path, **options: Unpack[EmbedKeywords]) -> Report: ...


def embed(
    dataset: Dataset,
    *,
    model: Path | Model,
    output: Path | None = None,
    workers: int | None = None,
    cpus: int | None = None,
    rows_per_block: int = 20_000,
    dedup: bool = False,
    order: bool = False,
    start_timeout: float = 600,
    progress: bool = False,
    actor_options: dict[str, Any] | None = None,
    **options: Unpack[JobKeywords],
) -> Dataset | Report:
    """Embeds a column of texts on the cluster, with actors that open the model once each.

    Returns a dataset with a column of vectors, of which nothing is computed yet; or, with `output`, writes the vectors
    and returns a Report.

    model: the path of a model, which all nodes must have, or a name that each node can find.
    output: a folder that all nodes share. The vectors are written there as parts with a manifest (embd.parts). If the
        folder has parts of an earlier run, their rows are not embedded again. Parts of other rows are removed at the
        end.
    workers: the number of actors; by default as many as fit into the cluster.
    cpus: the number of CPUs of an actor, which is also the number of its threads. By default it is one less than the
        smallest node has. One CPU of the cluster must stay free for reading, because without it Ray would wait for
        ever.
    rows_per_block: the number of rows of a block, and so of a part. If an actor is lost, only its block must be
        computed again.
    dedup: sort the dataset by its texts first, so that equal texts are embedded once. Without it, equal texts are
        embedded once in each block.
    order: keep rows and parts in the order of the dataset, which takes longer.
    start_timeout: the number of seconds within which the first block must be done.
    progress: show a progress bar that counts rows, if tqdm is installed.
    actor_options: further options of Dataset.map_batches(), such as memory, resources or runtime_env.

    embd.spark takes the following options, too:
    column: the column of texts, by default "text".
    id_column: the column of ids, whole numbers from 0 or strings, by default "id". No two rows may have the same id,
        because rows are identified by their ids alone.
    vector_column: the name of the new column, by default "embedding".
    columns: the columns of the dataset that the result has, too; by default all.
    compute: the arithmetic, as in embd.Model; by default "f32".
    compression: the compression of the parts, "none" (the default) or "zstd".
    row_group_rows: the number of rows of a row group in a part, by default 32,768.
    prompt, prompt_name, max_length, truncate_side, pooling, normalize, truncate_dim, batch_tokens: the options of
        Model.encode().

    If nodes are lost and no CPU stays free, the run begins again on the remaining nodes and keeps the parts that exist.
    Raises embd.Error if the model cannot be opened, if a part is missing at the end, or if two parts hold the same
    rows; ValueError if a column is missing or more CPUs are asked for than there are; TimeoutError if no block is done
    in time; and the errors of Ray if an actor fails.
    """
    if rows_per_block < 1:
        raise ValueError(f"rows_per_block is {rows_per_block}, expected at least 1")
    workers, cpus = _pool(workers, cpus)
    job = make_job(model, names=dataset.columns(), threads=cpus, output=output, **options)
    if dedup:
        dataset = dataset.sort([job.column, job.id_column])
    blocks = _in_blocks(dataset, rows_per_block, order=order)

    def embedded_by(workers: int) -> Dataset:
        return _by_actors(blocks, _Actor, job, workers, cpus, actor_options)

    if output is None:
        return embedded_by(workers)
    Folder(job.output).create()
    start = time.monotonic()
    with progress_bar(None, unit="row") if progress else nullcontext() as update:
        done = _run(embedded_by, workers, cpus, start_timeout, update)
    if not order:
        done.sort(key=lambda each: each.file)
    return finish(job, done, time.monotonic() - start)


def rerank(
    dataset: Dataset,
    *,
    model: Path | Reranker,
    workers: int | None = None,
    cpus: int | None = None,
    rows_per_block: int = 5_000,
    order: bool = False,
    actor_options: dict[str, Any] | None = None,
    **options: Unpack[ScoreJobKeywords],
) -> Dataset:
    """Returns the dataset with a column of scores, one for the pair of texts in each row. Nothing is computed yet.

    The score of a row is a float32 with the bytes that embd.Reranker computes in one process. A reranker with several
    labels gives a list of scores.

    model, workers, cpus, rows_per_block, order, actor_options: as in embed().

    embd.spark takes the following options, too:
    query_column, column: the columns of the first and the second text of a pair, by default "query" and "text".
    score_column: the name of the new column, by default "score".
    columns: the columns of the dataset that the result has, too; by default all.
    compute: the arithmetic, as in embd.Reranker; by default "f32".
    activation, prompt, prompt_name, max_length, truncate_side, refuse_truncated, batch_tokens, dedup: the options of
        Reranker.score().

    Raises embd.Error if the reranker cannot be opened; ValueError if a column is missing or more CPUs are asked for
    than there are; and the errors of Ray if an actor fails.
    """
    if rows_per_block < 1:
        raise ValueError(f"rows_per_block is {rows_per_block}, expected at least 1")
    workers, cpus = _pool(workers, cpus)
    job = make_score_job(model, names=dataset.columns(), threads=cpus, **options)
    blocks = _in_blocks(dataset, rows_per_block, order=order)
    return _by_actors(blocks, _ScoreActor, job, workers, cpus, actor_options)


def digest(dataset: Dataset, recipe: Recipe, **columns: Unpack[ColumnKeywords]) -> Digest:
    """Computes the digest of a dataset that has vectors. This executes the dataset.

    recipe: the recipe of the vectors, such as model.recipe.
    column, id_column, vector_column: the columns of texts, ids and vectors, by default "text", "id" and "embedding".
    """
    names = ColumnNames(**columns)

    def of_block(table: pa.Table) -> pa.Table:
        import pyarrow as pa
        from embd.parts import digest_of

        if table.num_rows == 0:
            return pa.table({"digest": pa.array([], pa.string())})
        found = digest_of(recipe, table, names.id_column, names.column, names.vector_column)
        return pa.table({"digest": [found.to_json()]})

    found = dataset.map_batches(of_block, batch_format="pyarrow", batch_size=None)
    return sum((Digest.from_json(row["digest"]) for row in found.iter_rows()), Digest(recipe))


def dedupe(
    folder: Path,
    *,
    shards: int,
    cpus: int = 1,
    remote_options: dict[str, Any] | None = None,
    **options: Unpack[DedupeKeywords],
) -> PartDuplicates:
    """Finds the near-duplicates among all rows that embed() wrote to a folder, two shards at a time.

    cpus: the number of CPUs of a task, which is also the number of its threads.
    remote_options: further options of ray.remote(), such as memory or runtime_env.
    shards, min_similarity, exact_rows: as in embd.shards.dedupe(), which describes the result and the memory of a task,
        too.

    Raises embd.Error if the manifest is missing or not valid, ValueError if there are fewer parts than shards, and the
    errors of Ray if a task fails.
    """
    def run(function: Callable[[Any], Any], tasks: list[Any]) -> Iterator[Any]:
        remote = ray.remote(num_cpus=cpus, **(remote_options or {}))(lambda task: function(task))
        waiting = [remote.remote(task) for task in tasks]
        while waiting:
            ready, waiting = ray.wait(waiting)
            yield from ray.get(ready)

    return dedupe_shards(folder, shards=shards, threads=cpus, run=run, **options)


def _in_blocks(dataset: Dataset, rows: int, *, order: bool) -> Dataset:
    """Returns a dataset in blocks of `rows` rows, in its own order if `order` is true."""
    blocks = dataset.repartition(target_num_rows_per_block=rows, strict=order)
    if order:
        blocks.context.execution_options.preserve_order = True
    return blocks


def _by_actors(
    blocks: Dataset,
    actor: type[_Actor | _ScoreActor],
    job: Job | ScoreJob,
    workers: int,
    cpus: int,
    options: dict[str, Any] | None,
) -> Dataset:
    """Returns the dataset that a pool of actors makes, a block in each call.

    options: further options of Dataset.map_batches().
    """
    return blocks.map_batches(
        actor,
        fn_constructor_kwargs={"job": job},
        batch_format="pyarrow",
        batch_size=None,
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=cpus,
        **(options or {}),
    )


class _Actor:
    """An actor that embeds. Ray makes it once in a process and calls it for each block."""

    def __init__(self, job: Job) -> None:
        self.worker = Worker(job)

    def __call__(self, table: pa.Table) -> pa.Table:
        if not self.worker.job.output:
            return self.worker.with_vectors(table)
        return done_table([self.worker.write(table)] if table.num_rows else [])


class _ScoreActor:
    """An actor that scores pairs. Ray makes it once in a process and calls it for each block."""

    def __init__(self, job: ScoreJob) -> None:
        self.scorer = Scorer(job)

    def __call__(self, table: pa.Table) -> pa.Table:
        return self.scorer.with_scores(table)


def _nodes() -> dict[str, int]:
    """Returns the number of CPUs of each node that is alive and has any."""
    found = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]}
    return {node: count for node, count in found.items() if count > 0}


def _pool(workers: int | None, cpus: int | None) -> tuple[int, int]:
    """Returns the number of actors and the number of CPUs of each. Starts Ray if it is not running.

    Raises ValueError if the actors do not fit, because Ray would wait for ever.
    """
    if not ray.is_initialized():
        ray.init()
    nodes = list(_nodes().values())
    if cpus is None:
        cpus = max(1, min(nodes, default=1) - 1)
    fitting = _fitting(nodes, cpus) if cpus > 0 else 0
    workers = fitting if workers is None else workers
    if workers < 1 or workers > fitting:
        raise ValueError(
            f"{workers} actors of {cpus} CPUs do not fit on nodes of {', '.join(f'{node}' for node in nodes)} CPUs, "
            "of which one must stay free for reading"
        )
    return workers, cpus


def _fitting(nodes: Sequence[int], cpus: int) -> int:
    """Returns the largest number of actors that leaves one CPU of the cluster free. Without it Ray waits for ever.

    nodes: the number of CPUs of each node.
    cpus: the number of CPUs of an actor.
    """
    fitting = sum(count // cpus for count in nodes)
    return fitting - 1 if fitting * cpus >= sum(nodes) else fitting


@ray.remote(num_cpus=0)
class _Execution:
    """Executes a dataset in an actor. When the actor is killed, everything that the execution started ends, too."""

    def rows(self, dataset: Dataset) -> Iterator[dict[str, Any]]:
        """Yields the rows of a dataset as they are made."""
        yield from dataset.iter_rows()


class _NodeLostError(Exception):
    """The error for a lost node, if the actors take all CPUs of the other nodes, so that Ray would wait for ever."""


def _run(
    embedded_by: Callable[[int], Dataset], workers: int, cpus: int, start_timeout: float, update: Callable[[int], Any] | None
) -> list[Done]:
    """Executes the dataset of the actors' reports, and returns the reports.

    If nodes are lost, it begins again with the actors that still fit. These find the parts that were written already.

    embedded_by: a function that takes a number of actors and returns the dataset that they compute.
    update: a function that is called with the number of finished rows, or None.
    """
    earlier: dict[str, Done] = {}
    while True:
        nodes = _nodes()
        done: list[Done] = []
        num_rows = 0
        try:
            for row in _rows(embedded_by(workers), nodes, workers * cpus, start_timeout):
                done.append(Done(**row))
                num_rows += done[-1].rows
                if update is not None:
                    update(num_rows)
            return [earlier.get(each.file, each) for each in done]
        except (_NodeLostError, ray.exceptions.RayError) as error:
            left = _left_after(error, nodes)
            if nodes.keys() <= left.keys():
                raise
            workers = min(workers, _fitting(list(left.values()), cpus))
            if workers < 1:
                raise
            earlier.update({each.file: each for each in done if each.encoded_rows})
            _log.warning(
                "%d of %d nodes were lost: the job begins again with %d actors; %d parts are finished (%s)",
                len(nodes.keys() - left.keys()), len(nodes), workers, len(done), type(error).__name__,
            )


def _left_after(error: Exception, nodes: dict[str, int]) -> dict[str, int]:
    """Returns the nodes that are left after an error.

    If an actor fails because its node is lost, the error comes before Ray says that the node is lost. So this waits for
    a while, unless the error comes from the code that an actor ran.
    """
    from ray.data.exceptions import UserCodeException

    deadline = time.monotonic() + _LOSS_SECONDS
    left = _nodes()
    while nodes.keys() <= left.keys() and time.monotonic() < deadline:
        if isinstance(getattr(error, "cause", None), UserCodeException):
            break
        time.sleep(_LOOK_SECONDS)
        left = _nodes()
    return left


def _rows(dataset: Dataset, nodes: dict[str, int], pool_cpus: int, start_timeout: float) -> Iterator[dict[str, Any]]:
    """Yields the rows of a dataset as they are made.

    Raises TimeoutError if the first row does not come in time, _NodeLostError if a node is lost and no CPU stays free.
    """
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor_class: Any = _Execution  # the type is Any because Ray's decorator adds the method options()
    execution = actor_class.options(scheduling_strategy=here).remote()
    deadline = time.monotonic() + start_timeout
    try:
        rows = execution.rows.options(num_returns="streaming").remote(dataset)
        begun = False
        while True:
            ready, _ = ray.wait([rows], timeout=_LOOK_SECONDS if begun else min(_LOOK_SECONDS, start_timeout))
            if ready:
                try:
                    row = ray.get(next(rows))
                except StopIteration:
                    return
                begun = True
                yield row
                continue
            if not begun and time.monotonic() >= deadline:
                raise TimeoutError(
                    f"no block was finished within {start_timeout:g} s (start_timeout). Look at `ray status` for nodes that were "
                    "lost and for actors that wait for a CPU"
                )
            left = _nodes()
            if not nodes.keys() <= left.keys() and pool_cpus >= sum(left.values()):
                raise _NodeLostError
    finally:
        ray.kill(execution)
