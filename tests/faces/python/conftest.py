"""Shared by the tests of the Python package. They run on the installed package; the models are tests/data's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import embd
import pytest
from golden_rerankers import copy_reranker

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data"

TEXTS = [
    "A cat sits on the mat.",
    "",
    "Ein Satz über Öl und Käse.",
    "日本語のテキスト",
    "a",
    "The stock market fell today, and nobody knew why. " * 4,
    "don't panic \U0001f600",
    "cat mat sat",
]


@pytest.fixture(scope="session")
def model_path() -> str:
    return str(DATA / "embd" / "plain.weights")


@pytest.fixture(scope="session")
def model(model_path: str) -> embd.Model:
    return embd.Model(model_path)


@pytest.fixture(scope="session")
def reranker_path(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The folder of a golden cross-encoder by its name, with the weights and the tokenizer that several share."""
    folder = tmp_path_factory.mktemp("rerankers")

    def of(name: str) -> str:
        if not (folder / name).exists():
            copy_reranker(name, folder)
        return str(folder / name)

    return of


@pytest.fixture(scope="session")
def reranker(reranker_path: Callable[[str], str]) -> embd.Reranker:
    return embd.Reranker(reranker_path("bert_sigmoid"))


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return list(TEXTS)


@pytest.fixture(scope="session")
def stemmer() -> None:
    """For tests whose term indexes have stems, as is the default: skips where the build has no stemmer."""
    try:
        embd.TermIndex.from_texts(["text"])
    except embd.Error as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def program() -> str:
    """The command line, where the check has built it."""
    path = os.environ.get("EMBD_PROGRAM")
    if not path:
        pytest.skip("EMBD_PROGRAM names no program embd")
    return path


_INTERRUPTED = """
import os, signal, sys, threading, time
{before}
def interrupt():
    while not ({when}):
        time.sleep(0.01)
    time.sleep({after})
    interrupt.moment = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    {call}
except KeyboardInterrupt:
    print(time.monotonic() - interrupt.moment)
else:
    sys.exit("nothing was interrupted")
{then}
"""


def seconds_to_stop(
    before: str, call: str, *arguments: object, when: str = "True", after: float = 0.3, then: str = ""
) -> float:
    """From the signal to KeyboardInterrupt, of a call in a process of its own, interrupted `after` seconds after `when` is true."""
    program = _INTERRUPTED.format(before=before, call=call, when=when, after=after, then=then)
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return float(result.stdout)
