"""Ray Data: embed(dataset, model=…) gives a dataset with vectors, or writes them with one digest for all.

    report = embd.ray.embed(ray.data.read_parquet("texts/"), model="/models/m.weights", output="/data/vectors")
    report.digest.hex()     # that of one process that embeds the same texts

docs/scale.md says how rows are told apart, what a killed actor or node costs, and what a cluster costs.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Union, overload

import ray
from embd._progress import progress_bar
from embd._worker import Done, Job, Report, Worker, done_table, finish, make_job
from embd.digest import Digest

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa
    from embd.model import Compute, Model, Recipe
    from embd.parts import Compression
    from ray.data import Dataset

    Path: TypeAlias = Union[str, os.PathLike[str]]

__all__ = ["Report", "digest", "embed"]


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
    longer. start_timeout: seconds until the first block must be done. progress: a bar of tqdm that counts rows.
    actor_options: more of Dataset.map_batches, such as memory, resources or runtime_env.

    Raises embd.Error; ValueError for columns that are not there and for more CPUs than there are; TimeoutError if no
    block was done in time; what Ray raises where an actor failed.
    """
    from embd.parts import Folder, check_columns

    if rows_per_block < 1:
        raise ValueError(f"rows_per_block {rows_per_block}, expected at least 1")
    workers, cpus = _pool(workers, cpus)
    job = make_job(
        model,
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
    names = dataset.columns()
    if names is not None:
        check_columns(names, column, id_column, vector_column)
    if dedup:
        dataset = dataset.sort([column, id_column])
    blocks = dataset.repartition(target_num_rows_per_block=rows_per_block, strict=order)
    if order:
        blocks.context.execution_options.preserve_order = True
    embedded = blocks.map_batches(
        _Actor,
        fn_constructor_kwargs={"job": job},
        batch_format="pyarrow",
        batch_size=None,
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=cpus,
        **(actor_options or {}),
    )
    if output is None:
        return embedded
    Folder(job.output).create()
    start = time.monotonic()
    done: list[Done] = []
    with progress_bar(None, unit="row") if progress else nullcontext() as update:
        rows = 0
        for each in _rows_in_time(embedded, start_timeout):
            done.append(Done(**each))
            rows += done[-1].rows
            if update is not None:
                update(rows)
    if not order:
        done.sort(key=lambda each: each.file)
    return finish(job, done, time.monotonic() - start)


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


class _Actor:
    """What Ray makes once a process and calls once a block."""

    def __init__(self, job: Job) -> None:
        self.worker = Worker(job)

    def __call__(self, table: pa.Table) -> pa.Table:
        if not self.worker.job.output:
            return self.worker.with_vectors(table)
        return done_table([self.worker.write(table)] if table.num_rows else [])


def _pool(workers: int | None, cpus: int | None) -> tuple[int, int]:
    """How many actors of how many CPUs. Raises ValueError where Ray would wait for ever."""
    if not ray.is_initialized():
        ray.init()
    nodes = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    nodes = [count for count in nodes if count > 0]
    total = sum(nodes)
    if cpus is None:
        cpus = max(1, min(nodes, default=1) - 1)
    if workers is None:
        workers = sum(count // cpus for count in nodes)
        if workers * cpus >= total:
            workers -= 1
    if workers < 1 or cpus < 1 or workers * cpus >= total:
        raise ValueError(
            f"{workers} actors of {cpus} CPUs on a cluster of {total}: at least one CPU must stay free for reading"
        )
    if sum(count // cpus for count in nodes) < workers:
        raise ValueError(f"{workers} actors of {cpus} CPUs do not fit on nodes of {', '.join(map(str, nodes))} CPUs")
    return workers, cpus


def _rows_in_time(dataset: Dataset, start_timeout: float) -> Iterator[dict[str, Any]]:
    """The rows of a dataset as they are made. TimeoutError if the first does not come in time: where a node is lost
    before any block is done, Ray may wait for ever."""
    rows: queue.Queue[Any] = queue.Queue()
    end = object()

    def read() -> None:
        try:
            for row in dataset.iter_rows():
                rows.put(row)
            rows.put(end)
        except BaseException as error:  # raised where it is waited for
            rows.put(error)

    threading.Thread(target=read, daemon=True, name="embd-ray").start()
    timeout: float | None = start_timeout
    while True:
        try:
            row = rows.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(
                f"no block was done within {start_timeout:g} s (start_timeout). Look at `ray status` for nodes that were lost "
                "and for actors that wait for a CPU; ray.shutdown() ends what has begun"
            ) from None
        if row is end:
            return
        if isinstance(row, BaseException):
            raise row
        timeout = None
        yield row
