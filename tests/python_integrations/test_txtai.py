from __future__ import annotations

from pathlib import Path

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
