"""Turns Haystack's documents into texts, for the components in haystack_integrations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def text_of(document: Any, meta_fields: Sequence[str], separator: str) -> str:
    """Returns the text of a document: the values of some fields of its meta, then its content.

    meta_fields: the names of the fields. A field that the document does not have is left out.
    separator: the string between two values, and before the content.
    """
    fields = [str(document.meta[name]) for name in meta_fields if document.meta.get(name) is not None]
    return separator.join([*fields, document.content or ""])
