"""Functions over embeddings, with the names, arguments and results of sentence_transformers.util.

They compute with NumPy and with embd's exact search. All of them accept arrays of NumPy, tensors of torch, and lists of
either. Functions that return a tensor in sentence-transformers return a tensor here if the program has imported torch,
otherwise an array of NumPy. This module never imports torch.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, Union

from embd._rows import as_array, as_rows

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Embeddings: TypeAlias = Union[NDArray[Any], Sequence[Any], Any]
    ScoreFunction: TypeAlias = Callable[[Any, Any], Any]

__all__ = [
    "community_detection",
    "cos_sim",
    "dot_score",
    "euclidean_sim",
    "information_retrieval",
    "manhattan_sim",
    "normalize_embeddings",
    "pairwise_cos_sim",
    "pairwise_dot_score",
    "pairwise_euclidean_sim",
    "pairwise_manhattan_sim",
    "paraphrase_mining",
    "paraphrase_mining_embeddings",
    "pytorch_cos_sim",
    "quantize_embeddings",
    "semantic_search",
    "truncate_embeddings",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def __getattr__(name: str) -> Any:
    """Raises AttributeError for a function of sentence_transformers.util that this module does not have."""
    raise AttributeError(
        f"module 'embd.util' has no attribute {name!r}: it has {', '.join(__all__)}. Whatever else there is in "
        "sentence_transformers.util takes an embd.SentenceTransformer and its embeddings."
    )


def _returns_tensor(function: _Function) -> _Function:
    """Makes a function return its array as a tensor if torch is imported, on the device of the first argument."""

    @wraps(function)
    def wrapper(first: Any, *rest: Any) -> Any:
        result = _as_tensor(function(first, *rest))
        return result.to(first.device) if hasattr(first, "detach") else result

    return wrapper  # type: ignore[return-value]


def _as_tensor(array: NDArray[Any]) -> Any:
    """Returns the array as a tensor if torch is imported, otherwise the array itself."""
    torch = sys.modules.get("torch")
    return array if torch is None else torch.from_numpy(array)


def _floats(embeddings: Embeddings) -> NDArray[Any]:
    """Returns embeddings [n, dim] or [dim] as float64 if they have this type, otherwise as float32.

    Raises the same errors as as_rows().
    """
    import numpy as np

    array = as_array(embeddings)
    if array.dtype == np.float64:
        return array
    return as_rows(array) if array.ndim == 2 else as_rows(array)[0]


def _matrix(embeddings: Embeddings) -> NDArray[Any]:
    """Returns embeddings as rows [n, dim]; one embedding [dim] becomes one row."""
    import numpy as np

    return np.atleast_2d(_floats(embeddings))


def normalized(embeddings: Embeddings) -> NDArray[Any]:
    """Returns embeddings divided by their lengths, as an array."""
    import numpy as np

    rows = _floats(embeddings)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    result: NDArray[Any] = rows / np.maximum(lengths, rows.dtype.type(1e-12))
    return result


@_returns_tensor
def normalize_embeddings(embeddings: Embeddings) -> Any:
    """Returns embeddings [n, dim] or [dim] divided by their lengths. An embedding of zeros stays as it is."""
    return normalized(embeddings)


def truncate_embeddings(embeddings: Embeddings, truncate_dim: int | None) -> Any:
    """Returns the first `truncate_dim` components of embeddings, which are not normalized again.

    The result of a tensor is a tensor; everything else gives an array.
    """
    rows: Any = embeddings if hasattr(embeddings, "ndim") else as_array(embeddings)
    return rows[..., :truncate_dim]


@_returns_tensor
def cos_sim(a: Embeddings, b: Embeddings) -> Any:
    """Returns the cosine similarity of each row of `a` with each row of `b`, [n, m]."""
    return _matrix(normalized(a)) @ _matrix(normalized(b)).T


def pytorch_cos_sim(a: Embeddings, b: Embeddings) -> Any:
    """Calls cos_sim(). It is the name that cos_sim() had before sentence-transformers 2.0."""
    return cos_sim(a, b)


@_returns_tensor
def dot_score(a: Embeddings, b: Embeddings) -> Any:
    """Returns the dot product of each row of `a` with each row of `b`, [n, m]."""
    return _matrix(a) @ _matrix(b).T


@_returns_tensor
def euclidean_sim(a: Embeddings, b: Embeddings) -> Any:
    """Returns the negative Euclidean distance of each row of `a` and each row of `b`, [n, m]."""
    import numpy as np

    return -_distances(a, b, lambda differences: np.linalg.norm(differences, axis=1))


@_returns_tensor
def manhattan_sim(a: Embeddings, b: Embeddings) -> Any:
    """Returns the negative Manhattan distance of each row of `a` and each row of `b`, [n, m].

    The Manhattan distance of two rows is the sum of the absolute differences of their components.
    """
    import numpy as np

    return -_distances(a, b, lambda differences: np.abs(differences).sum(axis=1))


def _distances(a: Embeddings, b: Embeddings, distance: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
    """Returns the distance of each row of `a` and each row of `b`, [n, m].

    distance: a function that computes distances [m] from differences [m, dim].
    """
    import numpy as np

    x, y = _matrix(a), _matrix(b)
    return np.stack([distance(row - y) for row in x]) if len(x) else np.zeros((0, len(y)), x.dtype)


@_returns_tensor
def pairwise_cos_sim(a: Embeddings, b: Embeddings) -> Any:
    """Returns the cosine similarity of row i of `a` and row i of `b`, [n].

    If one argument is a single vector, it is compared with each row of the other. The result of two vectors has no
    dimensions.
    """
    return _sum(normalized(a) * normalized(b))


@_returns_tensor
def pairwise_dot_score(a: Embeddings, b: Embeddings) -> Any:
    """Returns the dot product of row i of `a` and row i of `b`, in the shapes of pairwise_cos_sim()."""
    return _sum(_floats(a) * _floats(b))


@_returns_tensor
def pairwise_euclidean_sim(a: Embeddings, b: Embeddings) -> Any:
    """Returns the negative Euclidean distance of row i of `a` and row i of `b`, in the shapes of pairwise_cos_sim()."""
    import numpy as np

    return np.asarray(-np.linalg.norm(_floats(a) - _floats(b), axis=-1))


@_returns_tensor
def pairwise_manhattan_sim(a: Embeddings, b: Embeddings) -> Any:
    """Returns the negative Manhattan distance of row i of `a` and row i of `b`, in the shapes of pairwise_cos_sim()."""
    import numpy as np

    return _sum(-np.abs(_floats(a) - _floats(b)))


def _sum(products: NDArray[Any]) -> NDArray[Any]:
    """Returns the sums over the last dimension as an array, also for a single vector."""
    import numpy as np

    return np.asarray(products.sum(axis=-1))


# The score functions for which embd's own search finds the best rows: its distance in these metrics is 1 - score.
_METRICS: dict[Any, str] = {cos_sim: "cos", dot_score: "ip"}


def _metric(score_function: ScoreFunction) -> str | None:
    """Returns the metric of embd that gives the same order of rows as the score function; None if there is none.

    The function may be from this module, or have the same name in sentence_transformers.util.
    """
    if score_function in _METRICS:
        return _METRICS[score_function]
    if getattr(score_function, "__module__", "").startswith("sentence_transformers.util"):
        return {"cos_sim": "cos", "dot_score": "ip"}.get(getattr(score_function, "__name__", ""))
    return None


def _best(
    queries: NDArray[np.float32],
    rows: NDArray[np.float32],
    k: int,
    score_function: ScoreFunction,
    query_chunk_size: int,
    corpus_chunk_size: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Finds the `k` rows with the best scores for each query, or all rows if they are fewer.

    Returns the row numbers, [queries, k], best first, and the scores.
    """
    import numpy as np

    from embd import _native

    metric = _metric(score_function)
    if metric is not None:
        places, distances = _native.nearest(queries, rows, k, metric)
        return places, 1 - distances.astype(np.float64)
    k = min(k, len(rows))
    all_places, all_scores = [], []
    for first in range(0, len(queries), query_chunk_size):
        part = queries[first : first + query_chunk_size]
        chunks = [
            as_array(score_function(_as_tensor(part), _as_tensor(rows[start : start + corpus_chunk_size])))
            for start in range(0, len(rows), corpus_chunk_size)
        ]
        scores = np.concatenate(chunks, axis=1).astype(np.float64)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        all_places.append(order)
        all_scores.append(np.take_along_axis(scores, order, axis=1))
    if not all_places:
        return np.zeros((0, k), np.int64), np.zeros((0, k))
    return np.concatenate(all_places), np.concatenate(all_scores)


