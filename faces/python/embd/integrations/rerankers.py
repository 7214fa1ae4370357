"""Rerankers of embd in the package rerankers.

    import embd.integrations.rerankers                      # once: it registers the type "embd"
    ranker = Reranker("ms-marco-MiniLM-L6-v2", model_type="embd")
    ranker.rank(query, documents).top_k(3)

EmbdRanker("ms-marco-MiniLM-L6-v2") makes the same ranker.
"""

from __future__ import annotations

from typing import Any

from embd.integrations import RerankerOrName, open_reranker
from rerankers.documents import Document
from rerankers.models import AVAILABLE_RANKERS
from rerankers.models.ranker import BaseRanker
from rerankers.results import RankedResults, Result
from rerankers.utils import prep_docs


class EmbdRanker(BaseRanker):
    """A ranker with the same scores as embd.Reranker.rank().

    model_name_or_path: a path, a name, or an embd.Reranker.
    verbose: accepted because the package passes it; it has no effect.
    options: the options of embd.Reranker.rank(), such as activation, prompt, max_length and threads.
    """

    def __init__(self, model_name_or_path: RerankerOrName, verbose: int = 1, **options: Any) -> None:
        self.reranker = open_reranker(model_name_or_path)
        self.verbose = verbose
        self._options = options

    def score(self, query: str, doc: str) -> float:
        """Returns the score of one document for a query."""
        return float(self.reranker.score([(query, doc)], **self._options)[0])

    def rank(
        self,
        query: str,
        docs: str | list[str] | Document | list[Document],
        doc_ids: list[str] | list[int] | None = None,
        metadata: list[dict[str, Any]] | None = None,
    ) -> RankedResults:
        """Returns all documents, best first.

        They are ordered by their logits; of equal logits the earlier document comes first.
        """
        documents = prep_docs(docs, doc_ids, metadata) if docs else []
        ranked = self.reranker.rank(query, [document.text for document in documents], **self._options)
        results = [
            Result(document=documents[each.index], score=each.score, rank=place)
            for place, each in enumerate(ranked, start=1)
        ]
        return RankedResults(results=results, query=query, has_scores=True)


AVAILABLE_RANKERS["embd"] = EmbdRanker
