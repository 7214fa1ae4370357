"""Near-duplicates of more rows than a machine holds: of the parts in a folder, two shards of them at a time.

    found = embd.shards.dedupe("/data/vectors", shards=20)     # in this process; embd.ray.dedupe and embd.spark.dedupe: on all
    found.kept_ids

The rows kept are those of embd.dedupe() over all rows at once, in the order of the manifest. Needs pyarrow, as embd.parts does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from embd import analysis, parts

if TYPE_CHECKING:
    from typing import TypeAlias

    Task: TypeAlias = tuple[int, int]


class PartDuplicates(NamedTuple):
    """The near-duplicates among the rows of a folder."""

    ids: Any
    """The ids of all rows, in the order of the parts in the manifest: an array of uint64, or a list of str."""
    duplicates: analysis.Duplicates
    """Of rows by their places in `ids`. Copies in one shard are paired with the first of their kind there."""

    @property
    def kept_ids(self) -> Any:
        """The ids of the rows that are kept, in their order."""
        kept = self.duplicates.kept
        return [self.ids[row] for row in kept] if isinstance(self.ids, list) else self.ids[kept]


class Job(NamedTuple):
    """The settings that every task is sent, pickled."""

    folder: str
    shards: int
    min_similarity: float
    exact_rows: int
    threads: int


class Found(NamedTuple):
    """The pairs that a task has found, on their way to the driver."""

    task: Task
    ids: Any
    """Those of the shard's rows, where a shard was compared with itself; else None."""
    pairs: Any
    """[pairs, 2]: a row of the first shard and one of the second, each by its place in the shard."""
    similarities: Any
    recall: analysis.Recall | None


def dedupe(
    folder: parts.Path,
    *,
    shards: int = 1,
    min_similarity: float = 0.9,
    exact_rows: int = 1_000_000,
    threads: int = 0,
    run: Callable[[Callable[[Task], Found], list[Task]], Iterable[Found]] = map,
) -> PartDuplicates:
    """Finds the near-duplicates among all rows of a folder of parts: pairs whose cosine is `min_similarity` or more.

    The first row of each group is kept, in the order of the manifest. The parts are cut into `shards`. Each pair of
    shards is a task, which holds the vectors of both in memory and compares each part with its digest. The pairs that
    all tasks find come to this process. Shards of up to `exact_rows` rows are compared row by row; of more, an index finds nearly
    all pairs, and Duplicates.recall says how many. run(function, tasks): calls function(task) for each of the tasks, wherever
    it likes, and returns what they return, in any order.

    Raises embd.Error, as embd.parts.verify_parts() does; ValueError where there are fewer parts than shards.
    """
    job = Job(parts.absolute_path(folder), shards, min_similarity, exact_rows, threads)
    parts.shard_bounds(parts.read_manifest(folder), 0, shards)
    tasks = [(i, j) for i in range(shards) for j in range(i + 1)]
    return _put_together(sorted(run(partial(find_pairs, job), tasks), key=lambda found: found.task))


def find_pairs(job: Job, task: Task) -> Found:
    """Compares a shard with itself or with an earlier one."""
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
    # Copies are in a pair with the first of their kind already: with copies of the other shard they would make millions.
    leaks = analysis.find_leaks(rows[firsts], others[other_firsts], **options)
    pairs = leaks.pairs.copy()
    pairs[:, 0], pairs[:, 1] = firsts[leaks.pairs[:, 0]], other_firsts[leaks.pairs[:, 1]]
    return Found(task, None, pairs, leaks.similarities, leaks.recall)


def _first_copies(rows: Any) -> Any:
    """The numbers of the rows that have no copy before them, ascending."""
    import numpy as np

    as_bytes = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    return np.sort(np.unique(as_bytes.reshape(-1), return_index=True)[1])


def _put_together(found: list[Found]) -> PartDuplicates:
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
    """The least row that each row leads to by pairs."""
    import numpy as np

    least = np.arange(num_rows)
    while True:
        before = least.copy()
        # The least rows of both ends get the lesser of the two, too, so that long chains take few rounds.
        lesser = np.minimum(before[pairs[:, 0]], before[pairs[:, 1]])
        for end in (0, 1):
            np.minimum.at(least, pairs[:, end], lesser)
            np.minimum.at(least, before[pairs[:, end]], lesser)
        least = least[least]
        if (least == before).all():
            return least