def semantic_search(
    query_embeddings: Embeddings,
    corpus_embeddings: Embeddings,
    query_chunk_size: int = 100,
    corpus_chunk_size: int = 500000,
    top_k: int = 10,
    score_function: ScoreFunction = cos_sim,
) -> list[list[dict[str, int | float]]]:
    """Finds the `top_k` rows of the corpus with the best scores for each query, best first.

    score_function: a function that returns the scores of queries [n, dim] and rows [m, dim] as [n, m]. cos_sim and
        dot_score are replaced by embd's exact search.
    query_chunk_size, corpus_chunk_size: the numbers of rows that another score function gets at once.

    Returns a list for each query of {"corpus_id": row number, "score": score}.
    """
    corpus = as_rows(corpus_embeddings) if len(corpus_embeddings) else None
    queries = as_rows(query_embeddings)
    if corpus is None:
        return [[] for _ in queries]
    places, scores = _best(queries, corpus, top_k, score_function, query_chunk_size, corpus_chunk_size)
    return [
        [{"corpus_id": place, "score": score} for place, score in zip(row, values) if place >= 0]
        for row, values in zip(places.tolist(), scores.tolist())
    ]


def information_retrieval(*args: Any, **kwargs: Any) -> list[list[dict[str, int | float]]]:
    """Calls semantic_search(). It is the name that semantic_search() had before sentence-transformers 1.0."""
    return semantic_search(*args, **kwargs)


