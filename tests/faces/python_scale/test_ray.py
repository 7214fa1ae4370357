"""Ray Data on a real cluster of two nodes on this machine, one of which is made to use other kernels than the other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import embd
import numpy as np
import psutil
import pytest
from conftest import COMPUTE, COUNT, FEW, ROWS, Pairs, Reference, Saboteur, assert_deduped, assert_is_whole, assert_scored, contents, parts_in
from embd import parts

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# Ray gives its workers a niceness of 15: on a busy machine they would get no processor.
os.environ.setdefault("RAY_worker_niceness", "0")
ray = pytest.importorskip("ray")

import embd.ray  # noqa: E402
import ray.data  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

STORE = 150 * 1024 * 1024
OTHER_KERNELS = "avx2" if "avx2" in Path("/proc/cpuinfo").read_text() else "portable"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": STORE})
    add_node(cluster)
    ray.init(address=cluster.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().use_datasource_v2 = False  # docs/scale.md: its footer readers want CPUs, too
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def add_node(cluster: Any) -> Any:
    return cluster.add_node(num_cpus=2, object_store_memory=STORE, env_vars={"EMBD_KERNELS": OTHER_KERNELS})


@pytest.fixture
def two_nodes(cluster: Any) -> Any:
    """The cluster with both its nodes, whatever an earlier test did."""
    if not cluster.worker_nodes:
        add_node(cluster)
    deadline = time.monotonic() + 60
    while ray.cluster_resources().get("CPU", 0) != 4 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert ray.cluster_resources()["CPU"] == 4
    return cluster


def dataset(reference: Reference) -> Any:
    return ray.data.read_parquet(reference.folder)


def embed(reference: Reference, output: Path, **options: Any) -> embd.ray.Report:
    return embd.ray.embed(dataset(reference), model=reference.model, compute=COMPUTE, output=output, **({"rows_per_block": ROWS} | options))


def actors() -> list[int]:
    """The processes that embed."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if any(word.startswith("ray::MapWorker") for word in process.info["cmdline"] or [])
    ]


def test_one_digest_from_two_nodes_with_other_kernels(two_nodes: Any, reference: Reference, tmp_path: Path) -> None:
    report = embed(reference, tmp_path / "out", workers=2, cpus=1)
    assert report.digest == reference.digest and report.rows == COUNT
    assert len(report.workers) == 2 and min(report.workers.values()) > 0
    if reference.kernels != OTHER_KERNELS:
        assert report.kernels == {reference.kernels, OTHER_KERNELS}  # both nodes worked
    assert_is_whole(tmp_path / "out", reference)
    assert_deduped(embd.ray.dedupe(tmp_path / "out", shards=4, min_similarity=0.95), reference, min_similarity=0.95)
    # Again: everything is found, and no byte changes.
    before = contents(tmp_path / "out")
    again = embed(reference, tmp_path / "out", workers=2, cpus=1)
    assert again.digest == reference.digest and again.found_parts == again.parts and again.encoded_rows == 0
    assert contents(tmp_path / "out") == before
    # Without what is there: the same files.
    embed(reference, tmp_path / "other", workers=3, cpus=1)
    assert contents(tmp_path / "other") == before


def test_a_column_of_scores_from_two_nodes(two_nodes: Any, pairs: Pairs) -> None:
    scored = embd.ray.rerank(ray.data.read_parquet(pairs.file), model=pairs.model, workers=2, cpus=1, rows_per_block=40)
    assert_scored([(row["id"], row["score"]) for row in scored.iter_rows()], pairs)
    of_some = embd.ray.rerank(ray.data.read_parquet(pairs.file), model=embd.Reranker(pairs.model), columns=["id"], score_column="s", cpus=1)
    assert set(of_some.take(1)[0]) == {"id", "s"}
    with pytest.raises(ValueError, match='no column is named "question"'):
        embd.ray.rerank(ray.data.read_parquet(pairs.file), model=pairs.model, query_column="question", cpus=1)


def test_an_actor_is_killed(two_nodes: Any, reference: Reference, tmp_path: Path) -> None:
    def kill() -> None:
        os.kill(actors()[0], signal.SIGKILL)

    with Saboteur(tmp_path / "out", kill) as saboteur:
        report = embed(reference, tmp_path / "out", workers=2, cpus=1)
    assert saboteur.did
    assert report.digest == reference.digest
    assert_is_whole(tmp_path / "out", reference)


