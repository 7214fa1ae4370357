#!/usr/bin/env python3
"""Measures embd serve beside other servers of all-MiniLM-L6-v2 on a CPU: one run, one table.

    beside.py EMBD MODEL FOLDER --python V/bin/python [--infinity W/bin/infinity_emb] [-t 1] [--rounds 3] [--seconds 5]

FOLDER is the model as Hugging Face has it. V has sentence-transformers, fastapi and uvicorn; W has infinity-emb[server] with
torch, transformers 4 and sentence-transformers 5. All servers stay loaded and take turns, load by load and round by round, on
the same processors (the first THREADS of them; wrk has the last), so that what else the machine does hits all. Medians are
printed. Beside other programs only the processor's time a text means something. Answers are floats; nothing is cached."""
import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import time
import urllib.request

from load import processor_seconds, resident, short_texts, wrk

HERE = pathlib.Path(__file__).resolve().parent
LOADS = {"one text, 1 connection": (1, 1), "one text, 64 connections": (64, 1), "lists of 32, 8 connections": (8, 32)}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Peer:
    """A server that is started and ended with the object."""

    def __init__(self, name, command, port, processors):
        self.name, self.url = name, f"http://127.0.0.1:{port}"
        self.environment = {**os.environ, "OMP_NUM_THREADS": str(len(processors)), "HF_HUB_OFFLINE": "1",
                            "INFINITY_ANONYMOUS_USAGE_STATS": "0"}
        start = time.perf_counter()
        self.process = subprocess.Popen([str(word) for word in command], env=self.environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL,
                                        preexec_fn=lambda: os.sched_setaffinity(0, processors))
        while True:
            try:
                self.embed("ready")
                break
            except OSError:
                if self.process.poll() is not None or time.perf_counter() - start > 300:
                    raise RuntimeError(f"{name} did not start: {' '.join(map(str, command))}") from None
                time.sleep(0.01)
        self.started = time.perf_counter() - start
        self.measured = {load: [] for load in LOADS}

    def embed(self, text):
        request = urllib.request.Request(self.url + "/v1/embeddings", json.dumps({"input": text, "model": "m"}).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["data"][0]["embedding"]

    def measure(self, load, seconds, texts):
        connections, texts_a_request = LOADS[load]
        before = processor_seconds(self.process.pid)
        rate, p99 = wrk(self, connections, seconds, texts_a_request, texts, encoding="float")
        if rate == 0:
            raise RuntimeError(f"{self.name} answered nothing in {seconds} s: {load}; give it more --seconds")
        cost = 1000 * (processor_seconds(self.process.pid) - before) / (rate * seconds)
        self.measured[load].append((rate, p99, cost))


def peers(options):
    processors = sorted(os.sched_getaffinity(0))
    ours = set(processors[:options.threads])
    os.sched_setaffinity(0, {processors[-1]})  # wrk inherits it
    def embd(compute):
        port = free_port()
        return Peer(f"embd serve, {compute}", [options.embd, "serve", "-m", options.model, "--port", port, "--cache", 0, "-t",
                                               options.threads, "--compute", compute, "--queue", 1000], port, ours)
    yield embd("f32")
    yield embd("int8")
    port = free_port()
    yield Peer("sentence-transformers behind FastAPI",
               [options.python, HERE / "fastapi_server.py", options.folder, port, options.threads], port, ours)
    if options.infinity:
        port = free_port()
        yield Peer("infinity, torch", [options.infinity, "v2", "--model-id", options.folder, "--served-model-name", "m",
                                       "--device", "cpu", "--engine", "torch", "--no-bettertransformer", "--url-prefix", "/v1",
                                       "--host", "127.0.0.1", "--port", port], port, ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("model", type=os.path.abspath)
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("--python", required=True)
    parser.add_argument("--infinity")
    parser.add_argument("-t", "--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    options = parser.parse_args()
    texts = short_texts(4096, 1)
    running = []
    try:
        for peer in peers(options):
            running.append(peer)
        vectors = [peer.embed(texts[0]) for peer in running]
        for _ in range(options.rounds):
            for load in LOADS:
                for peer in running:
                    peer.measure(load, options.seconds, texts)
        print(f"{options.threads} threads, {options.rounds} rounds of {options.seconds} s, load of the machine "
              f"{os.getloadavg()[0]:.1f}; texts/s (ms of a processor a text; for one connection the 99th percentile, too)\n")
        print(f"| server | {' | '.join(LOADS)} | started in | resident | largest difference |")
        print("|---|" + "---:|" * (len(LOADS) + 3))
        for peer, vector in zip(running, vectors):
            cells = []
            for load, measured in peer.measured.items():
                rate, p99, cost = (statistics.median(values) for values in zip(*measured))
                tail = f", {p99:.1f} ms" if LOADS[load] == (1, 1) else ""
                cells.append(f"{rate:.0f} ({cost:.2f}{tail})")
            difference = max(abs(a - b) for a, b in zip(vector, vectors[0]))
            print(f"| {peer.name} | {' | '.join(cells)} | {peer.started:.2f} s | {resident(peer.process.pid):.0f} MiB | "
                  f"{difference:.0e} |")
    finally:
        for peer in running:
            peer.process.terminate()
        for peer in running:
            peer.process.wait(60)


main()
