"""embd.SentenceTransformer as a whole beside the real class: every public attribute, models of several configurations,
opened from a folder and from a weight file, evaluators, and what each class opens of the other.

EMBD_PROGRAM: the program embd, which makes weight files.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

torch = pytest.importorskip("torch")
st = pytest.importorskip("sentence_transformers")

from embd.sentence_transformers.refused import refused_by  # noqa: E402
from sentence_transformers.sentence_transformer import evaluation  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "models" / "cache" / "all-MiniLM-L6-v2"
PROGRAM = os.environ.get("EMBD_PROGRAM", str(ROOT / "build" / "dev" / "cli" / "embd"))
TEXTS = ["A cat sits on the mat.", "", "The stock market fell today, and nobody knew why.", "Käse", "a cat"]

warnings.simplefilter("ignore")
torch.set_num_threads(1)


def outcome(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception as error:  # which kind is compared
        return error


def assert_same(real: Any, ours: Any, tolerance: float = 2e-6) -> None:
    if isinstance(real, Exception):
        assert isinstance(ours, type(real)), (real, ours)
    elif isinstance(real, (torch.Tensor, np.ndarray)):
        assert type(real) is type(ours) and real.dtype == ours.dtype and tuple(real.shape) == tuple(ours.shape), (real, ours)
        assert np.abs(np.asarray(real, np.float64) - np.asarray(ours, np.float64)).max(initial=0) <= tolerance
    else:
        assert real == ours, (real, ours)


# ---- every public attribute ----


@pytest.fixture(scope="module")
def real() -> Any:
    return st.SentenceTransformer(str(FOLDER), device="cpu").eval()


@pytest.fixture(scope="module")
def ours() -> Any:
    return embd.SentenceTransformer(FOLDER)


VALUES = """SUPPORTED_SIMILARITY_FN_NAMES backend default_huggingface_organization default_prompt_name device dtype
    is_hpu_graph_enabled max_seq_length modalities model_type prompts similarity_fn_name training truncate_dim
    trust_remote_code""".split()

CALLS: dict[str, Callable[[Any], Any]] = {
    "cpu": lambda model: model.cpu() is model,
    "encode": lambda model: model.encode(TEXTS),
    "encode_document": lambda model: model.encode_document(TEXTS),
    "encode_query": lambda model: model.encode_query(TEXTS),
    "eval": lambda model: model.eval() is model,
    "evaluate": lambda model: model.evaluate(lambda model, path: path),
    "float": lambda model: model.float() is model,
    "get_backend": lambda model: model.get_backend(),
    "get_embedding_dimension": lambda model: model.get_embedding_dimension(),
    "get_max_seq_length": lambda model: model.get_max_seq_length(),
    "get_model_kwargs": lambda model: model.get_model_kwargs(),
    "get_sentence_embedding_dimension": lambda model: model.get_sentence_embedding_dimension(),
    "is_singular_input": lambda model: [
        model.is_singular_input(inputs)
        for inputs in ("a", ["a"], ("a", "b"), {"text": "a"}, [{"role": "user", "content": "a"}], np.array(["a"]), [])
    ],
    "load": lambda model: type(model).load(str(FOLDER)).encode(TEXTS),
    "model_card_data": lambda model: [
        getattr(model.model_card_data, name) for name in ("language", "license", "model_id", "task_name", "train_datasets")
    ],
    "preprocess": lambda model: {
        name: value.tolist() if hasattr(value, "tolist") else value
        for name, value in model.preprocess(TEXTS, prompt="p: ").items()
    },
    "requires_grad_": lambda model: model.requires_grad_(False) is model,
    "set_pooling_include_prompt": lambda model: model.set_pooling_include_prompt(True),
    "share_memory": lambda model: model.share_memory() is model,
    "similarity": lambda model: model.similarity(np.eye(3, 4), np.ones((2, 4))),
    "similarity_pairwise": lambda model: model.similarity_pairwise(np.ones(4, np.float32), np.eye(3, 4, dtype=np.float32)),
    "start_multi_process_pool": lambda model: callable(model.start_multi_process_pool),
    "stop_multi_process_pool": lambda model: callable(model.stop_multi_process_pool),
    "supports": lambda model: [model.supports(modality) for modality in ("text", "image", ("image", "text"))],
    "to": lambda model: model.to("cpu") is model,
    "tokenize": lambda model: model.tokenize(["a cat"])["input_ids"].tolist(),
    "train": lambda model: model.train(False) is model,
    "truncate_embeddings": lambda model: truncated(model, "truncate_embeddings"),
    "truncate_sentence_embeddings": lambda model: truncated(model, "truncate_sentence_embeddings"),
}

# Compared by tests of their own, or said in docs/python.md to be another thing.
ELSEWHERE = """config encode_multi_process model_card_data_class module_kwargs processor save save_pretrained tokenizer
    transformers_model""".split()


def truncated(model: Any, name: str) -> Any:
    with getattr(model, name)(20):
        return model.encode(TEXTS)


def test_every_public_attribute(real: Any, ours: Any) -> None:
    public = {name for name in dir(real) if not name.startswith("_")}
    known = set(VALUES) | set(CALLS) | set(ELSEWHERE) | set(refused_by("SentenceTransformer"))
    assert not public - known, "sentence-transformers has what nobody has looked at"
    assert not known - public - {"get_sentence_features", "smart_batching_collate"}, "sentence-transformers has it no longer"
    for name in sorted(public):
        assert hasattr(ours, name) != (name in refused_by("SentenceTransformer")), name
    for name in VALUES:
        assert getattr(real, name) == getattr(ours, name), name
    for name, call in CALLS.items():
        assert_same(outcome(lambda: call(real)), outcome(lambda: call(ours)), 2e-5)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "model_card_data"] + ["__init__", "encode_multi_process", "save"])
def test_signatures(name: str) -> None:
    """The same names in the same places with the same defaults; ours may take more by name."""
    theirs = inspect.signature(getattr(st.SentenceTransformer, name)).parameters
    mine = inspect.signature(getattr(embd.SentenceTransformer, name)).parameters
    if name in ("to", "requires_grad_") or any(each.kind is each.VAR_POSITIONAL for each in mine.values()):
        return  # they hand on whatever they are given
    for place, (key, parameter) in enumerate(theirs.items()):
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if key == "self" and "self" not in mine:
            continue
        assert key in mine, key
        assert mine[key].default == parameter.default and mine[key].kind == parameter.kind, key
        if parameter.kind is not parameter.KEYWORD_ONLY:
            assert list(mine)[place] == key, key


def test_parts(real: Any, ours: Any) -> None:
    assert len(real) == len(ours) == 3 and bool(real) == bool(ours)
    for theirs, mine in zip(real, ours):
        assert type(theirs).__name__ == type(mine).__name__
        for name in ("max_seq_length", "pooling_mode", "embedding_dimension", "include_prompt", "modalities"):
            if name in dir(type(mine)) or name in vars(mine):
                assert getattr(theirs, name) == getattr(mine, name), name
    assert real[0].get_embedding_dimension() == ours[0].get_embedding_dimension() == ours[1].get_embedding_dimension()
    assert type(ours[-1]).__name__ == type(ours._last_module()).__name__ == "Normalize"
    before = ours.max_seq_length
    try:
        ours[0].max_seq_length = real[0].max_seq_length = 5
        assert ours.max_seq_length == real.max_seq_length == 5
        assert_same(real.encode(TEXTS), ours.encode(TEXTS))
    finally:
        ours.max_seq_length = real.max_seq_length = before


def test_tokenizer(real: Any, ours: Any) -> None:
    theirs, mine = real.tokenizer, ours.tokenizer
    texts = [*TEXTS, "unbelievable tokenization, isn't it? he said: \"no\" (5.3) - a_b", "日本語 😀", "[MASK] and [SEP]"]
    for options in (
        {},
        {"add_special_tokens": False},
        {"truncation": True, "max_length": 5},
        {"truncation": True, "max_length": 5, "add_special_tokens": False},
        {"truncation": "do_not_truncate", "max_length": 5},
        {"padding": True},
        {"padding": "longest", "return_tensors": "np"},
        {"padding": True, "return_tensors": "pt"},
        {"padding": "max_length", "max_length": 6, "truncation": True},
    ):
        for given in (texts, texts[0]):
            if options.get("return_tensors") and isinstance(given, str):
                continue
            a, b = theirs(given, **options), mine(given, **options)
            assert set(a) == set(b)
            for name in a:
                assert_same(a[name], b[name], 0)
    for text in texts:
        assert theirs.encode(text) == mine.encode(text) and theirs.tokenize(text) == mine.tokenize(text)
        for skip in (False, True):
            assert theirs.decode(theirs.encode(text), skip_special_tokens=skip) == mine.decode(mine.encode(text), skip_special_tokens=skip)
    assert theirs.batch_decode([[101, 1037], [4937]]) == mine.batch_decode([[101, 1037], [4937]])
    assert theirs.convert_ids_to_tokens([101, 1037]) == mine.convert_ids_to_tokens([101, 1037])
    assert theirs.convert_ids_to_tokens(101) == mine.convert_ids_to_tokens(101)
    assert theirs.convert_tokens_to_ids(["cat", "zzqx"]) == mine.convert_tokens_to_ids(["cat", "zzqx"])
    assert theirs.convert_tokens_to_string(["un", "##believ", "."]) == mine.convert_tokens_to_string(["un", "##believ", "."])
    assert len(theirs) == len(mine) and theirs.get_vocab() == mine.get_vocab() and theirs.model_max_length == mine.model_max_length
    for name in "cls sep pad unk mask".split():
        assert getattr(theirs, f"{name}_token") == getattr(mine, f"{name}_token")
        assert getattr(theirs, f"{name}_token_id") == getattr(mine, f"{name}_token_id")
    assert set(theirs.all_special_ids) == set(mine.all_special_ids)
    with pytest.raises(ValueError):
        mine(texts, return_tensors="np")


@pytest.mark.parametrize(
    "inputs",
    [
        {"text": "a cat"},
        [{"text": "a cat"}, {"text": "b"}],
        [{"text": "a cat"}, "b"],
        [{"foo": "a cat"}],
        [{}],
        [{"text": 5}],
        {"role": "user", "content": "a"},
        [{"role": "user", "content": "a"}],
        [[{"role": "user", "content": "a"}]],
        [("a", "b", "c")],
        [("a",)],
        [[]],
        [5],
        [None],
        {"a"},
        b"x",
        None,
        5,
    ],
    ids=repr,
)
def test_inputs(real: Any, ours: Any, inputs: Any) -> None:
    assert_same(outcome(lambda: real.encode(inputs)), outcome(lambda: ours.encode(inputs)))


@pytest.mark.parametrize("options", [{"backend": "foo"}, {"similarity_fn_name": "foo"}, {"default_prompt_name": "foo"}])
def test_bad_options(options: Any) -> None:
    theirs = outcome(lambda: st.SentenceTransformer(str(FOLDER), device="cpu", **options))
    assert isinstance(theirs, ValueError)
    assert_same(theirs, outcome(lambda: embd.SentenceTransformer(FOLDER, **options)))


# ---- models of several configurations ----

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "dot and a cut": {"similarity_fn_name": "dot", "truncate_dim": 16},
    "euclidean": {"similarity_fn_name": "euclidean"},
    "manhattan and prompts": {
        "similarity_fn_name": "manhattan",
        "prompts": {"query": "query: ", "passage": "passage: "},
        "default_prompt_name": "passage",
    },
    "a similarity of another class": {"similarity_fn_name": "maxsim"},
    "nulls": {"similarity_fn_name": None, "prompts": {}, "default_prompt_name": None},
}


@pytest.fixture(scope="module", params=CONFIGURATIONS)
def pair(request: Any, tmp_path_factory: Any) -> tuple[Any, dict[str, Any]]:
    """A real model and ours of the same configuration: of its folder, of a weight file, of what is in the real class."""
    place = tmp_path_factory.mktemp("models")
    folder = place / "folder"
    shutil.copytree(FOLDER, folder)
    (folder / "config_sentence_transformers.json").write_text(json.dumps(CONFIGURATIONS[request.param]))
    subprocess.run([PROGRAM, "model", "convert", folder, place / "model.weights"], check=True, capture_output=True)
    from embd.integrations.sentence_transformers import make_sentence_transformer

    ours = {
        "folder": embd.SentenceTransformer(folder),
        "weights": embd.SentenceTransformer(place / "model.weights"),
        "real class": make_sentence_transformer(str(place / "model.weights")),
    }
    return st.SentenceTransformer(str(folder), device="cpu"), ours


@pytest.mark.parametrize("kind", ["folder", "weights", "real class"])
def test_models(pair: tuple[Any, dict[str, Any]], kind: str) -> None:
    real, ours = pair[0], pair[1][kind]
    for name in ("similarity_fn_name", "truncate_dim", "default_prompt_name", "max_seq_length"):
        assert getattr(real, name) == getattr(ours, name), name
    assert real.prompts == ours.prompts and real.get_embedding_dimension() == ours.get_embedding_dimension()
    for options in ({}, {"truncate_dim": 8}, {"truncate_dim": 24}, {"truncate_dim": 1000}, {"normalize_embeddings": True},
                    {"prompt": "p: "}, {"prompt_name": "query"}, {"output_value": "token_embeddings"}):  # fmt: skip
        theirs, mine = outcome(lambda: real.encode(TEXTS, **options)), outcome(lambda: ours.encode(TEXTS, **options))
        if isinstance(theirs, list):
            assert kind == "real class" or [tuple(rows.shape) for rows in theirs] == [tuple(rows.shape) for rows in mine]
        else:
            assert_same(theirs, mine)
    for name in ("encode_query", "encode_document"):
        assert_same(getattr(real, name)(TEXTS), getattr(ours, name)(TEXTS))
    with real.truncate_embeddings(20), ours.truncate_embeddings(20):
        assert_same(real.encode(TEXTS), ours.encode(TEXTS))
        assert real.get_embedding_dimension() == ours.get_embedding_dimension() == 20
    rows = real.encode(TEXTS)
    for a, b in ((rows, rows), (rows[0], rows), (rows, rows[0]), (rows[0], rows[1]), (torch.from_numpy(rows), rows[:1]),
                 (rows.astype(np.float64), rows.astype(np.float64)), (list(rows), rows), (rows.astype(np.float16), rows)):  # fmt: skip
        for name in ("similarity", "similarity_pairwise"):
            assert_same(outcome(lambda: getattr(real, name)(a, b)), outcome(lambda: getattr(ours, name)(a, b)), 2e-5)


def test_each_class_opens_what_the_other_saved(tmp_path: Path) -> None:
    options: Any = {"prompts": {"query": "q: "}, "similarity_fn_name": "dot", "truncate_dim": 32}
    ours = embd.SentenceTransformer(FOLDER, **options)
    real = st.SentenceTransformer(str(FOLDER), device="cpu", **options)
    ours.max_seq_length = real.max_seq_length = 9
    weights = embd.SentenceTransformer(ROOT / "models" / "all-MiniLM-L6-v2.weights", **options)
    weights.max_seq_length = 9
    for model, name in ((ours, "ours"), (real, "real"), (weights, "weights")):
        model.save(str(tmp_path / name))
        for opened in (
            embd.SentenceTransformer(tmp_path / name),
            st.SentenceTransformer(str(tmp_path / name), device="cpu", trust_remote_code=name == "weights"),
        ):
            for attribute in ("prompts", "similarity_fn_name", "truncate_dim", "max_seq_length"):
                assert getattr(opened, attribute) == getattr(real, attribute), (name, attribute)
            assert_same(real.encode_query(TEXTS), opened.encode_query(TEXTS))


# ---- evaluators ----


def evaluators() -> dict[str, Any]:
    a = ["A cat sits.", "The market fell.", "Bread rises.", "A plane lands.", "He plays chess."]
    b = ["A kitten rests.", "Stocks went down.", "Yeast makes dough rise.", "A boat sinks.", "She reads a book."]
    scores = [0.9, 0.8, 0.7, 0.2, 0.1]
    corpus = {str(i): text for i, text in enumerate([*a, *b])}
    queries = {"q0": "a cat", "q1": "the stock market", "q2": "baking"}
    relevant = {"q0": {"0", "5"}, "q1": {"1", "6"}, "q2": {"2", "7"}}
    samples = [{"query": query, "positive": [a[i]], "negative": [a[i - 1], b[i - 2]]} for i, query in enumerate(queries.values())]
    return {
        "EmbeddingSimilarity": evaluation.EmbeddingSimilarityEvaluator(a, b, scores, name="x"),
        "Triplet": evaluation.TripletEvaluator(a, b, a[::-1], name="x"),
        "BinaryClassification": evaluation.BinaryClassificationEvaluator(a, b, [1, 1, 1, 0, 0], name="x"),
        "InformationRetrieval": evaluation.InformationRetrievalEvaluator(queries, corpus, relevant, name="x"),
        "ParaphraseMining": evaluation.ParaphraseMiningEvaluator(corpus, [("0", "5"), ("1", "6")], name="x"),
        "Reranking": evaluation.RerankingEvaluator(samples, name="x"),
        "Translation": evaluation.TranslationEvaluator(a, b, name="x"),
    }


@pytest.mark.parametrize("name", evaluators())
def test_evaluators(real: Any, ours: Any, name: str, tmp_path: Path) -> None:
    theirs = evaluators()[name](real)
    evaluator = evaluators()[name]
    mine = ours.evaluate(evaluator, str(tmp_path / "out"))
    assert set(theirs) == set(mine)
    for key in theirs:
        assert theirs[key] == pytest.approx(mine[key], abs=1e-4), key
    assert ours.model_card_data.eval_results_dict[evaluator] and list((tmp_path / "out").iterdir())


def test_mse_evaluator(real: Any, ours: Any) -> None:
    teacher, student = ["A cat sits.", "Bread rises."], ["Eine Katze sitzt.", "Brot geht auf."]
    theirs = evaluation.MSEEvaluator(teacher, student, teacher_model=real, name="x")(real)
    mine = evaluation.MSEEvaluator(teacher, student, teacher_model=ours, name="x")(ours)
    assert theirs == pytest.approx(mine, abs=1e-4)


def test_isinstance(ours: Any) -> None:
    assert isinstance(ours, st.SentenceTransformer) and isinstance(ours, embd.SentenceTransformer)
    assert type(ours) is embd.SentenceTransformer and not issubclass(embd.SentenceTransformer, st.SentenceTransformer)
    assert not isinstance(ours, (st.CrossEncoder, st.SparseEncoder))
