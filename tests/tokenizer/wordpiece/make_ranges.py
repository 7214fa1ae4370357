#!/usr/bin/env python3
"""Writes tests/data/tokenizer/ranges.jsonl.gz: texts with the ids and the places of the real tokenizer.

    pip install tokenizers==0.23.3 && tests/tokenizer/wordpiece/make_ranges.py

The texts of tokens.jsonl.gz, and random ones of what makes places differ from lengths: accents in one character and
in two, marks that stay, ideographs, Hangul syllables that fall apart, controls inside words, emoji, unknown and long
words, special tokens. Places are in characters, [begin, end)."""
import gzip
import json
import random
import unicodedata
from pathlib import Path

from tokenizers import BertWordPieceTokenizer
from tokenizers.normalizers import BertNormalizer

DATA = Path(__file__).resolve().parent.parent / "data" / "tokenizer"
NUM_RANDOM = 2000
PARTS = ["e\u0301", "é", "\u0301", "\u0308\u0301", "ǖ", "가각", "각", "が", "か\u3099", "漢", "字", "豈", "\U0002f800", "😀",
         "👩\u200d🔬", "\u200d", "\u00ad", "\x01", "\t", " ", "\u3000", "\ufffd", "ﬁ", "ß", "İ", "ı", "Σ", "≠", "ø", "क\u094d",
         "ก\u0e33", "\u0f73", "[SEP]", "[MASK]", "[sep]", "[", "##", "'", "-", "don't", "embedding", "EMBEDDING", "naïve",
         "unaffable", "xqzzq", "a" * 101, "é" * 100, "1½", "x²", "½", "\u1e69", "s\u0323\u0307", "s\u0307\u0323"]
CLEAN_UP = BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)


def is_reordered(text):
    text = CLEAN_UP.normalize_str(text)  # what it drops separates no marks
    return unicodedata.normalize("NFD", text) != "".join(unicodedata.normalize("NFD", c) for c in text)


def main():
    vocabulary = {}
    with gzip.open(DATA / "vocab.txt.gz", "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            vocabulary[line.rstrip("\n")] = len(vocabulary)
    tokenizer = BertWordPieceTokenizer(vocabulary)
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])

    with gzip.open(DATA / "tokens.jsonl.gz", "rt") as file:
        texts = [json.loads(line)["text"] for line in file]
    draw = random.Random(7)
    for _ in range(NUM_RANDOM):
        texts.append("".join(draw.choice(PARTS) for _ in range(draw.randrange(1, 12))))

    lines = []
    for text in texts:
        encoding = tokenizer.encode(text)
        if is_reordered(text) and vocabulary["[UNK]"] in encoding.ids:
            continue
        lines.append(json.dumps({"text": text, "ids": encoding.ids, "offsets": encoding.offsets}, separators=(",", ":")))
    with open(DATA / "ranges.jsonl.gz", "wb") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
            packed.write("".join(line + "\n" for line in lines).encode())
    print(len(lines), "texts")


if __name__ == "__main__":
    main()
