#!/usr/bin/env python3
"""Measures the resident memory while encode() is called again and again with random arguments. It must not grow.

    memory.py MODEL.weights [--seconds 600]

Prints MiB at ten moments after a first tenth, in which buffers find their size, and exits 1 if the last three exceed the
first three by more than 2 %.
"""
import argparse
import random
import sys
import time

import embd
import numpy as np

WORDS = "a cat sits on the mat while bread rises and the stock market falls again käse 日本 don't".split()


def resident() -> float:
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no VmRSS in /proc/self/status")


def call(model, rng):
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(0, 60))) for _ in range(rng.randint(1, 40))]
    kind = rng.randrange(8)
    if kind == 0:
        model.encode(texts[0])
    elif kind == 1:
        model.encode(np.array(texts), truncate_dim=rng.choice([None, 8]))
    elif kind == 2:
        model.encode(texts, precision=rng.choice(["float16", "ubinary"]))
    elif kind == 3:
        model.encode(texts, out=np.empty((len(texts), model.dim), np.float32))
    elif kind == 4:
        model.encode_windows(texts, windows=16, stride=8)
    elif kind == 5:
        model.tokenize(texts), model.encode_tokens(texts[0])
    elif kind == 6:
        try:
            model.encode([*texts, None])
        except TypeError:
            pass
    else:
        digest = embd.Digest(model.recipe)
        digest.update(model.encode(texts, threads=rng.choice([1, 2])), texts=texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--seconds", type=float, default=600)
    given = parser.parse_args()
    model = embd.Model(given.model)
    rng = random.Random(1)
    seen = []
    start = time.monotonic()
    calls = 0
    while len(seen) < 10:
        call(model, rng)
        calls += 1
        if time.monotonic() - start > given.seconds * (0.1 + 0.09 * (len(seen) + 1)):
            seen.append(resident())
            print(f"{time.monotonic() - start:.0f} s, {calls} calls, {seen[-1]:.1f} MiB", flush=True)
    if sum(seen[-3:]) > 1.02 * sum(seen[:3]):
        sys.exit("resident memory grew")


if __name__ == "__main__":
    main()
