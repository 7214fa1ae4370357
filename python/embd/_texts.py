"""Takes texts in every form in which Python programs keep strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from typing import TypeAlias

# A list, tuple or iterator of str, an array of NumPy (U, O, StringDType), or a column of pandas, polars, pyarrow or
# DuckDB.
Texts: TypeAlias = "Union[Iterable[str], Any]"


def as_texts(texts: Texts) -> Any:
    """Returns texts in a form that the binding takes: a list, a tuple, or an object with the Arrow C data interface.

    Raises TypeError for a collection that has no order, such as a set or a dict, and for bytes. Raises ValueError for
    an array that is not one-dimensional.
    """
    if isinstance(texts, (list, tuple)):
        return texts
    if isinstance(texts, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"{type(texts).__name__} where a sequence of str was expected")
    if isinstance(texts, (dict, set, frozenset)):
        raise TypeError(f"a {type(texts).__name__} is not a sequence of str")
    if hasattr(texts, "dtype") and hasattr(texts, "ndim") and hasattr(texts, "tolist"):
        return _from_array(texts)
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        return texts
    try:
        return list(texts)
    except TypeError:
        raise TypeError(f"{type(texts).__name__} where a str or a sequence of str was expected") from None


def _from_array(array: Any) -> Any:
    """Returns the strings of a one-dimensional array as a list."""
    if array.ndim != 1:
        raise ValueError(f"an array of {array.ndim} dimensions where one of 1 was expected")
    kind = getattr(array.dtype, "kind", "O")
    if kind not in "UOT":
        raise TypeError(f"an array of {array.dtype} where one of strings was expected")
    return array.tolist()
