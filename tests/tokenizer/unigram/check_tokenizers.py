#!/usr/bin/env python3
"""Holds the Unigram tokenizer against Hugging Face's `tokenizers` (requirements.txt).

    check_tokenizers.py ENCODE_TEXTS [--texts N] [--seed S] [--code-points]

ENCODE_TEXTS is the program of encode_texts.cc. N hostile random strings, by default 200,000, go through variants of the golden
tokenizer.json: both layouts, every option, byte fallback, no piece for unknown characters, repeated pieces, scores full of ties. A
part of them is not UTF-8; `tokenizers` gets U+FFFD for what is malformed. --code-points also compares what every code point becomes
in three surroundings, and --table FILE writes that down.
"""
import argparse
import copy
import gzip
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import Tokenizer

DATA = os.path.join(os.path.dirname(__file__), "../../data/unigram")
MARK = "\u2581"
failures = 0


def float32(score):
    return struct.unpack("f", struct.pack("f", score))[0]


def ask(program, mode, tokenizer, texts):
    """The answers of ENCODE_TEXTS to texts, which are bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.json")
        with open(path, "w") as f:
            json.dump(tokenizer, f)
        asked = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
        done = subprocess.run([program, mode, path], input=asked, capture_output=True, check=True)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(texts), (len(lines), len(texts))
    return [line if line in ("error", "ranges") else json.loads(line) for line in lines]


def expected_ids(reference, text):
    try:
        return reference.encode(text.decode("utf-8", "replace"), add_special_tokens=False).ids
    except BaseException as error:  # a panic of Rust is no Exception
        if "unk_id" in str(error):
            return "error"
        raise


def compare(name, texts, got, expected):
    global failures
    wrong = [i for i in range(len(texts)) if got[i] != expected[i]]
    failures += len(wrong)
    print(f"{name}: {len(texts)} texts, {len(wrong)} differ", flush=True)
    for i in wrong[:5]:
        print("  ", ascii(texts[i]), "gives", ascii(got[i]), "expected", ascii(expected[i]))


def variants(golden):
    """Names and tokenizer.json of what differs in one thing from the golden one."""
    def variant(change):
        json_ = copy.deepcopy(golden)
        change(json_)
        ids = {text: i for i, (text, _) in enumerate(json_["model"]["vocab"])}
        for token in json_["added_tokens"]:
            token["id"] = ids[token["content"]]
        return json_

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


def pools(vocab):
    """Characters and strings that random texts are drawn from."""
    classes = {}
    with gzip.open(os.path.join(DATA, "graphemes_unicode17.tsv.gz"), "rt") as f:
        for line in f:
            if not line.startswith("#"):
                first, last, name = line.split()
                first, last = int(first, 16), int(last, 16)
                classes.setdefault(name, []).extend(chr(c) for c in range(first, min(last, first + 40) + 1))
    letters = [c for piece, _ in vocab for c in piece]
    marks = [chr(c) for c in [*range(0x300, 0x370), 0x483, 0x5B0, 0x64B, 0x93C, 0x94D, 0xE31, 0x20D0, 0x3099, 0x309A, 0xFE0F, 0x903]]
    spaces = [" ", " ", "  ", "   ", "\t", "\n", "\r", "\r\n", "\u0085", "\u00a0", "\u200b", "\u200d", "\u2028", "\u3000", MARK, "\u180e", "\ufeff", "\ufffd", "\x00", "\x01"]
    compat = [chr(c) for c in (0xAA, 0xB2, 0xBA, 0x132, 0x1C4, 0x2122, 0x2139, 0x2160, 0x24B6, 0x3131, 0x3300, 0xFB03, 0xFDFA, 0xFF21, 0xFF76, 0xFFA1, 0x600, 0x958, 0x1E9B, 0xF73, 0x1F71, 0xAC00, 0xA9, 0x212B)]
    special = ["<s>", "</s>", "<pad>", "<unk>", "<mask>", " <mask>", "<mask", "s>", "<", "\uff1cs\uff1e", "\uff1c/s\uff1e", "\uff1cunk\uff1e", "\uff1cmask\uff1e"]
    by_class = [rng_pool for rng_pool in classes.values()]
    full = [chr(c) for c in range(0xFF01, 0xFF5F)]
    few = list("abcde") + [MARK, " ", "\u9f98", "\u9f98\u9f98"]
    return dict(letters=letters, marks=marks, spaces=spaces, compat=compat, special=special, by_class=by_class, full=full, few=few,
                pieces=[piece for piece, _ in vocab])


def random_text(rng, p):
    """A hostile text, as bytes."""
    kind = rng.randrange(10)
    if kind == 0:
        draw = lambda: rng.choice(p["letters"])
    elif kind == 1:
        draw = lambda: rng.choice(p["letters"] if rng.random() < .6 else p["marks"])
    elif kind == 2:
        draw = lambda: rng.choice(p["letters"] if rng.random() < .6 else p["spaces"])
    elif kind == 3:
        draw = lambda: rng.choice(rng.choice(p["by_class"]))
    elif kind == 4:
        draw = lambda: rng.choice(p[rng.choice(["compat", "marks", "full"])])
    elif kind == 5:
        draw = lambda: rng.choice(p["pieces"])
    elif kind == 6:
        draw = lambda: rng.choice(p[rng.choice(["special", "spaces", "letters"])])
    elif kind == 7:
        draw = lambda: rng.choice(p["few"])
    elif kind == 8:
        draw = lambda: chr(rng.choice([rng.randrange(0xD800), rng.randrange(0xE000, 0x110000), rng.randrange(0x3000)]))
    else:
        draw = lambda: rng.choice(rng.choice([p["letters"], p["marks"], p["spaces"], p["compat"], p["special"], rng.choice(p["by_class"])]))
    text = "".join(draw() for _ in range(rng.choice([1, 2, 3, 5, 10, 30, 60])))
    if rng.random() < .1:
        text = unicodedata.normalize("NFD", text)
    data = text.encode()
    if rng.random() < .1:  # what is not UTF-8
        data = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(data))
            data[at:at + rng.randint(0, 2)] = bytes(rng.choice([rng.randrange(256), rng.randrange(0x80, 0xC0), rng.randrange(0xE0, 0xF8)]) for _ in range(rng.randint(0, 3)))
    return bytes(data)


SURROUNDINGS = ("{}", "a{}b", "{}\u0301")


def check_code_points(program, golden, table):
    normalizer = Tokenizer.from_str(json.dumps(golden)).normalizer
    scalars = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    columns = []
    for surrounding in SURROUNDINGS:
        texts = [surrounding.format(chr(c)) for c in scalars]
        expected = [normalizer.normalize_str(text) for text in texts]
        compare(f"every code point in {ascii(surrounding)}", texts, ask(program, "normalized", golden, [t.encode() for t in texts]), expected)
        columns.append(expected)
    if table:
        write_table(table, scalars, columns)


def write_table(path, scalars, columns):
    """Ranges of code points that behave alike: what each becomes in each surrounding, `=` for what stays."""
    def cell(surrounding, c, became):
        return "=" if became == surrounding.format(chr(c)) else " ".join(f"{ord(x):X}" for x in became) or "-"

    rows = []
    for i, c in enumerate(scalars):
        cells = [cell(s, c, column[i]) for s, column in zip(SURROUNDINGS, columns)]
        if rows and rows[-1][1] == c - 1 and rows[-1][2] == cells:
            rows[-1][1] = c
        else:
            rows.append([c, c, cells])
    text = "# first, last, what becomes of the code point in " + ", ".join(map(ascii, SURROUNDINGS)) + "\n"
    text += "".join("\t".join([f"{first:04X}", f"{last:04X}", *cells]) + "\n" for first, last, cells in rows)
    with open(path, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as z:
        z.write(text.encode())
    print(len(rows), "ranges,", os.path.getsize(path), "bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--texts", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--code-points", action="store_true")
    parser.add_argument("--table")
    args = parser.parse_args()
    with gzip.open(os.path.join(DATA, "tokenizer_words.json.gz"), "rt", encoding="utf8") as f:
        golden = json.load(f)
    rng = random.Random(args.seed)
    drawn_from = pools(golden["model"]["vocab"])
    all_variants = list(variants(golden))
    for name, tokenizer in all_variants:
        reference = Tokenizer.from_str(json.dumps(tokenizer))
        texts = [random_text(rng, drawn_from) for _ in range(-(-args.texts // len(all_variants)))]
        compare(name, texts, ask(args.program, "ids", tokenizer, texts), [expected_ids(reference, text) for text in texts])
    if args.code_points:
        check_code_points(args.program, golden, args.table)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
