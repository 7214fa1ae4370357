"""Options by keyword: every one of the library's lists, what each takes, and what the program makes of the same."""

from __future__ import annotations

import inspect
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest
from embd import _keywords, _native

# The functions that take the options of each structure, by the structure's name.
FUNCTIONS: dict[str, list[Any]] = {
    "LoadOptions": [embd.Model, embd.Reranker],
    "EncodeOptions": [embd.Model.encode, embd.embed_file, embd.verify],
    "ScoreOptions": [embd.Reranker.score, embd.Reranker.rank, embd.score_pairs_file],
    "ScorePairsOptions": [embd.score_pairs_file],
    "InputOptions": [embd.embed_file, embd.verify, embd.digest_file],
    "ReadOptions": [embd.read_vectors, embd.Searcher, embd.verify, embd.digest_file],
    "OutputOptions": [embd.embed_file],
    "WriteOptions": [embd.write_vectors],
    "CvcOptions": [embd.write_vectors, embd.embed_file],
    "ParquetOptions": [embd.write_vectors, embd.embed_file],
    "SvsOptions": [embd.write_vectors, embd.embed_file],
    "FinalfusionOptions": [embd.write_vectors, embd.embed_file],
    "IndexOptions": [embd.Index, embd.Index.from_vectors],
    "EmbedOptions": [embd.embed_file],
    "VerifyOptions": [embd.verify],
    "SearcherOptions": [embd.Searcher],
    "SearchOptions": [embd.Searcher.search, embd.Searcher.search_texts, embd.Searcher.search_file],
    "QueryOptions": [embd.Searcher.search_texts],
    "DedupeOptions": [embd.dedupe],
    "ClusterOptions": [embd.cluster],
    "ProjectOptions": [embd.project],
    "MapPictureOptions": [embd.Map.svg],
    "AgreementOptions": [embd.compare_neighbours],
    "OpenOptions": [embd.Index],
    "GetModelOptions": [embd.get_model],
    "TermOptions": [embd.embed_file, embd.TermIndex.from_texts],
    "TermSearchOptions": [embd.TermIndex.search],
    "SplitOptions": [embd.split],
    "CollectOptions": [embd.collect],
}
# Options for which a function has another name, or no use.
OTHERWISE: dict[tuple[str, ...], str] = {
    ("IndexOptions", "scalar"): "dtype",
    ("EncodeOptions", "window_pooling", "encode"): "windows",  # a row a text: the mean
    ("CvcOptions", "column", "embed_file"): "column",  # of the input
    ("FinalfusionOptions", "normalize_words", "embed_file"): "output",  # rows of texts are not words'
    ("ParquetOptions", "text_column", "write_vectors"): "rows",  # it has no texts
}
# Whole jobs that the package leaves to the program.
WITHOUT = {"ConvertOptions", "IndexFileOptions", "ConvertModelOptions", "LockOptions", "CheckOptions"}
WITHOUT |= {"DedupeFileOptions", "ClusterFileOptions", "MapFileOptions", "MapOptions", "MapPageOptions"}


def keywords_of(function: Any) -> set[str]:
    """The parameters of a function, those of its keyword dictionary among them."""
    names: set[str] = set()
    for parameter in inspect.signature(function).parameters.values():
        annotation = str(parameter.annotation)
        if parameter.kind is parameter.VAR_KEYWORD and annotation.startswith("Unpack["):
            names |= set(getattr(_keywords, annotation[len("Unpack[") : -1]).__annotations__)
        else:
            names.add(parameter.name)
    return names


def test_every_option_is_a_keyword() -> None:
    structures = _native.keywords()
    assert set(FUNCTIONS) | WITHOUT == set(structures)
    assert sum(map(len, structures.values())) > 90
    for structure, keywords in structures.items():
        for function in FUNCTIONS.get(structure, []):
            known = keywords_of(function)
            for keyword in keywords:
                known_as = (OTHERWISE.get(key) for key in ((structure, keyword), (structure, keyword, function.__name__)))
                name = next((name for name in known_as if name), keyword)
                assert name in known, f"{function.__qualname__} has no {keyword} of {structure}"


def test_no_keyword_is_without_an_option() -> None:
    options = {keyword for keywords in _native.keywords().values() for keyword in keywords}
    for name, keywords in vars(_keywords).items():
        if name.endswith("Keywords"):
            assert set(keywords.__annotations__) <= options, name


