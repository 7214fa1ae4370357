"""Vectors as NumPy has them and as the binding takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def as_array(vectors: Any) -> NDArray[Any]:
    """An array of NumPy, of a tensor or a list of tensors too, without a copy where there is one."""
    import numpy as np

    if hasattr(vectors, "detach"):
        vectors = vectors.detach().cpu().numpy()
    elif isinstance(vectors, (list, tuple)) and len(vectors) > 0 and hasattr(vectors[0], "detach"):
        vectors = np.stack([row.detach().cpu().numpy() for row in vectors])
    return np.asarray(vectors)


def as_rows(vectors: Any, *, single: bool = True) -> NDArray[np.float32]:
    """Rows [n, dim] of float32, C-contiguous; one vector [dim] is one row, if `single` allows it.

    TypeError for what has no numbers, or complex ones; ValueError for other dimensions, and for a number that is too
    large for float32.
    """
    import numpy as np

    array = as_array(vectors)
    if array.ndim != 2 and not (single and array.ndim == 1):
        raise ValueError(f"an array of {array.ndim} dimensions where rows [n, dim] were expected")
    if array.dtype.kind not in "fiubO":
        raise TypeError(f"an array of {array.dtype} where one of numbers was expected")
    try:
        with np.errstate(over="raise"):
            return np.ascontiguousarray(np.atleast_2d(array), dtype=np.float32)
    except FloatingPointError:
        raise ValueError(f"an array of {array.dtype} with a number that is too large for float32") from None
