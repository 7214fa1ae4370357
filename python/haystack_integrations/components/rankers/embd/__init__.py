"""Haystack's components: in its own namespace, because pipelines that are loaded trust no other."""

from haystack_integrations.components.rankers.embd.ranker import EmbdRanker

__all__ = ["EmbdRanker"]
