"""DSPy: an Embedder. dspy.retrievers.Embeddings(corpus, embedder=make_embedder("all-MiniLM-L6-v2"))"""

from __future__ import annotations

from typing import Any

import dspy
from embd.integrations import ModelOrName, open_model


def make_embedder(model: ModelOrName = "all-MiniLM-L6-v2", **options: Any) -> dspy.Embedder:
    """Without DSPy's cache, which tells functions apart by their names alone: two models would share vectors."""
    return dspy.Embedder(open_model(model).encode, caching=False, **options)
