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
        raise TypeError(f"the texts are {type(texts).__name__}, expected a sequence of str")
    if isinstance(texts, (dict, set, frozenset)):
        raise TypeError(f"the texts are {type(texts).__name__}, expected a sequence of str, which has an order")
    if hasattr(texts, "dtype") and hasattr(texts, "ndim") and hasattr(texts, "tolist"):
        return _from_array(texts)
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        return texts
    try:
        return list(texts)
    except TypeError:
        raise TypeError(f"the texts are {type(texts).__name__}, expected a str or a sequence of str") from None


def _from_array(array: Any) -> Any:
    """Returns the strings of a one-dimensional array as a list."""
    if array.ndim != 1:
        raise ValueError(f"the array of texts has {array.ndim} dimensions, expected 1")
    kind = getattr(array.dtype, "kind", "O")
    if kind not in "UOT":
        raise TypeError(f"the array of texts has the type {array.dtype}, expected strings")
    return array.tolist()
