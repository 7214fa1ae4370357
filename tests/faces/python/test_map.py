from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import embd


def rows_in_groups(count: int, groups: int = 4, dim: int = 16) -> NDArray[np.float32]:
    random = np.random.default_rng(3)
    centers = random.normal(size=(groups, dim))
    return (centers[np.arange(count) % groups] + 0.2 * random.normal(size=(count, dim))).astype(np.float32)


def test_places_of_a_group_are_near_each_other() -> None:
    places = embd.project(rows_in_groups(200))
    assert places.shape == (200, 2) and places.dtype == np.float32
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(200)
    assert (distances.argmin(axis=1) % 4 == np.arange(200) % 4).all()


def test_places_are_the_same_on_any_number_of_threads() -> None:
    rows = rows_in_groups(500)
    assert (embd.project(rows, threads=1) == embd.project(rows, threads=3)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_rows(count: int) -> None:
    assert embd.project(rows_in_groups(count)).shape == (count, 2)


def test_a_map_shows_itself(tmp_path: Path) -> None:
    texts = [f"text {i} </script>" for i in range(40)]
    drawn = embd.Map(rows_in_groups(40), texts=texts, color_by=np.arange(40) % 4, color_name="kind")
    assert drawn.names == ["0", "1", "2", "3"]
    assert (drawn.labels == np.arange(40) % 4).all()
    shown = drawn._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;')
    assert shown.count("<") == 2  # The frame alone: the page is an attribute.
    drawn.save(tmp_path / "map.html")
    drawn.save(tmp_path / "map.svg")
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == drawn.html()
    assert (tmp_path / "map.svg").read_text(encoding="utf-8").startswith("<svg ")
    with pytest.raises(OSError):
        drawn.save(tmp_path / "nowhere" / "map.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.html", "map.svg"]
    assert repr(drawn) == "<embd.Map of 40 rows in 4 groups>"


def test_groups_are_found_and_named() -> None:
    texts = [f"{['bread', 'river', 'engine', 'violin'][i % 4]} {i}" for i in range(60)]
    drawn = embd.Map(rows_in_groups(60), texts=texts, groups=4)
    assert {name.split(",")[0] for name in drawn.names} == {"bread", "river", "engine", "violin"}
    assert embd.Map(rows_in_groups(60), groups=0).names == []


def test_numbers_become_steps_and_none_is_in_no_group() -> None:
    drawn = embd.Map(rows_in_groups(100), color_by=[None if i == 5 else i / 10 for i in range(100)])
    assert len(drawn.names) == 7
    assert drawn.labels[5] == -1 and drawn.labels[0] == 0 and drawn.labels[99] == 6
    assert embd.Map(rows_in_groups(4), color_by=[-0.0, 0.0, 1.0, 1.0]).labels.tolist() == [0, 0, 1, 1]
    for odd, steps, label in ((float("nan"), 7, -1), (float("inf"), 6, 5)):
        mixed = embd.Map(rows_in_groups(100), color_by=[odd if i % 3 == 1 else i / 10 for i in range(100)])
        assert len(mixed.names) == steps
        assert mixed.labels[0] == 0 and mixed.labels[1] == label


def test_parts_that_do_not_fit_are_refused() -> None:
    rows = rows_in_groups(20)
    refused: list[dict[str, Any]] = [{"texts": ["one"]}, {"ids": ["one"]}, {"color_by": [1, 2]}]
    for wrong in refused:
        with pytest.raises(embd.Error, match="20 rows"):
            embd.Map(rows, **wrong)
    rows[7, 3] = np.nan
    with pytest.raises(embd.Error, match="7"):
        embd.project(rows)
