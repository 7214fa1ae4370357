"""Hugging Face datasets: a column of vectors. ds = embed_column(ds, "all-MiniLM-L6-v2")"""

from __future__ import annotations

from typing import Any

from datasets import Features, List, Value
from embd.integrations import ModelOrName, open_model


class _Embed:
    """A function of batches that travels to other processes as the model's path."""

    def __init__(self, model: Any, column: str, out: str) -> None:
        self.model = model
        self.column = column
        self.out = out

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {self.out: self.model.encode_document(list(batch[self.column]))}


def embed_column(
    dataset: Any, model: ModelOrName, column: str = "text", out: str = "embedding", batch_size: int = 1000, **options: Any
) -> Any:
    """The dataset with the vectors of a column of texts in a column of its own, float32 of one length.

    options: of Dataset.map, such as num_proc.
    """
    opened = open_model(model)
    features = Features({**dataset.features, out: List(Value("float32"), length=opened.dim)})
    return dataset.map(_Embed(opened, column, out), batched=True, batch_size=batch_size, features=features, **options)
