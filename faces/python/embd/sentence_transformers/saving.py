"""Writes and opens the folders of SentenceTransformer.save(), which sentence-transformers' own class opens, too.

A model that was opened from a folder in the form of Hugging Face is saved as a copy of this folder. A weight file is
saved in the folder of one module, embd.integrations.sentence_transformers.EmbdModule. The class of
sentence-transformers needs trust_remote_code=True to open it.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import embd

if TYPE_CHECKING:
    from embd.sentence_transformers.model import SentenceTransformer

_CONFIG = "config_sentence_transformers.json"
_MODULE = "embd.integrations.sentence_transformers.EmbdModule"
_MODULE_FOLDER = "0_EmbdModule"


class Saved(NamedTuple):
    """The model in a folder that save() wrote, as open_saved() finds it."""

    model: Path
    """The file or folder that embd.Model opens."""
    max_seq_length: int | None
    """The number of tokens that a longer text is cut to. None means the model's own number."""
    config: dict[str, Any]
    """The saved settings, such as prompts, of a model whose file does not hold them itself; otherwise empty."""


def open_saved(path: Path) -> Saved:
    """Finds the model at a path: in a folder that save() wrote for a weight file, or the path itself."""
    modules = _read(path / "modules.json") if (path / "modules.json").is_file() else []
    if not modules or modules[0].get("type") != _MODULE:
        return Saved(path, None, {})
    folder = path / modules[0]["path"]
    file = folder / "model.weights"
    said = _read(folder / "embd.json")
    config = _read(path / _CONFIG) if (path / _CONFIG).is_file() else {}
    return Saved(file if file.exists() else folder / "model", said["max_seq_length"], config)


def write(model: SentenceTransformer, folder: Path) -> None:
    """Writes a model to a folder that embd.SentenceTransformer and the class of sentence-transformers can open."""
    folder.mkdir(parents=True, exist_ok=True)
    source = Path(model._model.path)
    if source.is_dir():
        if not (folder.exists() and folder.samefile(source)):
            shutil.copytree(source, folder, dirs_exist_ok=True)
        _write_length(folder, model)
    else:
        write_module(folder / _MODULE_FOLDER, source, model.max_seq_length)
        _write(folder / "modules.json", [{"idx": 0, "name": "0", "path": _MODULE_FOLDER, "type": _MODULE}])
    config: dict[str, Any] = {
        "model_type": "SentenceTransformer",
        "__version__": {"embd": embd.__version__},
        "prompts": model.prompts,
        "default_prompt_name": model.default_prompt_name,
        "similarity_fn_name": model.similarity_fn_name,
    }
    if model.truncate_dim is not None:
        config["truncate_dim"] = model.truncate_dim
    _write(folder / _CONFIG, config)


def write_module(folder: Path, source: Path, max_seq_length: int) -> None:
    """Writes the folder of an EmbdModule: a copy of the model, which is a file or a folder, and embd.json."""
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, folder / "model", dirs_exist_ok=True)
    else:
        shutil.copyfile(source, folder / "model.weights")
    _write(folder / "embd.json", {"max_seq_length": max_seq_length})


def _write_length(folder: Path, model: SentenceTransformer) -> None:
    """Writes max_seq_length to the file where sentence-transformers looks for it, if it was changed."""
    if model.max_seq_length == model._model.max_seq_length:
        return
    file = folder / "sentence_bert_config.json"
    said = _read(file) if file.is_file() else {}
    _write(file, {**said, "max_seq_length": model.max_seq_length})


def _read(file: Path) -> Any:
    """Reads a JSON file."""
    return json.loads(file.read_text(encoding="utf-8"))


def _write(file: Path, content: Any) -> None:
    """Writes a JSON file, which replaces an older one as a whole.

    If the path is a symbolic link, as in Hugging Face's cache, the link is replaced and its target does not change.
    """
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(beside, file)
