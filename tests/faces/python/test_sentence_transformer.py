"""embd.SentenceTransformer without torch: what it gives as arrays, what it is asked about itself, what it refuses.

tests/faces/python_integrations compares it with the real class.
"""

from __future__ import annotations

import importlib.util
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest
from embd.sentence_transformers.refused import refused_by

assert "torch" not in sys.modules


@pytest.fixture(scope="module")
def transformer(model_path: str) -> embd.SentenceTransformer:
    return embd.SentenceTransformer(model_path)


def test_the_name_by_which_other_packages_know_it(transformer: embd.SentenceTransformer) -> None:
    assert "sentence_transformers" in str(type(transformer)) and type(transformer).__name__ == "SentenceTransformer"
    for word in ("flair", "spacy", "gensim", "saved_model", "pipeline", "model2vec", "fastembed"):
        assert word not in str(type(transformer))
    assert transformer.__class__ is type(transformer) is embd.SentenceTransformer


def test_attributes_of_torch_are_absent_without_torch(transformer: embd.SentenceTransformer) -> None:
    if importlib.util.find_spec("torch") is not None:
        assert str(transformer.dtype) == "torch.float32" and str(transformer.device) == "cpu"
        return
    for name in ("device", "dtype"):
        assert not hasattr(transformer, name) and getattr(transformer, name, None) is None
        with pytest.raises(AttributeError, match=f"'{name}' .*torch is not installed"):
            getattr(transformer, name)


def test_inputs(transformer: embd.SentenceTransformer, texts: list[str]) -> None:
    rows = transformer.encode(texts)
    assert (transformer.encode([{"text": text} for text in texts]) == rows).all()
    assert (transformer.encode({"text": texts[0]}) == rows[0]).all()
    assert (transformer.encode([texts[0], {"text": texts[1]}]) == rows[:2]).all()
    for inputs, message in (
        ([("a", "b")], "input 0 is a pair of texts"),
        (["a", ["b", "c"]], "input 1 is a pair of texts"),
        ([("a", "b", "c")], "input 0 is tuple"),
        ([{"image": "a"}], "dict of \\['image'\\]"),
        ([{"text": "a", "image": "b"}], "dict of \\['image', 'text'\\]"),
        ({"role": "user", "content": "a"}, "a message"),
        ([{"role": "user", "content": "a"}], "a conversation"),
        ([None], "input 0 is NoneType"),
        (b"a", "bytes"),
        (iter(["a"]), "iterator"),
    ):
        with pytest.raises(ValueError, match=message):
            transformer.encode(inputs)


def test_columns(transformer: embd.SentenceTransformer, texts: list[str]) -> None:
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    rows = transformer.encode(texts)
    for column in (pandas.Series(texts), polars.Series(texts), pyarrow.array(texts), pyarrow.chunked_array([texts])):
        assert not transformer.is_singular_input(column) and (transformer.encode(column) == rows).all()
    for table in (pandas.DataFrame({"a": texts}), polars.DataFrame({"a": texts}), pyarrow.table({"a": texts})):
        with pytest.raises(ValueError, match="give the column"):
            transformer.encode(table)


def test_scores_are_arrays(transformer: embd.SentenceTransformer, texts: list[str]) -> None:
    rows = transformer.encode(texts)
    for scores, shape in (
        (transformer.similarity(rows, rows[:2]), (len(texts), 2)),
        (transformer.similarity(rows[0], rows), (1, len(texts))),
        (transformer.similarity_pairwise(rows, rows), (len(texts),)),
        (transformer.similarity_pairwise(rows[0], rows), (len(texts),)),
        (transformer.similarity_pairwise(rows[0], rows[1]), ()),
        (embd.util.normalize_embeddings(rows[0] * 3), rows[0].shape),
        (embd.util.cos_sim(rows.astype(np.float64), rows.astype(np.float64)), (len(texts), len(texts))),
    ):
        assert isinstance(scores, np.ndarray) and scores.shape == shape
    assert embd.util.cos_sim(rows.astype(np.float64), rows.astype(np.float64)).dtype == np.float64
    assert embd.util.pytorch_cos_sim(rows, rows)[0, 0] == pytest.approx(1)
    with pytest.raises(AttributeError, match="mine_hard_negatives.*cos_sim"):
        embd.util.mine_hard_negatives  # noqa: B018


@pytest.mark.parametrize("name", sorted(refused_by("SentenceTransformer")))
def test_what_it_has_not(transformer: embd.SentenceTransformer, name: str) -> None:
    with pytest.raises(AttributeError, match=f"no '{name}'.*embd.integrations.sentence_transformers"):
        getattr(transformer, name)
    assert not hasattr(transformer, name)


