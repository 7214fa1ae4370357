"""A component that ranks documents for a query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import embd
from embd.integrations._haystack import text_of
from haystack import Document, component, default_from_dict, default_to_dict


@component
class EmbdRanker:
    """Ranks documents: run(query, documents) → {"documents"}, new ones with their scores, the best first.

    model: a cross-encoder by its path or name, opened by warm_up() or the first run().
    top_k: how many documents are kept. score_threshold: documents with lower scores are left out.
    scale_score: scores from 0 to 1, else logits.
    meta_fields_to_embed: fields put before the content, separated by `separator`.
    Of documents with the same id the first is ranked.
    """

    def __init__(
        self,
        model: str,
        top_k: int = 10,
        threads: int = 0,
        meta_fields_to_embed: list[str] | None = None,
        separator: str = "\n",
        scale_score: bool = True,
        score_threshold: float | None = None,
    ) -> None:
        if top_k <= 0:
            raise ValueError(f"top_k {top_k}, expected at least 1")
        self.model = model
        self.top_k = top_k
        self.threads = threads
        self.meta_fields_to_embed = meta_fields_to_embed or []
        self.separator = separator
        self.scale_score = scale_score
        self.score_threshold = score_threshold
        self._opened: embd.Reranker | None = None

    def warm_up(self) -> None:
        if self._opened is None:
            self._opened = embd.Reranker(self.model, threads=self.threads)

    def to_dict(self) -> dict[str, Any]:
        saved: dict[str, Any] = default_to_dict(
            self,
            model=self.model,
            top_k=self.top_k,
            threads=self.threads,
            meta_fields_to_embed=self.meta_fields_to_embed,
            separator=self.separator,
            scale_score=self.scale_score,
            score_threshold=self.score_threshold,
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        scale_score: bool | None = None,
        score_threshold: float | None = None,
    ) -> dict[str, Any]:
        keep = self.top_k if top_k is None else top_k
        if keep <= 0:
            raise ValueError(f"top_k {keep}, expected at least 1")
        scaled = self.scale_score if scale_score is None else scale_score
        least = self.score_threshold if score_threshold is None else score_threshold
        self.warm_up()
        assert self._opened is not None
        first: dict[str, Document] = {}
        for document in documents:
            first.setdefault(document.id, document)
        unique = list(first.values())
        texts = [text_of(document, self.meta_fields_to_embed, self.separator) for document in unique]
        ranked = self._opened.rank(query, texts, keep, activation="sigmoid" if scaled else "identity")
        return {
            "documents": [
                replace(unique[best.index], score=best.score) for best in ranked if least is None or best.score >= least
            ]
        }
