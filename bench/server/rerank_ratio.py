#!/usr/bin/env python3
"""Measures how fast a server reranks beside the library in this process, in rounds that take turns:

    rerank_ratio.py EMBD FOLDER [-t 1] [--rounds 20] [--documents 100]

FOLDER is all-MiniLM-L6-v2 as Hugging Face has it. The reranker is that encoder with a classifier of any weights: its time is
that of ms-marco-MiniLM-L6-v2. Each round ranks the same documents of unequal length, first over HTTP, then by
embd.Reranker.rank(), then the other way round; the scores of both must be equal. Printed is the speed over HTTP by that of the
library: by the clock, the median of the rounds' ratios, and by the processor time of the server and of this process, all rounds
together, which other programs disturb less. Needs the Python package."""
import argparse
import http.client
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

import embd
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tests/faces/server")]
from encoder_reranker import make_reranker  # noqa: E402
from server_process import ServerProcess  # noqa: E402

WORDS = "the train leaves at noon and the ticket costs more than it did last year when nobody asked for one".split()
QUERY = "how much is the ticket"


def over_http(connection, documents):
    connection.request("POST", "/rerank", json.dumps({"query": QUERY, "texts": documents}), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = json.loads(answer.read())
    if answer.status != 200:
        raise RuntimeError(f"{answer.status} {content}")
    return [(each["index"], np.float32(each["score"])) for each in content]


def processor_seconds(pid):
    """Returns the user and system time of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_of(call, pid):
    """Returns the seconds of the clock and of the processor, and what the call returns."""
    start, start_of_processor = time.perf_counter(), processor_seconds(pid)
    result = call()
    return time.perf_counter() - start, processor_seconds(pid) - start_of_processor, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-t", "--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--documents", type=int, default=100)
    options = parser.parse_args()
    numbers = random.Random(1)
    documents = [" ".join(numbers.choices(WORDS, k=numbers.randrange(8, 200))) for _ in range(options.documents)]
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / "reranker"
        make_reranker(options.folder, folder, 0.01 * np.ones((1, 384)), np.zeros(1))
        library = embd.Reranker(folder, threads=options.threads)
        with ServerProcess([options.embd, "serve", "--reranker", folder, "--port", 0, "-t", options.threads, "--cache", 0]) as server:
            connection = http.client.HTTPConnection(server.host, server.port, timeout=600)
            calls = {"http": lambda: over_http(connection, documents),
                     "library": lambda: [(each.index, np.float32(each.score)) for each in library.rank(QUERY, documents, activation="sigmoid")]}
            for call in calls.values():  # the first pages of both
                call()
            pids = {"http": server.process.pid, "library": os.getpid()}
            ratios = []
            processor = dict.fromkeys(calls, 0.0)
            for number in range(options.rounds):
                order = list(calls) if number % 2 == 0 else list(calls)[::-1]
                taken = {name: seconds_of(calls[name], pids[name]) for name in order}
                if taken["http"][2] != taken["library"][2]:
                    raise RuntimeError("the server's scores are not the library's")
                for name in calls:
                    processor[name] += taken[name][1]
                ratios.append(taken["library"][0] / taken["http"][0])
    ratios.sort()
    print(f"{options.documents} documents, {options.threads} threads, {options.rounds} rounds: HTTP over library "
          f"{statistics.median(ratios):.3f} by the clock (quartiles {ratios[len(ratios) // 4]:.3f} to {ratios[3 * len(ratios) // 4]:.3f}), "
          f"{processor['library'] / processor['http']:.3f} by processor time")


if __name__ == "__main__":
    main()
