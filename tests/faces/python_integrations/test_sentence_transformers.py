"""The real sentence-transformers beside ours: every combination of arguments gives the same types, shapes, order and
errors, and values within 2e-6 (2 codes of int8). Also the real class with our engine inside.

The real model is models/cache/all-MiniLM-L6-v2, which scripts/get_model.sh puts there.
"""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

torch = pytest.importorskip("torch")
st = pytest.importorskip("sentence_transformers")

from embd.integrations.sentence_transformers import EmbdModule, make_sentence_transformer  # noqa: E402
from sentence_transformers import util as real_util  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "models" / "cache" / "all-MiniLM-L6-v2"
FILE = ROOT / "models" / "all-MiniLM-L6-v2.weights"

BATCH = ["A cat sits on the mat.", "", "The stock market fell today, and nobody knew why.", "Käse", "a cat"]
INPUTS = {
    "list": BATCH,
    "str": BATCH[0],
    "empty": [],
    "array": np.array(BATCH),
    "objects": np.array(BATCH, dtype=object),
    "tuple": tuple(BATCH),
}
warnings.simplefilter("ignore")


torch.set_num_threads(1)


@pytest.fixture(scope="module")
def real() -> Any:
    """The real model, which computes the same batch of token ids only once: there are thousands of combinations."""
    model = st.SentenceTransformer(str(FOLDER), device="cpu", prompts={"query": "query: ", "other": "o: "})
    transformer = model[0]
    compute = transformer.forward
    computed: dict[bytes, Any] = {}

    def forward(features: Any, **kwargs: Any) -> Any:
        ids = features["input_ids"].numpy()
        key = bytes(str(ids.shape), "ascii") + ids.tobytes()
        if key not in computed:
            computed[key] = compute(dict(features), **kwargs)
        return {**features, **computed[key]}

    transformer.forward = forward
    return model


@pytest.fixture(scope="module")
def ours() -> Any:
    return embd.SentenceTransformer(FILE, prompts={"query": "query: ", "other": "o: "})


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except Exception as error:  # which kind is compared
        return error


def assert_same(real: Any, ours: Any, tolerance: float = 2e-6) -> None:
    if isinstance(real, Exception):
        assert isinstance(ours, type(real)), (real, ours)
        return
    assert not isinstance(ours, Exception), (real, ours)
    assert type(real) is type(ours), (type(real), type(ours))
    if isinstance(real, torch.Tensor):
        assert real.dtype == ours.dtype and real.device == ours.device
        real, ours = real.numpy(), ours.numpy()
    if isinstance(real, np.ndarray):
        assert real.dtype == ours.dtype and real.shape == ours.shape, (real.dtype, ours.dtype, real.shape, ours.shape)
        if real.dtype.kind == "f":
            assert np.abs(real - ours).max(initial=0) <= tolerance
        elif real.ndim == 2 and real.shape[-1] == 384 or real.ndim == 1 and real.shape[0] == 384:
            assert np.abs(real.astype(int) - ours.astype(int)).max(initial=0) <= 2
        else:
            bits = [np.unpackbits(x.view(np.uint8)) for x in (real, ours)]
            assert (bits[0] != bits[1]).mean() < 0.01
    elif isinstance(real, list):
        assert len(real) == len(ours)
        for a, b in zip(real, ours):
            assert_same(a, b, tolerance)
    elif isinstance(real, dict):
        assert set(ours) == set(real), (set(real), set(ours))
        for key in ours:
            if key in ("sentence_embedding", "token_embeddings"):
                longest = len(ours[key])
                assert_same(real[key][:longest], ours[key], 2e-5)
            elif isinstance(ours[key], torch.Tensor):
                assert_same(real[key][: len(ours[key])], ours[key])
            else:
                assert real[key] == ours[key]
    else:
        assert real == ours


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("precision", ["float32", "int8", "uint8", "binary", "ubinary"])
def test_encode(real: Any, ours: Any, inputs: str, precision: str) -> None:
    for numpy, tensor, normalize, dim, prompt in itertools.product(
        (True, False), (False, True), (False, True), (None, 64), ({}, {"prompt": "p: "}, {"prompt_name": "query"})
    ):
        options = {
            "precision": precision,
            "convert_to_numpy": numpy,
            "convert_to_tensor": tensor,
            "normalize_embeddings": normalize,
            "truncate_dim": dim,
            **prompt,
        }
        assert_same(
            outcome(real.encode, INPUTS[inputs], **options), outcome(ours.encode, INPUTS[inputs], **options)
        )


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("output_value", ["token_embeddings", None])
def test_output_values(real: Any, ours: Any, inputs: str, output_value: Any) -> None:
    for numpy, tensor, normalize, dim, prompt in itertools.product(
        (True, False), (False, True), (False, True), (None, 64), (None, "p: ")
    ):
        options = {
            "output_value": output_value,
            "convert_to_numpy": numpy,
            "convert_to_tensor": tensor,
            "normalize_embeddings": normalize,
            "truncate_dim": dim,
            "prompt": prompt,
        }
        assert_same(
            outcome(real.encode, INPUTS[inputs], **options), outcome(ours.encode, INPUTS[inputs], **options), 2e-5
        )


