"""Parts by GNU parallel, and parts of machines with other kernels: one digest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import embd
import pytest
from conftest import COMPUTE, COUNT, PROGRAM, ROOT, Reference, run_program, write_lines


@pytest.mark.skipif(shutil.which("parallel") is None, reason="GNU parallel is not installed")
def test_parts_by_parallel(reference: Reference, tmp_path: Path) -> None:
    write_lines(tmp_path / "texts.jsonl", reference.texts)
    environment = {
        "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}", "EMBD_MODEL": reference.model, "EMBD_COMPUTE": COMPUTE,
    }
    command = ["bash", ROOT / "examples" / "parts" / "parallel.sh", "texts.jsonl", "out.npy", "5", "--jobs", "2"]
    for _ in range(2):  # again: no part is made anew
        subprocess.run(list(map(str, command)), cwd=tmp_path, check=True, env=os.environ | environment)
    beside = json.loads((tmp_path / "out.npy.recipe.json").read_text())
    assert embd.Digest.from_json(json.dumps(beside["digest"])) == reference.digest
    assert embd.digest_file(tmp_path / "out.npy", tmp_path / "texts.jsonl") == reference.digest
    assert embd.read_vectors(tmp_path / "out.npy").rows.tobytes() == reference.rows.tobytes()


def test_parts_of_other_kernels(reference: Reference, tmp_path: Path) -> None:
    write_lines(tmp_path / "texts.jsonl", reference.texts)
    other = "avx2" if "avx2" in Path("/proc/cpuinfo").read_text() else "portable"
    of_part = [reference.kernels, other, reference.kernels]
    manifests = []
    for part, name in enumerate(of_part):
        out = tmp_path / f"{part}.npy"
        run_program("embed", tmp_path / "texts.jsonl", "-m", reference.model, "--compute", COMPUTE, "-o", out,
                    "--part", f"{part}/{len(of_part)}", EMBD_KERNELS=name)
        manifests.append(f"{out}.part.json")
    run_program("join", *manifests, "-o", tmp_path / "out.npy")
    beside = json.loads((tmp_path / "out.npy.recipe.json").read_text())
    assert beside["digest"]["count"] == COUNT
    assert embd.Digest.from_json(json.dumps(beside["digest"])) == reference.digest
