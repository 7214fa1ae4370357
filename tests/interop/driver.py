"""Shared by the tests against a reference package: the options, running the tool, keeping account.

    NAME_test.py EMBD [--rounds N] [--seed S]

EMBD is the command-line tool; the packages are in requirements.txt. Random shapes come from the
seed; a test runs in a folder of its own, which goes at the end."""
import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.simplefilter("ignore")
DATA = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "data"))


class Driver:
    def __init__(self, description):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("embd")
        parser.add_argument("--rounds", type=int, default=10)
        parser.add_argument("--seed", type=int, default=1)
        options = parser.parse_args()
        self.program = os.path.abspath(options.embd)
        self.rounds = range(options.rounds)
        self.rng = np.random.default_rng(options.seed)
        self._failures = 0

    def run(self, *arguments):
        """The finished process of the tool."""
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)

    def embd(self, *arguments):
        """Returns the output of the tool, which has to succeed."""
        result = self.run(*arguments)
        if result.returncode != 0:
            raise AssertionError(f"embd {arguments}: exit {result.returncode}: {result.stderr}")
        return result.stdout

    def check(self, what, good):
        self._failures += not good
        print("ok " if good else "BAD", what)

    def same_bytes(self, what, ours, theirs):
        with open(ours, "rb") as a, open(theirs, "rb") as b:
            self.check(f"{what}: same bytes", a.read() == b.read())

    def rows(self, count, dim, odd=False):
        """Returns rows of a random scale; `odd`: now and then a value that is not finite, or far from the rest."""
        values = self.rng.normal(0, self.rng.choice([0.05, 1, 1000]), (count, dim)).astype(np.float32)
        if odd and count and self.rng.random() < 0.3:
            at = self.rng.integers(count), self.rng.integers(dim)
            values[at] = self.rng.choice([np.nan, np.inf, -np.inf, 1e6])
        return values

    @contextlib.contextmanager
    def folder(self):
        """A folder to work in; the end of the program."""
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            yield
            os.chdir("/")
        print(f"{self._failures} failures")
        sys.exit(self._failures != 0)
