"""sentence-transformers' class SentenceTransformer on our engine, without torch.

The package has this name because BERTopic and KeyBERT choose how they use a model by the name of its class's module.
"""

from embd.sentence_transformers.model import SentenceTransformer

__all__ = ["SentenceTransformer"]
