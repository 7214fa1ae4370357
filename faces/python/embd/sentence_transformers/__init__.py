"""The classes SentenceTransformer and CrossEncoder of sentence-transformers, computed by embd and without torch.

The package has this name because BERTopic and KeyBERT choose how to use a model by the name of its class's module.
"""

from embd.sentence_transformers.cross_encoder import CrossEncoder
from embd.sentence_transformers.model import SentenceTransformer

__all__ = ["CrossEncoder", "SentenceTransformer"]
