"""Haystack's embedders of embd. They stand in Haystack's namespace because loaded pipelines trust no other."""

from haystack_integrations.components.embedders.embd.embedders import EmbdDocumentEmbedder, EmbdTextEmbedder

__all__ = ["EmbdDocumentEmbedder", "EmbdTextEmbedder"]
