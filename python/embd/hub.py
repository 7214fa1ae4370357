"""Models by their names from a hub such as Hugging Face's.

    model = embd.Model(embd.get_model("intfloat/multilingual-e5-small").folder)
    model = embd.Model("intfloat/multilingual-e5-small")    # from then on, without a network
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from embd import _native
from embd._progress import byte_bar

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from embd._keywords import GetModelKeywords


class FetchedModel(NamedTuple):
    """A model that get_model() has put into the cache."""

    folder: str
    commit: str
    fetched_bytes: int
    """0: everything was there."""


class GetModelProgress(NamedTuple):
    """The state of a download."""

    file: str
    """The file that is being fetched."""
    bytes: int
    """How many bytes of all files are there."""
    all_bytes: int


def get_model(
    name: str,
    *,
    progress: bool = False,
    on_progress: Callable[[GetModelProgress], None] | None = None,
    **options: Unpack[GetModelKeywords],
) -> FetchedModel:
    """Fetches a model from a hub into the cache of Hugging Face's tools, as `embd model get` does. Model(name) finds it there.

    name: "ORGANIZATION/NAME"; a bare name is one of sentence-transformers. Fetched are the files that embd reads, and no others.
    Each is checked against the hash that the hub says, and appears only when it is whole; a download that was cut off or
    interrupted goes on where it ended the next time.

    progress: a bar of tqdm, where it is installed, that counts bytes. on_progress: called often, by the calling thread.
    options: revision (a branch, a tag or a commit; "main"), endpoint (the hub; $HF_ENDPOINT), token ($HF_TOKEN, or the one that
    Hugging Face's tools keep), cache_folder ($HF_HUB_CACHE, or hub in $HF_HOME), retry_seconds (the pause before a request that
    failed is sent again, doubled each time; 1). Requests honour the variables for proxies and certificates.

    Raises embd.Error: not_found for a model or a revision that the hub does not have; unsupported for a model without files that
    embd reads; io_failed where the hub cannot be reached or refuses; checksum_mismatch; ValueError for what is no name.
    """
    # Imported here, so that a program that fetches nothing does not pay for it.
    from embd._http import get

    with byte_bar() if progress else nullcontext() as update:

        def tell(file: str, count: int, of: int) -> None:
            if update is not None:
                update(count, of)
            if on_progress is not None:
                on_progress(GetModelProgress(file, count, of))

        return FetchedModel(*_native.get_model(name, dict(options), get, tell))
