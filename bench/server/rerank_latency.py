#!/usr/bin/env python3
"""Measures how long a short embedding waits beside a rerank of 1,000 documents, on one server:

    rerank_latency.py EMBD MODEL FOLDER [-t 2] [--seconds 20]

MODEL is the weight file of all-MiniLM-L6-v2, FOLDER the model as Hugging Face has it. The reranker is that encoder with a
classifier of any weights: its time is that of ms-marco-MiniLM-L6-v2. Pairs have about 139 tokens. One client sends a text of 12
tokens after the other, first alone, then while another client sends one rerank after the other."""
import argparse
import http.client
import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tests/faces/server")]
from encoder_reranker import make_reranker  # noqa: E402
from server_process import ServerProcess  # noqa: E402

WORDS = "the train leaves at noon and the ticket costs more than it did last year when nobody asked for one".split()


class Client:
    def __init__(self, server):
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=600)

    def ask(self, path, body):
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {content[:300]}")
        return json.loads(content)


def latencies(server, seconds):
    client = Client(server)
    taken = []
    end = time.perf_counter() + seconds
    number = 0
    while (start := time.perf_counter()) < end:
        client.ask("/v1/embeddings", {"input": f"a short text of some twelve tokens, number {number}", "model": "m"})
        taken.append(1000 * (time.perf_counter() - start))
        number += 1
    return taken


def rerank_until(server, done, totals):
    client = Client(server)
    documents = [" ".join(WORDS[(i + j) % len(WORDS)] for j in range(128)) for i in range(1000)]
    while not done.is_set():
        answer = client.ask("/v2/rerank", {"query": "how much is the ticket", "documents": documents})
        totals.append(answer["usage"]["total_tokens"])


def print_line(name, taken):
    taken = sorted(taken)
    print(f"{name:8} {len(taken):6} requests, median {statistics.median(taken):6.1f} ms, "
          f"99th percentile {taken[int(0.99 * len(taken))]:6.1f} ms, longest {taken[-1]:6.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("model", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-t", "--threads", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        reranker = pathlib.Path(work) / "reranker"
        make_reranker(options.folder, reranker, 0.01 * np.ones((1, 384)), np.zeros(1))
        with ServerProcess([options.embd, "serve", "-m", options.model, "--reranker", reranker, "--port", 0, "-t",
                            options.threads, "--cache", 0]) as server:
            print(f"{options.threads} threads, load of the machine {os.getloadavg()[0]:.1f}")
            print_line("alone", latencies(server, options.seconds))
            done, totals = threading.Event(), []
            rerank = threading.Thread(target=rerank_until, args=(server, done, totals))
            rerank.start()
            time.sleep(0.5)
            taken = latencies(server, options.seconds)
            done.set()
            rerank.join()
            print_line("beside", taken)
            print(f"         {len(totals)} reranks of 1,000 documents, {totals[0] / 1000:.0f} tokens a pair")


main()
