#!/usr/bin/env python3
"""Measures the resident memory of `embd embed` for a file, and for 10 and 100 copies of it:  memory.py EMBD [MODEL]

It must not grow with the number of lines. The texts are short, so that 100 times of them stay quick; each
output format is measured by itself."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

embd = os.path.abspath(sys.argv[1])
model = ["--model", os.path.abspath(sys.argv[2])] if len(sys.argv) > 2 else []
LINES = 500


def peak_mib(arguments):
    """Runs a program. Returns the largest resident memory of the process, and the seconds that it took."""
    start = time.monotonic()
    process = subprocess.Popen([embd, *arguments])
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit("embd failed")
    return usage.ru_maxrss / 1024, time.monotonic() - start


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    lines = "".join(f"Entry {i}: the {i % 7}th harbour pilot logged {i * 37} ships.\n" for i in range(LINES))
    print("| output | lines | file KiB | peak MiB | seconds |\n|---|---:|---:|---:|---:|")
    for output in ("out.npy", "out.jsonl", "out.fvecs", "out.cvc"):
        for times in (1, 10, 100):
            text = folder / "texts.txt"
            with open(text, "w") as file:
                for _ in range(times):
                    file.write(lines)
            peak, seconds = peak_mib(["embed", str(text), "-o", str(folder / output), *model])
            print(f"| {output} | {LINES * times} | {text.stat().st_size // 1024} | {peak:.1f} | {seconds:.1f} |",
                  flush=True)
