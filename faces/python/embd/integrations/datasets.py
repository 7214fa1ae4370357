"""A column of vectors for datasets of Hugging Face: ds = embed_column(ds, "all-MiniLM-L6-v2")"""

from __future__ import annotations

from typing import Any

from datasets import Features, List, Value
from embd.integrations import ModelOrName, open_model


class _Embed:
    """A function that embeds a batch of rows.

    It can be pickled for other processes, which open the model again from its path.
    """

    def __init__(self, model: Any, column: str, out: str) -> None:
        self.model = model
        self.column = column
        self.out = out

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {self.out: self.model.encode_document(list(batch[self.column]))}


def embed_column(
    dataset: Any, model: ModelOrName, column: str = "text", out: str = "embedding", batch_size: int = 1000, **options: Any
) -> Any:
    """Returns the dataset with a new column: the vectors of a column of texts, as float32 lists of a fixed length.

    column: the column of texts.
    out: the name of the new column.
    batch_size: the number of texts that are embedded at once.
    options: further options of Dataset.map(), such as num_proc.
    """
    opened = open_model(model)
    features = Features({**dataset.features, out: List(Value("float32"), length=opened.dim)})
    return dataset.map(_Embed(opened, column, out), batched=True, batch_size=batch_size, features=features, **options)
