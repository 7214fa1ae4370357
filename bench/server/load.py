#!/usr/bin/env python3
"""Measures the server's cost beside the engine, and its behavior under load:

    load.py EMBD MODEL [-t THREADS] [--rounds 3] [--seconds 5] [--int8]

Needs wrk; all of it stays on 127.0.0.1 and ends by itself. Rates are measured in rounds in
which `embd embed` and the server take turns, so that what else the machine does hits both; medians are printed. Beside other
programs only the processor's time a text means something: it counts what the server takes more, whoever else computes. The
cache is off."""
import argparse
import asyncio
import json
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request


def short_texts(count, seed):
    """Returns texts of 9 to 19 tokens, as the short texts of bench/corpus.py."""
    chosen = random.Random(seed)
    common = ("the of and to a in for is on that by this with you it not or be are from at as your all have new more an "
              "was we will home can us about if page my has search free but our one other do no information time they").split()
    return [" ".join(chosen.choices(common, k=chosen.randint(7, 17))) for _ in range(count)]


def resident(pid):
    """Returns the resident memory in MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Server:
    def __init__(self, options, *more):
        start = time.perf_counter()
        self.process = subprocess.Popen([options.embd, "serve", "-m", options.model, "--port", "0", "--cache", "0", "-t",
                                         str(options.threads), "--compute", options.compute, *more],
                                        stderr=subprocess.PIPE, text=True)
        self.url = re.search(r"http://\S+", self.process.stderr.readline())[0]
        self.started = time.perf_counter() - start
        self.port = int(self.url.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)

    def resident(self):
        return resident(self.process.pid)

    def processor_seconds(self):
        return processor_seconds(self.process.pid)

    def post(self, body):
        request = urllib.request.Request(self.url + "/v1/embeddings", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.read()


def embed_rate(options, texts):
    """Returns the texts a second of `embd embed`, and its milliseconds of processor time for each text, without the start."""
    def processor_seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        used = [processor_seconds()]
        for part in (texts[:1], texts):
            subprocess.run([options.embd, "embed", "-m", options.model, "-t", str(options.threads), "--compute",
                            options.compute, "-o", pathlib.Path(folder) / "out.npy", "--report", report, "--force"],
                           input="\n".join(part) + "\n", text=True, check=True, stderr=subprocess.DEVNULL)
            used.append(processor_seconds())
        told = json.loads(report.read_text())
        return told["rows"] / told["seconds"], 1000 * (used[2] - 2 * used[1] + used[0]) / len(texts)


def wrk(server, connections, seconds, texts_a_request, texts, path="/v1/embeddings", encoding="base64"):
    """Returns the texts a second and the 99th percentile in ms. Every answer must be 200."""
    bodies = [json.dumps({"model": "m", "input": texts[i:i + texts_a_request], "encoding_format": encoding})
              for i in range(0, len(texts), texts_a_request)]
    script = "local bodies = {" + ",".join("[=[" + b + "]=]" for b in bodies) + """}
