#!/usr/bin/env python3
"""A vector set and the files beside it are exchanged as one:  sets_test.py EMBD TEST_DATA [RACES [KILLS]]

For each format, RACES pairs of writers at work on one output at once, with a reader beside them, and
KILLS writers that are killed (SIGKILL) at random moments. Whatever happens, a reader gets the vectors,
ids, recipe and ranges of one writer, or an error. Standard library only; 1,000 of each is what
docs/reliability.md reports."""
import collections
import hashlib
import json
import random
import subprocess
import sys
import time
import unittest

from folder_case import EMBD, FolderCase

RACES = int(sys.argv[3]) if len(sys.argv) > 3 else 4
KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 8
# The kinds of sets: a name and the options that go with it.
SETS = {"npy": ["out.npy"], "int8": ["out.npy"], "fvecs": ["out.fvecs"], "fbin": ["out.fbin"],
        "jsonl": ["out.jsonl"], "cvc": ["out.cvc", "--cvc-compression", "lossless"], "fifu": ["out.fifu"],
        "svs directory": ["out.svs"], "svs file": ["out.svs", "--svs-layout", "file"],
        "svs seed": ["out.config"], "usearch": ["out.usearch"], "vec": ["out.vec"]}
WRITERS = ("first", "second", "third")


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


class SetsTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(5)
        for writer in WRITERS:
            rows = "".join(json.dumps({"id": f"{writer}-{i}", "text": f"{writer} text number {i}"}) + "\n"
                           for i in range(7))
            (self.path / f"{writer}.jsonl").write_text(rows)
            self.run_embd("embed", f"{writer}.jsonl", "--id-field", "id", "-o", f"{writer}.npy")
            self.run_embd("embed", f"{writer}.jsonl", "--id-field", "id", "--output-type", "int8",
                          "-o", f"{writer}.int8.npy")

    def start(self, *arguments):
        return subprocess.Popen([EMBD, *map(str, arguments)], cwd=self.path, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def write_set(self, name, writer):
        """The process that writes the set of `writer`."""
        source = f"{writer}.int8.npy" if name == "int8" else f"{writer}.npy"
        return self.start("convert", source, *SETS[name])

    def expected(self, name):
        """Returns the sets that a reader may get, by writer: lines of JSON with the ids, and the recipe."""
        expected = {}
        for writer in WRITERS:
            self.assertEqual(self.write_set(name, writer).communicate()[1], b"", name)
            expected[self.read(name)[0]] = writer
        self.assertEqual(len(expected), len(WRITERS), name)
        return expected

    def reading(self, name):
        """Both commands say what they find, and refuse what does not belong together."""
        return [self.start("convert", SETS[name][0], "-", "--to", "jsonl"),
                self.start("inspect", "--json", SETS[name][0])]

    def read(self, name, processes=None):
        """Rows with their ids and the inputs' hash of the set, or the message of an error."""
        outs = []
        for process in processes or self.reading(name):
            out, err = process.communicate()
            self.assertIn(process.returncode, (0, 3, 6), err.decode())
            if process.returncode != 0:
                self.assertTrue(err.startswith(b"embd: "), err)
                return None, err.decode()
            outs.append(out)
        description = json.loads(outs[1])
        texts = (description["recipe"] or {}).get("input_sha256")
        ranges = b""
        if name == "int8":
            ranges = (self.path / "out.npy.ranges.npy").read_bytes() if processes is None else None
        return (digest(outs[0]), texts, ranges and digest(ranges)), ""

    def check(self, name, found, expected, counts):
        content, message = found
        if content is None:
            counts[message] += 1
            return
        self.assertIn(content, expected, f"{name}: a mixture of two sets: {content}")
        counts[expected[content]] += 1

    def remove(self):
        for entry in self.path.glob("out.*"):
            subprocess.run(["rm", "-r", entry], check=True)

    def test_two_writers_and_a_reader(self):
        for name in SETS:
            expected = self.expected(name)
            rows = {content[0]: writer for content, writer in expected.items()}
            counts = collections.Counter()
            for _ in range(RACES):
                pair = self.random.sample(WRITERS, 2)
                processes = [self.write_set(name, writer) for writer in pair]
                reader = self.start("convert", SETS[name][0], "-", "--to", "jsonl")
                for process in processes:
                    err = process.communicate()[1]
                    self.assertEqual(process.returncode, 0, err.decode())
                out, err = reader.communicate()
                self.assertIn(reader.returncode, (0, 3, 6), err.decode())
                if reader.returncode == 0:
                    self.assertIn(digest(out), rows, name)
                self.check(name, self.read(name), {c: w for c, w in expected.items() if w in pair}, counts)
            self.assertEqual(sum(counts[writer] for writer in WRITERS), RACES, (name, counts))
            self.assertEqual([entry.name for entry in self.path.glob("*.tmp")], [], name)
            self.report(name, "races", counts)
            self.remove()

    def test_kills_at_random_moments(self):
        for name in SETS:
            expected = self.expected(name)
            start = time.monotonic()
            self.write_set(name, "first").communicate()
            longest = 1.2 * (time.monotonic() - start)
            counts = collections.Counter()
            for _ in range(KILLS):
                process = self.write_set(name, self.random.choice(WRITERS))
                time.sleep(self.random.random() * longest)
                process.kill()
                process.communicate()
                counts["killed"] += process.returncode == -9
                self.check(name, self.read(name), expected, counts)
            self.assertEqual(sum(counts[writer] for writer in WRITERS), KILLS, (name, counts))
            process = self.write_set(name, "second")
            self.assertEqual(process.communicate()[1], b"")
            self.assertEqual(expected[self.read(name)[0]], "second")
            self.assertEqual([entry.name for entry in self.path.glob("*.tmp")], [], name)
            self.report(name, "kills", counts)
            self.remove()

    def report(self, name, what, counts):
        if max(RACES, KILLS) >= 100:
            print(f"{name}, {what}: {dict(counts)}", flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
