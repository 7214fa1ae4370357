from __future__ import annotations

from typing import Any

import embd
import pytest

mteb = pytest.importorskip("mteb")


def small_task(texts: list[str]) -> Any:
    import datasets
    from mteb.abstasks import AbsTaskSTS
    from mteb.abstasks.task_metadata import TaskMetadata

    class Task(AbsTaskSTS):
        metadata = TaskMetadata(
            name="Small",
            dataset={"path": "none/none", "revision": "1"},
            description="six pairs",
            type="STS",
            category="t2t",
            modalities=["text"],
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="cosine_spearman",
            reference=None,
            date=("2020-01-01", "2020-01-02"),
            domains=[],
            task_subtypes=[],
            license=None,
            annotations_creators=None,
            dialect=[],
            sample_creation=None,
            bibtex_citation="",
        )
        min_score = 0
        max_score = 5

        def load_data(self, **kwargs: object) -> None:
            pairs = {"sentence1": texts[:6], "sentence2": texts[1:7], "score": [4.0, 1.0, 0.0, 1.0, 2.0, 3.0]}
            self.dataset = datasets.DatasetDict({"test": datasets.Dataset.from_dict(pairs)})
            self.data_loaded = True

    return Task()


def test_task(model: embd.Model, texts: list[str]) -> None:
    from embd.integrations.mteb import EmbdModel

    result = mteb.evaluate(EmbdModel(model), small_task(texts), cache=None)
    assert -1 <= result.task_results[0].get_score() <= 1


def test_our_class_is_taken_as_it_is(model_path: str, model: embd.Model, texts: list[str]) -> None:
    from embd.integrations.mteb import EmbdModel

    hooked = mteb.evaluate(EmbdModel(model), small_task(texts), cache=None).task_results[0].get_score()
    result = mteb.evaluate(embd.SentenceTransformer(model_path), small_task(texts), cache=None)
    assert result.task_results[0].get_score() == pytest.approx(hooked, abs=1e-6)
