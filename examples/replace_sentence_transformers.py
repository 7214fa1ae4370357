"""A program written for sentence-transformers, with one line changed:  replace_sentence_transformers.py MODEL"""

from __future__ import annotations

import sys

# from sentence_transformers import SentenceTransformer, util
from embd import SentenceTransformer, util


def main() -> None:
    model = SentenceTransformer(sys.argv[1] if len(sys.argv) > 1 else "all-MiniLM-L6-v2")
    sentences = [
        "A cat sits on the mat.",
        "A kitten rests on a rug.",
        "The stock market fell today.",
        "Shares lost value this afternoon.",
    ]

    embeddings = model.encode(sentences, normalize_embeddings=True)
    print(embeddings.shape, embeddings.dtype)

    print(util.cos_sim(embeddings, embeddings).round(2))

    for score, i, j in util.paraphrase_mining(model, sentences, top_k=2)[:2]:
        print(f"{score:.4f}  {sentences[int(i)]}  |  {sentences[int(j)]}")

    codes = util.quantize_embeddings(embeddings, precision="ubinary")
    print(codes.shape, codes.dtype)  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
