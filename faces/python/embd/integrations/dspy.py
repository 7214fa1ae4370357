"""An Embedder for DSPy: dspy.retrievers.Embeddings(corpus, embedder=make_embedder("all-MiniLM-L6-v2"))"""

from __future__ import annotations

from typing import Any

import dspy
from embd.integrations import ModelOrName, open_model


def make_embedder(model: ModelOrName = "all-MiniLM-L6-v2", **options: Any) -> dspy.Embedder:
    """Returns a dspy.Embedder that embeds texts with an embd.Model.

    DSPy's cache is off, because it tells functions apart only by their names: two models would share vectors.

    options: further options of dspy.Embedder.
    """
    return dspy.Embedder(open_model(model).encode, caching=False, **options)