def test_what_each_takes(tmp_path: Path) -> None:
    rows = np.eye(4, 8, dtype=np.float32)

    def write(name: str = "rows.cvc", **options: Any) -> None:
        embd.write_vectors(tmp_path / name, rows, **options)

    write(chunk_rows=None, mmap=None, compression=None, metric=None)
    for number in (0, 1, np.uint16(7)):
        write(chunk_rows=number)
    for wrong, message in ((-1, "expected 0 to"), (2**64, "expected 0 to")):
        with pytest.raises(ValueError, match=f"chunk_rows is {wrong}, {message}"):
            write(chunk_rows=wrong)
    with pytest.raises(ValueError, match="connectivity is 0, expected 1 to 4294967295"):
        write("rows.usearch", connectivity=0)
    others: list[dict[str, Any]] = [{"chunk_rows": "7"}, {"mmap": 1}, {"column": 3}, {"chunk_rows": 1.0}]
    for other in others:
        ((key, value),) = other.items()
        with pytest.raises(TypeError, match=f"{key} is of the type {type(value).__name__}, expected"):
            write(**other)
    with pytest.raises(ValueError, match='compression is "gzip", expected one of none, fp16, int8, lossless'):
        write(compression="gzip")
    with pytest.raises(ValueError, match='quantize is "pq8", expected one of pq, opq, lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8'):
        write("rows.svs", quantize="pq8")
    with pytest.raises(TypeError, match="no option is named 'chunks'"):
        write(chunks=3)


def test_an_option_of_another_format_is_refused(model: embd.Model, tmp_path: Path) -> None:
    rows = np.eye(4, 8, dtype=np.float32)
    with pytest.raises(ValueError, match="chunk_rows applies to cvc only, but the format of the output is npy"):
        embd.write_vectors(tmp_path / "rows.npy", rows, chunk_rows=3)
    (tmp_path / "texts.txt").write_text("a cat\n")
    with pytest.raises(ValueError, match="chunk_rows applies to cvc only, but the format of the output is npy, parquet"):
        embd.embed_file(model, tmp_path / "texts.txt", [tmp_path / "a.npy", tmp_path / "a.parquet"], chunk_rows=3)
    embd.embed_file(model, tmp_path / "texts.txt", [tmp_path / "a.npy", tmp_path / "a.cvc"], chunk_rows=3)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    texts = ["A cat sits.", "A dog runs far away from here.", "A cat sits.", "bread", "", "one more text"]
    lines = (json.dumps({"text": text, "kind": f"k{i // 3}", "price": i}) for i, text in enumerate(texts))
    path.write_text("".join(line + "\n" for line in lines))
    return path


# The keywords of the package, the options of the program, and the output.
SAME: list[tuple[dict[str, Any], list[str], str]] = [
    ({"parquet_compression": "none", "row_group_rows": 2, "text_column": True},
     ["--parquet-compression", "none", "--row-group-rows", "2", "--text-column"], "rows.parquet"),
    ({"column_fields": ["price"]}, ["--column-field", "price"], "rows.parquet"),
    ({"mmap": True, "chunk_rows": 2}, ["--cvc-mmap", "--chunk-rows", "2"], "rows.cvc"),
    ({"compression": "none", "section_fields": "kind", "column_fields": ["price:float32"]},
     ["--cvc-compression", "none", "--section-field", "kind", "--column-field", "price:float32"], "rows.cvc"),
    ({"scalar": "f16", "builder": "usearch", "connectivity": 4, "metric": "l2"},
     ["--scalar", "f16", "--builder", "usearch", "--connectivity", "4", "--metric", "l2"], "rows.usearch"),
    ({"layout": "file"}, ["--svs-layout", "file"], "rows.svs"),
    ({"quantize": "lvq8"}, ["--quantize", "lvq8"], "rows.svs"),
    ({"format": "cvc"}, ["--output-format", "cvc"], "rows.cvc"),
    ({"truncate_side": "left", "max_length": 5, "dedup": False},
     ["--truncate-side", "left", "--max-length", "5", "--dedup", "off"], "rows.npy"),
    ({"windows": 5, "stride": 2}, ["--windows", "5", "--stride", "2"], "rows.cvc"),
    ({"windows": 5, "window_pooling": "mean"}, ["--windows", "5", "--window-pooling", "mean"], "rows.cvc"),
    ({"pooling": "max", "normalize": False, "batch_tokens": 64}, ["--pooling", "max", "--no-normalize"], "rows.npy"),
    ({"id_field": "price", "skip_empty": True}, ["--id-field", "price", "--skip-empty"], "rows.jsonl"),
    ({"part": (1, 3)}, ["--part", "1/3"], "rows.npy"),
    ({"part": "0/2"}, ["--part", "0/2"], "rows.npy"),
    ({"row_report": "report"}, ["--row-report", "report"], "report"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "arguments", "output"), SAME, ids=lambda value: str(value))
