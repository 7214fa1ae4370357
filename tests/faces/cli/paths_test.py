#!/usr/bin/env python3
"""The program's outputs are nothing else, and nothing else is written:  paths_test.py EMBD TEST_DATA

Outputs that are inputs, models or other outputs under any name; directories with other files in them;
devices, pipes and FIFOs; modes of files that are replaced; links that somebody planted. Standard
library only."""
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
import unittest

from folder_case import DATA, EMBD, IO, USAGE, FolderCase

FORMATS = ["npy", "jsonl", "fvecs", "fbin", "cvc", "finalfusion", "usearch", "word2vec", "text"]


def state(path):
    if path.is_symlink():
        return os.readlink(path)
    if path.is_dir():
        return {entry.name: state(entry) for entry in path.iterdir()}
    return path.stat().st_mode, path.read_bytes() if path.is_file() else None


class PathsTest(FolderCase):
    def setUp(self):
        super().setUp()
        shutil.copy(DATA / "embd" / "plain.weights", self.path / "model.weights")
        self.environment["EMBD_MODEL"] = "model.weights"
        (self.path / "in.txt").write_text("a cat\nsat\n")
        (self.path / "sub").mkdir()
        os.link(self.path / "in.txt", self.path / "hard.txt")
        (self.path / "soft.txt").symlink_to("in.txt")

    def refused(self, *arguments, names):
        """Exit 2, naming both, and nothing is another than before."""
        before = state(self.path)
        self.run_embd(*arguments, expect=USAGE)
        for name in names:
            self.assertIn(name, self.message, arguments)
        self.assertEqual(state(self.path), before, arguments)


