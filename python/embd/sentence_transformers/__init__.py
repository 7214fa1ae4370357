"""sentence-transformers' classes SentenceTransformer and CrossEncoder on our engine, without torch.

The package has this name because BERTopic and KeyBERT choose how they use a model by the name of its class's module.
"""

from embd.sentence_transformers.cross_encoder import CrossEncoder
from embd.sentence_transformers.model import SentenceTransformer

__all__ = ["CrossEncoder", "SentenceTransformer"]
