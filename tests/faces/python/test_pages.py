"""The blocks of Python in pages run, and print what stands under them. tests/faces/cli/readme_test.py runs the commands of the console.

The blocks of a page are one program, in a folder with the files that they name. A comment before a block says why it is not run:
<!-- not run: why -->.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from golden_rerankers import copy_reranker

ELSEWHERE = {"docs/scale.md": "scripts/check_scale.sh runs them on Ray and Spark"}
PAGES = [path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))]
BLOCK = re.compile(r"(<!-- not run: [^>]+ -->\n)?^```python\n(.*?)^```\n(?:\n```\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
BLOCKS = {page: BLOCK.findall((ROOT / page).read_text(encoding="utf-8")) for page in PAGES}
WEIGHTS = ROOT / "models" / "all-MiniLM-L6-v2.weights"

# Names and files that stand for the reader's own.
GIVEN = """
import numpy as np

import embd

model = embd.Model("all-MiniLM-L6-v2")
texts = [f"note {i} about {['cats', 'dogs', 'bread'][i % 3]}" for i in range(300)]
documents, labels = texts[:20], [i % 3 for i in range(300)]
rows = model.encode(texts)
other_rows, test_rows, train_rows = rows[:, :64], rows[:30], rows[10:]
embd.write_vectors("docs.npy", rows, ids=range(300), recipe=model.recipe)
for name in "a.usearch", "b.usearch":
    embd.Index.from_vectors(rows[:9]).save(name)
embd.embed_file(model, "log.jsonl", "log.parquet", id_field="id", column_fields=["level:text", "year:int64"])
embd.embed_file(model, "log.jsonl", "docs.parquet", id_field="id", text_column=True)
"""
RUN = """
import contextlib, io, json, sys

names, printed = {}, []
exec(sys.argv[1], names)
for block in json.loads(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(block, "block", "exec"), names)
    printed.append(output.getvalue())
print(json.dumps(printed))
"""


def make_files(folder: Path) -> None:
    (folder / "models").symlink_to(ROOT / "models")
    (folder / "model.weights").symlink_to(WEIGHTS)
    (folder / "home" / "embd").mkdir(parents=True)
    (folder / "home" / "embd" / "all-MiniLM-L6-v2.weights").symlink_to(WEIGHTS)
    copy_reranker("bert_sigmoid", folder).rename(folder / "ms-marco-MiniLM-L6-v2")
    for name, ids in ("docs.jsonl", range(300)), ("log.jsonl", ["a", "b", *map(str, range(2, 300))]):
        lines = [{"id": id, "text": f"line {id}", "price": 0.5, "level": "ERROR", "year": 2024} for id in ids]
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name in "docs.txt", "notes.txt":
        (folder / name).write_text("".join(f"line {i}\n" for i in range(300)))
    (folder / "docs").mkdir()
    (folder / "docs" / "more.txt").write_text("more\n")


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCKS[page]])
def test_blocks_run_and_print_what_is_shown(page: str, tmp_path: Path) -> None:
    if page in ELSEWHERE:
        pytest.skip(ELSEWHERE[page])
    if not WEIGHTS.exists():
        pytest.skip("no model: scripts/get_model.sh")
    make_files(tmp_path)
    blocks = [(block, shown) for reason, block, shown in BLOCKS[page] if not reason]
    ran = subprocess.run(
        [sys.executable, "-c", RUN, GIVEN, json.dumps([block for block, _ in blocks])],
        cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for (block, shown), printed in zip(blocks, json.loads(ran.stdout), strict=True):
        if shown:
            assert printed == shown, block


def test_there_are_blocks() -> None:
    assert sum(bool(shown) and not reason for blocks in BLOCKS.values() for reason, _, shown in blocks) >= 1