local next = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function() next = next % #bodies + 1; return wrk.format(nil, nil, nil, bodies[next]) end
"""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script if path == "/v1/embeddings" else "")
        file.flush()
        out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "60s", "-s",
                              file.name, server.url + path], capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]) * texts_a_request
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)", out).groups()
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad and path == "/v1/embeddings":
        raise RuntimeError(f"{bad[1]} requests were refused")
    return rate, float(number) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[unit]


def served(server, connections, seconds, texts_a_request, texts):
    """Returns the texts a second through HTTP, and the milliseconds of processor time for each text."""
    before = server.processor_seconds()
    rate = wrk(server, connections, seconds, texts_a_request, texts)[0]
    return rate, 1000 * (server.processor_seconds() - before) / (rate * seconds)


def rates(options):
    texts = short_texts(4096, 1)
    rounds = {"embd embed": [], "lists of 32, 8 connections": [], "one text a request, 64 connections": []}
    with Server(options, "--queue", "1000") as server:  # Nothing may be refused here.
        print(f"started in {1000 * server.started:.0f} ms, {server.resident():.0f} MiB")
        wrk(server, 8, 1, 32, texts)
        for _ in range(options.rounds):
            for name, (rate, cost) in zip(rounds, (embed_rate(options, texts[:options.rate_texts]),
                                                   served(server, 8, options.seconds, 32, texts),
                                                   served(server, 64, options.seconds, 1, texts))):
                rounds[name].append((rate, cost))
        print(f"after load {server.resident():.0f} MiB")
    base = rounds["embd embed"]
    for name, measured in rounds.items():
        share = statistics.median(rate / other for (rate, _), (other, _) in zip(measured, base))
        cheap = statistics.median(other / cost for (_, cost), (_, other) in zip(measured, base))
        print(f"{name}: {statistics.median(rate for rate, _ in measured):.0f} texts/s, {share:.3f} of embd embed's; "
              f"{statistics.median(cost for _, cost in measured):.3f} ms of a processor a text, {cheap:.3f}")


def latencies(options):
    texts = short_texts(512, 2)
    alone, beside, health = [], [], []
    with Server(options, "--queue", "1000") as server:  # the lists are not to be refused
        for _ in range(options.rounds):
            alone.append(wrk(server, 1, options.seconds, 1, texts)[1])
        stop = threading.Event()

        def big():
            body = {"input": short_texts(2048, 3)}
            while not stop.is_set():
                server.post(body)
        thread = threading.Thread(target=big)
        thread.start()
        for _ in range(options.rounds):
            beside.append(wrk(server, 1, options.seconds, 1, texts)[1])
            health.append(wrk(server, 4, options.seconds, 1, texts, "/health")[1])
        stop.set()
        thread.join()
    print(f"p99 of one short text: alone {statistics.median(alone):.1f} ms, beside lists of 2,048 "
          f"{statistics.median(beside):.1f} ms; /health meanwhile {statistics.median(health):.1f} ms")


async def hold_connections(port, count):
    opened = []
    for _ in range(count):
        opened.append(await asyncio.open_connection("127.0.0.1", port))
    return opened


def idle(options, count=10000):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(count, hard - 200)

    async def run(server):
        before = server.resident()
        opened = []
        for _ in range(count // 500):
            opened += await hold_connections(server.port, 500)
            for _, writer in opened[-500:]:
                writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for reader, _ in opened[-500:]:
                await reader.readuntil(b'"ok"}')
        start = time.perf_counter()
        await asyncio.to_thread(lambda: urllib.request.urlopen(server.url + "/health").read())
        probe = time.perf_counter() - start
        print(f"{len(opened)} idle connections: {server.resident() - before:.0f} MiB more; a probe answers in "
              f"{1000 * probe:.1f} ms")
        for _, writer in opened:
            writer.close()
    with Server(options, "--max-connections", str(count + 100)) as server:
        asyncio.run(run(server))


def overload(options, seconds=60):
    """Sends 1.2 times the rate that the server can do, in lists of 32, whether it answers or not."""
    texts = short_texts(4096, 4)
    bodies = [json.dumps({"input": texts[i:i + 32], "encoding_format": "base64"}).encode() for i in range(0, len(texts), 32)]
    with Server(options, "--queue", "1000") as server:
        rate = 1.2 * wrk(server, 8, options.seconds, 32, texts)[0] / 32
    with Server(options, "--queue", "2") as server:
        told = []
        memory = [server.resident()]

        async def one(body):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(body) + body)
            answer = await asyncio.wait_for(reader.read(-1), 120)
            writer.close()
            told.append((answer[9:12], b"Retry-After" in answer))

        async def run():
            tasks = []
            start = time.perf_counter()
            while (now := time.perf_counter() - start) < seconds:
                while len(tasks) < now * rate:
                    tasks.append(asyncio.create_task(one(bodies[len(tasks) % len(bodies)])))
                await asyncio.sleep(0.01)
                if int(now) + 1 > len(memory) * 10:
                    memory.append(server.resident())
            await asyncio.gather(*tasks)
            return len(tasks)
        sent = asyncio.run(run())
        memory.append(server.resident())
    good = sum(status == b"200" for status, _ in told)
    refused = sum(status == b"429" and retry for status, retry in told)
    print(f"overload, {rate:.0f} lists of 32 a second for {seconds} s: {sent} sent, {good} times 200, {refused} times 429 with "
          f"Retry-After, {sent - good - refused} others; memory {min(memory):.0f} to {max(memory):.0f} MiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("model", type=os.path.abspath)
    parser.add_argument("-t", "--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rate-texts", type=int, default=4096)
    parser.add_argument("--compute", default="f32")
    parser.add_argument("--only", nargs="*", default=["rates", "latencies", "idle", "overload"])
    options = parser.parse_args()
    print(f"{options.compute}, {options.threads} threads, load of the machine {os.getloadavg()[0]:.1f}")
    for name in options.only:
        globals()[name](options)


if __name__ == "__main__":
    main()
