"""Components for Haystack, which are defined in haystack_integrations.components."""

from haystack_integrations.components.embedders.embd import EmbdDocumentEmbedder, EmbdTextEmbedder
from haystack_integrations.components.rankers.embd import EmbdRanker

__all__ = ["EmbdDocumentEmbedder", "EmbdRanker", "EmbdTextEmbedder"]
