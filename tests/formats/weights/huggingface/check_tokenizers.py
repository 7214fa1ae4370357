#!/usr/bin/env python3
"""Holds the tokenizers of folders against Hugging Face's `tokenizers` (requirements.txt).

    check_tokenizers.py ENCODE_TEXTS [--texts N] [--seed S] [--code-points] [--table FILE] [--speed FILE]

ENCODE_TEXTS is the program of encode_texts.cc. For each kind of tokenizer, N hostile random strings, by default 200,000, go through variants
of the tokenizer.json files of tests/data: byte-level BPE with every option, with bytes that are no token, with merges in another order;
WordPiece; Unigram with every layout and option (unigram_variants.py); and all of them with added tokens of every rule. A part of the
strings is not UTF-8; `tokenizers` gets U+FFFD for what is malformed. --code-points also compares every code point in three surroundings:
its ids with BPE, and with Unigram what it becomes, which --table writes down. --speed compares the CPU time of both for the lines of a
file with BPE, on one core, in turns.
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

import unigram_variants  # noqa: E402
from hostile_texts import DATA, random_text, with_ids  # noqa: E402

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

    def ask(self, program, mode, texts):
        asked = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
        done = subprocess.run([program, mode, self.folder.name if mode == "folder" else self.file], input=asked, capture_output=True)
        if done.returncode != 0:
            sys.exit(done.stderr.decode())
        lines = done.stdout.decode().splitlines()
        assert len(lines) == len(texts), (len(lines), len(texts))
        return [line if line in ("error", "ranges") else json.loads(line) for line in lines]


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
        fold = "".join(" " if c.isspace() else c for c in unicodedata.normalize("NFD", content.lower()) if unicodedata.category(c) != "Mn")
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


def wordpiece_variants(rng):
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


def unigram_variants_of_folders(rng):
    unigram = read("unigram/tokenizer_words.json.gz")
    yield from unigram_variants.with_scores(unigram, rng)
    for i in range(6):
        yield f"Unigram, added tokens {i}", with_added(unigram, rng, PLAIN + SPACED)
    spaces = copy.deepcopy(unigram)
    spaces["pre_tokenizer"] = spaces["pre_tokenizer"]["pretokenizers"][1]
    for i in range(3):
        yield f"Unigram with spaces, added tokens {i}", with_added(spaces, rng, PLAIN)


# Names of the pools below that are drawn from together.
KINDS = [["ascii"], ["ascii", "spaces", "forms"], ["letters", "marks", "spaces"], ["pieces"], ["added", "spaces"], ["added", "ascii", "letters", "marks"]]


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


def expected_ids(reference, texts, with_special):
    texts = [text.decode("utf-8", "replace") for text in texts]
    try:
        return [encoded.ids for encoded in reference.encode_batch(texts, add_special_tokens=with_special)]
    except BaseException as error:  # a panic of Rust is no Exception
        if "unk_id" not in str(error):
            raise
        return ["error"] if len(texts) == 1 else [expected_ids(reference, [text.encode()], with_special)[0] for text in texts]


def check_variants(program, variants, mode, drawn_from, kinds, num_texts, rng):
    """Sends random texts through tokenizers, from the pools that a function makes for each."""
    for name, tokenizer in variants:
        folder = Folder(tokenizer)
        drawn = drawn_from(tokenizer)
        texts = [random_text(rng, drawn, kinds) for _ in range(-(-num_texts // len(variants)))]
        expected = expected_ids(Tokenizer.from_file(folder.file), texts, mode == "folder")
        compare(name, texts, folder.ask(program, mode, texts), expected)


def scalars():
    return [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def check_ids_of_code_points(program, tokenizer):
    folder = Folder(tokenizer)
    reference = Tokenizer.from_file(folder.file)
    for surrounding in ("a{}b", " {} ", "1{}'s"):
        texts = [surrounding.format(c).encode() for c in scalars()]
        got = folder.ask(program, "folder", texts)
        expected = []
        for i in range(0, len(texts), 50_000):
            expected += expected_ids(reference, texts[i:i + 50_000], True)
        compare(f"BPE: every code point in {ascii(surrounding)}", texts, got, expected)


def check_normalized_code_points(program, tokenizer, table):
    folder = Folder(tokenizer)
    normalizer = Tokenizer.from_file(folder.file).normalizer
    columns = []
    for surrounding in unigram_variants.SURROUNDINGS:
        texts = [surrounding.format(c) for c in scalars()]
        columns.append([normalizer.normalize_str(text) for text in texts])
        got = folder.ask(program, "normalized", [text.encode() for text in texts])
        compare(f"Unigram: every code point in {ascii(surrounding)}", texts, got, columns[-1])
    if table:
        unigram_variants.write_table(table, scalars(), columns)


def check_speed(program, tokenizer, path, rounds=3):
    folder = Folder(tokenizer)
    with open(path, encoding="utf8") as f:
        text = f.read()
    lines = [line for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    ours = theirs = float("inf")
    for _ in range(rounds):
        done = subprocess.run([program, "time", folder.folder.name, path, "5"], capture_output=True, check=True, text=True)
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
    parser.add_argument("--table")
    parser.add_argument("--speed")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    bpe = list(bpe_variants(rng))
    if args.speed:
        check_speed(args.program, bpe[0][1], args.speed)
        return
    unigram = read("unigram/tokenizer_words.json.gz")
    for kind in (bpe, list(wordpiece_variants(rng)), list(unigram_variants_of_folders(rng))):
        check_variants(args.program, kind, "folder", pools, KINDS, args.texts, rng)
    drawn = unigram_variants.pools(unigram["model"]["vocab"])
    check_variants(args.program, list(unigram_variants.variants(unigram)), "unigram", lambda _: drawn, unigram_variants.KINDS, args.texts, rng)
    if args.code_points:
        check_ids_of_code_points(args.program, bpe[1][1])
        check_normalized_code_points(args.program, unigram, args.table)
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
