#!/usr/bin/env python3
"""Measures how right the time left is that `embd embed` shows. Prints, at each tenth of a run, the time shown and the true time in seconds.

    time_left.py EMBD MODEL [TEXTS]      TEXTS: how many, of 8 to 256 tokens; 4,000 by default

In three orders: as they come, from short to long, and from long to short. Fails where a time shown after the first tenth is
more than a fifth beside the true one, and more than a second beside it: it is shown in whole ones.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def run(embd, model, path):
    """Returns [(seconds since the start, seconds left as shown)] and the seconds of the whole run."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [embd, "embed", path, "-m", model, "-o", f"{folder}/out.npy", "--progress", "always", "--dedup", "off"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        shown = []
        while line := os.read(process.stderr.fileno(), 4096):  # one is written at once
            for left in re.findall(r"((?:\d+:)?\d+:\d\d) left", line.decode()):
                seconds = 0
                for field in left.split(":"):
                    seconds = 60 * seconds + int(field)
                shown.append((time.monotonic() - begin, seconds))
        if process.wait() != 0:
            sys.exit(f"embd embed ended with {process.returncode}")
    return shown, time.monotonic() - begin


def main():
    embd, model = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 4000
    made = [sys.executable, pathlib.Path(__file__).parent / "corpus.py", "mixed", str(count), "--embd", embd, "--model", model]
    texts = subprocess.run(made, capture_output=True, text=True, check=True).stdout.splitlines()
    orders = {"as they come": texts, "short to long": sorted(texts, key=len), "long to short": sorted(texts, key=len, reverse=True)}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "texts.txt")
        for name, ordered in orders.items():
            path.write_text("\n".join(ordered) + "\n", encoding="utf-8")
            shown, whole = run(embd, model, path)
            print(f"{name}, {whole:.0f} s: true → shown:", end="")
            for tenth in range(1, 10):
                now, left = next(entry for entry in shown if entry[0] >= whole * tenth / 10)
                print(f" {whole - now:.0f}→{left}", end="")
            beside = [(abs(left - (whole - now)) - 1) / (whole - now) for now, left in shown if whole * 0.1 <= now < whole * 0.95]
            print(f"; at most {max(0, max(beside)):.0%} beside")
            wrong += max(beside) > 0.2
    sys.exit(wrong)


main()
