"""Makes collections: folders of documents that can be searched, and are brought up to date.

    report = embd.collect(model, "notes", "notes.collection")
    hits = embd.Searcher("notes.collection").search_texts(model, "when is the form due")
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, NamedTuple, Union

from embd import _native
from embd._paths import paths_of
from embd._progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from typing_extensions import Unpack

    from embd._keywords import CollectKeywords
    from embd.model import Model

    Path: TypeAlias = Union[str, os.PathLike[str]]


class CollectReport(NamedTuple):
    """The results of collect()."""

    files: int
    """The number of documents of the collection."""
    new: int
    """Documents that it did not have before."""
    changed: int
    """Documents with other bytes than before."""
    gone: int
    """Documents that it no longer has."""
    passages: int
    """Rows of the collection."""
    embedded: int
    """Texts that the model embedded in this run."""
    reused: int
    """Passages whose vectors were there already."""
    seconds: float
    """The duration of this run."""
    is_refused: bool
    """True if more than half of the files are gone, and `force` is not given. Then nothing was changed."""


def collect(
    model: Model,
    roots: Path | Sequence[Path],
    collection: Path,
    *,
    progress: bool = False,
    **options: Unpack[CollectKeywords],
) -> CollectReport:
    """Makes a collection of documents, or brings it up to date, as `embd collect` does.

    Only passages that the collection did not have are embedded, and the result has the bytes of a new collection
    (docs/search.md). A Searcher opens a collection.

    model: the model that embeds passages. It must be the same in every run.
    roots: folders of documents, and documents. They are added to those of before; an empty list adds none.
    collection: the folder of the collection.
    max_tokens: the most tokens of a passage and its context; by default those of the collection, or 256.
    stemmer: "english", or "none" for texts in other languages; by default that of the collection, or "english".
    check_content: read all files, also those whose size and time of change are the same.
    force: continue if more than half of the files are gone; with another model, embed everything again.
    progress: show a progress bar that counts passages, if tqdm is installed.

    Documents that are left out, such as PDF files, are named in warnings. Raises embd.Error: recipe_mismatch for
    another model, not_found for a folder that is missing, io_failed if another process updates the collection.
    """

    def run(update: object) -> CollectReport:
        path = os.path.abspath(model.path)
        report, skipped = _native.collect(model._native, paths_of(roots), os.fspath(collection), path, dict(options), update)
        for message in skipped:
            warnings.warn(message, stacklevel=4)
        return CollectReport(**report)

    if not progress:
        return run(None)
    with progress_bar(None, unit="passage") as update:
        return run(update)
