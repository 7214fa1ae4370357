"""The programs of docs/scale.md, run as they stand there: what they write has the digest of one process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import embd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import PROGRAM, ROOT, Reference
from embd import parts

COUNT = 500
PAGE = (ROOT / "docs" / "scale.md").read_text()
SPARK = """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "700m")
         .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
"""
RAY = """
import ray
ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False, object_store_memory=150 << 20)
ray.data.DataContext.get_current().use_datasource_v2 = False
"""


def blocks() -> dict[str, str]:
    """Each block of Python under the heading or the name that stands before it."""
    found: dict[str, str] = {}
    name = ""
    for match in re.finditer(r"^(?:## ([^\n]+)|\*\*(\w+)\*\*)$|^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        heading, engine, code = match.groups()
        if code is None:
            name = heading or engine
        else:
            found[name] = found.get(name, "") + code
    return found


@pytest.fixture
def folder(reference: Reference, tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    table = pa.table({"id": range(COUNT), "text": reference.texts[:COUNT]})
    pq.write_table(table, tmp_path / "texts.parquet")
    pq.write_table(table, tmp_path / "texts" / "0.parquet")
    return tmp_path


@pytest.fixture(scope="module")
def expected(reference: Reference) -> embd.Digest:
    model = embd.Model(reference.model)
    digest = embd.Digest(model.recipe)
    digest.update(model.encode(reference.texts[:COUNT]), texts=reference.texts[:COUNT])
    return digest


def run(folder: Path, code: str, **replaced: str) -> str:
    for old, new in replaced.items():
        code = code.replace(old, new)
    (folder / "program.py").write_text(code)
    environment = os.environ | {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    done = subprocess.run([sys.executable, "program.py"], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("engine", ["Daft", "DuckDB", "LanceDB", "Polars", "Dask", "Beam"])
def test_engine(folder: Path, reference: Reference, expected: embd.Digest, engine: str) -> None:
    run(folder, f"MODEL = {reference.model!r}\n{blocks()[engine]}")
    name = engine.lower()
    if engine == "LanceDB":
        import lancedb

        table = lancedb.connect(folder / name).open_table("texts").to_arrow()
    else:
        table = pq.read_table(folder / name if (folder / name).is_dir() else folder / f"{name}.parquet")
    assert table.num_rows == COUNT
    assert parts.digest_of(embd.Model(reference.model).recipe, table, "id", "text", "embedding") == expected


def test_pipe(folder: Path, reference: Reference, expected: embd.Digest) -> None:
    """The lines for a shell, with DuckDB's program out of this environment."""
    (folder / "embd").symlink_to(PROGRAM)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "EMBD_MODEL": reference.model}
    lines = re.findall(r"^\$ (duckdb .*)$", PAGE, re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
    table = pq.read_table(folder / "shell.parquet")
    assert parts.digest_of(embd.Model(reference.model).recipe, table, "id", "text", "embedding") == expected
    pq.write_table(pa.table({"id": [1, 2], "text": ["a", None]}), folder / "texts.parquet")
    done = subprocess.run(["bash", "-c", lines[0]], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 3 and "line 2" in done.stderr, done.stderr


@pytest.mark.parametrize(("engine", "start"), [("Ray Data", RAY), ("Spark", SPARK)])
def test_cluster(folder: Path, reference: Reference, expected: embd.Digest, engine: str, start: str) -> None:
    places = {
        "s3://bucket/texts/": f"{folder}/texts", "s3://bucket/vectors/": f"{folder}/out", "/models/all-MiniLM-L6-v2.weights": reference.model,
        '"texts/"': f'"{folder}/texts"', "/shared/vectors/": f"{folder}/out",
    }
    said = run(folder, f"{start}\n{blocks()[engine]}\nprint(report.digest.hex())", **places)
    assert said.split()[-1] == expected.hex()
    said = run(folder, blocks()["What is written"], **{"/shared/vectors": f"{folder}/out"})
    assert parts.read_manifest(folder / "out").digest == expected


def test_every_block_is_run() -> None:
    run_here = {"Daft", "DuckDB", "LanceDB", "Polars", "Dask", "Beam", "Ray Data", "Spark", "What is written"}
    # tests/faces/python/test_index.py has the first; test_ray.py and test_spark.py have the others.
    in_other_tests = {"Shards, one search", "Scores", "Near-duplicates over shards"}
    assert set(blocks()) == run_here | in_other_tests