class Collisions(PathsTest):
    def test_an_output_is_no_input(self):
        for same in ("in.txt", "./in.txt", "sub/../in.txt", "hard.txt", "soft.txt"):
            self.refused("embed", "in.txt", "--output-format", "text", "-o", same, names=["in.txt", same, "the same file"])
        self.refused("embed", "in.txt", "--output-format", "npy", "-o", "model.weights", names=["model.weights"])
        self.refused("embed", "in.txt", "-o", "a.npy", "--report", "in.txt", names=["--report", "in.txt"])
        self.refused("embed", "in.txt", "-o", "a.npy", "--row-report", "model.weights", names=["--row-report"])

    def test_an_output_is_no_other_output_and_none_of_the_files_beside(self):
        for same in ("s.npy", "./s.npy", "sub/../s.npy"):
            self.refused("embed", "in.txt", "-o", "s.npy", "-o", same, names=["s.npy", same])
            self.refused("embed", "in.txt", "-o", "s.npy", "--report", same, names=["--report", same])
        self.refused("embed", "in.txt", "-o", "s.npy", "--report", "r", "--row-report", "./r", names=["--row-report"])
        for beside in ("s.npy.ids.jsonl", "s.npy.recipe.json", "s.npy.ranges.npy"):
            self.refused("embed", "in.txt", "-o", "s.npy", "--report", beside, names=[beside])
            shutil.copy(self.path / "in.txt", self.path / beside)
            self.refused("embed", beside, "--input-format", "txt", "-o", "s.npy", names=[beside])
            os.unlink(self.path / beside)
        self.refused("embed", "in.txt", "-o", "s.npy", "--resume", "--report", "s.npy.journal", names=["journal"])
        self.refused("embed", "in.txt", "-o", "s.svs", "--svs-layout", "seed", "--report", "s.svs-vec1", names=["s.svs-vec1"])
        self.refused("embed", "in.txt", "-o", "s.config", "--report", "s.config", names=["s.config"])
        self.refused("embed", "in.txt", "-o", "-", "-o", "/dev/stdout", names=["-", "/dev/stdout"])
        os.mkfifo(self.path / "fifo")
        self.refused("embed", "in.txt", "-o", "-", "--report", "fifo", "--row-report", "fifo", names=["fifo"])

    def test_conversions(self):
        self.run_embd("embed", "in.txt", "-o", "a.npy")
        (self.path / "link.npy").symlink_to("a.npy")
        for same in ("a.npy", "./a.npy", "link.npy", "a.npy.recipe.json"):
            self.refused("convert", "a.npy", same, "--to", "npy", names=["a.npy", same])
        self.refused("index", "a.npy", "-o", "a.npy.usearch/../a.npy", names=["is not the name of an index"])
        self.run_embd("convert", "a.npy", "s.svs")
        self.refused("convert", "s.svs/data_0.svs", "s.svs", names=["s.svs/data_0.svs"])
        self.refused("convert", "s.svs", "s.svs/", names=["s.svs"])
        self.refused("index", "s.svs", "-o", "./s.svs", names=["s.svs"])
        self.refused("lock", "model.weights", "-o", "./model.weights", names=["model.weights"])
        self.refused("lock", "model.weights", "-o", "in.txt", "--probes", "soft.txt", names=["--probes", "in.txt"])

    def test_parts_are_not_joined_into_one_of_them(self):
        for part in ("0", "1"):
            self.run_embd("embed", "in.txt", "-o", f"p{part}.npy", "--part", f"{part}/2")
        for same in ("p0.npy", "./p1.npy", "p1.npy.recipe.json", "p1.npy.ids.jsonl", "p0.npy.part.json"):
            self.refused("join", "p0.npy.part.json", "p1.npy.part.json", "--to", "npy", "-o", same, names=[same])
        self.refused("embed", "in.txt", "-o", "p0.npy", "--part", "0/2", "--report", "p0.npy.part.json", names=["p0.npy.part.json"])
        self.refused("embed", "p0.npy.part.json", "--input-format", "txt", "-o", "p0.npy", "--part", "0/2", names=["p0.npy.part.json"])

    def test_a_model_is_not_converted_into_its_source(self):
        folder = self.path / "D"
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(b"weights")
        self.refused("model", "convert", "D", "D/model.safetensors", names=["D/model.safetensors"])
        self.refused("model", "convert", "D", "sub/../D/model.safetensors", names=["D"])

    def test_standard_output_is_no_input(self):
        before = (self.path / "in.txt").read_bytes()
        for verb in ("embed", "tokenize"):
            with open(self.path / "in.txt", "ab") as end:
                done = subprocess.run([EMBD, verb, "in.txt"], cwd=self.path, env=self.environment, stdout=end,
                                      stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertEqual((self.path / "in.txt").read_bytes(), before)

    def test_the_same_device_may_take_several(self):
        self.run_embd("embed", "in.txt", "-o", "/dev/null", "--output-format", "npy", "--report", "/dev/null",
                      "--row-report", "/dev/null")


class Replaced(PathsTest):
    def test_directories_with_other_files_stay(self):
        self.run_embd("embed", "in.txt", "-o", "a.svs")
        (self.path / "a.svs" / "thesis.txt").write_text("the only copy")
        before = state(self.path)
        self.run_embd("embed", "in.txt", "-o", "a.svs", expect=IO)
        self.assertIn("a.svs/thesis.txt", self.message)
        self.run_embd("index", "a.svs", "-o", "b.usearch")
        self.run_embd("index", "b.usearch", "-o", "a.svs", expect=IO)
        for name in ("b.usearch", "b.usearch.recipe.json"):
            (self.path / name).unlink()
        self.assertEqual(state(self.path), before)

    def test_modes_stay(self):
        self.run_embd("embed", "in.txt", "--id-start", "5", "-o", "a.npy", "-o", "a.svs", "--report", "r.json")
        files = ["a.npy", "a.npy.ids.jsonl", "a.npy.recipe.json", "a.svs", "a.svs/data_0.svs", "r.json"]
        for name in files:
            os.chmod(self.path / name, 0o700 if name == "a.svs" else 0o600)
        self.run_embd("embed", "in.txt", "--id-start", "6", "-o", "a.npy", "-o", "a.svs", "--report", "r.json")
        for name in files:
            mode = stat.S_IMODE((self.path / name).stat().st_mode)
            self.assertEqual(oct(mode), oct(0o700 if name == "a.svs" else 0o600), name)

    def test_a_good_weight_file_outlives_a_bad_name(self):
        self.run_embd("model", "convert", "none", "model.weights", "--name", b"\xff".decode("latin1"), expect=IO)
        before = (self.path / "model.weights").read_bytes()
        done = subprocess.run([EMBD, b"model", b"convert", b"sub", b"model.weights", b"--name", b"\xff"], cwd=self.path,
                              env=self.environment, capture_output=True)
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertEqual((self.path / "model.weights").read_bytes(), before)

    def test_planted_links_are_not_followed(self):
        victim = self.path / "victim"
        victim.write_text("somebody's")
        for name in ("out.npy.embd-0.tmp", "out.npy.journal", *(f"embd-{os.getpid() + i}.out" for i in range(200))):
            (self.path / name).symlink_to("victim")
        self.environment["TMPDIR"] = str(self.path)
        self.run_embd("embed", "in.txt", "-o", "out.npy")
        self.run_embd("embed", "in.txt", "-o", "-", "--output-format", "npy")
        self.run_embd("embed", "in.txt", "-o", "out.npy", "--resume", "--force", expect=IO)
        self.assertEqual(victim.read_text(), "somebody's")


class Places(PathsTest):
    """Outputs that are no regular files take the bytes that a file gets, and nothing appears beside."""

    def expected(self, format):
        self.run_embd("embed", "in.txt", "-o", "expected", "--output-format", format)
        content = (self.path / "expected").read_bytes()
        for entry in self.path.glob("expected*"):
            entry.unlink()
        return content

    def test_standard_output_and_open_files(self):
        for format in FORMATS:
            expected = self.expected(format)
            before = sorted(os.listdir(self.path))
            self.assertEqual(self.run_embd("embed", "in.txt", "-o", "-", "--output-format", format), expected, format)
            for name in ("/dev/stdout", "/proc/self/fd/1"):
                self.assertEqual(self.run_embd("embed", "in.txt", "-o", name, "--output-format", format), expected)
            read, write = os.pipe()
            self.run_embd("embed", "in.txt", "-o", f"/dev/fd/{write}", "--output-format", format, pass_fds=[write])
            os.close(write)
            with open(read, "rb") as end:
                self.assertEqual(end.read(), expected, format)
            self.run_embd("embed", "in.txt", "-o", "/dev/null", "--output-format", format)
            self.assertEqual(sorted(os.listdir(self.path)), before)

    def test_a_fifo(self):
        fifo = self.path / "out.fifo"
        os.mkfifo(fifo)
        before = sorted(os.listdir(self.path))
        for format in FORMATS:
            got = []
            reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
            reader.start()
            self.run_embd("embed", "in.txt", "-o", fifo, "--output-format", format)
            reader.join()
            self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))
            self.assertEqual(sorted(os.listdir(self.path)), before)
            self.assertEqual(got, [self.expected(format)], format)

    def test_a_file_that_is_open_is_appended_to(self):
        expected = self.expected("npy")
        with open(self.path / "log", "wb") as log:
            log.write(b"before")
            log.flush()
            self.run_embd("embed", "in.txt", "-o", f"/dev/fd/{log.fileno()}", "--output-format", "npy",
                          pass_fds=[log.fileno()])
        self.assertEqual((self.path / "log").read_bytes(), b"before" + expected)

    def test_several_files_go_to_no_pipe(self):
        before = state(self.path)
        for name in ("-", "/dev/stdout", "/dev/null"):
            for layout in ([], ["--svs-layout", "seed"]):
                self.run_embd("embed", "in.txt", "-o", name, "--output-format", "svs", *layout, expect=USAGE)
        self.assertEqual(state(self.path), before)
        content = self.run_embd("embed", "in.txt", "-o", "-", "--output-format", "svs", "--svs-layout", "file")
        (self.path / "file.svs").write_bytes(content)
        self.run_embd("inspect", "file.svs")

    def test_the_layout_of_the_specification_is_named_by_its_configuration(self):
        (self.path / "in.jsonl").write_text('{"id": "x", "text": "a"}\n{"id": "y", "text": "b"}\n')
        for name, options in (("s.svs", ["--svs-layout", "seed"]), ("t.config", [])):
            self.run_embd("embed", "in.jsonl", "--id-field", "id", "-o", name, *options)
            config = name.replace(".svs", ".config")
            rows = self.run_embd("convert", config, "-").decode().splitlines()
            self.assertEqual([json.loads(row)["id"] for row in rows], ["x", "y"])
            self.assertTrue((self.path / f"{config}.ids.jsonl").exists())
        self.run_embd("embed", "in.txt", "-o", "u.config", "--svs-layout", "directory", expect=USAGE)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
