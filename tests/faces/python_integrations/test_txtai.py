from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

txtai = pytest.importorskip("txtai")


def test_index(model_path: str, texts: list[str], tmp_path: Path) -> None:
    options = {"method": "embd.integrations.txtai.EmbdVectors", "path": model_path, "backend": "numpy"}
    embeddings = txtai.Embeddings(**options)
    embeddings.index(list(enumerate(texts)))
    assert embeddings.search(texts[2], 1)[0][0] == 2
    embeddings.save(str(tmp_path / "index"))
    again = txtai.Embeddings()
    again.load(str(tmp_path / "index"))
    assert again.search(texts[2], 1)[0][0] == 2


def test_instructions_take_the_place_of_prompts(model_path: str, texts: list[str]) -> None:
    options = {"method": "embd.integrations.txtai.EmbdVectors", "path": model_path, "backend": "numpy"}
    instructed = txtai.Embeddings(**options, instructions={"query": "query: ", "data": "passage: "})
    prompted = txtai.Embeddings(**options)
    for embeddings in (instructed, prompted):
        embeddings.model.model.prompts = {"query": "query: ", "document": "passage: "}
    for category in ("query", "data"):
        rows = prompted.batchtransform(texts, category)
        np.testing.assert_array_equal(instructed.batchtransform(texts, category), rows)
