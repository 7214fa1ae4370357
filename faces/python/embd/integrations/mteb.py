"""A model for the benchmark MTEB: mteb.evaluate(EmbdModel("all-MiniLM-L6-v2"), tasks)"""

from __future__ import annotations

from typing import Any

import numpy as np
from embd.integrations import ModelOrName, name_of, open_model
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from mteb.types import PromptType


class EmbdModel(AbsEncoder):
    """A model that MTEB can evaluate. Queries and documents get the model's own prompts for them, if it has any."""

    def __init__(self, model: ModelOrName = "all-MiniLM-L6-v2", **kwargs: Any) -> None:
        self.model = open_model(model)
        self.mteb_model_meta = ModelMeta.create_empty(
            overwrites={
                "name": f"embd/{self.model.name.split('/')[-1]}",
                "revision": self.model.recipe["model_sha256"],
                "embed_dim": self.model.dim,
                "max_tokens": self.model.max_seq_length,
                "framework": ["NumPy"],
                "reference": name_of(model),
            }
        )

    def encode(
        self,
        inputs: Any,
        *,
        task_metadata: Any,
        hf_split: str,
        hf_subset: str,
        prompt_type: PromptType | None = None,
        **kwargs: Any,
    ) -> Any:
        encode = {PromptType.query: self.model.encode_query, PromptType.document: self.model.encode_document}.get(
            prompt_type, self.model.encode
        )
        return np.concatenate([encode(list(batch["text"])) for batch in inputs])
