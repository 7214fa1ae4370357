"""sentence-transformers' own SentenceTransformer, with embd as the engine inside.

    model = make_sentence_transformer("all-MiniLM-L6-v2")     # a sentence_transformers.SentenceTransformer

It is for programs that construct this class themselves or need its modules. For other programs embd.SentenceTransformer
is enough, which needs no torch.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import torch
from embd.integrations import ModelOrName, open_model
from embd.model import Model
from embd.sentence_transformers.saving import write_module
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import InputModule


class EmbdModule(InputModule):
    """A module of sentence-transformers that takes texts and computes their sentence embeddings with embd.

    A SentenceTransformer needs no other module beside it.

    model: a path, a name, or an embd.Model.
    max_seq_length: the number of tokens that a longer text is cut to; by default the model's.
    threads: the number of threads; 0 takes all CPUs that the process may use.

    A saved SentenceTransformer holds a copy of the model's file. It must be loaded with trust_remote_code=True, because
    this class does not belong to sentence-transformers.
    """

    save_in_root = False

    def __init__(self, model: ModelOrName, max_seq_length: int | None = None, threads: int = 0) -> None:
        super().__init__()
        self.model: Model = open_model(model, threads=threads)
        self._max_seq_length = max_seq_length or self.model.max_seq_length
        self.tokenizer = None

    @property
    def max_seq_length(self) -> int:
        """The number of tokens that a longer text is cut to, special tokens included. It may be set."""
        return int(self._max_seq_length)

    @max_seq_length.setter
    def max_seq_length(self, value: int) -> None:
        self._max_seq_length = value

    def get_embedding_dimension(self) -> int:
        return self.model.full_dim

    def get_sentence_embedding_dimension(self) -> int:
        return self.model.full_dim

    def preprocess(self, inputs: list[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Returns the texts and the prompt unchanged, because embd has its own tokenizer."""
        return {"texts": list(inputs), "prompt": prompt or ""}

    def tokenize(self, texts: list[Any], **kwargs: Any) -> dict[str, Any]:
        return self.preprocess(texts, **kwargs)

    def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Adds the embeddings of the texts to `features`, as "sentence_embedding"."""
        rows = self.model.encode(
            features["texts"],
            prompt=features["prompt"],
            max_length=self.max_seq_length,
            truncate_dim=self.model.full_dim,
        )
        features["sentence_embedding"] = torch.from_numpy(rows)
        return features

    def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
        """Writes the model and its settings to a folder."""
        write_module(Path(output_path), Path(self.model.path), self.max_seq_length)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **kwargs: Any) -> EmbdModule:
        """Opens the module from a folder that save() wrote."""
        folder = Path(model_name_or_path, subfolder)
        config = json.loads((folder / "embd.json").read_text(encoding="utf-8"))
        file = folder / "model.weights"
        return cls(os.fspath(file if file.exists() else folder / "model"), config["max_seq_length"])


def make_sentence_transformer(model: ModelOrName = "all-MiniLM-L6-v2", **options: Any) -> SentenceTransformer:
    """Returns a sentence_transformers.SentenceTransformer that computes with embd.

    options: the options of SentenceTransformer, such as prompts and truncate_dim. By default they follow the model's
        configuration.
    """
    module = EmbdModule(model)
    opened = module.model
    said = {
        "prompts": opened.prompts,
        "default_prompt_name": opened.default_prompt_name,
        "similarity_fn_name": opened.similarity if opened.similarity in SentenceTransformer.SUPPORTED_SIMILARITY_FN_NAMES else None,
        "truncate_dim": opened.dim if opened.dim < opened.full_dim else None,
    }
    for name, value in said.items():
        if value:
            options.setdefault(name, value)
    return SentenceTransformer(modules=[module], device="cpu", **options)
