"""Shared by the tests of the hooks: one small model, and that nothing reaches for a network."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["ANONYMIZED_TELEMETRY"] = "False"
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/faces/python"))

import embd  # noqa: E402
import pytest  # noqa: E402
from golden_rerankers import copy_reranker  # noqa: E402

TEXTS = [
    "A cat sits on the mat.",
    "A kitten rests on a rug.",
    "The stock market fell today.",
    "Bread rises with yeast.",
    "cat mat sat",
    "",
    "Ein Satz über Käse.",
]


@pytest.fixture(scope="session")
def model_path() -> str:
    return str(ROOT / "tests" / "data" / "embd" / "plain.weights")


@pytest.fixture(scope="session")
def model(model_path: str) -> embd.Model:
    return embd.Model(model_path)


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return list(TEXTS)


@pytest.fixture(scope="session")
def reranker_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cross-encoder with one label and the sigmoid, a folder of Hugging Face's."""
    return str(copy_reranker("bert_sigmoid", tmp_path_factory.mktemp("rerankers")))


@pytest.fixture(scope="session")
def reranker(reranker_path: str) -> embd.Reranker:
    return embd.Reranker(reranker_path)
