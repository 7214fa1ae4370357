"""The golden cross-encoders of tests/data/rerank, for every test that is in Python. Standard library only."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "rerank"


def copy_reranker(name: str, folder: Path) -> Path:
    """Returns the folder folder/name, made of the model's own files and of those that several models share."""
    model = folder / name
    shutil.copytree(GOLDEN / name, model)
    shutil.copy(GOLDEN / "tokenizer.json", model)
    weights = "three_labels" if name == "bert_three" else "one_label"
    shutil.copy(GOLDEN / f"{weights}.safetensors", model / "model.safetensors")
    return model


def golden_pairs(name: str) -> list[tuple[str, str]]:
    """Returns the pairs whose logits and scores stand in NAME.logits.npy and NAME.scores.npy."""
    lines = gzip.decompress((GOLDEN / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    return [(pair["query"], pair["text"]) for pair in map(json.loads, lines)]
