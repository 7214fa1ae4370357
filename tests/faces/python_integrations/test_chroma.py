from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import embd
import numpy as np
import pytest

chromadb = pytest.importorskip("chromadb")

from embd.integrations.chroma import EmbdEmbeddingFunction  # noqa: E402

REOPEN = """
import sys, chromadb, embd.integrations.chroma
collection = chromadb.PersistentClient(sys.argv[1]).get_collection("docs")
print(collection.query(query_texts=[sys.argv[2]], n_results=1)["documents"][0][0])
"""


def test_a_collection_that_is_opened_again(model: embd.Model, model_path: str, texts: list[str], tmp_path: Path) -> None:
    function = EmbdEmbeddingFunction(model_path)
    assert np.array_equal(np.stack(function(texts)), model.encode(texts))
    client = chromadb.PersistentClient(str(tmp_path))
    collection = client.create_collection("docs", embedding_function=function)
    collection.add(ids=[str(i) for i in range(len(texts))], documents=texts)
    assert collection.query(query_texts=[texts[2]], n_results=1)["documents"][0][0] == texts[2]
    arguments = [sys.executable, "-c", REOPEN, str(tmp_path), texts[2]]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.strip() == texts[2]
