#!/usr/bin/env python3
"""`embd model get` against a hub of its own on the loopback address:  get_model_test.py EMBD TEST_DATA

The questions stand in tests/faces/python/model_hub.py, which asks the Python package the same."""
import pathlib
import subprocess
import sys
import unittest

from folder_case import BAD_INPUT, EMBD, GOOD, IO, USAGE, FolderCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import model_hub  # noqa: E402

EXIT_CODES = {"": GOOD, "invalid_argument": USAGE, "io_failed": IO, "not_found": IO}  # others: BAD_INPUT


class GetModelTest(model_hub.Cases, FolderCase):
    def setUp(self):
        super().setUp()
        self.begin()
        self.environment["EMBD_RETRY_SECONDS"] = "0.01"

    def get(self, name=model_hub.NAME, *arguments, error="", **environment):
        expect = EXIT_CODES.get(error, BAD_INPUT)
        return self.run_embd("model", "get", name, *arguments, expect=expect, **environment).decode().strip()

    def test_it_is_found_by_its_name_afterwards(self):
        self.get()
        self.write("texts.txt", "a\nb\n")
        self.run_embd("embed", "texts.txt", "-m", model_hub.NAME, "-o", "by_name.npy")
        self.run_embd("embed", "texts.txt", "-m", "source", "-o", "by_folder.npy")
        self.assertEqual(self.bytes("by_name.npy"), self.bytes("by_folder.npy"))

    def test_it_may_become_a_weight_file(self):
        self.assertEqual(self.get(model_hub.NAME, "-o", "small.weights"), "small.weights")
        self.run_embd("model", "convert", self.model / "snapshots" / model_hub.COMMIT, "again.weights", SOURCE_DATE_EPOCH="0")
        self.run_embd("model", "verify", "small.weights")

    def test_two_processes_at_once(self):
        runs = [subprocess.Popen([EMBD, "model", "get", model_hub.NAME], env=self.environment, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE) for _ in range(4)]
        said = [run.communicate(timeout=60)[1] for run in runs]
        codes = [(run.returncode, text) for run, text in zip(runs, said)]
        self.assertIn(0, [code for code, _ in codes])
        for code, said in codes:
            self.assertIn(code, (GOOD, IO), said)
        self.get()
        snapshot = self.model / "snapshots" / model_hub.COMMIT
        self.assertEqual(len(self.blobs()), len({p.resolve() for p in snapshot.rglob("*") if p.is_file()}))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