def test_a_node_is_killed(two_nodes: Any, reference: Reference, tmp_path: Path) -> None:
    def kill() -> None:
        two_nodes.remove_node(two_nodes.worker_nodes.copy().pop(), allow_graceful=False)

    with Saboteur(tmp_path / "out", kill) as saboteur:
        report = embed(reference, tmp_path / "out", workers=3, cpus=1, start_timeout=300)
    assert saboteur.did
    assert report.digest == reference.digest
    assert_is_whole(tmp_path / "out", reference)


DRIVER = """
import sys, ray, ray.data, embd.ray
ray.init(address=sys.argv[1], log_to_driver=False)
ray.data.DataContext.get_current().enable_progress_bars = False
ray.data.DataContext.get_current().use_datasource_v2 = False
embd.ray.embed(ray.data.read_parquet(sys.argv[2]), model=sys.argv[3], output=sys.argv[4], compute=sys.argv[5], workers=2, cpus=1,
               rows_per_block=int(sys.argv[6]))
"""


def test_the_driver_is_killed_and_the_job_resumed(two_nodes: Any, reference: Reference, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [two_nodes.address, reference.folder, reference.model, out, COMPUTE, ROWS]
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, *map(str, arguments)])
    try:
        deadline = time.monotonic() + 240
        while parts_in(out) < 3 and driver.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        driver.kill()
        driver.wait()
    written = parts_in(out)
    assert written >= 3 and not (out / "_manifest.json").exists()
    with pytest.raises(embd.Error, match="has not ended"):
        parts.read_manifest(out)
    report = embed(reference, out, workers=2, cpus=1)
    assert report.found_parts >= 3 and report.digest == reference.digest
    assert_is_whole(out, reference)


def test_equal_texts_first(two_nodes: Any, reference: Reference, tmp_path: Path) -> None:
    report = embed(reference, tmp_path / "out", workers=3, cpus=1, dedup=True)
    assert report.digest == reference.digest
    distinct = len(set(reference.texts))
    assert distinct <= report.encoded_rows <= distinct + report.parts < COUNT
    assert_is_whole(tmp_path / "out", reference)


def test_order(two_nodes: Any, reference: Reference, tmp_path: Path) -> None:
    few = dataset(reference).limit(FEW)
    options: dict[str, Any] = {"model": reference.model, "compute": COMPUTE, "workers": 3, "cpus": 1, "rows_per_block": FEW // 10, "order": True}
    embd.ray.embed(few, output=tmp_path / "out", **options)
    listed = parts.read_manifest(tmp_path / "out").parts
    assert [part.first_id for part in listed] == [FEW // 10 * i for i in range(len(listed))]
    assert [row["id"] for row in embd.ray.embed(few, **options).iter_rows()] == list(range(FEW))


def test_a_dataset_with_vectors(two_nodes: Any, reference: Reference) -> None:
    few = dataset(reference).limit(FEW)
    made = embd.ray.embed(few, model=reference.model, compute=COMPUTE, columns=["id", "text"], vector_column="v", rows_per_block=FEW // 4)
    rows = made.materialize()
    assert set(rows.columns()) == {"id", "text", "v"} and rows.count() == FEW
    for row in rows.iter_rows():
        assert np.asarray(row["v"], np.float32).tobytes() == reference.rows[row["id"]].tobytes()
    expected = embd.Digest(reference.recipe)
    expected.update(reference.rows[:FEW], texts=reference.texts[:FEW])
    assert embd.ray.digest(rows, reference.recipe, vector_column="v") == expected


def test_what_would_wait_for_ever_is_refused(two_nodes: Any, reference: Reference, tmp_path: Path) -> None:
    for options in ({"workers": 4, "cpus": 1}, {"workers": 2, "cpus": 2}, {"workers": 1, "cpus": 3}, {"workers": 0}):
        with pytest.raises(ValueError, match="CPU"):
            embed(reference, tmp_path, **options)
    with pytest.raises(ValueError, match="no column"):
        embed(reference, tmp_path, column="body")
    with pytest.raises(ValueError, match="already"):
        embed(reference, tmp_path, vector_column="number")
    with pytest.raises(FileNotFoundError):
        embd.ray.embed(dataset(reference), model="no-such-model", output=tmp_path)
    with pytest.raises(TypeError, match="colour"):
        embed(reference, tmp_path, colour="red")
    with pytest.raises(embd.Error, match="unique"):
        twice = dataset(reference).limit(100).materialize()
        embd.ray.embed(twice.union(twice), model=reference.model, output=tmp_path, rows_per_block=100)
    assert not (tmp_path / "_manifest.json").exists()
    with pytest.raises(TimeoutError, match="no block"):
        embed(reference, tmp_path, start_timeout=0.001)
