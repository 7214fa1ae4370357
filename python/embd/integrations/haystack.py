"""Haystack: the components of haystack_integrations.components.embedders.embd, by embd's own path."""

from haystack_integrations.components.embedders.embd import EmbdDocumentEmbedder, EmbdTextEmbedder

__all__ = ["EmbdDocumentEmbedder", "EmbdTextEmbedder"]
