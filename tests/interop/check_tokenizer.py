#!/usr/bin/env python3
"""Our ids beside those of Hugging Face's tokenizers, on texts drawn anew.

    check_tokenizer.py EMBD TOKENIZER_JSON [--model FILE] [--vocab FILE] [--texts N] [--seed S]

EMBD is the command-line tool; needs tests/interop/requirements.txt. Half of the texts are random (code
points of every plane, special tokens whole and broken, vocabulary entries, words around the limit of 100
characters), half are lines of the documents, programs and message catalogues of this machine. Exit 1 if
any text differs."""
import argparse
import glob
import json
import os
import random
import subprocess
import sys

from tokenizers import Tokenizer

parser = argparse.ArgumentParser()
parser.add_argument("embd")
parser.add_argument("tokenizer_json")
parser.add_argument("--model")
parser.add_argument("--vocab")
parser.add_argument("--texts", type=int, default=20000)
parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
options = parser.parse_args()

reference = Tokenizer.from_file(options.tokenizer_json)
reference.no_truncation()
reference.no_padding()
vocabulary = sorted(reference.get_vocab())
draw = random.Random(options.seed)

SPECIAL = ["[SEP]", "[CLS]", "[MASK]", "[PAD]", "[UNK]", "[", "]", "[S", "EP]", "[sep]", "[S\u200dEP]"]
LIMITS = [0x80, 0x600, 0x3000, 0x10000, 0x20000, 0x110000]
# What is installed on most systems; a text is one line.
PLACES = [
    "/usr/share/common-licenses/*", "/usr/share/doc/*/copyright", "/usr/share/i18n/locales/*",
    "/usr/share/perl/**/*.pod", "/usr/share/**/*.po", os.path.dirname(os.__file__) + "/**/*.py",
]


def code_point():
    value = draw.randrange(draw.choice(LIMITS))
    # A line feed ends a text, a carriage return before it too.
    return " " if 0xD800 <= value <= 0xDFFF or value in (10, 13) else chr(value)


def part():
    kind = draw.randrange(7)
    if kind == 0:
        return "".join(code_point() for _ in range(draw.randrange(6)))
    if kind == 1:
        return draw.choice(SPECIAL)
    if kind == 2:
        return " "
    if kind == 3:
        return draw.choice("abcxyzÉéжが") * draw.randrange(115)
    if kind == 4:
        return draw.choice(vocabulary).lstrip("#").upper()
    return draw.choice(vocabulary) + draw.choice([" ", "", "-", ". "])


def random_texts(count):
    return ["".join(part() for _ in range(draw.randrange(30))) for _ in range(count)]


def found_texts(count):
    paths = sorted({path for place in PLACES for path in glob.glob(place, recursive=True)})
    draw.shuffle(paths)
    texts = []
    for path in paths:
        try:
            with open(path, encoding="utf-8", newline="\n") as file:
                lines = [line for line in file.read().split("\n") if line and "\r" not in line]
        except (OSError, UnicodeDecodeError):
            continue
        texts += draw.sample(lines, min(20, len(lines)))
        if len(texts) >= count:
            break
    return texts[:count]


texts = random_texts(options.texts // 2) + found_texts(options.texts // 2)
command = [options.embd, "tokenize", "-"]
for name in ("model", "vocab"):
    if getattr(options, name):
        command += ["--" + name, getattr(options, name)]
output = subprocess.run(command, input="".join(text + "\n" for text in texts).encode(), capture_output=True)
if output.returncode != 0:
    sys.exit(f"{command}: exit {output.returncode}: {output.stderr.decode()}")
ours = [json.loads(line)["ids"] for line in output.stdout.splitlines()]
if len(ours) != len(texts):
    sys.exit(f"{len(texts)} texts, {len(ours)} answers")
theirs = [encoding.ids for encoding in reference.encode_batch(texts)]
different = [i for i in range(len(texts)) if ours[i] != theirs[i]]
for i in different[:10]:
    print(f"{texts[i]!a:.200}\n  ours   {ours[i][:30]}\n  theirs {theirs[i][:30]}")
print(f"seed {options.seed}: {len(texts)} texts, {sum(map(len, theirs))} ids, {len(different)} texts different")
sys.exit(bool(different))
