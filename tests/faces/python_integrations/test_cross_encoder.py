"""embd.CrossEncoder beside sentence-transformers' own class: every combination of the arguments that decide about shapes and
types, the same kinds of error, and values within 1e-5 of the largest. (Of the golden networks float32 is exact to 5e-6.)"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest
from golden_rerankers import copy_reranker, golden_pairs

torch = pytest.importorskip("torch")
sentence_transformers = pytest.importorskip("sentence_transformers")

NAMES = ["bert_sigmoid", "bert_identity", "bert_three"]
PAIRS = golden_pairs("bert_sigmoid")[:9]

ACTIVATIONS = [None, torch.nn.Sigmoid(), torch.nn.Identity(), torch.sigmoid, torch.tanh, lambda logits: logits * 2]


@pytest.fixture(scope="module", params=NAMES)
def both(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    folder = str(copy_reranker(request.param, Path(tmp_path_factory.mktemp("both"))))
    return sentence_transformers.CrossEncoder(folder, device="cpu"), embd.CrossEncoder(folder)


def alike(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for our, their in zip(ours, theirs):
            alike(our, their)
        return
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert_near(np.asarray(ours), np.asarray(theirs))


def assert_near(ours: Any, theirs: Any) -> None:
    largest = np.abs(theirs).max(initial=1)
    assert np.abs(ours - theirs).max(initial=0) <= 1e-5 * largest


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda activation: getattr(activation, "__name__", str(activation)))
@pytest.mark.parametrize(
    "inputs",
    [PAIRS, PAIRS[0], list(PAIRS[0]), [list(pair) for pair in PAIRS], tuple(PAIRS), np.array(PAIRS), np.array(PAIRS[0]), []],
    ids=["tuples", "pair", "list pair", "lists", "tuple", "array", "array pair", "empty"],
)
def test_predict(both: tuple[Any, Any], inputs: Any, activation: Any) -> None:
    theirs, ours = both
    for to_numpy, to_tensor, softmax in product((True, False), repeat=3):
        options = {"convert_to_numpy": to_numpy, "convert_to_tensor": to_tensor, "apply_softmax": softmax, "activation_fn": activation}
        alike(ours.predict(inputs, **options), theirs.predict(inputs, **options))


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda activation: getattr(activation, "__name__", str(activation)))
def test_rank(both: tuple[Any, Any], activation: Any) -> None:
    theirs, ours = both
    documents = [text for _, text in PAIRS]
    if ours.num_labels != 1:
        for encoder in both:
            with pytest.raises(ValueError, match="label"):
                encoder.rank("a", documents)
        return
    for top_k, with_text, given in product((None, 0, 1, -1, 99), (True, False), (documents, [])):
        options = {"top_k": top_k, "return_documents": with_text, "activation_fn": activation}
        our, their = ours.rank("how much is it", given, **options), theirs.rank("how much is it", given, **options)
        assert [sorted(item) for item in our] == [sorted(item) for item in their]
        assert_near(*(np.array([item["score"] for item in items]) for items in (our, their)))
        assert [item["corpus_id"] for item in our] == [item["corpus_id"] for item in their]
        assert all(type(item["score"]) is float for item in our)


@pytest.mark.parametrize("wrong", [("a",), ("a", "b", "c"), [("a", None)], [("a", "b", "c")], None, 1])
def test_what_both_refuse(both: tuple[Any, Any], wrong: Any) -> None:
    for encoder in both:
        with pytest.raises((ValueError, TypeError)):
            encoder.predict(wrong)


def test_arguments(both: tuple[Any, Any]) -> None:
    theirs, ours = both
    assert ours.num_labels == theirs.num_labels
    assert ours.max_seq_length == theirs.max_seq_length
    assert type(ours.activation_fn) is type(theirs.activation_fn)
    assert ours.prompts == theirs.prompts and ours.default_prompt_name == theirs.default_prompt_name
    assert isinstance(ours, sentence_transformers.CrossEncoder)
    for encoder in both:
        with pytest.raises(ValueError):
            encoder.predict(PAIRS, batch_size=0)
        with pytest.raises(ValueError):
            encoder.predict(PAIRS, prompt_name="no such prompt")
    for prompt in ("query: ", ""):
        alike(ours.predict(PAIRS, prompt=prompt), theirs.predict(PAIRS, prompt=prompt))


@pytest.mark.parametrize("name", [name for name in dir(sentence_transformers.CrossEncoder) if not name.startswith("_")])
def test_every_public_attribute_is_there_or_says_why_not(both: tuple[Any, Any], name: str) -> None:
    _, ours = both
    try:
        getattr(ours, name)
    except AttributeError as error:
        assert "embd.CrossEncoder has no" in str(error)
