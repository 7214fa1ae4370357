from __future__ import annotations

import embd
import numpy as np
import pytest

dspy = pytest.importorskip("dspy")


def test_retriever(model: embd.Model, texts: list[str]) -> None:
    from embd.integrations.dspy import make_embedder

    embedder = make_embedder(model)
    assert np.array_equal(embedder(texts), model.encode(texts))
    search = dspy.retrievers.Embeddings(corpus=[text for text in texts if text], embedder=embedder, k=1)
    assert search(texts[2]).passages == [texts[2]]
