"""Models with a Unigram tokenizer: ids of `tokenizers`, vectors of a float64 reference."""

from __future__ import annotations

import gzip
import json
import shutil
import warnings
from pathlib import Path

import embd
import numpy as np
import pytest
from conftest import DATA

GOLDEN = DATA / "unigram"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("multilingual") / "xlmr"
    shutil.copytree(GOLDEN / "xlmr_cls", folder)
    for packed, name in ((folder / "model.safetensors.gz", "model.safetensors"),
                         (GOLDEN / "tokenizer_words.json.gz", "tokenizer.json")):
        (folder / name).write_bytes(gzip.decompress(packed.read_bytes()))
    return folder


@pytest.fixture(scope="module")
def multilingual(folder: Path) -> embd.Model:
    return embd.Model(str(folder))


def cases() -> list[dict[str, object]]:
    with gzip.open(GOLDEN / "xlmr_cls.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_ids_and_vectors_are_golden(multilingual: embd.Model) -> None:
    texts = [str(case["text"]) for case in cases()]
    assert multilingual.tokenize(texts, max_length=128) == [case["ids"] for case in cases()]
    assert np.abs(multilingual.encode(texts) - np.load(GOLDEN / "xlmr_cls.npy")).max() < 2e-6


def test_tokens_have_their_texts(multilingual: embd.Model) -> None:
    assert [multilingual.token(id) for id in multilingual.tokenize("x<mask>")] == ["<s>", "\u2581", "x", "<mask>", "</s>"]


def test_windows_cover_a_long_text(multilingual: embd.Model) -> None:
    text = " ".join(str(case["text"]) for case in cases()[:10])
    vectors, text_of = multilingual.encode_windows([text, "猫"], windows=16, stride=8)
    assert len(vectors) == len(text_of)
    assert list(text_of) == [0] * (len(vectors) - 1) + [1]
    assert np.array_equal(vectors[-1], multilingual.encode("猫"))
    ids = multilingual.tokenize(text, max_length=16)
    assert len(ids) == 16
    assert np.array_equal(vectors[0], multilingual.encode([text], max_length=16)[0])


def test_what_a_folder_leaves_open_is_a_warning(folder: Path, tmp_path: Path) -> None:
    family = tmp_path / "multilingual-e5-small"
    shutil.copytree(folder, family)
    with pytest.warns(UserWarning, match="models like multilingual-e5-small need prompts"):
        embd.Model(family)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embd.Model(folder)
        embd.Model(family, prompts={"query": "query: "})
    bare = tmp_path / "bare"
    shutil.copytree(folder, bare)
    (bare / "modules.json").unlink()
    with pytest.warns(UserWarning, match="has no modules.json"):
        embd.Model(bare)
