"""Haystack's components: in its own namespace, because pipelines that are loaded trust no other."""

from haystack_integrations.components.embedders.embd.embedders import EmbdDocumentEmbedder, EmbdTextEmbedder

__all__ = ["EmbdDocumentEmbedder", "EmbdTextEmbedder"]
