#!/usr/bin/env python3
"""Measures a collection of many files:  collection.py EMBD MODEL WORDS [--files 10000] [--folder FOLDER]

Makes Markdown files with ten passages each, of random words of the text file WORDS, and collects them, which takes some
minutes. Then prints medians and least times, in milliseconds: a search in a new process by vectors and words, one by
words alone, a run in which nothing has changed, and one after one file has changed. Starts no other program meanwhile."""
import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

QUERY = "when must I hand in the form"


def make_files(folder, words, count):
    chance = random.Random(1)
    weights = [1 / (i + 5) for i in range(len(words))]

    def some(least, most):
        return " ".join(chance.choices(words, weights, k=chance.randint(least, most)))

    for i in range(count):
        sections = "".join(f"\n## {some(1, 1)} {s}\n\n{some(8, 14)}.\n" for s in range(10))
        file = folder / f"{i // 200}" / f"{i}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {some(2, 2)} {i}\n{sections}")
        os.utime(file, (1e9, 1e9))


def measure(what, rounds, prepare, *command):
    times = []
    for i in range(rounds):
        prepare(i)
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(1000 * (time.perf_counter() - began))
    print(f"{what}: median {statistics.median(times):.0f} ms, least {min(times):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embd")
    parser.add_argument("model")
    parser.add_argument("words", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--folder", help="keeps the collection, and takes one that is there")
    options = parser.parse_args()
    words = sorted(set(re.findall(r"[a-z]{3,12}", options.words.read_text(encoding="utf-8").lower())))
    random.Random(2).shuffle(words)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        notes, collection = folder / "notes", folder / "notes.collection"
        if not notes.exists():
            make_files(notes, words, options.files)
        collect = [options.embd, "collect", notes, "-o", collection, "-m", options.model]
        print(subprocess.run(collect, check=True, capture_output=True, text=True).stdout, end="")
        search = [options.embd, "search", collection, "-q", QUERY, "-k", "5"]
        measure("search", 15, lambda i: None, *search)
        measure("search by words", 15, lambda i: None, *search, "--match", "terms")
        measure("nothing has changed", 5, lambda i: None, *collect)
        changed = next(notes.rglob("*.md"))
        measure("one file has changed", 5, lambda i: changed.write_text(f"# Changed {time.time()}\n\n{i}\n"), *collect)


main()