def test_the_bytes_are_those_of_the_program(
    model: embd.Model, model_path: str, source: Path, tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any], arguments: list[str], output: str,
) -> None:  # fmt: skip
    vectors = output if "." in output else "rows.npy"
    made = []
    for folder in ("ours", "theirs"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        if folder == "ours":
            embd.embed_file(model, source, vectors, **options)
        else:
            subprocess.run([program, "embed", "-m", model_path, source, "-o", vectors, *arguments], check=True)
        made.append({path.name: path.read_bytes() for path in Path().rglob("*") if path.is_file()})
    assert output in made[0] or any(name.startswith(output) for name in made[0]) or Path(output).is_dir()
    assert made[0] == made[1]


def test_bad_parts(model: embd.Model, source: Path, tmp_path: Path) -> None:
    for part in ((2, 2), "2/2", "1", "x/2", "1/2/3", (-1, 2)):
        with pytest.raises(ValueError, match="part"):
            embd.embed_file(model, source, tmp_path / "rows.npy", part=part)
    with pytest.raises(TypeError, match="part is of the type int"):
        embd.embed_file(model, source, tmp_path / "rows.npy", part=3)  # type: ignore[arg-type]


def test_the_report_says_all(model: embd.Model, source: Path, tmp_path: Path) -> None:
    output = tmp_path / "rows.parquet"
    report = embd.embed_file(model, source, [output, tmp_path / "rows.fifu"], text_column=True, quantize="pq", bits=1, threads=1)
    assert report.repeated_rows == 1 and report.rows == 6 and report.empty_rows == 1
    assert report.digest == embd.digest_file(output, source)
    (loss,) = report.losses
    assert loss.path == str(tmp_path / "rows.fifu") and 0 < loss.cosine < 1 and 0 < loss.euclidean < 2
    assert embd.embed_file(model, source, tmp_path / "rows.npy", dedup=False).repeated_rows == 0


def test_ranges_of_codes_from_a_file(model: embd.Model, source: Path, tmp_path: Path) -> None:
    ranges = np.stack([np.full(model.dim, -1), np.ones(model.dim)]).astype(np.float32)
    np.save(tmp_path / "ranges.npy", ranges)
    embd.embed_file(model, source, tmp_path / "rows.npy", output_type="int8", output_ranges=tmp_path / "ranges.npy")
    assert (np.load(tmp_path / "rows.npy.ranges.npy") == ranges).all()
    found = embd.verify(model, tmp_path / "rows.npy", source)
    assert found.is_good()


def test_a_prompt_by_its_name(model_path: str, source: Path, tmp_path: Path) -> None:
    model = embd.Model(model_path, prompts={"query": "", "cats": "cats: "})
    rows = model.encode(["A cat."], prompt_name="cats")
    assert (rows == model.encode(["A cat."], prompt="cats: ")).all()
    assert (rows != model.encode(["A cat."])).any()
    assert model.recipe_of(prompt_name="cats").get("prompt") == "cats: "
    with pytest.raises(ValueError, match="dogs"):
        model.encode(["A cat."], prompt_name="dogs")
    with pytest.raises(ValueError, match="both given"):
        model.encode(["A cat."], prompt_name="cats", prompt="")
    embd.embed_file(model, source, tmp_path / "rows.npy", prompt_name="cats")
    assert (np.load(tmp_path / "rows.npy")[3] == model.encode("bread", prompt="cats: ")).all()


def test_how_sets_are_read(model: embd.Model, source: Path, tmp_path: Path) -> None:
    cvc = tmp_path / "rows.cvc"
    embd.embed_file(model, source, cvc, compression="none", section_fields=["kind"])
    assert len(embd.read_vectors(cvc, section="kind=k1")) == 3
    assert len(embd.Searcher(cvc, section="kind=k1")) == 3
    np.ones((3, 4), np.float16).tofile(tmp_path / "raw.fvecs")
    with pytest.raises(ValueError, match='dtype is "f12", expected one of f32'):
        embd.read_vectors(tmp_path / "raw.fvecs", dtype="f12")
    with pytest.raises(ValueError, match='dtype is "f12"'):
        embd.Searcher(cvc, dtype="f12")
    assert embd.digest_file(cvc, section="kind=k1").count == 3


def test_an_index_is_built_as_usearch_does() -> None:
    rows = np.random.default_rng(1).standard_normal((300, 16)).astype(np.float32)
    for builder in ("parallel", "usearch"):
        index = embd.Index.from_vectors(rows, builder=builder)
        assert (index.search(rows, 1).keys[:, 0] == np.arange(300)).all()
    with pytest.raises(ValueError, match='builder is "other", expected one of parallel, usearch'):
        embd.Index(8, builder="other")  # type: ignore[arg-type]


def test_rerankers(reranker: embd.Reranker, reranker_path: Callable[[str], str]) -> None:
    pairs = [("a cat", "a text that is cut " * 9), ("a cat", "bread"), ("a cat", "bread")]
    whole = reranker.score(pairs)
    assert (reranker.score(pairs, dedup=False) == whole).all()
    cut = [reranker.score(pairs, max_length=9, truncate_side=side) for side in ("right", "left")]
    assert len({scores[0] for scores in (whole, *cut)}) == 3
    with pytest.raises(ValueError, match="truncate_side"):
        reranker.score(pairs, truncate_side="up")  # type: ignore[arg-type]


def test_the_hash_is_kept(model_path: str, tmp_path: Path) -> None:
    model = embd.Model(model_path, hash_record=tmp_path / "hashes")
    assert model.recipe["model_sha256"] == embd.Model(model_path).recipe["model_sha256"]
    assert (tmp_path / "hashes").exists()
