"""Spark with two executors in JVMs of their own on this machine."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import embd
import numpy as np
import psutil
import pytest
from conftest import COMPUTE, COUNT, FEW, ROWS, OwnParquet, Pairs, Reference, Saboteur, assert_deduped, assert_is_whole, assert_scored, contents
from embd import parts

pytest.importorskip("pyspark")

import embd.spark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402



@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,768]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "700m")
        .config("spark.executor.memory", "700m")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def frame(spark: Any, reference: Reference) -> Any:
    return spark.read.parquet(reference.folder)


def embed(frame: Any, reference: Reference, output: Path, **options: Any) -> embd.spark.Report:
    return embd.spark.embed(frame, model=reference.model, compute=COMPUTE, output=output, **({"rows_per_part": ROWS} | options))


def processes(word: str) -> list[int]:
    """Of this test's Spark, those whose command has a word."""
    own = psutil.Process().children(recursive=True)
    found = []
    for process in own:
        try:
            if any(word in each for each in process.cmdline()):
                found.append(process.pid)
        except psutil.NoSuchProcess:
            pass
    return found


def test_one_digest_from_two_executors(frame: Any, reference: Reference, tmp_path: Path) -> None:
    report = embed(frame, reference, tmp_path / "out")
    assert report.digest == reference.digest and report.rows == COUNT
    assert len(report.workers) == 2 and min(report.workers.values()) > 0
    assert_is_whole(tmp_path / "out", reference)
    assert_deduped(embd.spark.dedupe(frame.sparkSession, tmp_path / "out", shards=4, min_similarity=0.95), reference, min_similarity=0.95)
    before = contents(tmp_path / "out")
    again = embed(frame, reference, tmp_path / "out")
    assert again.found_parts == again.parts and again.encoded_rows == 0 and again.digest == reference.digest
    assert contents(tmp_path / "out") == before
    next((tmp_path / "out").glob("part-*")).unlink()
    assert embed(frame, reference, tmp_path / "out").found_parts == again.parts - 1
    assert contents(tmp_path / "out") == before


def test_a_column_of_scores_from_two_executors(spark: Any, pairs: Pairs) -> None:
    frame = spark.read.parquet(pairs.file)
    for options in ({}, {"partitions": 5, "rows_at_once": 7}):
        scored = embd.spark.rerank(frame, model=pairs.model, **options)
        assert scored.columns == ["id", "query", "text", "score"]
        assert_scored([(row["id"], row["score"]) for row in scored.collect()], pairs)
    assert embd.spark.rerank(frame, model=embd.Reranker(pairs.model), columns=["id"], score_column="s").columns == ["id", "s"]
    with pytest.raises(ValueError, match='no column is named "question"'):
        embd.spark.rerank(frame, model=pairs.model, query_column="question")


def test_a_python_worker_is_killed(frame: Any, reference: Reference, tmp_path: Path) -> None:
    def kill() -> None:
        # A daemon a JVM, whose children work.
        children = [child for pid in processes("pyspark.daemon") for child in psutil.Process(pid).children()]
        os.kill(children[0].pid, signal.SIGKILL)

    with Saboteur(tmp_path / "out", kill) as saboteur:
        report = embed(frame, reference, tmp_path / "out")
    assert saboteur.did and report.digest == reference.digest
    assert_is_whole(tmp_path / "out", reference)


def test_an_executor_is_killed(frame: Any, reference: Reference, tmp_path: Path) -> None:
    def kill() -> None:
        os.kill(processes("CoarseGrainedExecutorBackend")[0], signal.SIGKILL)

    with Saboteur(tmp_path / "out", kill) as saboteur:
        report = embed(frame, reference, tmp_path / "out")
    assert saboteur.did and report.digest == reference.digest
    assert_is_whole(tmp_path / "out", reference)


def test_equal_texts_first(frame: Any, reference: Reference, tmp_path: Path) -> None:
    report = embed(frame, reference, tmp_path / "out", dedup=True)
    assert report.digest == reference.digest
    distinct = len(set(reference.texts))
    assert distinct <= report.encoded_rows <= distinct + report.parts < COUNT
    assert_is_whole(tmp_path / "out", reference)


def test_a_frame_with_vectors(frame: Any, reference: Reference) -> None:
    few = frame.where(f"id < {FEW}")
    made = embd.spark.embed(few, model=reference.model, compute=COMPUTE, columns=["id", "text"], vector_column="v", rows_per_part=FEW // 4).cache()
    assert made.columns == ["id", "text", "v"] and made.count() == FEW
    for row in made.select("id", "v").collect():
        assert np.array(row["v"], np.float32).tobytes() == reference.rows[row["id"]].tobytes()
    expected = embd.Digest(reference.recipe)
    expected.update(reference.rows[:FEW], texts=reference.texts[:FEW])
    assert embd.spark.digest(made, reference.recipe, vector_column="v") == expected


def test_our_own_parquet(spark: Any, reference: Reference, own_parquet: OwnParquet) -> None:
    for file, rows in own_parquet:
        if rows.dtype == np.float16:  # Spark has no type for halves
            continue
        found = spark.read.parquet(str(file)).orderBy("id").collect()
        assert [row["id"] for row in found] == list(range(FEW))
        assert [row["text"] for row in found] == reference.texts[:FEW]
        assert np.array([row["embedding"] for row in found], np.float32).tobytes() == rows.tobytes(), file.name


def test_what_is_wrong(spark: Any, frame: Any, reference: Reference, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no column"):
        embed(frame, reference, tmp_path, column="body")
    with pytest.raises(ValueError, match="expected at least 1"):
        embed(frame, reference, tmp_path, partitions=0)
    with pytest.raises(FileNotFoundError):
        embd.spark.embed(frame, model="no-such-model", output=tmp_path)
    twice = frame.where("id < 100")
    with pytest.raises(Exception, match="has no text"):
        nulls = spark.createDataFrame([(1, "a"), (2, None)], "id long, text string")
        embed(nulls, reference, tmp_path, partitions=1)
    with pytest.raises(Exception, match="occurs twice"):
        embed(twice.union(twice), reference, tmp_path, partitions=1, rows_per_part=50)
    assert not (tmp_path / "_manifest.json").exists()
    assert parts.Folder(tmp_path).read("_manifest.json") is None
