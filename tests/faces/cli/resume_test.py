#!/usr/bin/env python3
"""embd embed --resume:  resume_test.py EMBD TEST_DATA [KILLS]

A run is killed (SIGKILL) at random moments, again and again, and begun again each time; what it
writes in the end has the bytes of a run that nobody disturbed, in every format. Standard library
only; the model is the small one of TEST_DATA/embd."""
import hashlib
import json
import random
import resource
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib

from folder_case import BAD_INPUT, EMBD, GOOD, INTERRUPTED, IO, MODEL, RECIPE, USAGE, FolderCase

KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 200
FORMATS = ["npy", "jsonl", "fvecs", "fbin", "cvc", "fifu", "svs", "usearch", "vec"]


class ResumeTest(FolderCase):
    def setUp(self):
        super().setUp()
        numbers = random.Random(8)
        words = "the cat sat on a mat hello world number 東京 naïve".split()
        self.lines = [" ".join(numbers.choices(words, k=numbers.randrange(60))) for _ in range(600)]
        self.text = ("\n".join(self.lines) + "\n").encode()
        (self.path / "in.txt").write_bytes(self.text)

    def start(self, *arguments, stdin=None):
        return subprocess.Popen([EMBD, "embed", *map(str, arguments)], cwd=self.path, stdin=stdin,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.environment)

    def embed(self, *arguments, expect=GOOD, input=b""):
        process = self.start(*arguments, stdin=subprocess.PIPE)
        message = process.communicate(input)[1].decode()
        self.assertEqual(process.returncode, expect, f"{arguments}: {message}")
        self.message = message

    def kill_after(self, seconds, *arguments, input=None):
        """True if the run was killed, False if it was done by then."""
        process = self.start(*arguments, stdin=subprocess.PIPE if input else subprocess.DEVNULL)
        if input:
            try:
                process.stdin.write(input)
                process.stdin.close()
            except BrokenPipeError:
                pass
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.stderr.close()
        return process.wait() == -signal.SIGKILL

    def contents(self, folder=None):
        """Every file below the folder and its hash, but the input's."""
        return {str(file.relative_to(folder or self.path)): hashlib.sha256(file.read_bytes()).hexdigest()
                for file in (folder or self.path).rglob("*") if file.is_file() and file.name != "in.txt"}

    def clear(self):
        for entry in self.path.iterdir():
            if entry.name != "in.txt":
                subprocess.run(["rm", "-r", entry], check=True)

    def undisturbed(self, *arguments, input=b""):
        """Returns the files of the run, and how long it takes."""
        start = time.monotonic()
        self.embed(*arguments, input=input)
        seconds = time.monotonic() - start
        contents = self.contents()
        self.clear()
        return contents, seconds

    def journal_rows(self):
        """Whether a journal has rows yet: more than its header and one block a process."""
        return any(file.stat().st_size > 8000 for file in self.path.glob("*.journal"))


