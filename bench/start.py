#!/usr/bin/env python3
"""Times one text from a new process to its vector on the disk: `embd embed` of one line to npy, files in the page cache.

    start.py EMBD MODEL [-n RUNS] [--beside OTHER_EMBD] [--search SET TERMS QUERY]

Runs take turns: with the model's hash kept from an earlier run, without (--keep-model-hash off), with it on one processor, and
with vectors to standard output, which have no recipe and need no hash. OTHER_EMBD: another build of the program, which takes
turns with them. --search: they also take turns with searches of a set and its term index by both, on all processors and on one.
Wall time and processor time (user and system), milliseconds, with the load of the machine.
"""
import argparse
import os
import pathlib
import statistics
import tempfile
import time

FIRST_PROCESSOR = min(os.sched_getaffinity(0))
AT_REST_SECONDS = 4  # how long the model must not have changed before its hash is kept, and a bit


def run(command, environment, one_processor):
    """Returns the milliseconds of the clock and of the processor that a run takes."""
    begin = time.perf_counter()
    process = os.fork()
    if process == 0:
        if one_processor:
            os.sched_setaffinity(0, {FIRST_PROCESSOR})
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execve(command[0], command, environment)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    if status != 0:
        raise SystemExit(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embd", type=os.path.abspath)
    parser.add_argument("model", type=os.path.abspath)
    parser.add_argument("-n", "--runs", type=int, default=31)
    parser.add_argument("--beside", type=os.path.abspath, help="another build")
    parser.add_argument("--search", nargs=3, metavar=("SET", "TERMS", "QUERY"), help="a hybrid search")
    options = parser.parse_args()
    # Not in /tmp, which may be in memory: syncing to a disk is part of the time.
    with tempfile.TemporaryDirectory(prefix="embd-start-", dir=os.getcwd()) as folder:
        folder = pathlib.Path(folder)
        (folder / "one.txt").write_text("A cat sits on the mat.\n")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("EMBD_")} | {"XDG_CACHE_HOME": str(folder / "cache")}
        embed = ["embed", str(folder / "one.txt"), "-m", options.model, "-o"]
        file = [*embed, str(folder / "out.npy")]
        kinds = {
            "hash kept": (options.embd, file, False),
            "hash made": (options.embd, [*file, "--keep-model-hash", "off"], False),
            "hash kept, one processor": (options.embd, file, True),
            "standard output": (options.embd, [*embed, "-"], False),
        }
        if options.beside:
            kinds["the other build"] = (options.beside, file, False)
        if options.search:
            rows, terms, query = options.search
            search = ["search", os.path.abspath(rows), "--terms", os.path.abspath(terms), "-q", query, "-m", options.model]
            kinds |= {"search": (options.embd, search, False), "search, one processor": (options.embd, search, True)}
        deadline = time.monotonic() + AT_REST_SECONDS
        while True:  # until the record is there, or is not to come
            run([options.embd, *file], environment, False)
            if (folder / "cache/embd/model-hashes").exists():
                break
            if time.monotonic() > deadline:
                print("the hash of this model is not kept (docs/decisions/023-kept-hash.md)")
                break
            time.sleep(0.5)
        times = {name: [] for name in kinds}
        for _ in range(options.runs):
            for name, (embd, arguments, one_processor) in kinds.items():
                for old in folder.glob("out.npy*"):
                    old.unlink()
                times[name].append(run([embd, *arguments], environment, one_processor))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{options.runs} runs each, load {load}; milliseconds\n")
    print("| | wall, median | least | processor, median | least |\n|---|---:|---:|---:|---:|")
    for name, both in times.items():
        wall, processor = zip(*both)
        print(f"| {name} | {statistics.median(wall):.1f} | {min(wall):.1f} | {statistics.median(processor):.1f} "
              f"| {min(processor):.1f} |")


if __name__ == "__main__":
    main()
