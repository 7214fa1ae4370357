"""Describes a model for tools that write model cards, and keeps the results of evaluators for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class ModelCardData:
    """The fields of sentence-transformers' SentenceTransformerModelCardData, without the fields about training.

    embd writes no model card. For that, use the class of sentence-transformers.
    """

    language: list[str] | str | None = field(default_factory=list)
    license: str | None = None
    model_name: str | None = None
    model_id: str | None = None
    train_datasets: list[dict[str, str]] = field(default_factory=list)
    eval_datasets: list[dict[str, str]] = field(default_factory=list)
    task_name: str | None = "semantic textual similarity, semantic search, paraphrase mining, classification, clustering, and more"
    tags: list[str] = field(default_factory=lambda: ["sentence-transformers", "sentence-similarity", "feature-extraction", "dense"])
    local_files_only: bool = False
    base_model: str | None = None
    base_model_revision: str | None = None
    eval_results_dict: dict[Any, dict[str, Any]] = field(default_factory=dict)
    """The latest metrics of each evaluator."""

    def set_evaluation_metrics(self, evaluator: Any, metrics: dict[str, Any], epoch: int = 0, step: int = 0) -> None:
        """Keeps the metrics of an evaluator, which calls this method."""
        self.eval_results_dict[evaluator] = dict(metrics)

    def set_model_id(self, model_id: str) -> None:
        self.model_id = model_id

    def set_base_model(self, model_id: str, revision: str | None = None) -> bool:
        self.base_model, self.base_model_revision = model_id, revision
        return True

    def set_language(self, language: str | list[str]) -> None:
        self.language = [language] if isinstance(language, str) else language

    def set_license(self, license: str) -> None:
        self.license = license

    def add_tags(self, tags: str | list[str]) -> None:
        for tag in [tags] if isinstance(tags, str) else tags:
            if tag not in self.tags:
                self.tags.append(tag)

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as a dict, without the metrics of evaluators."""
        fields = dict(vars(self))
        del fields["eval_results_dict"]
        return fields
