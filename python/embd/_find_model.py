"""Where a model of a name is. Nothing is ever downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from embd._errors import NotFoundError

_DEFAULT_ORGANIZATION = "sentence-transformers"
_CARRIERS = {"all-MiniLM-L6-v2": "embd_minilm"}


def find_model(name: str | os.PathLike[str], cache_folder: str | os.PathLike[str] | None = None) -> Path:
    """The file or folder of a model.

    A path is itself. A name is looked for in the package libembd-minilm, in embd's own folders (NAME.weights), then in
    the cache of Hugging Face's tools, where "NAME" means sentence-transformers/NAME. Raises embd.Error (not_found),
    which lists the places.
    """
    if not os.fspath(name):
        raise NotFoundError("the name of a model is empty", "not_found")
    path = Path(name)
    if path.exists():
        return path
    words = str(name)
    looked: list[str] = [str(path)]
    if words.count("/") > 1 or words.startswith(("/", ".", "~")):
        raise NotFoundError(f"no such file or folder: {words}", "not_found", words)
    for place in _places(words, cache_folder):
        looked.append(str(place))
        found = _snapshot(place) if place.name.startswith("models--") else place
        if found is not None and found.exists():
            return found
    raise NotFoundError(
        f"no model {words!r}: looked for {', '.join(looked)}. embd downloads nothing: give a path, or put the model "
        f"into the cache of Hugging Face's tools with `hf download {_full_name(words)}`.",
        "not_found",
    )


def _places(name: str, cache_folder: str | os.PathLike[str] | None) -> Iterator[Path]:
    short = name.removeprefix(_DEFAULT_ORGANIZATION + "/")
    if short in _CARRIERS:
        yield from _in_package(_CARRIERS[short], short)
    if "/" not in short:
        data_home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
        for folder in (Path(data_home) / "embd", Path("/usr/share/embd")):
            yield folder / f"{short}.weights"
    for cache in _caches(cache_folder):
        yield cache / f"models--{_full_name(name).replace('/', '--')}"


def _full_name(name: str) -> str:
    """With its organization, as Hugging Face's tools name it."""
    return name if "/" in name else f"{_DEFAULT_ORGANIZATION}/{name}"


def _in_package(package: str, name: str) -> Iterator[Path]:
    from importlib.util import find_spec

    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / f"{name}.weights"


def _caches(cache_folder: str | os.PathLike[str] | None) -> Iterator[Path]:
    """The folders that hold models--ORG--NAME, as huggingface_hub and sentence-transformers choose them."""
    own = cache_folder or os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    if own:
        yield Path(own)
    hub = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if hub:
        yield Path(hub)
        return
    home = os.environ.get("HF_HOME")
    if not home:
        home = str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface")
    yield Path(os.path.expandvars(home)).expanduser() / "hub"


def _snapshot(repository: Path) -> Path | None:
    """The folder of the commit that refs/main names, if it holds a whole model."""
    main = repository / "refs" / "main"
    if not main.is_file():
        return None
    folder = repository / "snapshots" / main.read_text().strip()
    vocabulary = (folder / "vocab.txt").exists() or (folder / "tokenizer.json").exists()
    weights = (folder / "model.safetensors").exists()
    whole = (folder / "config.json").exists() and vocabulary and weights
    return folder if whole else None