@pytest.mark.parametrize(
    "options",
    [
        {"colour": "red"},
        {"prompt_name": "none"},
        {"precision": "float8"},
        {"precision": "float16"},
        {"batch_size": 0},
        {"batch_size": -1},
        {"task": "query"},
        {"prompt": "x", "prompt_name": "query"},
        {"prompt_name": "document"},
        {"batch_size": 1},
        {"device": "cpu"},
        {"show_progress_bar": True},
    ],
)
def test_options(real: Any, ours: Any, options: Any) -> None:
    assert_same(outcome(real.encode, BATCH, **options), outcome(ours.encode, BATCH, **options))


@pytest.mark.parametrize("inputs", [None, 5, b"bytes", [None], [5], {"a", "b"}, [b"x"], ["a", None]])
def test_what_is_no_text(real: Any, ours: Any, inputs: Any) -> None:
    wrong = outcome(real.encode, inputs)
    assert isinstance(wrong, Exception)
    assert isinstance(outcome(ours.encode, inputs), (ValueError, TypeError))


def test_queries_and_documents(real: Any, ours: Any) -> None:
    for name in ("encode_query", "encode_document"):
        assert_same(getattr(real, name)(BATCH), getattr(ours, name)(BATCH))
        assert_same(getattr(real, name)(BATCH[0], prompt_name="other"), getattr(ours, name)(BATCH[0], prompt_name="other"))
    assert_same(real.encode(BATCH, "other", None, 2, False), ours.encode(BATCH, "other", None, 2, False))
    assert_same(real.encode(sentences=BATCH), ours.encode(sentences=BATCH))


def test_what_the_model_says(real: Any, ours: Any) -> None:
    for name in ("max_seq_length", "prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim", "device"):
        assert getattr(real, name) == getattr(ours, name), name
    for name in ("get_embedding_dimension", "get_sentence_embedding_dimension", "get_max_seq_length"):
        assert getattr(real, name)() == getattr(ours, name)(), name
    with real.truncate_embeddings(32), ours.truncate_embeddings(32):
        assert real.get_embedding_dimension() == ours.get_embedding_dimension()
        assert_same(real.encode(BATCH), ours.encode(BATCH))
    before = real.max_seq_length
    try:
        real.max_seq_length = ours.max_seq_length = 8
        assert_same(real.encode(BATCH), ours.encode(BATCH))
    finally:
        real.max_seq_length = ours.max_seq_length = before
    real_ids, our_ids = real.preprocess(BATCH), ours.preprocess(BATCH)
    for name in our_ids:
        assert_same(real_ids[name], our_ids[name])


@pytest.mark.parametrize("name", ["cosine", "dot", "euclidean", "manhattan"])
def test_similarity(real: Any, ours: Any, name: str) -> None:
    rows = real.encode(BATCH)
    before = real.similarity_fn_name
    try:
        real.similarity_fn_name = ours.similarity_fn_name = name
        for a, b in [(rows, rows), (rows[0], rows[1]), (rows[0], rows), (torch.from_numpy(rows), rows), (list(rows), rows)]:
            assert_same(real.similarity(a, b), ours.similarity(a, b), 2e-5)
        for a, b in [(rows, rows[::-1].copy()), (rows[0], rows[1])]:
            assert_same(real.similarity_pairwise(a, b), ours.similarity_pairwise(a, b), 2e-5)
        with pytest.raises(ValueError):
            ours.similarity_fn_name = "maxsim"
    finally:
        real.similarity_fn_name = ours.similarity_fn_name = before


@pytest.fixture(scope="module")
def rows() -> Any:
    """Groups of near vectors, so that searches and communities have something to find."""
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((12, 48))
    return (np.repeat(centres, 15, axis=0) + 0.4 * rng.standard_normal((180, 48))).astype(np.float32)


