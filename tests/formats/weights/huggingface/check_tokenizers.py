#!/usr/bin/env python3
"""Holds the tokenizers of folders against Hugging Face's `tokenizers` (requirements.txt).

    check_tokenizers.py ENCODE_FOLDER [--texts N] [--seed S] [--code-points] [--speed FILE]

ENCODE_FOLDER is the program of encode_folder.cc. N hostile random strings, by default 200,000, go through variants of the
tokenizer.json files of tests/data: byte-level BPE with every option, with bytes that are no token, with merges in another order; and all
kinds of tokenizers with added tokens of every rule. A part of the strings is not UTF-8; `tokenizers` gets U+FFFD for what is malformed.
--code-points also compares the ids of every code point in three surroundings. --speed compares the CPU time of both for the lines of a
file, on one core, in turns.
"""
import argparse
import copy
import gzip
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unicodedata

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../data")
SURROUNDINGS = ("a{}b", " {} ", "1{}'s")
failures = 0


class Folder:
    """A folder with a tokenizer.json that is taken as it is, and embd's answers to texts."""

    def __init__(self, tokenizer):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "tokenizer.json")
        with open(self.file, "w") as f:
            json.dump(tokenizer, f)
        with open(os.path.join(self.folder.name, "tokenizer_config.json"), "w") as f:
            json.dump({"tokenizer_class": "PreTrainedTokenizerFast"}, f)

    def ask(self, program, texts):
        asked = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
        done = subprocess.run([program, self.folder.name], input=asked, capture_output=True)
        if done.returncode != 0:
            sys.exit(done.stderr.decode())
        lines = done.stdout.decode().splitlines()
        assert len(lines) == len(texts), (len(lines), len(texts))
        return [json.loads(line) if line.startswith("[") else line for line in lines]


def compare(name, texts, got, expected):
    global failures
    wrong = [i for i in range(len(texts)) if got[i] != expected[i]]
    failures += len(wrong)
    print(f"{name}: {len(texts)} texts, {len(wrong)} differ", flush=True)
    for i in wrong[:5]:
        print("  ", ascii(texts[i]), "gives", got[i], "expected", expected[i])


def read(path):
    open_ = gzip.open if path.endswith(".gz") else open
    with open_(os.path.join(DATA, path), "rt", encoding="utf8") as f:
        return json.load(f)