def paraphrase_mining(
    model: Any,
    sentences: list[str],
    show_progress_bar: bool = False,
    batch_size: int = 32,
    query_chunk_size: int = 5000,
    corpus_chunk_size: int = 100000,
    max_pairs: int = 500000,
    top_k: int = 100,
    score_function: ScoreFunction = cos_sim,
    truncate_dim: int | None = None,
    prompt_name: str | None = None,
    prompt: str | None = None,
) -> list[list[float | int]]:
    """Embeds sentences and finds the pairs of sentences with the best scores, best first.

    model: an embd.SentenceTransformer, or any object whose encode() takes the same arguments.
    show_progress_bar, batch_size, truncate_dim, prompt_name, prompt: arguments of encode().

    The other arguments are described at paraphrase_mining_embeddings(). Returns [[score, i, j], …] with i < j.
    """
    embeddings = model.encode(
        sentences,
        show_progress_bar=show_progress_bar,
        batch_size=batch_size,
        convert_to_numpy=True,
        truncate_dim=truncate_dim,
        prompt_name=prompt_name,
        prompt=prompt,
    )
    return paraphrase_mining_embeddings(
        embeddings, query_chunk_size, corpus_chunk_size, max_pairs, top_k, score_function
    )


def paraphrase_mining_embeddings(
    embeddings: Embeddings,
    query_chunk_size: int = 5000,
    corpus_chunk_size: int = 100000,
    max_pairs: int = 500000,
    top_k: int = 100,
    score_function: ScoreFunction = cos_sim,
) -> list[list[float | int]]:
    """Finds the pairs of embeddings with the best scores, best first.

    max_pairs: the largest number of pairs to return.
    top_k: the number of best-scoring other rows that are considered for each row.
    score_function, query_chunk_size, corpus_chunk_size: as in semantic_search().

    Returns [[score, i, j], …] with i < j. Each pair occurs once.
    """
    if len(embeddings) == 0:
        return []
    rows = as_rows(embeddings)
    heap: list[tuple[float, int, int]] = []  # the best max_pairs so far; the worst of them is the first
    held: set[tuple[int, int]] = set()
    floor = float("-inf")
    for first in range(0, len(rows), query_chunk_size):
        queries = rows[first : first + query_chunk_size]
        places, scores = _best(queries, rows, top_k + 1, score_function, query_chunk_size, corpus_chunk_size)
        for i, (row, values) in enumerate(zip(places.tolist(), scores.tolist()), start=first):
            others = [(place, score) for place, score in zip(row, values) if place not in (i, -1)]
            for j, score in others[:top_k]:
                pair = (min(i, j), max(i, j))
                if score <= floor or pair in held:
                    continue
                held.add(pair)
                if len(heap) < max_pairs:
                    heapq.heappush(heap, (score, *pair))
                else:
                    worst = heapq.heappushpop(heap, (score, *pair))
                    held.discard(worst[1:])
                    floor = worst[0]
    return [[score, i, j] for score, i, j in sorted(heap, key=lambda entry: entry[0], reverse=True)]


