"""How a file of texts is read: the arguments that embed_file(), verify() and digest_file() share."""

from __future__ import annotations

from typing import Any


def input_options(
    input_format: str | None,
    text_field: str,
    id_field: str,
    token_ids_field: str,
    has_header: bool,
    encoding: str,
    invalid_utf8: str,
    delimiter: str,
    skip_empty: bool,
) -> dict[str, Any]:
    """Returns the arguments by their names, as the native functions take them."""
    return dict(locals())
