"""Compares rows of vectors: finds near-duplicates, groups rows, and measures how much two vector sets agree.

    rows = model.encode(texts)
    kept = embd.dedupe(rows).kept                  # rows that are no near-duplicates of others
    groups = embd.cluster(rows, k=20, texts=texts)
    print(groups.words[0], [texts[i] for i in groups.central_rows[0]])

All functions compare rows by their cosine similarity, so the length of a row does not matter. Equal rows and options
give equal bytes, on any processor and with any number of threads.
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
    """The share of near-duplicate pairs that an index finds, measured on a sample of rows.

    Each row of the sample was also compared with all rows, which finds all of its pairs.
    """

    rows: int
    """The number of rows in the sample."""
    pairs: int
    """The number of pairs of the sample's rows, found by comparing them with all rows."""
    found: int
    """The number of these pairs that the index found, too."""

    @property
    def share(self) -> float:
        """The share of pairs that the index found, from 0 to 1; 1 if the sample has no pairs."""
        return self.found / self.pairs if self.pairs else 1.0


@dataclass(frozen=True)
class Duplicates:
    """The near-duplicates among n rows, as dedupe() finds them."""

    representatives: NDArray[np.int64]
    """The number of the row that is kept in place of each row; its own number for a row that is kept. Shape [n]."""
    pairs: NDArray[np.int64]
    """The pairs of near-duplicates, each as a row number and the number of an earlier row. Shape [pairs, 2].

    Rows with the same bytes are copies. A copy is in one pair only, with the first row that has these bytes.
    """
    similarities: NDArray[np.float32]
    """The cosine similarity of each pair. Shape [pairs]."""
    recall: Recall | None
    """The share of pairs that was found. It is None if all pairs of rows were compared."""

    @property
    def kept(self) -> NDArray[np.int64]:
        """The numbers of the rows that are kept, in ascending order."""
        import numpy as np

        return np.flatnonzero(self.representatives == np.arange(len(self.representatives)))


@dataclass(frozen=True)
class Leaks:
    """The rows of one set that have near-duplicates in another set, as find_leaks() finds them."""

    pairs: NDArray[np.int64]
    """The pairs of near-duplicates, each as a row number and the number of a row of the other set. Shape [pairs, 2]."""
    similarities: NDArray[np.float32]
    """The cosine similarity of each pair. Shape [pairs]."""
    recall: Recall | None
    """The share of pairs that was found. It is None if all pairs of rows were compared."""

    @property
    def rows(self) -> NDArray[np.int64]:
        """The numbers of the rows that have a near-duplicate in the other set, in ascending order."""
        import numpy as np

        return np.unique(self.pairs[:, 0])


@dataclass(frozen=True)
class Clusters:
    """The groups of n rows, as cluster() finds them. Group 0 is the largest."""

    labels: NDArray[np.int32]
    """The group number of each row. It is -1 for a row that belongs to no group. Shape [n]."""
    distances: NDArray[np.float32]
    """The distance of each row to the center of its group, 1 - the cosine similarity. Shape [n].

    For a row that belongs to no group, it is the distance to the nearest center.
    """
    places: NDArray[np.int64]
    """For each row, the number of rows of its group that are nearer to the center: 0 for the nearest one. Shape [n]."""
    centers: NDArray[np.float32]
    """The centers of the groups, vectors of length 1. Shape [groups, dim]."""
    sizes: NDArray[np.int64]
    """The number of rows in each group. Shape [groups]."""
    inertia: float
    """The sum of `distances` over all rows that belong to a group."""
    words: list[list[str]]
    """For each group, the words that tell it from the other groups, best first. The lists are empty without texts."""
    central_rows: list[list[int]]
    """For each group, the numbers of the rows nearest to its center."""


