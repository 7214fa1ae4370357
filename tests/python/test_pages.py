"""The blocks of Python in pages print what stands under them. tests/cli/readme_test.py runs the commands of the console.

A comment before a block says why it is not run: <!-- not run: why -->. pytest shows it among the skipped tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = ("README.md", "docs/models.md", "docs/search.md", "docs/languages.md")  # the others name arrays of the reader's own
BLOCK = re.compile(r"(?:<!-- not run: ([^>]+) -->\n)?^```python\n(.*?)^```\n(?:\n```\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
BLOCKS = [(page, *found) for page in PAGES for found in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "reason", "block", "shown"), BLOCKS, ids=lambda text: text.splitlines()[0] if text else "")
def test_a_block_prints_what_is_shown(page: str, reason: str, block: str, shown: str, tmp_path: Path) -> None:
    if reason:
        pytest.skip(f"{page}: {reason}")
    if not (ROOT / "models" / "all-MiniLM-L6-v2.weights").exists():
        pytest.skip("no model: scripts/get_model.sh")
    (tmp_path / "models").symlink_to(ROOT / "models")
    ran = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == shown


def test_there_are_blocks() -> None:
    assert sum(bool(shown) and not reason for _, reason, _, shown in BLOCKS) >= 1
