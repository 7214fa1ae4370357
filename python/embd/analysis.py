"""Relations between rows: near-duplicates, groups, how much two sets agree.

    rows = model.encode(texts)
    kept = embd.dedupe(rows).kept                  # rows that are no near-duplicates of others
    groups = embd.cluster(rows, k=20, texts=texts)
    print(groups.words[0], [texts[i] for i in groups.central_rows[0]])

Everything is under the cosine: the lengths of rows count for nothing. Equal rows and options give equal bytes, on any
processor and number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from embd import _native
from embd._rows import as_rows
from embd._texts import Texts, as_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Recall:
    """How many pairs an index finds, measured on some rows that were compared with all."""

    rows: int
    pairs: int
    found: int

    @property
    def share(self) -> float:
        return self.found / self.pairs if self.pairs else 1.0


@dataclass(frozen=True)
class Duplicates:
    """Near-duplicates of rows [n, dim]."""

    representatives: NDArray[np.int64]
    """[n]: the row that is kept in place of each; its own number for a row that is kept."""
    pairs: NDArray[np.int64]
    """[pairs, 2]: a row, and a row before it; copies are paired with the first of their kind alone."""
    similarities: NDArray[np.float32]
    """[pairs]: their cosines."""
    recall: Recall | None
    """None where all pairs were compared."""

    @property
    def kept(self) -> NDArray[np.int64]:
        """The rows that are kept, ascending."""
        import numpy as np

        return np.flatnonzero(self.representatives == np.arange(len(self.representatives)))


@dataclass(frozen=True)
class Leaks:
    """Rows of one set that have near-duplicates in another."""

    pairs: NDArray[np.int64]
    """[pairs, 2]: a row, and a row of the other set."""
    similarities: NDArray[np.float32]
    recall: Recall | None

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that are in a pair, ascending."""
        import numpy as np

        return np.unique(self.pairs[:, 0])


@dataclass(frozen=True)
class Clusters:
    """Rows in groups, which are numbered from the largest on."""

    labels: NDArray[np.int32]
    """[n]: the group of each row; -1 for a row in none."""
    distances: NDArray[np.float32]
    """[n]: 1 - cosine to the group's center; to the nearest center for a row in none."""
    places: NDArray[np.int64]
    """[n], from 0: how many rows of the group are nearer to the center."""
    centers: NDArray[np.float32]
    """[groups, dim], of length 1."""
    sizes: NDArray[np.int64]
    """[groups]."""
    inertia: float
    """The sum of the distances of all rows that are in a group."""
    words: list[list[str]]
    """The words that tell each group from the others, best first; empty without texts."""
    central_rows: list[list[int]]
    """The rows nearest to each group's center."""


@dataclass(frozen=True)
class NeighbourAgreement:
    """How much two sets of vectors of the same texts agree about which rows are near one another."""

    k: int
    overlap: float
    """The mean share of a row's k nearest in the one set that are so in the other, too."""
    rank_correlation: float
    """The mean of Spearman's correlation of distances to the rows that are among the k nearest in either."""
    rows: NDArray[np.int64]
    """The rows compared, those that moved most first."""
    overlaps: NDArray[np.float32]
    """Of these rows."""
    rank_correlations: NDArray[np.float32]
    """Of these rows."""


def _recall(found: dict[str, int] | None) -> Recall | None:
    return None if found is None else Recall(**found)


def dedupe(
    rows: Any,
    *,
    min_similarity: float = 0.9,
    keep: Literal["first", "longest"] = "first",
    texts: Sequence[str] | None = None,
    exact_rows: int = 1_000_000,
    threads: int = 0,
) -> Duplicates:
    """Finds the near-duplicates among rows [n, dim]: pairs whose cosine is `min_similarity` or more.

    Rows that lead to one another by pairs are a group, of which one is kept: the first, or that of the longest of
    `texts`. All pairs of up to `exact_rows` rows are compared; of more, an index finds nearly all, and Duplicates.recall
    says how many. Raises embd.Error: invalid_argument for options out of range, bad_value for a row with a value that is
    not finite.
    """
    lengths = [] if texts is None else [len(text) for text in texts]
    representatives, pairs, similarities, recall = _native.dedupe(
        as_rows(rows, single=False), lengths, min_similarity, keep, exact_rows, threads
    )
    return Duplicates(representatives, pairs, similarities, _recall(recall))


def find_leaks(
    rows: Any,
    others: Any,
    *,
    min_similarity: float = 0.9,
    exact_rows: int = 1_000_000,
    threads: int = 0,
) -> Leaks:
    """Finds the rows [n, dim] that have near-duplicates among `others` [m, dim], such as a test set's in a training set."""
    pairs, similarities, recall = _native.leaks(
        as_rows(rows, single=False), as_rows(others, single=False), min_similarity, exact_rows, threads
    )
    return Leaks(pairs, similarities, _recall(recall))


def cluster(
    rows: Any,
    *,
    k: int | Literal["auto"] = "auto",
    density: bool = False,
    min_size: int = 10,
    min_samples: int = 0,
    seed: int = 0,
    texts: Texts | None = None,
    num_words: int = 5,
    exact_rows: int = 50_000,
    threads: int = 0,
) -> Clusters:
    """Groups rows [n, dim]: by spherical k-means into k groups, or by HDBSCAN where rows lie densely.

    k: "auto" is as many as have the greatest silhouette on a sample. density: HDBSCAN, with groups of at least
    `min_size` rows; min_samples: 0 is min_size; up to `exact_rows` rows are compared each with each. texts: one a row,
    whose words name the groups. Raises embd.Error: invalid_argument for more groups than rows and for another number of
    texts, bad_value for a row with a value that is not finite.
    """
    if k != "auto" and k < 1:
        raise ValueError(f"k = {k}: at least one group")
    return Clusters(
        *_native.cluster(
            as_rows(rows, single=False),
            None if texts is None else as_texts(texts),
            density,
            0 if k == "auto" else k,
            seed,
            min_size,
            min_samples,
            exact_rows,
            num_words,
            threads,
        )
    )


def compare_neighbours(a: Any, b: Any, k: int = 10, *, sample: int = 0, threads: int = 0) -> NeighbourAgreement:
    """Compares the k nearest neighbours of rows a [n, dim] and b [n, any dim], where row i of both is the same text.

    sample: compare those of so many rows, at equal steps; 0: of all.
    """
    return NeighbourAgreement(
        *_native.compare_neighbours(as_rows(a, single=False), as_rows(b, single=False), k, sample, threads)
    )
