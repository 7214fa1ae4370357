#!/usr/bin/env python3
"""Writes this folder with the Python package finalfusion 0.7.1: the same words and rows in each of
word2vec's forms. The value at row i, column j is i − 1 + j / 4."""
import pathlib

import numpy as np
from finalfusion import Embeddings
from finalfusion.compat import write_text, write_text_dims, write_word2vec
from finalfusion.storage import NdArray
from finalfusion.vocab import SimpleVocab

here = pathlib.Path(__file__).parent
words = ["</s>", "the", "Zürich", "日本", "x" * 40]
rows = np.array([[i - 1 + j / 4 for j in range(3)] for i in range(len(words))], dtype=np.float32)
embeddings = Embeddings(NdArray(rows), SimpleVocab(words))
write_word2vec(here / "words.w2v.bin", embeddings)
write_text(here / "words.txt", embeddings)
write_text_dims(here / "words.vec", embeddings)
