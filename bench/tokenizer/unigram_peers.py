#!/usr/bin/env python3
"""Times the Unigram tokenizer beside Hugging Face's `tokenizers` (tests/tokenizer/unigram/requirements.txt), one core each.

    unigram_peers.py UNIGRAM_ENCODE FOLDER [--rounds 3] [--words]

UNIGRAM_ENCODE is the program of unigram_encode.cc, FOLDER what make_unigram_corpus.py made. Each file's lines go through both in
turns; the figures are CPU seconds of the best round, and the ids must be as many. `tokenizers` is asked without offsets
(encode_batch_fast). --words: the files of one word of 10 MB instead of the prose.
"""
import argparse
import glob
import os
import subprocess
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--words", action="store_true")
    args = parser.parse_args()
    path = os.path.join(args.folder, "tokenizer.json")
    ours = subprocess.Popen([args.program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(ours.stdout.readline().strip())
    print(f"{'file':24} {'embd ns/char':>12} {'MB/s':>7} {'tokenizers ns/char':>19} {'ratio':>7}")
    repeat = 1 if args.words else 5
    for file in sorted(glob.glob(os.path.join(args.folder, "word_*.txt" if args.words else "prose_*.txt"))):
        with open(file, encoding="utf8") as f:
            text = f.read()
        lines = text.rstrip("\n").split("\n")
        reference = Tokenizer.from_file(path)  # A new one: its cache of words fills up once and keeps what it has.
        best_ours = best_theirs = float("inf")
        for _ in range(args.rounds):
            ours.stdin.write(f"{repeat} {file}\n")
            ours.stdin.flush()
            taken, num_ids = ours.stdout.readline().split()
            best_ours = min(best_ours, float(taken) / repeat)
            start = time.process_time()
            encodings = reference.encode_batch_fast(lines, add_special_tokens=False)
            best_theirs = min(best_theirs, time.process_time() - start)
            assert int(num_ids) == sum(len(e) for e in encodings), (file, num_ids)
            del encodings
        print(f"{os.path.basename(file):24} {best_ours / len(text) * 1e9:12.1f} {len(text.encode()) / best_ours / 1e6:7.1f} "
              f"{best_theirs / len(text) * 1e9:19.1f} {best_theirs / best_ours:7.1f}", flush=True)


if __name__ == "__main__":
    main()
