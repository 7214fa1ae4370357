"""Daft, with embd as provider of embed_text()."""

from __future__ import annotations

import embd
import numpy as np
import pytest
from conftest import COMPUTE, Reference

daft = pytest.importorskip("daft")


def test_embed_text(reference: Reference) -> None:
    from daft.functions import embed_text
    from embd.integrations.daft import EmbdProvider

    frame = daft.read_parquet(f"{reference.folder}/*.parquet").where(daft.col("id") < 1000)
    vectors = embed_text(daft.col("text"), provider=EmbdProvider(threads=1, compute=COMPUTE), model=reference.model)
    made = frame.with_column("v", vectors).sort("id")
    assert "Embedding[Float32; 384]" in repr(made.schema()["v"].dtype)
    found = made.to_pydict()
    assert np.stack(found["v"]).astype(np.float32).tobytes() == reference.rows[:1000].tobytes()
    short = embed_text(daft.col("text"), provider=EmbdProvider(compute=COMPUTE), model=reference.model, dimensions=64)
    rows = np.stack(frame.limit(5).with_column("v", short).sort("id").to_pydict()["v"])
    assert rows.shape == (5, 64)
    digest = embd.Digest(reference.recipe)
    digest.update(np.stack(found["v"]), found["id"], found["text"])
    assert digest.count == 1000
