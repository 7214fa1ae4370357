#!/usr/bin/env python3
"""The program prints exactly what the README and the pages of docs show:  readme_test.py EMBD ROOT MODEL EXAMPLE

Runs the commands of each block ```console, those of a page in a folder of its own with the files of make_inputs(), and compares what they
print with what stands under them, letter by letter: the same text has the same bytes on every processor. Output may be left out.

A comment before a block says why it is left alone, and the test repeats it aloud:
    <!-- not run: why -->                  none of its commands
    <!-- output not compared: why -->      they are run and have to succeed

Blocks in other languages are counted aloud, for this test does not run them: tests/faces/python/test_pages.py runs those of
Python, and tests/install/run.sh compiles those of C++. Without MODEL the test is skipped, with exit code 77."""
import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

from folder_case import has_stemmer

EMBD, ROOT, MODEL, EXAMPLE = (pathlib.Path(path).resolve() for path in sys.argv[1:5])
PORT = "8080"  # of the pages
BLOCK = re.compile(r"(?:<!-- (not run|output not compared): ([^>]+) -->\n)?^```(console|python|cpp)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands_of(block):
    """The commands of a block, each with the lines under it."""
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line)
    return commands


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def make_inputs(folder, environment):
    """The files that pages name as the reader's own."""
    texts = EXAMPLE.read_text(encoding="utf-8").splitlines()

    def write(name, lines):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    for name in ("example.txt", "docs.txt", "notes.txt", "docs/a.txt", "0.txt", "1.txt"):
        write(name, texts)
    for name in ("docs.jsonl", "mails.jsonl", "log.jsonl"):
        write(name, [json.dumps({"id": i, "key": f"k{i}", "topic": f"t{i % 3}", "level": ["ERROR", "INFO"][i % 2], "year": 2024,
                                 "text": text}) for i, text in enumerate(texts)])
    for name in ("test.csv", "train.csv"):
        write(name, ["text", *texts])
    for name in ("all-MiniLM-L6-v2.weights", "bge-large.weights"):
        (folder / name).symlink_to(MODEL)
    outputs = [argument for name in ("docs.npy", "docs.usearch", "shard-0.usearch", "shard-1.usearch") for argument in ("-o", name)]
    subprocess.run([EMBD, "embed", "docs.txt", *outputs], cwd=folder, env=environment, check=True)


@contextlib.contextmanager
def serve(command, folder, environment, shown):
    """The server of a command, which has said what is shown; it ends with the block, however that ends."""
    server = subprocess.Popen(f"exec {command}", shell=True, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        said = server.stderr.readline().rstrip()
        assert said.startswith("listening on ") and shown in ([], [said]), f"$ {command}\n{said}\nshown: {shown}"
        yield
    finally:
        server.terminate()
        server.wait(30)


def run_block(commands, folder, environment, port, is_compared):
    """How many commands of a block printed what is shown; its servers listen at `port` until the block ends."""
    compared = 0
    with contextlib.ExitStack() as servers:
        for command, shown in commands:
            shown = shown if is_compared else []
            command = command.replace(f"localhost:{PORT}", f"localhost:{port}")
            if command.startswith("embd serve"):
                shown = [line.replace(PORT, port) for line in shown]
                servers.enter_context(serve(f"{command} --port {port}", folder, environment, shown))
            else:
                ran = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
                assert ran.returncode == 0, f"$ {command}\n{ran.stderr}"
                assert not shown or ran.stdout.splitlines() == shown, f"$ {command}\n{ran.stdout}\nshown:\n" + "\n".join(shown)
            compared += bool(shown)
    return compared


def run_page(page, environment):
    """Runs the blocks of a page; how many commands were compared, and how many blocks are in other languages."""
    compared, others = 0, 0
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    if any(language == "console" and (".terms" in block or "embd collect" in block) for _, _, language, block in blocks) and not has_stemmer():
        print(f"{page.relative_to(ROOT)}: not run: this build has no stemmer")
        return compared, others
    with tempfile.TemporaryDirectory() as name:
        folder, is_ready = pathlib.Path(name), False
        for mark, reason, language, block in blocks:
            if language != "console":
                others += 1
                continue
            if mark:
                print(f"{page.relative_to(ROOT)}: {mark}: {reason}: {block.splitlines()[0]}")
            if mark == "not run":
                continue
            if not is_ready:
                make_inputs(folder, environment)
                if page.name == "README.md":
                    (folder / "docs/decisions").symlink_to(ROOT / "docs/decisions")
                is_ready = True
            try:
                compared += run_block(commands_of(block), folder, environment, free_port(), not mark)
            except AssertionError as error:
                sys.exit(f"{page.relative_to(ROOT)}: {error}")
    return compared, others


def main():
    if not MODEL.exists():
        print(f"SKIPPED: there is no {MODEL} (scripts/get_model.sh)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "embd").symlink_to(EMBD)
        environment = {**os.environ, "EMBD_MODEL": str(MODEL), "PATH": f"{name}:{os.environ['PATH']}"}
        results = {page: run_page(page, environment) for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}
    for page, (_, others) in results.items():
        if others:
            print(f"{page.relative_to(ROOT)}: {others} blocks of Python or C++ that this test does not run")
    compared = results[ROOT / "README.md"][0]
    assert compared >= 6 or not has_stemmer(), f"only {compared} commands of the README show what they print"
    print(f"{sum(count for count, _ in results.values())} commands print what the pages show, {compared} of them the README's")


main()
