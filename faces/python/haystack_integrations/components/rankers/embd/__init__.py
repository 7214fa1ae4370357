"""Haystack's ranker of embd. It stands in Haystack's namespace because loaded pipelines trust no other."""

from haystack_integrations.components.rankers.embd.ranker import EmbdRanker

__all__ = ["EmbdRanker"]