def token(content, **rules):
    return {"content": content, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": False, **rules}


def with_ids(tokenizer):
    """Gives added tokens the ids that `tokenizers` gives them."""
    vocab = tokenizer["model"]["vocab"]
    ids = vocab if isinstance(vocab, dict) else {piece: i for i, (piece, _) in enumerate(vocab)}
    following = itertools.count(len(ids))
    for added in tokenizer["added_tokens"]:
        added["id"] = ids[added["content"]] if added["content"] in ids else next(following)
    return tokenizer


def with_mask(tokenizer):
    if all(added["content"] != "<mask>" for added in tokenizer["added_tokens"]):
        tokenizer["added_tokens"].append(token("<mask>", lstrip=True, special=True))
    return tokenizer


def hostile_tokens(rng, contents):
    """Added tokens of every rule. `tokenizers` panics if a token is found in the white space that another one took."""
    rules = ["lstrip", "normalized", "single_word", "special"] + ["rstrip"] * all(content == content.strip() for content in contents)
    return [token(content, **{rule: rng.random() < .4 for rule in rules}) for content in contents]


PLAIN = ["<e>", "<e1>", "new", "newer", "New", "W\u00d6RT", "don't", "\u00e9", "e", "<s>x", "1a", "@USER", "\u4e2d\u6587", "\ud55c\uad6d", "\u00df"]
SPACED = ["  ", "   ", " \n", "new york", " a", "\u3000"]


def with_added(tokenizer, rng, contents):
    changed = copy.deepcopy(tokenizer)
    known = {added["content"] for added in changed["added_tokens"]}
    # Two that normalization makes equal are refused by embd.
    chosen, folded = [], set(map(str.lower, known))
    for content in rng.sample(contents, k=min(8, len(contents))):
        fold = "".join(c for c in unicodedata.normalize("NFD", content.lower()) if unicodedata.category(c) != "Mn")
        if fold not in folded:
            folded.add(fold)
            chosen.append(content)
    changed["added_tokens"] += hostile_tokens(rng, chosen)
    return with_ids(changed)


def bpe_variants(rng):
    roberta = with_ids(read("bpe/tokenizer_roberta.json.gz"))

    def variant(base=roberta, **members):
        changed = copy.deepcopy(base)
        changed["model"].update(members)
        return changed

    def prefixed(base):
        changed = copy.deepcopy(base)
        changed["pre_tokenizer"]["add_prefix_space"] = True
        return changed

    def without_bytes(base, letters):
        """Without the tokens that have some letters in them."""
        changed = copy.deepcopy(base)
        kept = [t for t in base["model"]["vocab"] if t.startswith("<") or not set(t) & set(letters)]
        changed["model"]["vocab"] = {t: i for i, t in enumerate(kept)}
        changed["model"]["merges"] = [m for m in base["model"]["merges"] if all(t in changed["model"]["vocab"] for t in (*m.split(" "), m.replace(" ", "")))]
        return with_ids(changed)

    shuffled = list(roberta["model"]["merges"])
    rng.shuffle(shuffled)
    yield "roberta", roberta
    yield "probe", with_ids(with_mask(read("bpe/tokenizer_probe.json.gz")))
    yield "crossed", with_ids(with_mask(read("bpe/tokenizer_crossed.json.gz")))
    yield "prefix space", prefixed(roberta)
    yield "words that are tokens stay", variant(ignore_merges=True)
    yield "shuffled merges", variant(merges=shuffled)
    yield "merges as pairs", variant(merges=[m.split(" ") for m in roberta["model"]["merges"]])
    yield "repeated merges", variant(merges=roberta["model"]["merges"] + rng.sample(roberta["model"]["merges"], 200))
    yield "bytes disappear", without_bytes(roberta, "\u00e9\u00c3eq\u0120")
    yield "bytes are unknown", variant(without_bytes(roberta, "\u00e9\u00c3eq"), unk_token="<unk>")
    for i in range(6):
        yield f"BPE, added tokens {i}", with_added(roberta if i % 2 == 0 else prefixed(roberta), rng, PLAIN + SPACED)


def other_variants(rng):
    wordpiece = read("families/distilbert_mean/tokenizer.json")
    keeps_accents = copy.deepcopy(wordpiece)
    keeps_accents["normalizer"].update(lowercase=True, strip_accents=False)
    strips_accents = copy.deepcopy(wordpiece)
    strips_accents["normalizer"].update(lowercase=False, strip_accents=True)
    for base in (wordpiece, keeps_accents, strips_accents):
        # Only the order of marks could differ, and no token has marks.
        base["truncation"] = base["padding"] = None
    yield "WordPiece", with_ids(wordpiece)
    yield "WordPiece, accents kept", with_ids(keeps_accents)
    yield "WordPiece, accents stripped", with_ids(strips_accents)
    for i in range(6):
        yield f"WordPiece, added tokens {i}", with_added((wordpiece, keeps_accents, strips_accents)[i % 3], rng, PLAIN + SPACED)
    unigram = read("unigram/tokenizer_words.json.gz")
    for i in range(6):
        yield f"Unigram, added tokens {i}", with_added(unigram, rng, PLAIN + SPACED)
    spaces = copy.deepcopy(unigram)
    spaces["pre_tokenizer"] = spaces["pre_tokenizer"]["pretokenizers"][1]
    for i in range(3):
        yield f"Unigram with spaces, added tokens {i}", with_added(spaces, rng, PLAIN)


def pools(tokenizer):
    """Strings that random texts are drawn from."""
    vocab = tokenizer["model"]["vocab"]
    pieces = list(vocab) if isinstance(vocab, dict) else [piece for piece, _ in vocab]
    added = [t["content"] for t in tokenizer["added_tokens"]]
    added += [t.upper() for t in added] + [t.lower() for t in added] + [t[:-1] for t in added] + [unicodedata.normalize("NFD", t) for t in added]
    return dict(
        ascii=list("abcdeEINostz019,.!'\"-_ "),
        forms=["'s", "'t", "'re", "'ve", "'ll", "'d", "'m", "'S", "'", "''", " '", "don't", "it's"],
        spaces=[" ", " ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", "\u0085", "\u00a0", "\u200b", "\u2028", "\u3000", "\x1c", "\x0b", "\u180e", "\ufeff", "\x00"],
        letters=list("\u00e9\u00e8\u00fc\u00df\u0130\u0131\u01c5\u0416\u0436\u03a9\u03c2\u05d0\u0627\u0915\u0e01\u4e2d\u6587\u3042\uac00\ud55c\u1e9e\ua7da\u1c89") + ["\U00010400", "\U00020000", "\U0001f600"],
        marks=[chr(c) for c in (0x300, 0x301, 0x308, 0x327, 0x338, 0x93F, 0x94D, 0x5B0, 0x64B, 0x898, 0x200D, 0xFE0F, 0x20E3)],
        numbers=list("0123\u0663\u00bd\u00b2\u2160\u3007\u0966") + ["\U0001d7d8"],
        others=list("!?.,;:()[]<>@#$%^&*+=|~\u20ac\u2026\u300c\u203d\u00a9\u2192\ufffd\u00ad\u0378"),
        pieces=pieces, added=added)


def random_text(rng, p):
    """A hostile text, as bytes."""
    kind = rng.randrange(9)
    names = list(p)
    some = {0: ["ascii"], 1: ["ascii", "spaces", "forms"], 2: ["letters", "marks", "spaces"], 3: ["pieces"], 4: ["added", "spaces"],
            5: ["added", "ascii", "letters", "marks"], 6: names}.get(kind)
    if some is None:
        draw = (lambda: chr(rng.choice([rng.randrange(0xD800), rng.randrange(0xE000, 0x110000), rng.randrange(0x3000)]))) if kind == 7 else \
            (lambda: rng.choice(p[rng.choice(names)]) * rng.choice([1, 1, 2, 9]))
    else:
        draw = lambda: rng.choice(p[rng.choice(some)])
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


def expected_ids(reference, texts):
    return [e.ids for e in reference.encode_batch([t.decode("utf-8", "replace") for t in texts])]


def check_code_points(program, name, tokenizer):
    folder = Folder(tokenizer)
    reference = Tokenizer.from_file(folder.file)
    scalars = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for surrounding in SURROUNDINGS:
        texts = [surrounding.format(c).encode() for c in scalars]
        got = folder.ask(program, texts)
        expected = []
        for i in range(0, len(texts), 50_000):
            expected += expected_ids(reference, texts[i:i + 50_000])
        compare(f"{name}: every code point in {ascii(surrounding)}", texts, got, expected)


def check_speed(program, tokenizer, path, rounds=3):
    folder = Folder(tokenizer)
    with open(path, encoding="utf8") as f:
        text = f.read()
    lines = [line for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    ours = theirs = float("inf")
    for _ in range(rounds):
        done = subprocess.run([program, folder.folder.name, path, "5"], capture_output=True, check=True, text=True)
        taken, num_ids = done.stdout.split()
        ours = min(ours, float(taken))
        reference = Tokenizer.from_file(folder.file)  # A new one: its cache of words fills up once and keeps what it has.
        start = time.process_time()
        encodings = reference.encode_batch_fast(lines)
        theirs = min(theirs, time.process_time() - start)
        assert int(num_ids) == sum(len(e) for e in encodings), num_ids
        del encodings
    print(f"{os.path.basename(path)}: {len(text)} characters; embd {ours / len(text) * 1e9:.1f} ns each, tokenizers {theirs / len(text) * 1e9:.1f} ns each, "
          f"ratio {theirs / ours:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--texts", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--code-points", action="store_true")
    parser.add_argument("--speed")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    bpe = list(bpe_variants(rng))
    if args.speed:
        check_speed(args.program, bpe[0][1], args.speed)
        return
    variants = bpe + list(other_variants(rng))
    for name, tokenizer in variants:
        folder = Folder(tokenizer)
        drawn_from = pools(tokenizer)
        texts = [random_text(rng, drawn_from) for _ in range(-(-args.texts // len(variants)))]
        compare(name, texts, folder.ask(args.program, texts), expected_ids(Tokenizer.from_file(folder.file), texts))
    if args.code_points:
        check_code_points(args.program, "BPE", bpe[1][1])
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
