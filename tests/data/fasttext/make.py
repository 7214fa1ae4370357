#!/usr/bin/env python3
"""Writes this folder with fastText 0.9.2 (fasttext-wheel): small models and the vectors that the
library itself computes for their words, as FILE.expected.json, which is [[word, [value, …]], …]."""
import json
import pathlib
import tempfile

import fasttext

here = pathlib.Path(__file__).parent
text = """a small boat sails past the old harbour wall
the harbour light turns and the boat turns home
über dem Hafen fliegen Möwen und über dem Boot
日本 の 港 に 船 が 来る 日本
"""
labelled = "__label__sea the boat sails\n__label__land the wall is old\n"


def write(name, train, corpus, **settings):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(corpus)
        file.flush()
        model = train(file.name, thread=1, epoch=5, minCount=1, verbose=0, **settings)
    path = here / name
    model.save_model(str(path))
    words = [[word, [float(x) for x in model.get_word_vector(word)]] for word in model.get_words()]
    path.with_suffix(".expected.json").write_text(json.dumps(words) + "\n")


write("skipgram.bin", fasttext.train_unsupervised, text, model="skipgram", dim=4, minn=3, maxn=6,
      bucket=50)
write("cbow_short_ngrams.bin", fasttext.train_unsupervised, text, model="cbow", dim=3, minn=1,
      maxn=2, bucket=20)
write("no_ngrams.bin", fasttext.train_unsupervised, text, model="cbow", dim=5, minn=0, maxn=0)
write("supervised.bin", fasttext.train_supervised, labelled, dim=4, minn=2, maxn=3, bucket=20,
      loss="softmax")