class Kills(ResumeTest):
    def disturb(self, kills, *arguments, input=b""):
        expected, seconds = self.undisturbed(*arguments, input=input)
        arguments = [*arguments, "--resume"]
        chance = random.Random(str(arguments))
        done = continued = 0
        while done < kills:
            while done < kills and self.kill_after(chance.uniform(0, seconds), *arguments, input=input):
                done += 1
                continued += self.journal_rows()
            self.embed(*arguments, input=input)
            self.assertEqual(self.contents(), expected, f"{arguments}, after {done} kills")
            self.clear()
        return continued

    def test_every_format_alone_and_all_in_one_pass(self):
        runs = [["-o", f"out.{name}"] for name in FORMATS]
        runs.append([word for name in FORMATS for word in ("-o", f"out.{name}")])
        small = ["in.txt", "--batch-tokens", 64, "-t", 1]
        continued = sum(self.disturb(KILLS // (len(runs) + 4), *small, *run) for run in runs)
        self.assertGreater(continued, KILLS // 20, "kills came too early to show anything")

    def test_windows_reports_and_ids(self):
        small = ["in.txt", "--batch-tokens", 64, "-t", 2, "--windows", 16, "--stride", 10]
        kills = KILLS // 14
        self.disturb(kills, *small, "-o", "out.npy", "--row-report", "rows.jsonl")
        self.disturb(kills, *small, "-o", "out.fifu", "--window-pooling", "mean", "--id-start", 7)
        self.disturb(kills, *small, "-o", "out.npy", "--output-type", "int8")
        self.disturb(kills, *small, "-o", "out.usearch", "--row-report", "rows.jsonl", "--output-type", "binary")

    def test_a_pipe(self):
        self.disturb(KILLS // 14, "-", "-o", "out.jsonl", "--batch-tokens", 64, input=self.text)


class Refusals(ResumeTest):
    ARGUMENTS = ["in.txt", "-o", "out.npy", "--batch-tokens", 64, "--resume"]

    def setUp(self):
        super().setUp()
        self.expected, seconds = self.undisturbed(*self.ARGUMENTS[:-1])
        chance = random.Random(1)
        while not self.journal_rows():
            self.clear()
            if not self.kill_after(chance.uniform(0, seconds), *self.ARGUMENTS):
                self.clear()

    def finish(self, *arguments):
        self.embed(*self.ARGUMENTS, *arguments)
        self.assertEqual(self.contents(), self.expected)

    def test_a_changed_option_is_named(self):
        for option in (["--pooling", "cls"], ["--prompt", "x"], ["--id-start", 1], ["-o", "b.npy"],
                       ["--max-length", 9], ["--output-type", "f16"], ["--no-normalize"]):
            self.embed(*self.ARGUMENTS, *option, expect=RECIPE)
            name = {"-o": "outputs", "--no-normalize": "normalize"}.get(option[0], option[0].strip("-"))
            self.assertIn(name.replace("-", "_"), self.message.split("begun with another")[1])
        self.embed(*self.ARGUMENTS, "-m", MODEL.with_name("pooling_cls.weights"), expect=RECIPE)
        self.assertIn("model_sha256", self.message)
        self.finish()

    def test_options_that_change_no_byte_may_change(self):
        self.finish("-t", 2, "--progress", "always", "--report", "/dev/null")

    def test_a_changed_input_is_named(self):
        (self.path / "in.txt").write_bytes(self.text.replace(b"the", b"teh", 1))
        self.embed(*self.ARGUMENTS, expect=RECIPE)
        self.assertIn("input_sha256", self.message)
        self.embed(*self.ARGUMENTS, "--force")
        self.assertNotEqual(self.contents(), self.expected)
        self.assertEqual(sorted(self.contents()), sorted(self.expected))

    def test_a_torn_or_damaged_journal_is_cut(self):
        journal = self.path / "out.npy.journal"
        data = journal.read_bytes()
        chance = random.Random(2)
        header = data.index(b"BLCK")
        for _ in range(10):
            journal.write_bytes(data[:chance.randrange(header, len(data))])
            self.finish()
            journal.write_bytes(data[:chance.randrange(header)])
            self.finish()
        for _ in range(10):
            damaged = bytearray(data)
            damaged[chance.randrange(header, len(data))] ^= 1 << chance.randrange(8)
            journal.write_bytes(damaged)
            self.finish()

    def test_a_journal_that_ends_in_its_header_is_begun_anew(self):
        """As a limit or a full disk leaves it."""
        self.clear()
        long = ["--prompt", "p" * 900]
        process = subprocess.run([EMBD, "embed", "in.txt", "-o", "out.npy", "--resume", *long], cwd=self.path, capture_output=True,
                                 env=self.environment, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
        self.assertEqual(process.returncode, IO, process.stderr)
        self.assertEqual((self.path / "out.npy.journal").stat().st_size, 1024)
        self.embed("in.txt", "-o", "out.npy", "--resume", "--prompt", "other")
        self.assertFalse((self.path / "out.npy.journal").exists())

    def test_what_is_no_journal_is_left_alone(self):
        journal = self.path / "out.npy.journal"
        data = journal.read_bytes()
        deep = b'{"":' + b"[" * 300 + b"]" * 300 + b"}"
        deep = data[:8] + struct.pack("<2I", len(deep), zlib.crc32(deep)) + deep
        for other in (b"a diary\n" * 5, data[:30] + b"\0" + data[31:], deep):
            journal.write_bytes(other)
            self.embed(*self.ARGUMENTS, expect=BAD_INPUT)
            self.assertEqual(journal.read_bytes(), other)
        self.embed(*self.ARGUMENTS, "--force")
        self.assertEqual(self.contents(), self.expected)

    def test_one_run_at_a_time(self):
        import fcntl
        with open(self.path / "out.npy.journal") as journal:
            fcntl.flock(journal, fcntl.LOCK_EX)
            self.embed(*self.ARGUMENTS, expect=IO)
            self.assertIn("another process", self.message)
        self.finish()

    def test_an_interrupted_run_keeps_its_journal_and_nothing_else(self):
        self.clear()
        process = self.start("-", "-o", "out.npy", "--batch-tokens", 64, "--resume", stdin=subprocess.PIPE)
        process.stdin.write(self.text)
        process.stdin.flush()
        deadline = time.time() + 30
        while not self.journal_rows() and time.time() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=30), INTERRUPTED)
        self.assertEqual(list(self.contents()), ["out.npy.journal"])
        self.embed("-", "-o", "out.npy", "--resume", input=b"other\n" + self.text, expect=RECIPE)
        self.assertRegex(self.message, r"standard input: line 1: .*are not those with which")
        self.embed("-", "-o", "out.npy", "--resume", input=self.lines[0].encode(), expect=RECIPE)
        self.embed("-", "-o", "out.npy", "--resume", input=self.text)
        self.assertEqual(self.contents()["out.npy"], self.expected["out.npy"])

    def test_refused_outputs_leave_the_journal_as_it_was(self):
        refused = {("-o", "b.cvc", "--output-type", "int8"): USAGE, ("-o", "b.fvecs", "--output-type", "f16"): USAGE,
                   ("-o", "none/b.npy"): IO, ("--row-report", "none/rows.jsonl"): IO}
        journal = self.path / "out.npy.journal"
        begun = journal.read_bytes()
        for option, code in refused.items():
            self.embed(*self.ARGUMENTS, *option, "--force", expect=code)
            self.assertEqual(journal.read_bytes(), begun, option)
        self.finish()
        self.clear()
        for option, code in refused.items():
            self.embed(*self.ARGUMENTS, *option, expect=code)
            self.assertEqual(self.contents(), {}, option)

    def test_standard_output_cannot_be_resumed(self):
        self.embed("in.txt", "--resume", expect=USAGE)


class Records(ResumeTest):
    def test_ids_of_records_and_the_report_are_complete(self):
        rows = [{"id": f"k{i}", "text": line} for i, line in enumerate(self.lines)]
        (self.path / "in.txt").write_text("".join(json.dumps(row) + "\n" for row in rows))
        arguments = ["in.txt", "--input-format", "jsonl", "--id-field", "id", "-o", "out.npy",
                     "--max-length", 20, "--batch-tokens", 64]
        expected, seconds = self.undisturbed(*arguments)
        chance = random.Random(3)
        for _ in range(10):
            while not self.journal_rows():
                if not self.kill_after(chance.uniform(0, seconds), *arguments, "--resume"):
                    self.clear()
            self.embed(*arguments, "--resume", "--report", "report.json")
            self.assertRegex(self.message, r"warning: (\d{3}) of 600 texts cut to the length that the model takes")
            report = json.loads((self.path / "report.json").read_text())
            if report["resumed_rows"] > 0:
                break
            self.clear()  # The kill came while the first block of rows was written.
        self.assertEqual(report["rows"], 600)
        self.assertGreater(report["resumed_rows"], 0)
        self.assertLessEqual(report["resumed_rows"], 600)  # all of them if the kill came late
        (self.path / "report.json").unlink()
        self.assertEqual(self.contents(), expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
