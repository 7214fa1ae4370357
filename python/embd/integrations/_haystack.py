"""How Haystack's documents become texts, for the components of haystack_integrations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def text_of(document: Any, meta_fields: Sequence[str], separator: str) -> str:
    """Returns the values of fields of the document's meta that are there, and its content, with a separator between."""
    fields = [str(document.meta[name]) for name in meta_fields if document.meta.get(name) is not None]
    return separator.join([*fields, document.content or ""])
