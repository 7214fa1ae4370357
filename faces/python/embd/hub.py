"""Fetches models by their names from a hub such as Hugging Face's.

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
    """The folder of the model in the cache."""
    commit: str
    """The commit of the model's repository that was fetched, in hexadecimal digits."""
    fetched_bytes: int
    """The number of bytes that were downloaded. It is 0 if all files were in the cache already."""


class GetModelProgress(NamedTuple):
    """The state of a download, which get_model() passes to on_progress()."""

    file: str
    """The name of the file that is being downloaded."""
    bytes: int
    """The number of bytes that are in the cache so far, of all files together."""
    all_bytes: int
    """The size of all files together, in bytes."""


def get_model(
    name: str,
    *,
    progress: bool = False,
    on_progress: Callable[[GetModelProgress], None] | None = None,
    **options: Unpack[GetModelKeywords],
) -> FetchedModel:
    """Downloads a model from a hub into the cache of Hugging Face's tools, as `embd model get` does.

    embd.Model(name) finds the model there from then on, without a network. Only the files that embd reads are
    downloaded. Each file is compared with the hash that the hub gives for it, and appears in the cache only when it is
    complete. A download that was interrupted continues at the next call.

    name: "ORGANIZATION/NAME". A name without an organization belongs to sentence-transformers.
    progress: show a progress bar in bytes, if tqdm is installed.
    on_progress: a function that is called often, by the thread that called get_model().
    revision: a branch, a tag or a commit; by default "main".
    endpoint: the address of the hub; by default $HF_ENDPOINT, else https://huggingface.co.
    token: the token for models that are not public; by default $HF_TOKEN, else the token that Hugging Face's tools
        keep.
    cache_folder: the cache; by default $HF_HUB_CACHE, else the folder "hub" in $HF_HOME.
    retry_seconds: the pause before a failed request is sent again; it doubles with each attempt. By default 1 second.

    The environment's variables for proxies and certificates are used. Raises embd.Error: not_found if the hub does not
    have the model or the revision; unsupported if the model has no files that embd reads; io_failed if the hub cannot
    be reached or refuses; checksum_mismatch if a file is not what the hub promised; invalid_argument, which is also a
    ValueError, if `name` is no name of a model.
    """
    # Imported here because a program that downloads nothing should not have to load the modules for HTTP.
    from embd._http import get

    with byte_bar() if progress else nullcontext() as update:

        def tell(file: str, count: int, of: int) -> None:
            if update is not None:
                update(count, of)
            if on_progress is not None:
                on_progress(GetModelProgress(file, count, of))

        return FetchedModel(*_native.get_model(name, dict(options), get, tell))
