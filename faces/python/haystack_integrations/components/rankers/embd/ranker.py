"""A component of Haystack that ranks documents for a query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import embd
from embd.integrations._haystack import text_of
from haystack import Document, component, default_from_dict, default_to_dict


@component
class EmbdRanker:
    """Ranks documents for a query: run(query, documents) returns {"documents": …}, best first.

    The documents that it returns are copies with their scores. If several documents have the same id, only the first of
    them is ranked.

    model: the path or name of a reranker. It is opened in warm_up() or, without it, in the first run().
    top_k: the number of documents that are returned.
    threads: the number of threads; 0 takes all CPUs that the process may use.
    meta_fields_to_embed: the fields of a document's meta whose values are put before its content.
    separator: the string between these values and the content.
    scale_score: True gives scores from 0 to 1, False gives logits.
    score_threshold: the least score of a document that is returned. None returns all.
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
        """Opens the reranker, unless it is open already."""
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
