"""Signals, threads, processes: one model, wherever it is used, gives the same bytes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import embd
import pytest
from conftest import seconds_to_stop


def test_threads(model: embd.Model, texts: list[str]) -> None:
    expected = model.encode(texts * 20).tobytes()
    with ThreadPoolExecutor(8) as pool:
        for rows in pool.map(lambda _: model.encode(texts * 20), range(32)):
            assert rows.tobytes() == expected


def test_the_gil_is_released(model: embd.Model, texts: list[str]) -> None:
    seen: list[float] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            seen.append(time.monotonic())
            time.sleep(0.001)

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.monotonic()
    while time.monotonic() < start + 0.5:
        model.encode(texts * 50, threads=1)
    end = time.monotonic()
    stop.set()
    watcher.join()
    assert sum(start < moment < end for moment in seen) > 20


def test_interrupt(model_path: str) -> None:
    before = 'import embd; model = embd.Model(sys.argv[1]); texts = [f"a text of some words, the {i}th" for i in range(300_000)]'
    # Not the minutes of the whole call; docs/python.md has the measured time.
    assert seconds_to_stop(before, "model.encode(texts)", model_path) < 30


@pytest.mark.parametrize(
    "call",
    [
        "model.encode(words, windows=16, stride=1)",
        "model.encode([words], windows=16, stride=1)",
        "model.encode_windows(words, windows=16, stride=1)",
        'model.encode([""] * 400_000, prompt=words[:2000])',
        'model.tokenize(["cat sat"] * 3_000_000)',
    ],
)
def test_every_call_is_interrupted(model_path: str, call: str) -> None:
    before = """
import embd, random
model = embd.Model(sys.argv[1])
vocabulary = [model.token(i) for i in range(100)]
words = " ".join(random.Random(1).choices([word for word in vocabulary if word.isalpha()], k=400_000))
"""
    # Not the whole call. KeyboardInterrupt, where NumPy is imported for the result alone, too.
    assert seconds_to_stop(before, call, model_path) < 30


def test_a_signal_handler_that_raises(model: embd.Model, texts: list[str]) -> None:
    class Alarm(Exception):
        pass

    def handler(number: int, frame: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Alarm):
            model.encode(texts * 200_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert model.encode(texts).shape == (len(texts), model.dim)


def encode(arguments: tuple[embd.Model, list[str]]) -> bytes:
    model, texts = arguments
    return model.encode(texts).tobytes()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes(model: embd.Model, texts: list[str], method: str) -> None:
    expected = encode((model, texts * 5))
    with multiprocessing.get_context(method).Pool(2) as pool:
        for result in pool.map(encode, [(model, texts * 5)] * 4):
            assert result == expected


def test_joblib(model: embd.Model, texts: list[str]) -> None:
    joblib = pytest.importorskip("joblib")
    expected = encode((model, texts * 5))
    for backend in ("loky", "threading"):
        work = (joblib.delayed(encode)((model, texts * 5)) for _ in range(4))
        assert joblib.Parallel(n_jobs=2, backend=backend)(work) == [expected] * 4


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_others_encode(model: embd.Model, texts: list[str]) -> None:
    expected = model.encode(texts).tobytes()
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(model.encode, texts * 3000) for _ in range(2)]
        for _ in range(5):
            child = os.fork()
            if child == 0:
                os._exit(0 if model.encode(texts).tobytes() == expected else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        for future in running:
            future.result()
