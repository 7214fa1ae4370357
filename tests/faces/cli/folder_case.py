"""The base class of the tests of the program: called as  NAME_test.py EMBD TESTS_DATA [...], each test works in a folder of its own."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

EMBD = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(sys.argv[2]).resolve()
MODEL = DATA / "embd" / "plain.weights"
GOOD, USAGE, BAD_INPUT, RECIPE, DIFFERENCE, IO, INTERRUPTED, PIPE = 0, 2, 3, 4, 5, 6, 130, 141


CACHE = tempfile.TemporaryDirectory()


def clean_environment():
    """Without settings of the caller's that are for the program; the model and the cache are the tests' own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("EMBD_", "SLURM_"))}
    return environment | {"EMBD_MODEL": str(MODEL), "XDG_CACHE_HOME": CACHE.name}


def has_stemmer():
    """Whether this build has the stemmer that term indexes use by default (EMBD_STEMMER)."""
    return subprocess.run([EMBD, "tokenize", "--terms"], input=b"text\n", capture_output=True, check=False).returncode == GOOD


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.environment = clean_environment()

    def write(self, name, content):
        (self.path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def model_folder(self, name, seed="bert"):
        """Makes the folder of a seed of folder_fuzzer."""
        for part in (DATA / f"folder/{seed}.txt").read_text(encoding="utf-8").split("=== ")[1:]:
            file, _, text = part.partition("\n")
            content = text.encode()
            if file.startswith("model.safetensors "):
                header = text.rstrip().encode()
                values = int(file.split()[1]) // 4
                content = struct.pack("<Q", len(header)) + header + struct.pack(f"<{values}f", *[1.0] * values)
                file = "model.safetensors"
            (self.path / name / file).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name / file).write_bytes(content)
        return self.path / name

    def bytes(self, name):
        return (self.path / name).read_bytes()

    def names(self):
        return sorted(entry.name for entry in self.path.iterdir())

    def run_embd(self, *arguments, input=b"", expect=GOOD, pass_fds=(), **environment):
        """Runs the program and returns its standard output; self.message has its standard error."""
        result = subprocess.run([EMBD, *map(str, arguments)], input=input, cwd=self.path, capture_output=True,
                                pass_fds=pass_fds, env=self.environment | environment, timeout=600)
        self.message = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, expect, f"{arguments}: {self.message}")
        if expect not in (GOOD, DIFFERENCE):
            self.assertTrue(self.message.startswith("embd: "), self.message)
        return result.stdout
