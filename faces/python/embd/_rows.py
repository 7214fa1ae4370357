"""Converts vectors to arrays that the binding takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def unmasked(array: Any) -> Any:
    """Returns `array`. Raises ValueError if it is an array of NumPy in which values are masked."""
    import numpy as np

    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError("values of the array are masked, expected an array in which all values count")
    return array


def as_array(vectors: Any) -> NDArray[Any]:
    """Returns vectors as an array of NumPy. Tensors of torch and lists of tensors are converted.

    An array that exists already is not copied. Raises ValueError for an array with masked values.
    """
    import numpy as np

    if hasattr(vectors, "detach"):
        vectors = vectors.detach().cpu().numpy()
    elif isinstance(vectors, (list, tuple)) and len(vectors) > 0 and hasattr(vectors[0], "detach"):
        vectors = np.stack([row.detach().cpu().numpy() for row in vectors])
    return np.asarray(unmasked(vectors))


def as_rows(vectors: Any, *, single: bool = True) -> NDArray[np.float32]:
    """Returns vectors as float32 rows [n, dim], C-contiguous.

    single: accept one vector [dim], too, which becomes one row.

    Raises TypeError if the elements are not real numbers, ValueError for an array of other dimensions or a number that
    is too large for float32.
    """
    import numpy as np

    array = as_array(vectors)
    if array.ndim != 2 and not (single and array.ndim == 1):
        raise ValueError(f"the array has {array.ndim} dimensions, expected rows of shape [n, dim]")
    if array.dtype.kind not in "fiubO":
        raise TypeError(f"the array has the type {array.dtype}, expected a type of numbers")
    if array.dtype.kind == "O":
        for value in array.flat:
            if not hasattr(value, "__float__"):  # NumPy takes None for NaN, and reads a str
                raise TypeError(f"the array contains {type(value).__name__}, expected numbers")
    try:
        with np.errstate(over="raise"):
            return np.ascontiguousarray(np.atleast_2d(array), dtype=np.float32)
    except FloatingPointError:
        raise ValueError(f"the array of {array.dtype} contains a number that is too large for float32") from None