def community_detection(
    embeddings: Embeddings,
    threshold: float = 0.75,
    min_community_size: int = 10,
    batch_size: int = 1024,
    show_progress_bar: bool = False,
) -> list[list[int]]:
    """Finds groups of rows whose cosine similarity to a central row is at least `threshold`, the largest group first.

    min_community_size: the least number of rows of a group.
    batch_size: the number of rows that are compared with all rows at once.
    show_progress_bar: show a progress bar, if tqdm is installed.

    Returns a list of row numbers for each group: its central row, then the others, nearest first. A row is in at most
    one group.
    """
    import numpy as np

    from embd._progress import progress_bar

    if len(embeddings) == 0:
        return []
    rows = normalized(as_rows(embeddings))
    if len(rows) < min_community_size:
        return []
    groups: list[tuple[int, NDArray[np.int64]]] = []
    with progress_bar(rows, unit="row") if show_progress_bar else nullcontext() as update:
        for first in range(0, len(rows), batch_size):
            scores = rows[first : first + batch_size] @ rows.T
            near = scores >= np.float32(threshold)
            for i in np.flatnonzero(near.sum(axis=1) >= min_community_size).tolist():
                members = np.flatnonzero(near[i])
                order = np.argsort(-scores[i, members], kind="stable")
                groups.append((first + i, members[order]))
            if update is not None:
                update(min(first + batch_size, len(rows)))
    groups.sort(key=lambda group: len(group[1]), reverse=True)
    taken = np.zeros(len(rows), dtype=bool)
    communities: list[list[int]] = []
    for centre, members in groups:
        if taken[centre]:
            continue
        free = members[~taken[members]]
        if len(free) >= min_community_size:
            community = [centre, *free[free != centre].tolist()]
            communities.append(community)
            taken[community] = True
    return sorted(communities, key=len, reverse=True)


def quantize_embeddings(
    embeddings: Embeddings,
    precision: str,
    ranges: NDArray[Any] | None = None,
    calibration_embeddings: NDArray[Any] | None = None,
) -> NDArray[Any] | list[NDArray[Any]]:
    """Converts embeddings to "float32", or to "int8", "uint8", "binary" or "ubinary" codes.

    embeddings: vectors, or a list of matrices, which gives a list of results with the same ranges.
    ranges: the least and the greatest value of each component, [2, dim], for "int8" and "uint8".
    calibration_embeddings: vectors that the ranges are taken from if `ranges` is not given; by default `embeddings`.

    Raises ValueError if ranges would be taken from a single vector, TypeError if the embeddings are codes already.
    """
    import numpy as np

    from embd import _precision

    matrices = isinstance(embeddings, (list, tuple)) and len(embeddings) > 0 and getattr(embeddings[0], "ndim", 1) == 2
    if isinstance(embeddings, list) and not embeddings:
        return []
    needs_ranges = precision in ("int8", "uint8") and ranges is None
    if matrices:
        each = [as_array(matrix) for matrix in embeddings]
        if needs_ranges:
            calibration = np.concatenate(each) if calibration_embeddings is None else calibration_embeddings
            ranges = _ranges(calibration, precision, calibration_embeddings is not None) if len(calibration) else None
        return [_precision.convert(matrix, precision, ranges) for matrix in each]
    rows = as_array(embeddings)
    if rows.dtype in (np.uint8, np.int8):
        raise TypeError("the embeddings are quantized already, expected embeddings of floating-point numbers")
    if needs_ranges and calibration_embeddings is not None:
        ranges = _ranges(as_array(calibration_embeddings), precision, given=True)
    if precision == "float16":
        raise ValueError("Precision 'float16' is not supported")
    return _precision.convert(rows, precision, ranges)


def _ranges(rows: NDArray[Any], precision: str, given: bool) -> NDArray[Any]:
    """Returns the least and the greatest value of each component, [2, dim].

    given: true if the caller chose these rows for calibration, so that no warning about few rows is needed.
    """
    import numpy as np

    from embd import _precision

    return np.stack([rows.min(axis=0), rows.max(axis=0)]) if given else _precision.ranges_of(rows, precision)
