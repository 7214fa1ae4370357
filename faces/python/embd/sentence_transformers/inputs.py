"""Takes the inputs of encode(): one text, or a batch of texts."""

from __future__ import annotations

from typing import Any


def is_singular(inputs: Any) -> bool:
    """Returns true if `inputs` is one input: a str, a dict or a conversation. Returns false for a batch."""
    if isinstance(inputs, list) and inputs and _is_message(inputs[0]):
        return True
    if isinstance(inputs, (list, tuple)):
        return False
    return not _is_column(inputs)


def texts_of(inputs: Any) -> list[str]:
    """Returns the texts of a batch. Raises ValueError for an item that is no text, and names its place."""
    if inputs is None or isinstance(inputs, (str, bytes, bytearray, set, frozenset, dict)):
        raise ValueError(f"the input is {type(inputs).__name__}, expected a str or a list of texts")
    if hasattr(inputs, "__next__"):
        raise ValueError("the input is an iterator, expected a list of texts: make a list, or use embd.Model.encode_stream()")
    if hasattr(inputs, "columns"):
        raise ValueError("the input is a table, expected a list of texts: give the column of the texts")
    return [_text_of(item, i) for i, item in enumerate(_items(inputs))]


def _text_of(item: Any, place: int) -> str:
    """Returns the text of the item at a place of a batch: a str, or a dict {"text": str}."""
    if isinstance(item, str):
        return item
    if isinstance(item, dict):
        return _text_in(item, place)
    if isinstance(item, (list, tuple)):
        if item and _is_message(item[0]):
            raise ValueError(f"input {place} is a conversation, which models for texts do not take")
        if len(item) == 2 and all(isinstance(part, str) for part in item):
            raise ValueError(
                f"input {place} is a pair of texts, which embd cannot embed: use the class of sentence-transformers"
            )
    raise ValueError(f"input {place} is {type(item).__name__}, expected str or a dict with the key 'text'")


def _text_in(item: dict[Any, Any], place: int) -> str:
    """Returns the text of a dict {"text": str}."""
    if _is_message(item):
        raise ValueError(f"input {place} is a message of a conversation, which models for texts do not take")
    if set(item) != {"text"}:
        raise ValueError(f"input {place} is a dict of {sorted(item, key=repr)}, expected the key 'text' alone")
    return _text_of(item["text"], place)


def _is_message(item: Any) -> bool:
    """Returns true for a message of a conversation, a dict with "role" and "content"."""
    return isinstance(item, dict) and "role" in item and "content" in item


def _is_column(inputs: Any) -> bool:
    """Returns true for an array or a column of strings, of NumPy, pandas, polars, pyarrow or datasets."""
    ndim = getattr(inputs, "ndim", None)
    if ndim is not None and hasattr(inputs, "dtype") and hasattr(inputs, "tolist"):
        return bool(ndim >= 1) and getattr(inputs.dtype, "kind", "O") in "UOT"
    if isinstance(inputs, (str, bytes, bytearray, memoryview, dict)):
        return False
    return hasattr(inputs, "__len__") and hasattr(inputs, "__getitem__")


def _items(inputs: Any) -> list[Any]:
    """Returns the items of a batch as a list."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(inputs, name):
            values: list[Any] = getattr(inputs, name)()
            return values
    return list(inputs)
