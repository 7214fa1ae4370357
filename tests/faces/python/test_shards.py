"""Near-duplicates of a folder of parts, by shards: those of all rows at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import embd
import numpy as np
import pyarrow as pa
import pytest
from embd import parts, shards

MODEL = str(Path(__file__).resolve().parents[2] / "data" / "embd" / "plain.weights")


def rows_with_duplicates(count: int, dim: int) -> Any:
    """Rows of which some are near others, and some copies."""
    random = np.random.default_rng(3)
    rows = random.normal(size=(count, dim)).astype(np.float32)
    for row in random.choice(count, count // 3, replace=False):
        rows[row] = rows[random.integers(count)] + random.choice([0, 0.1]) * random.normal(size=dim)
    return rows


def write_folder(folder: Path, rows: Any, ids: Any, part_rows: int) -> None:
    """A folder of parts, as the workers of an engine leave it."""
    recipe: Any = {**embd.Model(MODEL).recipe, "truncate_dim": rows.shape[1]}
    place = parts.Folder(folder)
    place.create()
    listed = []
    for first in range(0, len(rows), part_rows):
        some, of_some = rows[first : first + part_rows], ids[first : first + part_rows]
        digest = embd.Digest(recipe)
        digest.update(some, of_some, [f"text {id}" for id in of_some])
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(some.reshape(-1)), rows.shape[1])
        name = parts.part_name(digest.input_hex(), digest.recipe_hex())
        parts.write_part(place, name, pa.table({"id": of_some, "embedding": vectors}), digest, vector_column="embedding",
                         compression="none", row_group_rows=100)
        listed.append(parts.Part(name, len(some), of_some[0], of_some[-1], digest))
    whole = sum((part.digest for part in listed), embd.Digest(recipe))
    parts.write_manifest(place, parts.Manifest(recipe, "text", "id", "embedding", whole, tuple(listed)))


@pytest.mark.parametrize("num_shards", [1, 2, 5])
def test_the_rows_kept_are_those_of_all_rows(tmp_path: Path, num_shards: int) -> None:
    rows = rows_with_duplicates(1500, 32)
    rows[200:1400:7] = rows[3]  # copies in all shards
    write_folder(tmp_path, rows, list(range(1500)), 150)
    found = shards.dedupe(tmp_path, shards=num_shards)
    whole = embd.dedupe(rows)
    assert found.ids.tolist() == list(range(1500))
    assert found.duplicates.representatives.tolist() == whole.representatives.tolist()
    assert found.kept_ids.tolist() == whole.kept.tolist()
    assert 500 < len(whole.kept) < 1300
    assert len(found.duplicates.pairs) <= len(whole.pairs) + 200 * num_shards
    assert found.duplicates.recall is None
    # Tasks may end in any order.
    again = shards.dedupe(tmp_path, shards=num_shards, run=lambda function, tasks: [function(task) for task in reversed(tasks)])
    assert again.duplicates.pairs.tolist() == found.duplicates.pairs.tolist()


def test_ids_of_strings_and_an_index(tmp_path: Path) -> None:
    rows = rows_with_duplicates(600, 16)
    write_folder(tmp_path, rows, [f"row {i}" for i in range(600)], 100)
    found = shards.dedupe(tmp_path, shards=2, exact_rows=50)
    assert found.kept_ids == [f"row {i}" for i in embd.dedupe(rows).kept]
    assert found.duplicates.recall is not None and found.duplicates.recall.share > 0.9


def test_chains_over_shards_are_one_group(tmp_path: Path) -> None:
    angles = 0.3 * np.random.default_rng(5).permutation(400).astype(np.float32) / 20
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    write_folder(tmp_path, rows, list(range(400)), 50)
    found = shards.dedupe(tmp_path, shards=4, min_similarity=0.9998)
    assert found.kept_ids.tolist() == embd.dedupe(rows, min_similarity=0.9998).kept.tolist() == [0]


def test_what_is_wrong(tmp_path: Path) -> None:
    write_folder(tmp_path, rows_with_duplicates(20, 4), list(range(20)), 10)
    for num_shards in (0, 3):
        with pytest.raises(ValueError, match="shards|shard "):
            shards.dedupe(tmp_path, shards=num_shards)
    with pytest.raises(embd.Error, match="min_similarity is 2"):
        shards.dedupe(tmp_path, min_similarity=2)
    (tmp_path / parts.read_manifest(tmp_path).parts[1].file).unlink()
    with pytest.raises(FileNotFoundError, match="does not exist"):
        shards.dedupe(tmp_path)
