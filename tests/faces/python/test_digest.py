"""embd.Digest: the number that the command line prints, whatever the order and the parts."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest


@pytest.fixture
def rows(model: embd.Model, texts: list[str]) -> Any:
    return model.encode(texts)


def test_order_and_parts(model: embd.Model, texts: list[str], rows: Any) -> None:
    ids = [f"text {i}" for i in range(len(texts))]
    whole = embd.Digest(model.recipe)
    whole.update(rows, ids, texts)
    assert whole.count == len(texts)
    parts = []
    for part in ([5, 0, 7], [1, 2, 3, 4, 6]):
        digest = embd.Digest(model.recipe)
        for i in part:
            digest.update(rows[i : i + 1], [ids[i]], [texts[i]])
        parts.append(pickle.loads(pickle.dumps(digest)))
    assert parts[0] + parts[1] == whole
    assert sum(parts, embd.Digest(model.recipe)) == whole
    parts[1] += parts[0]
    assert parts[1] == whole and parts[1].hex() == whole.hex() and len(whole.hex()) == 64
    assert parts[0] != whole
    assert embd.Digest.from_json(whole.to_json()) == whole


def test_the_bytes_that_the_format_says(model: embd.Model, texts: list[str], rows: Any) -> None:
    digest = embd.Digest(model.recipe)
    digest.update(rows, texts=texts, first_row=10)
    total = 0
    for i, (row, text) in enumerate(zip(rows, texts)):
        utf8 = text.encode()
        parts = [b"embd digest 1 row", digest.recipe_hex().encode(), b"\0", struct.pack("<Q", 10 + i)]
        parts += [struct.pack("<Q", len(utf8)), utf8, struct.pack("<Q", len(row)), row.astype("<f4").tobytes()]
        total += int.from_bytes(hashlib.sha256(b"".join(parts)).digest(), "big")
    assert digest.hex() == f"{total % 2**256:064x}"


def test_what_is_seen(model: embd.Model, texts: list[str], rows: Any) -> None:
    def of(rows: Any, ids: Any, texts: Any) -> embd.Digest:
        digest = embd.Digest(model.recipe)
        digest.update(rows, ids, texts)
        return digest

    ids = list(range(len(texts)))
    whole = of(rows, ids, texts)
    swapped = rows.copy()
    swapped[[0, 2]] = swapped[[2, 0]]
    flipped = rows.copy()
    flipped.view(np.uint32)[3, 3] ^= 1
    for other in (
        of(swapped, ids, texts),
        of(flipped, ids, texts),
        of(rows[:-1], ids[:-1], texts[:-1]),
        of(np.concatenate([rows, rows[:1]]), [*ids, 0], [*texts, texts[0]]),
        of(rows, [*ids[:-1], 99], texts),
        of(rows, ids, ["other", *texts[1:]]),
    ):
        assert other != whole and other.hex() != whole.hex()
    # The input's and the vectors' sums tell which of the two differs.
    assert of(flipped, ids, texts).input_hex() == whole.input_hex()
    assert of(rows, ids, ["other", *texts[1:]]).vectors_hex() == whole.vectors_hex()


def test_errors(model: embd.Model, texts: list[str], rows: Any) -> None:
    digest = embd.Digest(model.recipe)
    digest.update(rows, texts=texts)
    with pytest.raises(embd.Error, match="recipe") as mismatch:
        _ = digest + embd.Digest(model.recipe_of(truncate_dim=8))
    assert mismatch.value.code == "recipe_mismatch"
    without = embd.Digest(model.recipe)
    without.update(rows)
    with pytest.raises(ValueError, match="texts"):
        digest += without
    for ids, given in ((None, texts[1:]), (None, []), ([1, 2], texts), (None, None)):
        with pytest.raises(ValueError):
            digest.update(rows, ids, given)
    with pytest.raises(ValueError, match="dimensions"):
        digest.update(rows[0])
    with pytest.raises(TypeError):
        _ = digest + 1  # type: ignore[operator]
    with pytest.raises(embd.Error):
        embd.Digest.from_json('{"count": 1}')


def test_the_command_line(
    model: embd.Model, model_path: str, texts: list[str], rows: Any, tmp_path: Path, program: str
) -> None:
    source = tmp_path / "texts.txt"
    source.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    out = tmp_path / "rows.npy"
    embd.embed_file(model, source, out)
    printed = subprocess.run([program, "digest", out, source], capture_output=True, text=True, check=True).stdout
    found = embd.digest_file(out, source)
    assert json.loads(printed) == json.loads(found.to_json())
    digest = embd.Digest(embd.read_vectors(out).recipe)
    digest.update(rows, texts=texts)
    assert digest == found
    bare = embd.digest_file(out)
    assert bare.hex() == found.vectors_hex() and bare.input_hex() == ""
    source.write_text("one line\n", encoding="utf-8")
    with pytest.raises(embd.Error, match="fewer texts"):
        embd.digest_file(out, source)


def test_the_module_says_what_is_installed(model_path: str) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "embd", *arguments], capture_output=True, text=True)

    said = run(model_path)
    assert said.returncode == 0 and f"embd {embd.__version__}" in said.stdout and model_path in said.stdout
    missing = run("no-such-model")
    assert missing.returncode == 3 and "was found in these places" in missing.stdout
    assert run("--help").returncode == 0 and run("--what").returncode == 2
