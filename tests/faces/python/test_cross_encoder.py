"""embd.CrossEncoder without torch: shapes, types, order, names of before, what is refused. tests/faces/python_integrations
compares it with the real class."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import embd
import numpy as np
import pytest
from embd.sentence_transformers.refused import refused_by

PAIRS: list[Any] = [("a cat", "A cat sits on the mat."), ("a cat", "Two dogs run."), ["bread", "dough without yeast"], ("", "")]


@pytest.fixture(scope="module")
def encoder(reranker_path: Callable[[str], str]) -> embd.CrossEncoder:
    return embd.CrossEncoder(reranker_path("bert_sigmoid"))


@pytest.fixture(scope="module")
def three_labels(reranker_path: Callable[[str], str]) -> embd.CrossEncoder:
    return embd.CrossEncoder(reranker_path("bert_three"))


def test_scores_are_the_reranker_s(
    encoder: embd.CrossEncoder, three_labels: embd.CrossEncoder, reranker: embd.Reranker
) -> None:
    scores = encoder.predict(PAIRS)
    assert scores.dtype == np.float32 and scores.shape == (len(PAIRS),)
    assert (scores == reranker.score(PAIRS)).all()
    assert encoder.predict(PAIRS[0]) == scores[0] and encoder.predict(PAIRS[0]).dtype == np.float32
    assert (encoder.predict(np.array(PAIRS)) == scores).all()
    assert encoder.predict(np.array(PAIRS[0])) == scores[0]
    assert (encoder.predict(tuple(PAIRS), batch_size=1, show_progress_bar=True) == scores).all()
    assert encoder.predict([]).dtype == np.float64 and encoder.predict([]).shape == (0,)
    several = three_labels.predict(PAIRS)
    assert several.shape == (len(PAIRS), 3) and three_labels.num_labels == 3
    assert three_labels.predict(PAIRS[0]).shape == (3,)
    shares = three_labels.predict(PAIRS, apply_softmax=True)
    powers = np.exp(several.astype(np.float64))
    assert np.allclose(shares, powers / powers.sum(axis=1, keepdims=True), atol=1e-7) and shares.dtype == np.float32
    assert (encoder.predict(PAIRS, apply_softmax=True) == scores).all()


def test_rank(encoder: embd.CrossEncoder, three_labels: embd.CrossEncoder) -> None:
    documents = [str(second) for _, second in PAIRS] * 2
    ranked = encoder.rank("a cat", documents)
    scores = encoder.predict([("a cat", document) for document in documents])
    assert [item["corpus_id"] for item in ranked] == list(np.argsort(-scores, kind="stable"))
    assert all(item["score"] == scores[item["corpus_id"]] for item in ranked)
    assert encoder.rank("a cat", documents, top_k=2) == ranked[:2]
    assert encoder.rank("a cat", documents, top_k=-1) == ranked[:-1]
    assert encoder.rank("a cat", documents, 0) == encoder.rank("a cat", []) == []
    with_texts = encoder.rank("a cat", documents, return_documents=True)
    assert [item["text"] for item in with_texts] == [documents[item["corpus_id"]] for item in ranked]
    with pytest.raises(ValueError, match="one label"):
        three_labels.rank("a", ["b"])


def test_prompts_and_lengths(reranker_path: Callable[[str], str], reranker: embd.Reranker) -> None:
    encoder = embd.CrossEncoder(reranker_path("bert_sigmoid"), prompts={"query": "query: "}, max_length=9)
    pair = ("a cat sits on the mat", "two dogs run in the house")
    assert encoder.max_seq_length == 9
    assert encoder.predict(pair) == reranker.score([pair], max_length=9)[0]
    assert encoder.predict(pair, prompt_name="query") == encoder.predict(pair, prompt="query: ")
    encoder.max_seq_length = 30
    assert encoder.predict(pair, prompt="query: ") == reranker.score([pair], prompt="query: ", max_length=30)[0]
    with pytest.raises(ValueError, match="Prompt name"):
        encoder.predict(pair, prompt_name="none")
    with pytest.raises(ValueError, match="Default prompt name"):
        embd.CrossEncoder(reranker_path("bert_sigmoid"), default_prompt_name="none")


def test_names_of_before(reranker_path: Callable[[str], str]) -> None:
    path = reranker_path("bert_sigmoid")
    cross_encoder: Any = embd.CrossEncoder
    with pytest.warns(DeprecationWarning, match="model_name"):
        encoder: Any = cross_encoder(model_name=path)
    scores = encoder.predict(PAIRS)
    with pytest.warns(DeprecationWarning, match="sentences"):
        assert (encoder.predict(sentences=PAIRS) == scores).all()
    with pytest.warns(DeprecationWarning, match="num_workers"):
        assert (encoder.predict(PAIRS, num_workers=2) == scores).all()
    with pytest.warns(DeprecationWarning, match="convert_to_numpy"):
        assert encoder.rank("a", ["b"], convert_to_numpy=True)
    assert cross_encoder(path, 1, 12).max_seq_length == 12
    with pytest.warns(FutureWarning):
        assert encoder.max_length == encoder.max_seq_length


@pytest.mark.parametrize("wrong", ["a", ("a",), ("a", "b", "c"), [("a",)], [("a", None)], [["a", "b", "c"]], None, 1, {}])
def test_what_is_no_pair(encoder: embd.CrossEncoder, wrong: Any) -> None:
    with pytest.raises(ValueError, match="pair|item"):
        encoder.predict(wrong)


def test_what_is_refused(encoder: embd.CrossEncoder, reranker_path: Callable[[str], str]) -> None:
    path = reranker_path("bert_sigmoid")
    refused: list[dict[str, Any]] = [
        {"num_labels": 2},
        {"model_kwargs": {"a": 1}},
        {"backend": "onnx"},
        {"keep_in_fp32_modules": ["a"]},
    ]
    for options in refused:
        with pytest.raises(ValueError):
            embd.CrossEncoder(path, **options)
    with pytest.raises(ValueError, match="batch_size"):
        encoder.predict(PAIRS, batch_size=0)
    with pytest.raises(ValueError, match="unknown"):
        encoder.predict(PAIRS, unknown=1)
    with pytest.warns(UserWarning, match="cuda"):
        encoder.predict(PAIRS, device="cuda:0")
    for name in refused_by("CrossEncoder"):
        with pytest.raises(AttributeError, match="CrossEncoder"):
            getattr(encoder, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        encoder.nothing


def test_pickled(encoder: embd.CrossEncoder) -> None:
    again = pickle.loads(pickle.dumps(encoder))
    assert (again.predict(PAIRS) == encoder.predict(PAIRS)).all()
