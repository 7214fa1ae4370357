#!/usr/bin/env python3
"""Measures the gain of computing repeated texts once, and its cost where none repeats: `embd embed --dedup on` beside `off`.

    repeats.py EMBD MODEL [--lines 20000] [--distinct 5000] [--rounds 3] [--seed 1] [--golden FOLDER]

log       lines as services write them, less the time: 200 templates, the second half as frequent as the first, the third a
          third, and so on. Every other one is always the same line, or one for each host, code or user; the rest carry numbers
          that hardly come again. Of 20,000 lines 47 % are equal to an earlier one (seed 1).
distinct  sentences of bench/corpus.py, each once; a few have the same tokens
FOLDER    texts of every *.jsonl.gz in it, under the names of the files

Both settings take turns on one thread, in float32 and in int8; a ratio of processor time then means something beside other
programs, too. Prints lines a second of it (a whole run, its start included; medians), the rows that were not computed as the
report has them, and the median ratio of the rounds with their least and greatest. Fails where the two outputs differ in a byte.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

COMPONENTS = "auth billing cache gateway indexer mailer orders scheduler search storage".split()
# Always the same line, or one for each host, code or user.
STEADY = [
    "INFO {c}: health check passed",
    "INFO {c}: configuration reloaded",
    "INFO {c}: listening on {host}:8443",
    "DEBUG {c}: connection to {host} closed by peer",
    "DEBUG {c}: lease renewed on {host}",
    "WARN {c}: retrying request to {host} after status {code}",
    "WARN {c}: rate limit reached for user {user}",
    "WARN {c}: certificate of {host} expires in less than 30 days",
    "ERROR {c}: upstream {host} answered {code}",
    "ERROR {c}: permission denied for user {user} on resource settings",
]
# With numbers that hardly come again.
NUMBERED = [
    "INFO {c}: GET /api/v2/items/{number} {code} in {ms} ms",
    "INFO {c}: user {user} signed in from 10.{byte}.{byte}.{byte}",
    "INFO {c}: request {hex} finished in {ms} ms",
    "INFO {c}: wrote {number} bytes to segment {hex}",
    "INFO {c}: job {number} started on {host}",
    "DEBUG {c}: query took {ms} ms and returned {number} rows",
    "DEBUG {c}: collected {number} objects, paused for {ms} ms",
    "WARN {c}: queue holds {number} messages, oldest {ms} ms",
    "ERROR {c}: timeout of {host} after {ms} ms, trace {hex}",
    "ERROR {c}: could not parse record {number}: unexpected end of input",
]


def log_lines(count, seed):
    chance = random.Random(seed)
    kinds = [[message.replace("{c}", component) for component in COMPONENTS for message in kind] for kind in (STEADY, NUMBERED)]
    for kind in kinds:
        chance.shuffle(kind)
    templates = [template for pair in zip(*kinds) for template in pair]
    weights = [1 / rank for rank in range(1, len(templates) + 1)]
    draw = {"{host}": lambda: f"node-{chance.randrange(8)}", "{code}": lambda: str(chance.choice([200, 404, 429, 500, 503])),
            "{user}": lambda: f"u{chance.randrange(200)}", "{byte}": lambda: str(chance.randrange(256)),
            "{ms}": lambda: str(chance.randrange(1, 5000)), "{number}": lambda: str(chance.randrange(10**7)),
            "{hex}": lambda: f"{chance.randrange(2**32):08x}"}
    for template in chance.choices(templates, weights, k=count):
        for slot, value in draw.items():
            while slot in template:
                template = template.replace(slot, value(), 1)
        yield template


def distinct_lines(count):
    command = [sys.executable, pathlib.Path(__file__).parent / "corpus.py", "distinct", str(count)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def golden_texts(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line)["text"] for line in file]


class Runs:
    """Runs of `embd embed` in a folder of their own."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def embed(self, dedup, compute):
        """Returns the seconds of processor time, the report, and the bytes of the output."""
        out, report = self.folder / "out.fvecs", self.folder / "report.json"
        command = [self.options.embd, "embed", self.folder / "texts.jsonl", "-m", self.options.model, "-o", out, "-t", "1",
                   "--dedup", dedup, "--compute", compute, "--report", report, "--progress", "never"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(said)
        return usage.ru_utime + usage.ru_stime, json.loads(report.read_text()), out.read_bytes()

    def compare(self, name, texts):
        """Prints a line for each arithmetic."""
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        (self.folder / "texts.jsonl").write_text(lines, encoding="utf-8")
        for compute in ("f32", "int8"):
            seconds = {"on": [], "off": []}
            for number in range(self.options.rounds):
                outputs = {}
                for dedup in ("on", "off") if number % 2 == 0 else ("off", "on"):
                    taken, report, outputs[dedup] = self.embed(dedup, compute)
                    seconds[dedup].append(taken)
                    if dedup == "on":
                        repeated = report["repeated_rows"]
                if outputs["on"] != outputs["off"]:
                    sys.exit(f"{name}, {compute}: other bytes with --dedup off")
            ratios = [off / on for on, off in zip(seconds["on"], seconds["off"])]
            rates = [len(texts) / statistics.median(seconds[dedup]) for dedup in ("on", "off")]
            print(f"| {name} | {len(texts)} | {repeated} ({repeated / len(texts):.1%}) | {compute} | {rates[0]:.0f} | {rates[1]:.0f} "
                  f"| {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd")
    parser.add_argument("model")
    parser.add_argument("--lines", type=int, default=20000)
    parser.add_argument("--distinct", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--golden", type=pathlib.Path)
    options = parser.parse_args()
    corpora = [("log", list(log_lines(options.lines, options.seed))), ("distinct", distinct_lines(options.distinct))]
    for path in sorted(options.golden.glob("*.jsonl.gz")) if options.golden else ():
        corpora.append((path.name.removesuffix(".jsonl.gz"), golden_texts(path)))
    print("| texts | lines | not computed | arithmetic | lines/s, on | off | off / on |\n|---|---:|---:|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options, pathlib.Path(folder))
        for name, texts in corpora:
            runs.compare(name, texts)


if __name__ == "__main__":
    main()
