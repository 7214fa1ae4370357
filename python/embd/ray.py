"""Ray Data: embed(dataset, model=…) gives a dataset with vectors, or writes them with one digest for all.

    report = embd.ray.embed(ray.data.read_parquet("texts/"), model="/models/m.weights", output="/data/vectors")
    report.digest.hex()     # that of one process that embeds the same texts

docs/scale.md says how rows are told apart, what a killed actor or node costs, and what a cluster costs.
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
from embd._worker import Done, Job, Report, ScoreJob, Scorer, Worker, done_table, finish, make_job, make_score_job
from embd.digest import Digest
from embd.parts import Folder
from embd.shards import PartDuplicates
from embd.shards import dedupe as dedupe_shards
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa
    from embd.model import Compute, Model, Recipe
    from embd.parts import Compression
    from embd.reranker import Activation, Reranker
    from ray.data import Dataset

    Path: TypeAlias = Union[str, os.PathLike[str]]

__all__ = ["PartDuplicates", "Report", "dedupe", "digest", "embed", "rerank"]

_log = logging.getLogger(__name__)
# Between looks at the nodes.
_LOOK_SECONDS = 2.0
# The time after which Ray has noticed that a node is lost: five looks, each three seconds after the last, and some patience.
_LOSS_SECONDS = 60.0


@overload
def embed(dataset: Dataset, *, model: Path | Model, output: None = ..., **options: Any) -> Dataset: ...


@overload
def embed(dataset: Dataset, *, model: Path | Model, output: Path, **options: Any) -> Report: ...


def embed(
    dataset: Dataset,
    *,
    model: Path | Model,
    column: str = "text",
    id_column: str = "id",
    vector_column: str = "embedding",
    columns: Sequence[str] | None = None,
    output: Path | None = None,
    compute: Compute = "f32",
    workers: int | None = None,
    cpus: int | None = None,
    rows_per_block: int = 20_000,
    dedup: bool = False,
    order: bool = False,
    compression: Compression = "none",
    start_timeout: float = 600,
    progress: bool = False,
    actor_options: dict[str, Any] | None = None,
    **options: Any,
) -> Dataset | Report:
    """Embeds a column of texts on the cluster, by actors that open the model once each.

    model: a path that every node has, or a name that every node finds. id_column: whole numbers from 0 or strings, of
    which no two rows have the same: rows are told apart by them alone. columns: those that are carried along; by default all.
    output: a folder for Parquet files and their manifest (embd.parts), which all nodes share, and which may be there: parts
    that an earlier run has written are not embedded again, and those of other rows are removed at the end. Without it
    the dataset is returned, and nothing is computed yet.
    compute: as embd.Model takes it. options: prompt, max_length, pooling, normalize, truncate_dim, as encode() takes them.

    workers: actors; cpus: of each, and its threads. By default an actor a node with all its CPUs but one. One CPU of the
    cluster must stay free for reading: Ray would wait for ever. rows_per_block: of a block, and so of a part; a
    worker that is lost costs a block. dedup: brings equal texts together first (a sort of the whole), so that each is embedded
    once; without it that is so within each block. order: rows and parts stay in the order of the dataset, which takes
    longer. start_timeout: seconds until the first block must be done. Where nodes are lost so that no CPU stays free, the call begins
    again on those that are left. progress: a bar of tqdm that counts rows.
    actor_options: more of Dataset.map_batches, such as memory, resources or runtime_env.

    Raises embd.Error; ValueError for columns that are not there and for more CPUs than there are; TimeoutError if no
    block was done in time; what Ray raises where an actor failed.
    """
    if rows_per_block < 1:
        raise ValueError(f"rows_per_block {rows_per_block}, expected at least 1")
    workers, cpus = _pool(workers, cpus)
    job = make_job(
        model,
        names=dataset.columns(),
        compute=compute,
        options=options,
        threads=cpus,
        column=column,
        id_column=id_column,
        vector_column=vector_column,
        columns=columns,
        output=output,
        compression=compression,
    )
    if dedup:
        dataset = dataset.sort([column, id_column])
    blocks = dataset.repartition(target_num_rows_per_block=rows_per_block, strict=order)
    if order:
        blocks.context.execution_options.preserve_order = True

    def embedded_by(workers: int) -> Dataset:
        return blocks.map_batches(
            _Actor,
            fn_constructor_kwargs={"job": job},
            batch_format="pyarrow",
            batch_size=None,
            compute=ray.data.ActorPoolStrategy(size=workers),
            num_cpus=cpus,
            **(actor_options or {}),
        )

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
    query_column: str = "query",
    column: str = "text",
    score_column: str = "score",
    columns: Sequence[str] | None = None,
    compute: Compute = "f32",
    activation: Activation | None = None,
    prompt: str | None = None,
    max_length: int | None = None,
    workers: int | None = None,
    cpus: int | None = None,
    rows_per_block: int = 5_000,
    order: bool = False,
    actor_options: dict[str, Any] | None = None,
) -> Dataset:
    """Returns the dataset with a column of scores, float32, of the pairs of texts of each row; nothing is computed yet.

    A row's score has the bytes that embd.Reranker gives it in one process. A reranker with several labels makes lists.
    query_column, column: the first text of a pair, and the second. columns: those that are carried along; by default all.
    compute: as embd.Reranker takes it. activation, prompt, max_length: as its score() does.
    model, workers, cpus, rows_per_block, order, actor_options: as those of embed(). A worker that is lost costs a block.

    Raises embd.Error; ValueError for columns that are not there and for more CPUs than there are; what Ray raises where an
    actor failed.
    """
    if rows_per_block < 1:
        raise ValueError(f"rows_per_block {rows_per_block}, expected at least 1")
    workers, cpus = _pool(workers, cpus)
    job = make_score_job(
        model,
        names=dataset.columns(),
        compute=compute,
        options={"activation": activation, "prompt": prompt, "max_length": max_length},
        threads=cpus,
        query_column=query_column,
        column=column,
        score_column=score_column,
        columns=columns,
    )
    blocks = dataset.repartition(target_num_rows_per_block=rows_per_block, strict=order)
    if order:
        blocks.context.execution_options.preserve_order = True
    return blocks.map_batches(
        _ScoreActor,
        fn_constructor_kwargs={"job": job},
        batch_format="pyarrow",
        batch_size=None,
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=cpus,
        **(actor_options or {}),
    )


def digest(
    dataset: Dataset,
    recipe: Recipe,
    *,
    column: str = "text",
    id_column: str = "id",
    vector_column: str = "embedding",
) -> Digest:
    """The digest of a dataset that has vectors, which is executed for it. recipe: such as model.recipe."""

    def of_block(table: pa.Table) -> pa.Table:
        import pyarrow as pa
        from embd.parts import digest_of

        if table.num_rows == 0:
            return pa.table({"digest": pa.array([], pa.string())})
        found = digest_of(recipe, table, id_column, column, vector_column)
        return pa.table({"digest": [found.to_json()]})

    found = dataset.map_batches(of_block, batch_format="pyarrow", batch_size=None)
    return sum((Digest.from_json(row["digest"]) for row in found.iter_rows()), Digest(recipe))


def dedupe(
    folder: Path,
    *,
    shards: int,
    min_similarity: float = 0.9,
    exact_rows: int = 1_000_000,
    cpus: int = 1,
    **remote_options: Any,
) -> PartDuplicates:
    """Finds the near-duplicates among all rows that embed() wrote to a folder, two shards of them at a time.

    embd.shards.dedupe() says what they are and what a task holds. cpus: of a task, and its threads. remote_options: more of
    ray.remote, such as memory or runtime_env. Raises embd.Error, ValueError, and what Ray raises where a task failed.
    """
    def run(function: Callable[[Any], Any], tasks: list[Any]) -> Iterator[Any]:
        remote = ray.remote(num_cpus=cpus, **remote_options)(lambda task: function(task))
        waiting = [remote.remote(task) for task in tasks]
        while waiting:
            ready, waiting = ray.wait(waiting)
            yield from ray.get(ready)

    return dedupe_shards(
        folder, shards=shards, min_similarity=min_similarity, exact_rows=exact_rows, threads=cpus, run=run
    )


class _Actor:
    """The class that Ray makes once a process and calls once a block."""

    def __init__(self, job: Job) -> None:
        self.worker = Worker(job)

    def __call__(self, table: pa.Table) -> pa.Table:
        if not self.worker.job.output:
            return self.worker.with_vectors(table)
        return done_table([self.worker.write(table)] if table.num_rows else [])


class _ScoreActor:
    """The class for pairs."""

    def __init__(self, job: ScoreJob) -> None:
        self.scorer = Scorer(job)

    def __call__(self, table: pa.Table) -> pa.Table:
        return self.scorer.with_scores(table)


def _nodes() -> dict[str, int]:
    """The CPUs of each node that is alive and has some."""
    found = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]}
    return {node: count for node, count in found.items() if count > 0}


def _pool(workers: int | None, cpus: int | None) -> tuple[int, int]:
    """How many actors of how many CPUs. Raises ValueError where Ray would wait for ever."""
    if not ray.is_initialized():
        ray.init()
    nodes = list(_nodes().values())
    if cpus is None:
        cpus = max(1, min(nodes, default=1) - 1)
    fitting = _fitting(nodes, cpus) if cpus > 0 else 0
    workers = fitting if workers is None else workers
    if workers < 1 or workers > fitting:
        raise ValueError(
            f"{workers} actors of {cpus} CPUs do not fit on nodes of {', '.join(map(str, nodes))} CPUs, "
            "of which one must stay free for reading"
        )
    return workers, cpus


def _fitting(nodes: Sequence[int], cpus: int) -> int:
    """The most actors of so many CPUs that leave one CPU of the cluster free, without which Ray waits for ever."""
    fitting = sum(count // cpus for count in nodes)
    return fitting - 1 if fitting * cpus >= sum(nodes) else fitting


@ray.remote(num_cpus=0)
class _Execution:
    """Executes a dataset where it can be ended: with this actor, all ends that it began."""

    def rows(self, dataset: Dataset) -> Iterator[dict[str, Any]]:
        yield from dataset.iter_rows()


class _NodeLostError(Exception):
    """A node is gone, and the actors take all CPUs of the others: what it held cannot be read again, and Ray waits."""


def _run(
    embedded_by: Callable[[int], Dataset], workers: int, cpus: int, start_timeout: float, update: Callable[[int], Any] | None
) -> list[Done]:
    """Returns the work of the actors. Begins again with fewer where nodes were lost, and finds the parts that are there."""
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
                "%d of %d nodes were lost: beginning again with %d actors; %d parts are there (%s)",
                len(nodes.keys() - left.keys()), len(nodes), workers, len(done), type(error).__name__,
            )


def _left_after(error: Exception, nodes: dict[str, int]) -> dict[str, int]:
    """The nodes that are left. What was on a lost node fails before Ray says that the node is lost, so that is waited for."""
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
    """The rows of a dataset as they are made. TimeoutError if the first does not come in time; _NodeLostError."""
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor_class: Any = _Execution  # Ray's decorator gives it options()
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
                    f"no block was done within {start_timeout:g} s (start_timeout). Look at `ray status` for nodes that were "
                    "lost and for actors that wait for a CPU"
                )
            left = _nodes()
            if not nodes.keys() <= left.keys() and pool_cpus >= sum(left.values()):
                raise _NodeLostError
    finally:
        ray.kill(execution)
