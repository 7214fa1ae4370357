"""Unigram tokenizers that check_tokenizers.py compares, and the strings that their random texts are drawn from."""
import copy
import gzip
import itertools
import os
import random
import struct

from hostile_texts import DATA, with_ids

MARK = "\u2581"
# Names of the pools below that are drawn from together. "class *" stands for a pool of a class of grapheme clusters.
KINDS = [["letters"], ["letters", "letters", "marks"], ["letters", "letters", "spaces"], ["class *"], ["compat", "marks", "full"], ["pieces"],
         ["special", "spaces", "letters"], ["few"], ["letters", "marks", "spaces", "compat", "special", "class *"]]


def float32(score):
    return struct.unpack("f", struct.pack("f", score))[0]


def variants(golden):
    """Names and tokenizer.json of what differs in one thing from the golden one. Not all of them are allowed in a folder."""
    def variant(change):
        json_ = copy.deepcopy(golden)
        change(json_)
        return with_ids(json_)

    charsmap = golden["normalizer"]
    strip = {"type": "Strip", "strip_left": False, "strip_right": True}

    def replace(by):
        return {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": by}

    def metaspace(scheme="always", split=True):
        return {"type": "Metaspace", "replacement": MARK, "prepend_scheme": scheme, "split": split}

    def spaces(steps, **options):
        def change(json_):
            json_["normalizer"] = {"type": "Sequence", "normalizers": steps}
            json_["pre_tokenizer"] = metaspace(**options)
        return variant(change)

    def words(**options):
        return variant(lambda json_: json_.update(pre_tokenizer={
            "type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace(**options)]}))

    def model(**members):
        return variant(lambda json_: json_["model"].update(members))

    vocab = golden["model"]["vocab"]
    rng = random.Random(1)
    bytes_ = [[f"<0x{b:02X}>", -3.0] for b in range(256)]
    some_bytes = [piece for piece in bytes_ if piece[0] not in ("<0xF0>", "<0xCC>")]
    ties = [[text, score if score == 0 else float(round(score / 2) * 2)] for text, score in vocab]
    short = sorted({a + b for a in "abcde" + MARK for b in "abcde"} | set("abcde") | {"abc", "cde", "bcd", "abcd"})
    few = vocab[:4] + [[text, -float(len(text))] for text in short] + vocab[-1:]
    high = [[text, score + 40] for text, score in few] + [["\u9f98\u9f98", 31.0]]
    yield "words", golden
    yield "spaces", spaces([charsmap, strip, replace(MARK)])
    yield "spaces, replaced by a space", spaces([charsmap, strip, replace(" ")])
    yield "spaces, no Strip", spaces([charsmap, replace(MARK)])
    yield "spaces, no Replace", spaces([charsmap, strip])
    yield "spaces, the map alone", spaces([charsmap])
    yield "spaces, no map", spaces([strip, replace(MARK)])
    yield "spaces, no normalizer", variant(lambda json_: json_.update(normalizer=None, pre_tokenizer=metaspace()))
    yield "words, no normalizer", variant(lambda json_: json_.update(normalizer=None))
    yield "words, never", words(scheme="never")
    yield "spaces, never", spaces([charsmap, strip, replace(MARK)], scheme="never")
    yield "spaces, first", spaces([charsmap, strip, replace(MARK)], scheme="first")
    yield "words, no split", words(split=False)
    yield "spaces, no split", spaces([charsmap, strip, replace(MARK)], split=False)
    yield "spaces, no split, never", spaces([charsmap, replace(MARK)], split=False, scheme="never")
    yield "byte fallback", model(vocab=vocab + bytes_, byte_fallback=True)
    yield "byte fallback, two bytes missing", model(vocab=vocab + some_bytes, byte_fallback=True)
    yield "no unknown piece", model(unk_id=None)
    yield "repeated pieces", model(vocab=vocab[:-1] + [[text, float32(score - rng.choice([0, 1, -1]))] for text, score in vocab[4:-1:3]] + vocab[-1:])
    yield "ties", model(vocab=ties)
    yield "ties of few letters", model(vocab=few)
    yield "high scores", model(vocab=high)


def with_scores(golden, rng):
    """Files whose scores are no float32 or tie."""
    def changed(vocab):
        json_ = copy.deepcopy(golden)
        json_["model"]["vocab"] = vocab
        return with_ids(json_)

    vocab = golden["model"]["vocab"]
    words = ["".join(word) for size in (1, 2, 3) for word in itertools.product("abcde" + MARK, repeat=size) if MARK not in word[1:]]

    def by_length(scores):
        """A piece's score depends on its length, so that ways that differ in the order of their pieces have equal sums, but for rounding."""
        return changed(vocab[:4] + [[word, scores[len(word)]] for word in words] + vocab[-1:])

    yield "scores of float64", changed([[text, score and score * (1 + rng.random() / 100)] for text, score in vocab])
    yield "scores of one decimal", changed([[text, round(score, 1)] for text, score in vocab])
    for i in range(6):
        scores = [0] + [-rng.uniform(8 * n + .5, 9 * n) for n in (1, 2, 3)]  # Here, `tokenizers` rounds many digits to the next number.
        yield f"equal scores of float64 {i}", by_length(scores)
        yield f"equal scores of float32 {i}", by_length([float32(score) for score in scores])


def pools(vocab):
    """Characters and strings that random texts are drawn from."""
    classes = {}
    with gzip.open(os.path.join(DATA, "unigram/graphemes_unicode17.tsv.gz"), "rt") as f:
        for line in f:
            if not line.startswith("#"):
                first, last, name = line.split()
                first, last = int(first, 16), int(last, 16)
                classes.setdefault(f"class {name}", []).extend(chr(c) for c in range(first, min(last, first + 40) + 1))
    letters = [c for piece, _ in vocab for c in piece]
    marks = [chr(c) for c in [*range(0x300, 0x370), 0x483, 0x5B0, 0x64B, 0x93C, 0x94D, 0xE31, 0x20D0, 0x3099, 0x309A, 0xFE0F, 0x903]]
    spaces = [" ", " ", "  ", "   ", "\t", "\n", "\r", "\r\n", "\u0085", "\u00a0", "\u200b", "\u200d", "\u2028", "\u3000", MARK, "\u180e", "\ufeff", "\ufffd", "\x00", "\x01"]
    compat = [chr(c) for c in (0xAA, 0xB2, 0xBA, 0x132, 0x1C4, 0x2122, 0x2139, 0x2160, 0x24B6, 0x3131, 0x3300, 0xFB03, 0xFDFA, 0xFF21, 0xFF76, 0xFFA1, 0x600, 0x958, 0x1E9B, 0xF73, 0x1F71, 0xAC00, 0xA9, 0x212B)]
    special = ["<s>", "</s>", "<pad>", "<unk>", "<mask>", " <mask>", "<mask", "s>", "<", "\uff1cs\uff1e", "\uff1c/s\uff1e", "\uff1cunk\uff1e", "\uff1cmask\uff1e"]
    full = [chr(c) for c in range(0xFF01, 0xFF5F)]
    few = list("abcde") + [MARK, " ", "\u9f98", "\u9f98\u9f98"]
    return dict(letters=letters, marks=marks, spaces=spaces, compat=compat, special=special, full=full, few=few, pieces=[piece for piece, _ in vocab], **classes)


SURROUNDINGS = ("{}", "a{}b", "{}\u0301")


def write_table(path, scalars, columns):
    """Ranges of code points that behave alike: what each becomes in each surrounding, `=` for what stays."""
    def cell(surrounding, c, became):
        return "=" if became == surrounding.format(c) else " ".join(f"{ord(x):X}" for x in became) or "-"

    rows = []
    for i, c in enumerate(map(ord, scalars)):
        cells = [cell(s, scalars[i], column[i]) for s, column in zip(SURROUNDINGS, columns)]
        if rows and rows[-1][1] == c - 1 and rows[-1][2] == cells:
            rows[-1][1] = c
        else:
            rows.append([c, c, cells])
    text = "# first, last, what becomes of the code point in " + ", ".join(map(ascii, SURROUNDINGS)) + "\n"
    text += "".join("\t".join([f"{first:04X}", f"{last:04X}", *cells]) + "\n" for first, last, cells in rows)
    with open(path, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as z:
        z.write(text.encode())
    print(len(rows), "ranges,", os.path.getsize(path), "bytes")
