"""Haystack: the components of haystack_integrations.components, by embd's own path."""

from haystack_integrations.components.embedders.embd import EmbdDocumentEmbedder, EmbdTextEmbedder
from haystack_integrations.components.rankers.embd import EmbdRanker

__all__ = ["EmbdDocumentEmbedder", "EmbdRanker", "EmbdTextEmbedder"]
