#!/usr/bin/env python3
"""Measures how much Ray Data and Spark add to `embd embed` on the same cores, in seconds and in processor time.

    cluster_overhead.py EMBD MODEL [--texts 50000] [--few 2000] [--compute f32] [--workers 1] [--rounds 3] [--engines embd,ray,spark]

Needs the packages of scripts/python_scale_requirements.txt. Each engine embeds the same short texts into Parquet with ids and texts, by
workers of one thread: `embd embed -t WORKERS`, Ray Data with so many actors, Spark as local[WORKERS]. Start-up is taken
out by running each with few texts, too: what is compared is the difference of the two runs. The rounds alternate, and the best
of each counts.

wall: seconds, which say something on a machine where nothing else runs. processor: user and system time of every process
that takes part, daemons and JVM included, which says something on a busy one, too.
"""
from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import corpus
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_worker_niceness", "0")  # Ray's own would make wall times those of others


def short_texts(count):
    """Returns different sentences of about 9 to 19 tokens."""
    sentences = [sentence for sentence in corpus.sentences() if 40 <= len(sentence) <= 100]
    numbered = (f"{text} {i}" if i else text for i in itertools.count() for text in sentences)
    return list(itertools.islice(numbered, count))


class ProcessorTime(threading.Thread):
    """Adds up the processor time of a process and of all processes below it.

    It looks at them often, because Ray does not wait for its workers, so the system does not add up their times.
    """

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.first = psutil.Process(pid)
        self.seen = {}
        self.start()

    def look(self):
        try:
            processes = [self.first, *self.first.children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        for process in processes:
            try:
                times = process.cpu_times()
                self.seen[process.pid, process.create_time()] = times.user + times.system
            except psutil.NoSuchProcess:
                pass

    def run(self):
        while self.first.is_running():
            self.look()
            time.sleep(0.1)

    def seconds(self):
        self.look()
        return sum(self.seen.values())


def serve(engine, given, folder, pipe):
    """Runs an engine as told through the pipe, in a process of its own, so that no engine pays for the daemons of another."""
    running = engine(given, folder)
    while (name := pipe.recv()) is not None:
        running.run(name)
        pipe.send(name)
    running.stop()


class Engine:
    """An engine that runs in a process of its own."""

    def __init__(self, engine, given, folder):
        spawning = multiprocessing.get_context("spawn")
        self.pipe, other = spawning.Pipe()
        self.process = spawning.Process(target=serve, args=(engine, given, folder, other))
        self.process.start()
        other.close()
        self.processor = ProcessorTime(self.process.pid)

    def run(self, name):
        """Returns the seconds of the clock and of processor time."""
        before = time.perf_counter(), self.processor.seconds()
        self.pipe.send(name)
        self.pipe.recv()
        return time.perf_counter() - before[0], self.processor.seconds() - before[1]

    def stop(self):
        try:
            self.pipe.send(None)
        except OSError:
            pass  # it has ended by itself
        self.process.join()


class Embd:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder

    def run(self, name):
        out = self.folder / f"embd-{name}.parquet"
        command = [self.given.embd, "embed", self.folder / f"{name}.jsonl", "-m", self.given.model, "-t", self.given.workers, "--id-field", "id",
                   "--text-column", "--compute", self.given.compute, "--progress", "never", "-o", out]
        subprocess.run(list(map(str, command)), check=True)
        out.unlink()

    def stop(self):
        pass


class Ray:
    def __init__(self, given, folder):
        import embd.ray
        import ray
        import ray.data

        self.given, self.folder, self.ray, self.embed = given, folder, ray, embd.ray.embed
        ray.init(
            address="local", num_cpus=given.workers + 1, log_to_driver=False, include_dashboard=False, object_store_memory=150 << 20
        )
        ray.data.DataContext.get_current().enable_progress_bars = False
        ray.data.DataContext.get_current().use_datasource_v2 = False

    def run(self, name):
        out = self.folder / "ray"
        report = self.embed(
            self.ray.data.read_parquet(str(self.folder / f"{name}.parquet")), model=self.given.model, output=out,
            compute=self.given.compute, workers=self.given.workers, cpus=1, rows_per_block=self.given.rows_per_part,
        )
        assert report.rows == report.encoded_rows
        shutil.rmtree(out)

    def stop(self):
        self.ray.shutdown()


class Spark:
    def __init__(self, given, folder):
        import embd.spark
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        self.given, self.folder, self.embed = given, folder, embd.spark.embed
        self.session = (
            SparkSession.builder.master(f"local[{given.workers}]").config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "1g").config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1").getOrCreate()
        )
        self.session.sparkContext.setLogLevel("OFF")

    def run(self, name):
        out = self.folder / "spark"
        report = self.embed(
            self.session.read.parquet(str(self.folder / f"{name}.parquet")), model=self.given.model, output=out,
            compute=self.given.compute, rows_per_part=self.given.rows_per_part,
        )
        assert report.rows == report.encoded_rows
        shutil.rmtree(out)

    def stop(self):
        self.session.stop()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd")
    parser.add_argument("model", type=os.path.abspath)
    parser.add_argument("--texts", type=int, default=50_000)
    parser.add_argument("--few", type=int, default=2_000)
    parser.add_argument("--compute", default="f32")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows-per-part", type=int, default=20_000)
    parser.add_argument("--engines", default="embd,ray,spark")
    given = parser.parse_args()
    if not 0 < given.few < given.texts:
        parser.error("--few must be above 0 and below --texts")
    return given


def measure(running, rounds):
    """Returns, by engine and round, the seconds and processor seconds that many texts take more than few."""
    for engine in running.values():
        engine.run("few")  # what only the first run costs: JIT, imports, page cache
    costs = {name: [] for name in running}
    for _ in range(rounds):
        for name, engine in running.items():
            many, few = engine.run("many"), engine.run("few")
            costs[name].append((many[0] - few[0], many[1] - few[1]))
            print(
                f"  {name}: {many[0]:.1f} s wall, {many[1]:.1f} s processor; few {few[0]:.1f}, {few[1]:.1f}; "
                f"load {os.getloadavg()[0]:.1f}",
                file=sys.stderr,
            )
    return costs


def main():
    given = arguments()
    engines = {"embd": Embd, "ray": Ray, "spark": Spark}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, count in (("few", given.few), ("many", given.texts)):
            table = pa.table({"id": range(count), "text": short_texts(count)})
            pq.write_table(table, folder / f"{name}.parquet")
            lines = (json.dumps(row) + "\n" for row in table.to_pylist())
            (folder / f"{name}.jsonl").write_text("".join(lines))
        running = {name: Engine(engines[name], given, folder) for name in given.engines.split(",")}
        try:
            costs = measure(running, given.rounds)
        finally:
            for engine in running.values():
                engine.stop()
    count = given.texts - given.few
    best = {name: tuple(min(column) for column in zip(*rounds)) for name, rounds in costs.items()}
    base = best.get("embd")
    print(f"{count:,} texts more, {given.compute}, workers of one thread: {given.workers}, best of {given.rounds}, load {os.getloadavg()[0]:.1f}")
    print(f"{'':8}{'wall s':>9}{'texts/s':>9}{'over':>8}{'processor s':>13}{'over':>8}")
    for name, (wall, processor) in best.items():
        over = ("", "") if base is None else (f"{wall / base[0] - 1:+.1%}", f"{processor / base[1] - 1:+.1%}")
        print(f"{name:8}{wall:>9.2f}{count / wall:>9.0f}{over[0]:>8}{processor:>13.2f}{over[1]:>8}")


if __name__ == "__main__":
    main()
