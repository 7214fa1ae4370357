#!/usr/bin/env python3
"""The program prints exactly what the README shows:  readme_test.py EMBD README MODEL EXAMPLE

Runs the commands of each block ```console in a folder of its own, where EXAMPLE is example.txt, and compares what they print
with what stands under them, letter by letter: the same text has the same bytes on every processor. A command whose files
are nobody's (docs.txt) is left out. Without MODEL the test is skipped, with exit code 77."""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

EMBD, README, MODEL, EXAMPLE = (pathlib.Path(path).resolve() for path in sys.argv[1:5])
PORT = "8080"  # of the README


def blocks(text):
    """The blocks ```console, each a list of commands with the lines under them."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        commands = []
        for line in block.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
        yield commands


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def inputs_are_there(command, folder):
    names = re.findall(r"[\w.]+\.(?:txt|jsonl|npy|cvc|usearch)\b", re.sub(r"-o \S+", "", command))
    return all((folder / name).exists() for name in names)


@contextlib.contextmanager
def serve(command, folder, environment, shown):
    """The server of a command, which has said what is shown; it ends with the block, however that ends."""
    server = subprocess.Popen(f"exec {command}", shell=True, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        said = server.stderr.readline().rstrip()
        assert [said] == shown, f"$ {command}\n{said}\nREADME: {shown}"
        yield
    finally:
        server.terminate()
        server.wait(30)


def run_block(commands, folder, environment, port):
    """How many commands of a block printed what is shown; its servers listen at `port` until the block ends."""
    compared = 0
    with contextlib.ExitStack() as servers:
        for command, shown in commands:
            if not inputs_are_there(command, folder):
                continue
            command = command.replace(f"localhost:{PORT}", f"localhost:{port}")
            if command.startswith("embd serve"):
                shown = [line.replace(PORT, port) for line in shown]
                servers.enter_context(serve(f"{command} --port {port}", folder, environment, shown))
            else:
                ran = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
                assert ran.returncode == 0, f"$ {command}\n{ran.stderr}"
                assert ran.stdout.splitlines() == shown, f"$ {command}\n{ran.stdout}\nREADME:\n" + "\n".join(shown)
            compared += bool(shown)
    return compared


def main():
    if not MODEL.exists():
        print(f"SKIPPED: there is no {MODEL} (scripts/get_model.sh)")
        sys.exit(77)
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin" / "embd").symlink_to(EMBD)
        shutil.copy(EXAMPLE, folder / "example.txt")
        environment = {**os.environ, "EMBD_MODEL": str(MODEL), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        compared = sum(run_block(commands, folder, environment, port)
                       for commands in blocks(README.read_text(encoding="utf-8")))
    assert compared >= 6, f"only {compared} commands of the README show what they print"
    print(f"{compared} commands print what the README shows")


main()
