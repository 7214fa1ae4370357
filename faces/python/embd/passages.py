"""Divides documents into passages that can be embedded and searched.

    for passage in embd.split(model, "notes/a.md"):
        print(passage.id, passage.headings, passage.text)
    rows = model.encode([passage.text for passage in embd.split(model, "notes/a.md")])
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple, Union

from embd import _native

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import Unpack

    from embd._keywords import SplitKeywords
    from embd.model import Model

    Path: TypeAlias = Union[str, os.PathLike[str]]


class Passage(NamedTuple):
    """A piece of a document that becomes a row."""

    id: str
    """The file and the line where the passage begins: "notes/a.md:12". A third number is the byte of this line, from 1,
    if the passage does not begin it."""
    file: str
    """The path of the document."""
    lines: tuple[int, int]
    """The first and the last line, from 1."""
    bytes: tuple[int, int]
    """The range of its bytes in the file: the first, and the one behind the last, from 0."""
    headings: tuple[str, ...]
    """The headings over the passage and at its beginning, the outermost first."""
    context: str
    """The part that the text does not say: the title of the document and the headings over the passage."""
    text: str
    """The text, as the file has it."""
    title: str = ""
    """The first heading of level 1; empty if there is none."""


def split(model: Model, path: Path, text: str | bytes | None = None, **options: Unpack[SplitKeywords]) -> list[Passage]:
    """Returns the passages of a document, in its order, as `embd split` writes them.

    Passages do not overlap, and everything that is no white space is in exactly one (docs/split.md). Their tokens are
    counted with the model's tokenizer.

    path: the path of the document. Its extension says what it is written in: Markdown, code, or else plain text.
    text: the document itself. By default the file at `path` is read.
    kind: "markdown", "text" or "code", whatever the extension is.
    max_tokens: the most tokens of a passage and its context, at most as many as the model reads; 256 by default.
    invalid_utf8: "replace" takes bytes that are not UTF-8 as U+FFFD; by default they are an error.

    Raises embd.Error: unsupported for a document that must be converted first, such as HTML or PDF, and for one with a
    NUL byte; bad_value for one of more than 16 MiB; invalid_utf8; and the errors of reading the file.
    """
    content = text.encode() if isinstance(text, str) else text
    found = (json.loads(line) for line in _native.split(model._native, os.fspath(path), content, dict(options)))
    return [
        Passage(
            **{
                **passage,
                "lines": tuple(passage["lines"]),
                "bytes": tuple(passage["bytes"]),
                "headings": tuple(passage["headings"]),
            }
        )
        for passage in found
    ]
