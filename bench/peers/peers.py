#!/usr/bin/env python3
"""Measures embd beside the other ways to run a model on a CPU: one run, one table.

    python3 -m venv V && V/bin/pip install -r bench/requirements.txt
    V/bin/python bench/peers/peers.py --threads 1

The model is all-MiniLM-L6-v2, or what `--model` and `--folder` name: one of BERT's or MPNet's shape with mean pooling.

Every engine gets the same texts and threads, tokenizing included. Rivals are at their best: texts sorted by their tokens,
and batches of the size, from 4 to 64, that a first look finds fastest for that engine and those texts. The engines take
turns in short rounds, since a shared machine's speed drifts: the figure is the median round, the ratio the median of the
rounds' ratios, to embd in the same arithmetic. Beside the speed stands how faithful the engine is to embd in float32, over
1,000 texts, the mixed ones among them: the cosine of its vectors with those of embd, and the share of the ten nearest
texts of each that both find. `--compute f32,bf16,int8` measures each engine in all arithmetics, so that its best on this
processor is among them. `--rounds 0` measures only that.
"""
import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CORPORA = {"short": 512, "mixed": 128, "long": 32}
FIDELITY_TEXTS = 1000
NEAREST = 10


def write_corpora(args):
    """Returns the path of the texts of each kind. bench/corpus.py makes them, unless `--corpora` gives them."""
    paths = {}
    for kind, count in {**CORPORA, "latency": 40}.items():
        given = args.corpora and args.corpora / f"{kind}.txt"
        paths[kind] = given if given and given.exists() else args.cache / f"{kind}.txt"
        if paths[kind] == given:
            continue
        with open(paths[kind], "w") as out:
            subprocess.run([sys.executable, ROOT / "bench/corpus.py", "short" if kind == "latency" else kind, str(count),
                            "--embd", args.build / "cli/embd", "--model", args.model], stdout=out, check=True)
    return paths


def write_fidelity_texts(args, mixed):
    """Returns the path of the texts whose vectors are compared: the mixed ones, then distinct sentences."""
    path = args.cache / "fidelity.txt"
    count = FIDELITY_TEXTS - len(mixed.read_text().splitlines())
    more = subprocess.run([sys.executable, ROOT / "bench/corpus.py", "distinct", str(count)], capture_output=True, text=True, check=True)
    path.write_text(mixed.read_text() + more.stdout)
    return path


def nearest(rows):
    """Returns the nearest other rows of each, [rows, NEAREST]."""
    similarity = rows @ rows.T
    np.fill_diagonal(similarity, -np.inf)
    return np.argsort(-similarity, axis=1, kind="stable")[:, :NEAREST]


def fidelity(rows, exact):
    """Returns the mean and the least cosine of rows with the exact ones, and the share of nearest rows in common."""
    cosines = (rows * exact).sum(1)
    common = [len(set(a) & set(b)) / NEAREST for a, b in zip(nearest(rows).tolist(), nearest(exact).tolist())]
    return cosines.mean(), cosines.min(), statistics.mean(common)


class Worker:
    def __init__(self, command, cpus):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus),
                                        env={**os.environ, "OMP_NUM_THREADS": str(len(cpus))})
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{' '.join(map(str, command))}: did not start")

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def resident_mib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024


PEERS = {"f32": ["sentence-transformers", "onnxruntime", "openvino", "ctranslate2"],
         "bf16": ["sentence-transformers-bf16", "openvino-bf16", "ctranslate2-bf16"],
         "int8": ["onnxruntime-int8", "ctranslate2-int8"]}


def start_embd(args, compute, cpus):
    return Worker([args.build / "bench/embd_worker", args.model, compute, str(args.threads)], cpus)


def start_peer(args, name, cpus):
    """Starts a rival. Returns None, and says so, if it does not run here: not each has bf16 on each processor."""
    try:
        return Worker([sys.executable, HERE / "workers.py", name, args.folder, args.cache, str(args.threads)], cpus)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--compute", default="f32", help="f32, bf16, int8, or several of them between commas")
    parser.add_argument("--peers", help="rivals, between commas, instead of all of those arithmetics")
    parser.add_argument("--build", type=Path, default=ROOT / "build/bench")
    parser.add_argument("--model", type=Path, default=ROOT / "models/all-MiniLM-L6-v2.weights")
    parser.add_argument("--folder", type=Path, default=ROOT / "models/cache/all-MiniLM-L6-v2")
    parser.add_argument("--corpora", type=Path, help="folder of short.txt, mixed.txt, long.txt to take instead of our own")
    parser.add_argument("--cache", type=Path, default=ROOT / "build/peers")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    paths = write_corpora(args)
    lines = {kind: len(path.read_text().splitlines()) for kind, path in paths.items()}
    cpus = sorted(os.sched_getaffinity(0))[:args.threads]

    workers, own = {}, {}  # by name; of each, the embd that has its arithmetic
    for compute in args.compute.split(","):
        workers[f"embd {compute}"] = start_embd(args, compute, cpus)
        own[f"embd {compute}"] = f"embd {compute}"
        for name in PEERS[compute]:
            if args.peers and name not in args.peers.split(","):
                continue
            if worker := start_peer(args, name, cpus):
                workers[name], own[name] = worker, f"embd {compute}"
                timed = {kind: path for kind, path in paths.items() if kind != "latency" and args.rounds > 0}
                sizes = {kind: int(worker.ask("tune", path)) for kind, path in timed.items()}
                print(f"{name}: batches of {', '.join(f'{size} ({kind})' for kind, size in sizes.items())}", file=sys.stderr)

    compared = write_fidelity_texts(args, paths["mixed"])

    def vectors_of(name, worker):
        worker.ask("vectors", compared, args.cache / f"{name}.npy")
        return np.load(args.cache / f"{name}.npy")

    exact = vectors_of("exact", workers.get("embd f32") or start_embd(args, "f32", cpus))
    fidelities = {name: fidelity(vectors_of(name.replace(" ", "-"), worker), exact) for name, worker in workers.items()}

    seconds = {name: {kind: [] for kind in paths} for name in workers}
    for _ in range(args.rounds):
        for kind, path in paths.items():
            for name, worker in workers.items():
                seconds[name][kind].append(worker.ask("latency" if kind == "latency" else "encode", path))

    print(f"threads {args.threads}, {args.rounds} rounds; sentences/s (how many times as fast embd is in the same arithmetic)")
    print("| engine | short | mixed | long | one sentence, ms | cosine to float32, mean / least | nearest in common | resident MiB |")
    print("|---|---|---|---|---|---|---|---|")
    for name, worker in workers.items():
        cells = []
        for kind, times in seconds[name].items():
            if not times:
                cells.append("–")
                continue
            ratio = statistics.median(t / e for t, e in zip(times, seconds[own[name]][kind]))
            value = statistics.median(times)
            shown = f"{value * 1e3:.2f}" if kind == "latency" else f"{lines[kind] / value:.1f}"
            cells.append(shown if name == own[name] else f"{shown} ({ratio:.2f}×)")
        mean, least, common = fidelities[name]
        print(f"| {name} | {' | '.join(cells)} | {mean:.6f} / {least:.6f} | {common:.3f} | {worker.resident_mib():.0f} |")


if __name__ == "__main__":
    main()
