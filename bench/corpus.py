#!/usr/bin/env python3
"""Prints texts for benchmarks, one a line: real English, drawn from the help topics that every CPython installs.

    corpus.py {short,mixed,long,distinct} N --embd PATH [--model PATH] [--seed S] > corpus.txt

short  one sentence, 9 to 19 tokens (both special ones counted)
mixed  8 to 256 tokens, log-uniform
long   at least 256 tokens, so exactly 256 after the cut
distinct   sentences, then pairs of them, up to 120 characters or so, each once; needs no EMBD
Tokens are counted by `embd tokenize`. The same N, seed and Python version give the same bytes.
"""
import argparse
import itertools
import json
import math
import random
import re
import subprocess
import sys
from pydoc_data.topics import topics


def sentences():
    """Returns the prose sentences of the topics in a fixed order, without duplicates. Runs of white space become one space."""
    seen = set()
    for name in sorted(topics):
        for paragraph in re.split(r"\n\s*\n", topics[name]):
            prose = " ".join(paragraph.split())
            for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", prose):
                letters = sum(c.isalpha() or c == " " for c in sentence)
                if len(sentence) >= 30 and letters >= 0.85 * len(sentence) and sentence not in seen:
                    seen.add(sentence)
                    yield sentence


def distinct():
    """Returns sentences of up to 100 characters, then pairs of them, each once."""
    short_ones = [sentence for sentence in sentences() if len(sentence) <= 100]
    yield from short_ones
    for step in itertools.count(1):
        yield from (f"{a} {b}" for a, b in zip(short_ones, short_ones[step:]) if len(a) + len(b) < 120)


def count_tokens(texts, embd, model):
    """Returns the number of tokens of each text, without the two special tokens."""
    command = [embd, "tokenize", "-"] + (["--model", model] if model else [])
    lines = subprocess.run(command, input="\n".join(texts) + "\n", capture_output=True, text=True, check=True)
    return [len(json.loads(line)["ids"]) - 2 for line in lines.stdout.splitlines()]


def short(pool, rng):
    choice = [(n, text) for n, text in pool if 7 <= n <= 17]
    while True:
        rng.shuffle(choice)
        yield from (text for _, text in choice)


def join_to(target, pool, rng, exact):
    """Returns consecutive sentences from a random place on with at most `target` tokens; with at least so many if `exact` is false."""
    start, got, parts = rng.randrange(len(pool)), 0, []
    for i in range(len(pool)):
        n, text = pool[(start + i) % len(pool)]
        if exact and got + n > target:
            continue
        parts.append(text)
        got += n
        if got >= target - (3 if exact else 0):
            break
    return " ".join(parts)


def mixed(pool, rng):
    while True:
        tokens = round(math.exp(rng.uniform(math.log(10), math.log(256))))
        yield join_to(tokens - 2, pool, rng, exact=True)


def long(pool, rng):
    while True:
        yield join_to(254, pool, rng, exact=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["short", "mixed", "long", "distinct"])
    parser.add_argument("count", type=int)
    parser.add_argument("--embd", default="build/release/cli/embd")
    parser.add_argument("--model")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.kind == "distinct":
        stream = distinct()
    else:
        texts = list(sentences())
        pool = list(zip(count_tokens(texts, args.embd, args.model), texts))
        stream = {"short": short, "mixed": mixed, "long": long}[args.kind](pool, random.Random(args.seed))
    for _ in range(args.count):
        sys.stdout.write(next(stream) + "\n")


if __name__ == "__main__":
    main()