@dataclass(frozen=True)
class NeighbourAgreement:
    """A measure of how much two sets of vectors of the same texts agree about which rows are near each other."""

    k: int
    """The number of nearest neighbours that were compared for each row: as asked for, or all other rows if they are
    fewer.
    """
    overlap: float
    """The mean of `overlaps`, from 0 to 1."""
    rank_correlation: float
    """The mean of `rank_correlations`, without those that are NaN."""
    rows: NDArray[np.int64]
    """The numbers of the rows that were compared. Rows whose neighbours agree least come first."""
    overlaps: NDArray[np.float32]
    """The share of a row's k nearest neighbours in one set that are its k nearest in the other, too, for each of
    `rows`.
    """
    rank_correlations: NDArray[np.float32]
    """Spearman's rank correlation of a row's distances in the two sets, from -1 to 1, for each of `rows`.

    The distances are those to the rows that are among the k nearest in either set. It is NaN if all of them are equal
    in one set.
    """


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
    """Finds the near-duplicates among rows [n, dim]: pairs whose cosine similarity is at least `min_similarity`.

    Rows that are connected by pairs, directly or through other rows, form a group. One row of each group is kept.

    min_similarity: the least cosine similarity of near-duplicates, from -1 to 1.
    keep: the row of a group that is kept. "first" keeps the first row, "longest" the row of the longest text, for which
        it needs `texts`.
    texts: the text of each row, for keep="longest".
    exact_rows: the largest number of rows for which all pairs are compared. With more rows, an index finds nearly all
        pairs, and Duplicates.recall says how many.
    threads: the number of threads; 0 takes all CPUs that the process may use.

    Raises embd.Error: invalid_argument for an option out of range, bad_value for a row with a value that is not finite.
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
    """Finds the rows [n, dim] that have near-duplicates among `others` [m, dim], such as test data in a training set.

    The options are the same as in dedupe(); `exact_rows` is compared with the size of the larger set. Raises
    embd.Error: invalid_argument for sets of different dimensions or an option out of range, bad_value for a value that
    is not finite.
    """
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
    """Groups rows [n, dim] by their cosine similarity, with spherical k-means or with HDBSCAN.

    k: the number of groups for k-means. "auto" takes the number that has the greatest mean silhouette on a sample of
        rows.
    density: use HDBSCAN, which finds groups where rows lie densely and leaves other rows in no group. `k` is not used
        then.
    min_size: the least number of rows of a group (HDBSCAN).
    min_samples: a number k: the distance of a row to its k-th nearest row says how densely rows lie around it. The row
        itself counts as the first. 0 takes `min_size` (HDBSCAN).
    seed: the seed that decides which rows are the first centers (k-means).
    texts: the text of each row, from whose words groups get their names.
    num_words: the number of words that are found for each group.
    exact_rows: the largest number of rows for which each row is compared with each. With more rows, an index finds the
        neighbours (HDBSCAN).
    threads: the number of threads; 0 takes all CPUs that the process may use.

    Raises ValueError for a k below 1. Raises embd.Error: invalid_argument if there are more groups than rows or another
    number of texts than of rows, bad_value for a row with a value that is not finite.
    """
    if k != "auto" and k < 1:
        raise ValueError(f"k is {k}, expected at least one group")
    return Clusters(
        *_native.cluster(
            as_rows(rows, single=False),
            None if texts is None else as_texts(texts),
            num_words,
            {
                "density": "density" if density else "kmeans",
                "k": 0 if k == "auto" else k,
                "seed": seed,
                "min_size": min_size,
                "min_samples": min_samples or None,
                "exact_rows": exact_rows,
                "threads": threads,
            },
        )
    )


def compare_neighbours(a: Any, b: Any, k: int = 10, *, sample: int = 0, threads: int = 0) -> NeighbourAgreement:
    """Compares the k nearest neighbours of each row in two sets, `a` [n, dim] and `b` [n, any dim].

    Row i of both sets must be the same text.

    k: the number of nearest neighbours of a row, at least 1.
    sample: the number of rows to compare, taken at equal steps; 0 compares all.
    threads: the number of threads; 0 takes all CPUs that the process may use.

    Raises embd.Error: invalid_argument if the sets have different numbers of rows, bad_value for a value that is not
    finite.
    """
    return NeighbourAgreement(
        *_native.compare_neighbours(as_rows(a, single=False), as_rows(b, single=False), k, sample, threads)
    )