def test_bad_calls(transformer: embd.SentenceTransformer, model_path: str) -> None:
    refused: list[dict[str, Any]] = [
        {"backend": "onnx"},
        {"backend": "tensorflow"},
        {"modules": [1]},
        {"model_kwargs": {"dtype": "float16"}},
        {"similarity_fn_name": "maxsim"},
        {"default_prompt_name": "none"},
    ]
    for options in refused:
        with pytest.raises(ValueError, match="(?i)" + next(iter(options)).replace("_", ".")):
            embd.SentenceTransformer(model_path, **options)
    for call in (
        lambda: transformer.to("cpu", "torch.float16"),
        lambda: transformer.requires_grad_(),
        lambda: transformer.set_pooling_include_prompt(False),
        lambda: transformer.encode(["a"], pool={}, chunk_size=0),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.warns(UserWarning, match="cuda:1 has no effect"):
        transformer.to("cuda:1")
    with pytest.warns(UserWarning, match="cuda has no effect"):
        embd.SentenceTransformer(model_path, device="cuda")
    assert transformer.to("cpu").cpu().float().eval().share_memory() is transformer


def test_its_parts(transformer: embd.SentenceTransformer) -> None:
    assert len(transformer) == 3 and [type(part).__name__ for part in transformer] == ["Transformer", "Pooling", "Normalize"]
    assert transformer[0].get_embedding_dimension() == transformer[1].get_embedding_dimension() == 36
    assert transformer[1].pooling_mode == "mean" and transformer[0].tokenizer is transformer.tokenizer
    with pytest.raises(AttributeError, match="auto_model"):
        transformer[0].auto_model  # noqa: B018


def test_tokenizer(transformer: embd.SentenceTransformer, texts: list[str]) -> None:
    tokenizer = transformer.tokenizer
    for text in texts:
        ids = tokenizer.encode(text)
        assert tokenizer(text).input_ids == ids and tokenizer(text)["attention_mask"] == [1] * len(ids)
        assert tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text)) == ids[1:-1] == tokenizer(text, add_special_tokens=False).input_ids
        assert tokenizer.encode(tokenizer.decode(ids, skip_special_tokens=True)) == ids or "[UNK]" in tokenizer.decode(ids)
        cut = tokenizer.encode(text, truncation=True, max_length=4)
        assert cut == (ids if len(ids) <= 4 else [*ids[:3], ids[-1]])
    padded = tokenizer(texts, padding=True, return_tensors="np")
    assert padded.input_ids.shape == padded.attention_mask.shape == (len(texts), max(map(len, tokenizer(texts).input_ids)))
    assert tokenizer(texts, padding="max_length", truncation=True, max_length=7, return_tensors="np").input_ids.shape[1] == 7
    assert len(tokenizer) == tokenizer.vocab_size == len(tokenizer.get_vocab())
    with pytest.raises(ValueError, match="padding"):
        tokenizer(texts, return_tensors="np")
    with pytest.raises(TypeError):
        tokenizer("a", text_pair="b")  # type: ignore[call-arg]


def test_saved_and_opened(model_path: str, texts: list[str], tmp_path: Path) -> None:
    model = embd.SentenceTransformer(
        model_path, prompts={"query": "q: "}, default_prompt_name="query", similarity_fn_name="dot", truncate_dim=9
    )
    model.max_seq_length = 12
    model.save(str(tmp_path / "saved"))
    model.save_pretrained(str(tmp_path / "saved"))  # once more
    again = embd.SentenceTransformer(tmp_path / "saved")
    for name in ("prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim", "max_seq_length"):
        assert getattr(again, name) == getattr(model, name), name
    assert (again.encode(texts) == model.encode(texts)).all() and again.encode(texts).shape[1] == 9
    other = embd.SentenceTransformer(tmp_path / "saved", similarity_fn_name="euclidean", truncate_dim=20, prompts={"query": ""})
    assert (other.similarity_fn_name, other.truncate_dim, other.prompts["query"]) == ("euclidean", 20, "")
    assert not [file for file in (tmp_path / "saved").rglob(".*")]
    assert json.loads((tmp_path / "saved/modules.json").read_text())[0]["path"] == "0_EmbdModule"


class Mine(embd.SentenceTransformer):
    pass


def test_pickle(model_path: str, texts: list[str]) -> None:
    model = Mine(model_path, similarity_fn_name="dot")
    model.max_seq_length = 11
    len(model)
    copy = pickle.loads(pickle.dumps(model))
    assert type(copy) is Mine and copy.max_seq_length == 11 and copy.similarity_fn_name == "dot"
    assert (copy.encode(texts) == model.encode(texts)).all()


def test_evaluators(transformer: embd.SentenceTransformer, tmp_path: Path) -> None:
    def evaluator(model: Any, output_path: str | None) -> dict[str, float]:
        model.model_card_data.set_evaluation_metrics(evaluator, {"score": 0.5}, 1, 2)
        return {"score": 0.5 if output_path is None else 1}

    assert transformer.evaluate(evaluator) == {"score": 0.5}
    assert transformer.evaluate(evaluator, str(tmp_path / "out")) == {"score": 1} and (tmp_path / "out").is_dir()
    assert transformer.model_card_data.eval_results_dict == {evaluator: {"score": 0.5}}


def test_modules_are_those_of_the_folder() -> None:
    data = Path(__file__).resolve().parents[2] / "data" / "families"
    model = embd.SentenceTransformer(data / "labse")
    assert [repr(module) for module in model][1:] == [
        "Pooling(pooling_mode='cls', embedding_dimension=24)",
        "Dense(in_features=24, out_features=24, bias=True, activation_function='Tanh')",
        "Normalize()",
    ]
    distiluse = embd.SentenceTransformer(data / "distil_multi_dense")
    assert distiluse.get_embedding_dimension() == 16 and distiluse.truncate_dim is None
    assert distiluse[0].get_embedding_dimension() == 24
    assert distiluse.encode("a").shape == (16,) and distiluse.encode("a", truncate_dim=5).shape == (5,)


def test_a_static_model() -> None:
    model = embd.SentenceTransformer(Path(__file__).resolve().parents[2] / "data" / "families" / "static_m2v")
    assert [repr(module) for module in model] == ["StaticEmbedding(embedding_dimension=48)", "Normalize()"]
    assert model.max_seq_length == 512
    assert not model.encode("").any() and abs((model.encode("a cat") ** 2).sum() - 1) < 1e-6
