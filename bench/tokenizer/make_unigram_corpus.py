#!/usr/bin/env python3
"""Makes what the Unigram tokenizer is timed on: a vocabulary of XLM-R's size and prose in ten scripts, all of it made up.

    make_unigram_corpus.py OUT [--pieces 250000] [--bytes 1000000]

OUT/tokenizer.json           250,000 pieces in the layout of XLM-R, with the character map of the golden tokenizer
OUT/prose_SCRIPT.txt         sentences, one a line, about that many bytes a script
OUT/word_SCRIPT.txt          one word of ten times as many bytes

Each script has a lexicon of made-up words, a stem of one to three syllables and an ending, and the words of its sentences are
drawn from it by Zipf's law. Its pieces are the commonest words, their beginnings, endings and syllables, scored by how common they
are: so most words are one to three pieces, as in real text. Han, kana and Thai stand without spaces. The same arguments give the
same bytes.
"""
import argparse
import collections
import gzip
import itertools
import json
import math
import os
import random

GOLDEN = os.path.join(os.path.dirname(__file__), "../../tests/data/unigram/tokenizer_words.json.gz")
MARK = "\u2581"
# Code points of the longest piece that is a whole word, and that is part of one.
LONGEST_WHOLE = 7
LONGEST_PART = 6

# A script: syllable beginnings, syllable ends, what stands between words, what ends a sentence.
SCRIPTS = {
    "latin": ("b c d f g h l m n p r s t v st tr pl".split(), "a e i o u é ü an er on is".split(), " ", "."),
    "cyrillic": ("б в г д ж з к л м н п р с т ст пр".split(), "а е и о у я ой ен ов ит".split(), " ", "."),
    "greek": ("β γ δ θ κ λ μ ν π ρ σ τ φ χ".split(), "α ε η ι ο υ ω ος ον αι".split(), " ", "."),
    "hebrew": ("א ב ג ד ה ו ז ח ט י כ ל מ נ ס ע פ צ ק ר ש ת".split(), "ו י ה ים ות א ל ר".split(), " ", "."),
    "arabic": ("ب ت ث ج ح د ر ز س ش ص ط ع ف ق ك ل م ن ه".split(), "ا و ي ة ان ين ات ه".split(), " ", "."),
    "devanagari": ("क ख ग च ज ट ड त द न प ब म य र ल व श स ह क्ष".split(), "ा ि ी ु े ो ं र न ".split(" "), " ", "।"),
    "thai": ("ก ข ค ง จ ช ด ต ท น บ ป พ ม ย ร ล ว ส ห".split(), "า ี ู ะ ิ ่า ้น ัน อง".split(), "", " "),
    "kana": ("か き く け こ さ し す せ そ た ち つ て と な に ぬ ね の は ひ ふ ま み む ラ リ ル レ ロ".split(), "い う ん る し の ー が は".split(), "", "。"),
    "han": ([chr(0x4E00 + 7 * i) for i in range(900)], [chr(0x5100 + 11 * i) for i in range(700)], "", "。"),
    "hangul": ([chr(0xAC00 + 28 * 5 * i) for i in range(70)], [chr(0xAC00 + 28 * 3 * i + 4) for i in range(90)], " ", "."),
}


def zipf(items, power=1.0):
    return list(itertools.accumulate(1 / (rank + 2) ** power for rank in range(len(items))))


def lexicon(rng, onsets, rimes, size):
    """Returns different words, the most frequent first. Short words are more frequent."""
    syllables = [a + b for a in onsets for b in rimes]
    rng.shuffle(syllables)
    syllables = syllables[:3000]
    weights = zipf(syllables, 0.7)
    endings = rng.sample(syllables, 30)
    words = {}
    while len(words) < size:
        syllable_count = rng.choice([1, 1, 2, 2] if len(words) < size // 20 else [1, 2, 2, 3, 3])
        word = "".join(rng.choices(syllables, cum_weights=weights, k=syllable_count))
        if rng.random() < 0.3:
            word += rng.choice(endings)
        words.setdefault(word)
    return list(words), syllables


def pieces_of(words, syllables, count, spaced):
    """Returns the most frequent words and parts of words, with the logarithms of their frequencies."""
    counts = collections.Counter()
    total = 0.0
    for rank, word in enumerate(words):
        weight = 1 / (rank + 2)
        total += weight
        full = MARK + word if spaced else word
        if len(full) <= LONGEST_WHOLE:
            counts[full] += weight
        for size in range(1, min(len(full), LONGEST_PART + 1)):
            counts[full[:size]] += weight / 40
            counts[full[-size:]] += weight / 40
    letters = {c for piece in counts for c in piece} | {c for s in syllables for c in s}
    for letter in letters:
        counts[letter] += 1e-7
    best = sorted(letters) + [p for p, _ in counts.most_common() if p not in letters][:count - len(letters)]
    return {piece: math.log(counts[piece] / total) - 3 for piece in best}


def sentences(rng, words, space, stop, size):
    weights = zipf(words)
    lines, got = [], 0
    while got < size:
        line = space.join(rng.choices(words, cum_weights=weights, k=rng.randint(6, 24)))
        if rng.random() < 0.5:
            line = line[:1].upper() + line[1:]
        if rng.random() < 0.3:
            line += space + str(rng.randint(1, 2030))
        lines.append(line + stop)
        got += len(lines[-1].encode()) + 1
    return lines


def one_word(rng, words, size):
    weights = zipf(words)
    parts, got = [], 0
    while got < size:
        parts.append(rng.choices(words, cum_weights=weights)[0])
        got += len(parts[-1].encode())
    return "".join(parts)


def float32(score):
    import struct
    return struct.unpack("f", struct.pack("f", score))[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--pieces", type=int, default=250_000)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    rng = random.Random(args.seed)

    scores = {MARK: -4.0}
    for c in map(chr, range(0x21, 0x7F)):
        scores[c] = -9.0
    for number in range(2031):
        scores[MARK + str(number)] = -12.0
    for name, (onsets, rimes, space, stop) in SCRIPTS.items():
        words, syllables = lexicon(rng, onsets, rimes, 30_000)
        count = args.pieces // len(SCRIPTS)
        for piece, score in pieces_of(words, syllables, count, bool(space)).items():
            scores.setdefault(piece, score)
        scores.setdefault(stop.strip() or ".", -4.0)
        with open(os.path.join(args.out, f"prose_{name}.txt"), "w", encoding="utf8") as f:
            f.writelines(line + "\n" for line in sentences(rng, words, space, stop, args.bytes))
        with open(os.path.join(args.out, f"word_{name}.txt"), "w", encoding="utf8") as f:
            f.write(one_word(rng, words, 10 * args.bytes) + "\n")

    with gzip.open(GOLDEN, "rt", encoding="utf8") as f:
        tokenizer = json.load(f)
    common = sorted(scores, key=lambda piece: (-scores[piece], piece))
    vocab = [[piece, 0.0] for piece in ("<s>", "<pad>", "</s>", "<unk>")]
    vocab += [[piece, float32(scores[piece])] for piece in common] + [["<mask>", 0.0]]
    tokenizer["model"]["vocab"] = vocab
    tokenizer["added_tokens"][-1]["id"] = len(vocab) - 1
    with open(os.path.join(args.out, "tokenizer.json"), "w") as f:
        json.dump(tokenizer, f)
    print(len(vocab), "pieces,", sum(len(piece.encode()) for piece, _ in vocab), "bytes")


if __name__ == "__main__":
    main()
