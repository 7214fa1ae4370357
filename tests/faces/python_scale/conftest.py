"""Shared by the tests of the engines: 20,000 real texts, their vectors from one process, and the digest of all."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import embd
import embd.shards
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from embd import parts

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/faces/python")]
import corpus  # noqa: E402
from golden_rerankers import copy_reranker, golden_pairs  # noqa: E402

PROGRAM = os.environ.get("EMBD_PROGRAM", str(ROOT / "build" / "dev" / "cli" / "embd"))

COUNT = int(os.environ.get("EMBD_SCALE_TEXTS", "20000"))
FILES = 8
# Rows of a part: there are parts enough for something to happen between them.
ROWS = COUNT // 16
FEW = COUNT // 10
COMPUTE: Any = "int8"  # three times as fast as f32


class Reference(NamedTuple):
    """Returns the vectors that one process makes of the texts."""

    folder: str
    """Of Parquet files with the columns id, text and number."""
    texts: list[str]
    rows: Any
    digest: embd.Digest
    model: str
    recipe: Any
    kernels: str


def real_texts(count: int) -> Iterator[str]:
    """Sentences of the help topics that CPython installs, then pairs of them; every eighth is there twice."""
    last = ""
    for i, text in enumerate(itertools.islice(corpus.distinct(), count)):
        yield last if i % 8 == 7 else text
        if i % 8 == 3:
            last = text


def rows_of_one_process(model: embd.Model, texts: list[str]) -> Any:
    """Computed by the first of the processes that check_scale.sh runs, and kept for the others in EMBD_SCALE_ROWS."""
    kept = os.environ.get("EMBD_SCALE_ROWS")
    if kept and os.path.exists(kept):
        return np.load(kept)
    rows = model.encode(texts)
    if kept:
        np.save(kept, rows)
    return rows


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    path = str(ROOT / "models" / "all-MiniLM-L6-v2.weights")
    model = embd.Model(path, compute=COMPUTE)
    texts = list(real_texts(COUNT))
    rows = rows_of_one_process(model, texts)
    digest = embd.Digest(model.recipe)
    digest.update(rows, np.arange(COUNT), texts)
    folder = tmp_path_factory.mktemp("texts")
    table = pa.table({"id": range(COUNT), "text": texts, "number": [i % 7 for i in range(COUNT)]})
    each = -(-COUNT // FILES)
    for i in range(FILES):
        pq.write_table(table.slice(i * each, each), folder / f"texts-{i}.parquet")
    return Reference(str(folder), texts, rows, digest, path, model.recipe, model.instruction_set)


class Pairs(NamedTuple):
    """Pairs of texts, and what one process makes of them."""

    file: str
    """Parquet, with the columns id, query and text."""
    model: str
    scores: Any
    """[n], or [n, labels]."""


@pytest.fixture(scope="session", params=["bert_sigmoid", "bert_three"])
def pairs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pairs:
    folder = tmp_path_factory.mktemp("pairs")
    model = copy_reranker(request.param, folder)
    golden = golden_pairs(request.param)
    rows = [golden[i % len(golden)] for i in range(20 * len(golden))]
    table = pa.table({"id": range(len(rows)), "query": [first for first, _ in rows], "text": [second for _, second in rows]})
    pq.write_table(table, folder / "pairs.parquet", row_group_size=50)
    return Pairs(str(folder / "pairs.parquet"), str(model), embd.Reranker(model).score(rows))


def assert_scored(rows: list[tuple[int, Any]], pairs: Pairs) -> None:
    """Every pair once, with the bits of one process. rows: ids and scores."""
    rows = sorted(rows, key=lambda row: row[0])
    assert [id for id, _ in rows] == list(range(len(pairs.scores)))
    assert np.array([score for _, score in rows], np.float32).tobytes() == pairs.scores.tobytes()


def assert_deduped(found: embd.shards.PartDuplicates, reference: Reference, **options: Any) -> None:
    """The rows kept are those that one process keeps, which compares all of them."""
    whole = embd.dedupe(reference.rows[np.asarray(found.ids, np.int64)], **options)
    assert found.duplicates.representatives.tolist() == whole.representatives.tolist()
    assert found.kept_ids.tolist() == found.ids[whole.kept].tolist()
    assert 0 < len(whole.kept) < COUNT


OwnParquet = list[tuple[Path, Any]]


@pytest.fixture(scope="session")
def own_parquet(reference: Reference, tmp_path_factory: pytest.TempPathFactory) -> OwnParquet:
    """Files that `embd` writes of the first FEW texts, and the rows in them."""
    folder = tmp_path_factory.mktemp("own")
    write_lines(folder / "texts.jsonl", reference.texts[:FEW])
    run_program("embed", folder / "texts.jsonl", "-m", reference.model, "--compute", COMPUTE, "--text-column",
                "-o", folder / "f32-none.parquet", "--row-group-rows", 700)
    files = []
    for dtype in ("f32", "f16"):
        for compression in ("none", "zstd"):
            file = folder / f"{dtype}-{compression}.parquet"
            if not file.exists():
                run_program("convert", folder / "f32-none.parquet", file, "--output-type", dtype, "--row-group-rows", 700,
                            "--parquet-compression", compression)
            files.append((file, reference.rows[:FEW].astype(np.float16 if dtype == "f16" else np.float32)))
    return files


def write_lines(file: Path, texts: list[str]) -> None:
    """JSON Lines of texts."""
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))


def run_program(*arguments: Any, **environment: str) -> str:
    """Runs `embd`. What it prints."""
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=os.environ | environment).stdout


def assert_is_whole(folder: Path, reference: Reference) -> None:
    """Every row once, of the bits that one process makes; nothing in the folder that is no part of it."""
    assert parts.verify_parts(folder) == reference.digest
    table = pq.read_table(folder)
    ids = table.column("id").to_numpy()
    assert len(ids) == COUNT and len(np.unique(ids)) == COUNT
    vectors = parts.vectors_of(table.column("embedding"))
    assert vectors.tobytes() == reference.rows[ids].tobytes()
    assert (table.column("number").to_numpy() == ids % 7).all()
    listed = {part.file for part in parts.read_manifest(folder).parts}
    assert set(os.listdir(folder)) == listed | {"_manifest.json", "_SUCCESS"}


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def parts_in(folder: Path) -> int:
    return len(list(folder.glob("part-*.parquet"))) if folder.exists() else 0


class Saboteur(threading.Thread):
    """Does something once, when the first parts are there and others are not; says whether it came to that."""

    def __init__(self, folder: Path, deed: Callable[[], None], parts: int = 2) -> None:
        super().__init__(daemon=True)
        self.folder, self.deed, self.parts = folder, deed, parts
        self.did = False
        self.error: BaseException | None = None
        self._stopped = threading.Event()

    def __enter__(self) -> Saboteur:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.join()
        if self.error is not None:
            raise self.error

    def run(self) -> None:
        while not self._stopped.is_set():
            if parts_in(self.folder) >= self.parts:
                try:
                    self.deed()
                    self.did = True
                except BaseException as error:
                    self.error = error
                return
            time.sleep(0.02)