@pytest.mark.parametrize("score", ["cos_sim", "dot_score"])
@pytest.mark.parametrize("sizes", [(100, 500000), (7, 31)])
def test_semantic_search(rows: Any, score: str, sizes: tuple[int, int]) -> None:
    real = real_util.semantic_search(rows[::9], rows, *sizes, top_k=8, score_function=getattr(real_util, score))
    for function in (getattr(embd.util, score), getattr(real_util, score)):
        ours = embd.util.semantic_search(rows[::9], rows, *sizes, top_k=8, score_function=function)
        assert [[hit["corpus_id"] for hit in hits] for hits in ours] == [[hit["corpus_id"] for hit in hits] for hits in real]
        for a, b in zip(ours, real):
            assert np.allclose([hit["score"] for hit in a], [hit["score"] for hit in b], rtol=1e-6, atol=2e-6)


@pytest.mark.parametrize("options", [{}, {"top_k": 3}, {"max_pairs": 20}, {"query_chunk_size": 11, "corpus_chunk_size": 17}])
def test_paraphrase_mining(rows: Any, options: Any) -> None:
    real = real_util.paraphrase_mining_embeddings(torch.from_numpy(rows), **options)
    ours = embd.util.paraphrase_mining_embeddings(rows, **options)
    # Scores that differ in their last bit alone may change places.
    assert {tuple(pair[1:]) for pair in ours} == {tuple(pair[1:]) for pair in real}
    assert np.allclose([pair[0] for pair in ours], [pair[0] for pair in real], atol=2e-6)
    scores = {tuple(pair[1:]): pair[0] for pair in real}
    assert all(abs(scores[tuple(pair[1:])] - pair[0]) <= 2e-6 for pair in ours)


def test_paraphrase_mining_of_texts(real: Any, ours: Any) -> None:
    a = real_util.paraphrase_mining(real, BATCH)
    b = embd.util.paraphrase_mining(ours, BATCH)
    assert [pair[1:] for pair in a] == [pair[1:] for pair in b]
    assert [pair[1:] for pair in real_util.paraphrase_mining(ours, BATCH)] == [pair[1:] for pair in a]


@pytest.mark.parametrize(("threshold", "size"), [(0.75, 10), (0.6, 3), (0.9, 2), (0.99, 1)])
def test_community_detection(rows: Any, threshold: float, size: int) -> None:
    assert embd.util.community_detection(rows, threshold, size) == real_util.community_detection(rows, threshold, size)


@pytest.mark.parametrize("precision", ["float32", "int8", "uint8", "binary", "ubinary"])
def test_quantize(rows: Any, precision: Any) -> None:
    ranges = np.stack([rows.min(0) - 0.1, rows.max(0) - 0.5])
    for options in ({}, {"ranges": ranges}, {"calibration_embeddings": rows[:90]}):
        for given in (rows, torch.from_numpy(rows), list(rows), rows[:0], [rows[:90], rows[90:]], []):
            a = outcome(real_util.quantize_embeddings, given, precision, **options)
            b = outcome(embd.util.quantize_embeddings, given, precision, **options)
            assert type(a) is type(b), (a, b)
            if isinstance(a, list):
                assert all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in zip(a, b))
            elif not isinstance(a, Exception):
                assert a.dtype == b.dtype and np.array_equal(a, b)


# ---- the real class, our engine inside ----


def test_the_real_class(real: Any, tmp_path: Path) -> None:
    model = make_sentence_transformer(FILE)
    assert isinstance(model, st.SentenceTransformer)
    for options in ({}, {"truncate_dim": 64}, {"precision": "ubinary"}, {"convert_to_tensor": True}, {"prompt": "p: "}):
        assert_same(real.encode(BATCH, **options), model.encode(BATCH, **options))
    assert model.get_embedding_dimension() == 384 and model.max_seq_length == real.max_seq_length
    assert real_util.paraphrase_mining(model, BATCH)[0][1:] == real_util.paraphrase_mining(real, BATCH)[0][1:]
    assert model.similarity(model.encode(BATCH), model.encode(BATCH)).shape == (5, 5)
    model.save(str(tmp_path / "saved"))
    again = st.SentenceTransformer(str(tmp_path / "saved"), trust_remote_code=True, device="cpu")
    assert isinstance(again[0], EmbdModule)
    assert np.array_equal(again.encode(BATCH), model.encode(BATCH))


def test_a_pool_of_processes() -> None:
    model = make_sentence_transformer(FILE)
    pool = model.start_multi_process_pool(["cpu", "cpu"])
    try:
        assert np.array_equal(model.encode(BATCH * 3, pool=pool), model.encode(BATCH * 3))
    finally:
        model.stop_multi_process_pool(pool)
