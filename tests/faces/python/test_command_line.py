"""The same bytes as the command line, for every arithmetic and number of threads."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest


@pytest.mark.parametrize("compute", ["f32", "bf16", "int8"])
@pytest.mark.parametrize("threads", [1, 2])
def test_same_bytes(
    program: str, model_path: str, texts: list[str], tmp_path: Path, compute: Any, threads: int
) -> None:
    try:
        model = embd.Model(model_path, compute=compute, threads=threads)
    except embd.Error as error:
        pytest.skip(str(error))
    source = tmp_path / "texts.txt"
    source.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    out = tmp_path / "rows.npy"
    options = ["-m", model_path, "--compute", compute, "-t", str(threads), "--on-truncate", "ignore"]
    subprocess.run([program, "embed", *options, source, "-o", out], check=True)
    assert np.load(out).tobytes() == model.encode(texts).tobytes()
