"""Finds near-duplicates among more rows than one machine can hold: in a folder of parts, two shards at a time.

    found = embd.shards.dedupe("/data/vectors", shards=20)     # in this process
    found.kept_ids

embd.ray.dedupe() and embd.spark.dedupe() do the same on a cluster. They keep the same rows as embd.dedupe() would keep
if it were given all rows at once, in the order of the manifest. This module needs pyarrow, as embd.parts does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from embd import analysis, parts

if TYPE_CHECKING:
    from typing import TypeAlias

    Task: TypeAlias = tuple[int, int]


class PartDuplicates(NamedTuple):
    """The near-duplicates among all rows of a folder of parts."""

    ids: Any
    """The ids of all rows, in the order of the manifest: an array of uint64, or a list of str."""
    duplicates: analysis.Duplicates
    """The near-duplicates. A row number is a place in `ids`.

    A row that is a copy of an earlier row in the same shard is in one pair only, with the first such row of the shard.
    """

    @property
    def kept_ids(self) -> Any:
        """The ids of the rows that are kept, in the order of `ids`."""
        kept = self.duplicates.kept
        return [self.ids[row] for row in kept] if isinstance(self.ids, list) else self.ids[kept]


class DedupeKeywords(TypedDict, total=False):
    """The options of dedupe() that embd.ray.dedupe() and embd.spark.dedupe() take, too."""

    min_similarity: float
    """The least cosine similarity of near-duplicates (0.9)"""
    exact_rows: int
    """The largest number of rows of a shard for which all pairs are compared (1,000,000)"""


class Job(NamedTuple):
    """The settings of a search for near-duplicates. They are pickled and sent to every task."""

    folder: str
    """The folder of parts."""
    shards: int
    """The number of shards that the parts are divided into."""
    min_similarity: float
    """The least cosine similarity of near-duplicates."""
    exact_rows: int
    """The largest number of rows for which all pairs are compared."""
    threads: int
    """The number of threads of a task."""


class Found(NamedTuple):
    """The pairs that one task has found, which it sends to the process that started it."""

    task: Task
    """The numbers of the two shards that were compared."""
    ids: Any
    """The ids of the shard's rows if a shard was compared with itself; otherwise None."""
    pairs: Any
    """The pairs, [pairs, 2]: a row of the first shard and a row of the second, each by its place in its shard."""
    similarities: Any
    """The cosine similarity of each pair, [pairs]."""
    recall: analysis.Recall | None
    """The share of pairs that was found. It is None if all pairs of rows were compared."""


def dedupe(
    folder: parts.Path,
    *,
    shards: int = 1,
    min_similarity: float = 0.9,
    exact_rows: int = 1_000_000,
    threads: int = 0,
    run: Callable[[Callable[[Task], Found], list[Task]], Iterable[Found]] = map,
) -> PartDuplicates:
    """Finds the near-duplicates among all rows of a folder: pairs whose cosine similarity is at least `min_similarity`.

    The first row of each group of near-duplicates is kept, in the order of the manifest. The parts are divided into
    `shards` shares. Each pair of shards, and each shard with itself, is a task. A task holds the vectors of its shards
    in memory, and compares each part with its digest. This process collects the pairs that all tasks find.

    folder: the folder of parts.
    shards: the number of shares, at most the number of parts.
    min_similarity: the least cosine similarity of near-duplicates, from -1 to 1.
    exact_rows: the largest number of rows of a shard for which all pairs are compared. With more rows, an index finds
        nearly all pairs, and Duplicates.recall says how many.
    threads: the number of threads of a task; 0 takes all CPUs that the process may use.
    run: called as run(function, tasks). It calls the function with each task, on any machine, and returns the results
        in any order. By default all tasks run in this process.

    Raises embd.Error as embd.parts.verify_parts() does, ValueError if there are fewer parts than shards.
    """
    job = Job(parts.absolute_path(folder), shards, min_similarity, exact_rows, threads)
    parts.shard_bounds(parts.read_manifest(folder), 0, shards)
    tasks = [(i, j) for i in range(shards) for j in range(i + 1)]
    return _put_together(sorted(run(partial(find_pairs, job), tasks), key=lambda found: found.task))


def find_pairs(job: Job, task: Task) -> Found:
    """Runs one task: compares a shard with itself, or with an earlier shard."""
    i, j = task
    manifest = parts.read_manifest(job.folder)
    options: Any = {"min_similarity": job.min_similarity, "exact_rows": job.exact_rows, "threads": job.threads}
    ids, rows = parts.read_shard(job.folder, manifest, i, job.shards)
    if i == j:
        own = analysis.dedupe(rows, **options)
        return Found(task, ids, own.pairs, own.similarities, own.recall)
    firsts = _first_copies(rows)
    others = parts.read_shard(job.folder, manifest, j, job.shards)[1]
    other_firsts = _first_copies(others)
    # Each shard's own task pairs its copies with the first row of the same bytes. Here only these first rows are
    # compared: all copies of one shard with all of the other could make millions of pairs.
    leaks = analysis.find_leaks(rows[firsts], others[other_firsts], **options)
    pairs = leaks.pairs.copy()
    pairs[:, 0], pairs[:, 1] = firsts[leaks.pairs[:, 0]], other_firsts[leaks.pairs[:, 1]]
    return Found(task, None, pairs, leaks.similarities, leaks.recall)


def _first_copies(rows: Any) -> Any:
    """Returns the numbers of the rows whose bytes no earlier row has, in ascending order."""
    import numpy as np

    as_bytes = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return np.sort(np.unique(as_bytes.reshape(-1), return_index=True)[1])


def _put_together(found: list[Found]) -> PartDuplicates:
    """Joins the pairs of all tasks, and groups the rows that are connected by them."""
    import numpy as np

    of_shards = [each.ids for each in found if each.ids is not None]
    starts = np.cumsum([0, *map(len, of_shards)])
    pairs = np.concatenate([each.pairs + [starts[each.task[0]], starts[each.task[1]]] for each in found])
    similarities = np.concatenate([each.similarities for each in found])
    recalls = [each.recall for each in found if each.recall is not None]
    recall = None
    if recalls:
        recall = analysis.Recall(*(sum(getattr(each, name) for each in recalls) for name in ("rows", "pairs", "found")))
    ids = [id for some in of_shards for id in some] if isinstance(of_shards[0], list) else np.concatenate(of_shards)
    return PartDuplicates(ids, analysis.Duplicates(_least_of_groups(len(ids), pairs), pairs, similarities, recall))


def _least_of_groups(num_rows: int, pairs: Any) -> Any:
    """Returns, for each row, the least row that it is connected with by pairs, directly or through other rows."""
    import numpy as np

    least = np.arange(num_rows)
    while True:
        before = least.copy()
        # The least rows of both ends are updated, too, so that long chains of pairs take few rounds.
        lesser = np.minimum(before[pairs[:, 0]], before[pairs[:, 1]])
        for end in (0, 1):
            np.minimum.at(least, pairs[:, end], lesser)
            np.minimum.at(least, before[pairs[:, end]], lesser)
        least = least[least]
        if (least == before).all():
            return least
