"""The cost of importing, and the names that it shows."""

from __future__ import annotations

import subprocess
import sys

import embd


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_brings_nothing_heavy() -> None:
    loaded = run("import sys, embd; embd.Model; print(*sys.modules)").split()
    assert not {"numpy", "torch", "tqdm", "dataclasses", "inspect", "logging", "json", "pathlib"} & set(loaded)


def test_all_names() -> None:
    for name in embd.__all__:
        assert getattr(embd, name) is not None
    assert embd.__version__.count(".") == 2


def test_no_report_of_leaks_at_the_end(model_path: str) -> None:
    code = f"import embd; keep = embd.Model({model_path!r}); rows = keep.encode(['a'])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr == "" and result.stdout == ""
