#!/usr/bin/env python3
"""Faults around the program:  faults_test.py EMBD TEST_DATA [LINE_MB]

Disks, folders, pipes, memory, processors, and texts that are none: each ends with the exit code that
is promised, names what failed, and leaves nothing half done. Standard library only; LINE_MB is the
length of the long line (64). docs/reliability.md has the table."""
import fcntl
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import termios
import time
import unittest

from folder_case import BAD_INPUT, EMBD, GOOD, IO, MODEL, PIPE, USAGE, FolderCase

# A sanitizer's program needs threads, memory, address space and descriptors of its own.
SANITIZED = b"__asan_init" in pathlib.Path(EMBD).read_bytes()
LINE_MB = int(sys.argv[3]) if len(sys.argv) > 3 else 64
OUTPUTS = ["npy", "jsonl", "fvecs", "fbin", "cvc", "fifu", "svs", "usearch", "vec"]


def waiting_bytes(pipe):
    """Bytes written to a pipe that nobody has read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)


class FaultsTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "".join(f"some words, number {i}\n" for i in range(2000)))

    def start(self, *arguments, limit=None, user=None, **named):
        return subprocess.Popen([EMBD, *map(str, arguments)], cwd=self.path, env=self.environment,
                                stdin=named.pop("stdin", subprocess.PIPE), stderr=subprocess.PIPE,
                                stdout=named.pop("stdout", subprocess.PIPE), preexec_fn=limit, user=user)

    def finish(self, process, expect, input=None):
        out, err = process.communicate(input, timeout=300)
        self.message = err.decode(errors="replace")
        self.assertIn(process.returncode, expect if isinstance(expect, tuple) else (expect,),
                      f"{process.args}: {self.message}")
        if process.returncode not in (GOOD, PIPE):
            self.assertTrue(self.message.startswith("embd: "), self.message)
        return out

    def run_embd(self, *arguments, expect=GOOD, input=b"", **named):
        return self.finish(self.start(*arguments, **named), expect, input)

    def remove(self, names):
        for name in {pathlib.Path(name).parts[0] for name in names}:
            subprocess.run(["rm", "-r", self.path / name], check=True)

    def contents_of(self, names):
        """The bytes of these files, and of those in these folders."""
        files = [file for name in names for file in [self.path / name, *(self.path / name).rglob("*")]]
        return {str(file.relative_to(self.path)): file.read_bytes() for file in files if file.is_file()}


def all_outputs(folder=""):
    return [word for name in OUTPUTS for word in ("-o", f"{folder}out.{name}")]


class Disk(FaultsTest):
    def test_a_file_that_may_not_grow(self):
        """RLIMIT_FSIZE: what write() says on a full disk or over a quota, for each format alone."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as under a shell; Python ignores it
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        for name in OUTPUTS:
            self.run_embd("embed", "in.txt", "-o", f"out.{name}", expect=IO, limit=limit)
            self.assertIn("File too large", self.message)
            self.assertEqual(self.names(), ["in.txt"], name)

    def test_other_verbs_over_a_file_that_may_not_grow(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as under a shell; Python ignores it
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        self.run_embd("embed", "in.txt", "-o", "a.npy")
        before = self.names()
        for arguments in (["convert", "a.npy", "b.cvc"], ["convert", "a.npy", "b.jsonl"],
                          ["index", "a.npy", "-o", "b.usearch"], ["index", "a.npy", "-o", "b.svs"],
                          ["lock", MODEL, "-o", "b.lock"]):
            self.run_embd(*arguments, expect=IO, limit=limit)
            self.assertEqual(self.names(), before, arguments)

    def test_a_full_disk(self):
        """A file system of 96 KB, for each format alone and with a journal."""
        full = self.path / "full"
        full.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", full],
                                               capture_output=True).returncode != 0:
            self.skipTest("no file system may be mounted here")
        try:
            for name in OUTPUTS:
                self.run_embd("embed", "in.txt", "-o", f"full/out.{name}", expect=IO)
                self.assertIn("No space left", self.message)
                self.assertEqual(os.listdir(full), [], name)
            self.run_embd("embed", "in.txt", "-o", "full/out.npy", "--resume", expect=IO)
            self.assertEqual(os.listdir(full), ["out.npy.journal"])
            # Room is made: the run goes on from its journal.
            subprocess.run(["mount", "-o", "remount,size=8m", full], check=True)
            self.run_embd("embed", "in.txt", "-o", "full/out.npy", "--resume")
            self.run_embd("embed", "in.txt", "-o", "out.npy")
            self.assertEqual((full / "out.npy").read_bytes(), (self.path / "out.npy").read_bytes())
        finally:
            subprocess.run(["umount", full], check=True)

    def test_a_folder_that_may_not_be_written(self):
        locked = self.path / "locked"
        locked.mkdir()
        os.chmod(self.path, 0o755)
        os.chmod(locked, 0o555)
        user = 65534 if os.geteuid() == 0 else None
        if user and subprocess.run([EMBD, "--version"], capture_output=True, user=user).returncode:
            self.skipTest("another user cannot run the program")
        self.run_embd("embed", "-o", "locked/out.npy", expect=IO, input=b"a\n", user=user)
        self.assertRegex(self.message, "locked/out.npy: .*Permission denied")
        self.run_embd("embed", "-o", "locked/out.npy", "--resume", expect=IO, input=b"a\n", user=user)
        self.assertEqual(os.listdir(locked), [])

    def test_a_folder_that_goes_away(self):
        for name in OUTPUTS:
            folder = self.path / "folder"
            folder.mkdir()
            process = self.start("embed", "-o", f"folder/out.{name}")
            deadline = time.time() + 0.5  # Some create their files last.
            while not os.listdir(folder) and time.time() < deadline:
                time.sleep(0.005)
            subprocess.run(["rm", "-r", folder], check=True)
            self.finish(process, IO, b"a cat\n" * 10)
            self.assertIn("folder", self.message)
            self.assertEqual(self.names(), ["in.txt"], name)


class Kills(FaultsTest):
    """The leftovers of a killed run are gone with the next run of the same output (resume_test.py has --resume)."""

    def at_work(self, *arguments):
        """A run that has its outputs open and waits for more texts."""
        process = self.start("embed", "-", *arguments)
        process.stdin.write(b"a dog\n")
        process.stdin.flush()
        locked = pathlib.Path(f"/proc/{process.pid}/fd")
        while not any(os.readlink(fd).endswith(".tmp") for fd in locked.iterdir() if fd.is_symlink()):
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        return process

    def test_a_killed_run_is_in_nobodys_way(self):
        text = (self.path / "in.txt").read_bytes()
        for arguments in [["-o", f"out.{name}"] for name in OUTPUTS] + [all_outputs()]:
            self.run_embd("embed", "-", *arguments, input=text)
            undisturbed = self.contents_of(self.names())
            for _ in range(3):
                process = self.start("embed", "-", *arguments)
                process.stdin.write(text)
                process.stdin.flush()
                time.sleep(0.05)
                process.kill()
                process.communicate()
            self.run_embd("embed", "-", *arguments, input=text)
            self.assertEqual(self.contents_of(self.names()), undisturbed, arguments)
            self.remove(set(self.names()) - {"in.txt"})

    def test_what_was_left_is_removed_and_what_is_in_use_is_not(self):
        for name in ("npy", "svs"):
            killed = self.at_work("-o", f"out.{name}")
            killed.kill()
            killed.communicate()
            self.assertIn(f"out.{name}.embd-0.tmp", self.names())
            first = self.at_work("-o", f"out.{name}")
            self.run_embd("embed", "-", "-o", f"out.{name}", input=b"a cat\n")
            self.finish(first, GOOD, b"a dog\n")
            self.assertEqual([n for n in self.names() if n.endswith(".tmp")], [])
            rows = json.loads(self.run_embd("inspect", "--json", f"out.{name}"))["num_rows"]
            self.assertEqual(rows, 2)


class StandardStreams(FaultsTest):
    """Closed, full, or read by nobody."""

    def run_with(self, streams, *arguments):
        return subprocess.run(["bash", "-c", f'exec "$0" "$@" {streams}', EMBD, *map(str, arguments)], cwd=self.path,
                              env=self.environment, capture_output=True, timeout=60)

    def test_what_nobody_hears_stops_nothing(self):
        """Warnings, progress and errors."""
        self.write("long.txt", "word " * 2000 + "\n")
        cut = ["embed", "long.txt", "-o", "out.fifu", "--quantize", "pq", "--force", "--progress", "always"]
        for streams in ("2>&-", "2>/dev/full", "2> >(exec true)"):
            for arguments, expect in ((cut, GOOD), (["embed", "none.txt", "-o", "x.npy"], IO), (["nonsense"], USAGE),
                                      (["embed", "--nonsense"], USAGE)):
                with self.subTest(streams=streams, arguments=arguments):
                    self.assertEqual(self.run_with(streams, *arguments).returncode, expect)

    def test_no_file_gets_what_is_printed(self):
        """A file that is opened gets the lowest free descriptor: that of a closed stream, if nobody sees to it."""
        self.write("long.txt", "word " * 2000 + "\n")
        names = [f"out.{name}" for name in OUTPUTS] + ["report.json", "rows.jsonl"]
        arguments = ["embed", "long.txt", *all_outputs(), "--row-report", "rows.jsonl", "--progress", "always"]
        self.run_embd(*arguments)
        expected = self.contents_of(names)
        for streams in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(streams=streams):
                self.remove(expected)
                self.assertEqual(self.run_with(streams, *arguments).returncode, GOOD)
                self.assertEqual(self.contents_of(names), expected)
        self.assertEqual(self.run_with("<&-", "embed", "-", "-o", "x.npy").returncode, IO)
        for arguments in (["embed", "in.txt"], ["inspect", "out.npy"], ["--help"], ["--version"], ["embed", "--help"]):
            for streams in (">&-", ">/dev/full"):
                self.assertEqual(self.run_with(streams, *arguments).returncode, IO, f"{arguments} {streams}")

    @unittest.skipIf(SANITIZED, "not of a sanitizer's program")
    def test_few_descriptors_leave_nothing_behind(self):
        before = self.names()
        refused = 0
        for most in range(4, 24):
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            process = self.start("embed", "in.txt", *all_outputs(), limit=limit)
            process.communicate(b"", timeout=300)
            if process.returncode == 0:
                self.remove(set(self.names()) - set(before))
                continue
            refused += 1
            self.assertEqual(self.names(), before, most)
        self.assertGreater(refused, 5)


def wait_until_idle(process):
    """Returns when the process has used no time for a while: it waits for its input."""
    def ticks():
        return pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    before = None
    while before != (before := ticks()):
        time.sleep(0.3)


class Input(FaultsTest):
    def test_not_there(self):
        self.run_embd("embed", "none.txt", "-o", "out.npy", expect=IO)
        self.assertIn("none.txt", self.message)
        self.assertEqual(self.names(), ["in.txt"])

    def test_removed_while_it_is_read_is_read_to_its_end(self):
        self.write("big.txt", "some words of it\n" * 20000)
        process = self.start("embed", "big.txt", "-o", "out.npy", "--report", "r.json", "-t", 1, "--dedup", "off")
        while not any(name.endswith(".tmp") for name in self.names()):
            time.sleep(0.005)
        (self.path / "big.txt").unlink()
        self.finish(process, GOOD)
        self.assertEqual(json.loads((self.path / "r.json").read_text())["rows"], 20000)

    def test_changed_or_shorter_while_it_is_read(self):
        for change in (lambda file: file.truncate(100), lambda file: file.write(b"other words of it\n" * 9)):
            self.write("big.txt", "some words of it\n" * 60000)
            process = self.start("embed", "big.txt", "-o", "out.npy", "-t", 1, "--dedup", "off")
            while not any(name.endswith(".tmp") for name in self.names()):
                time.sleep(0.005)
            with open(self.path / "big.txt", "r+b") as file:
                file.seek(1_000_000)
                change(file)
            self.finish(process, IO)
            self.assertIn("big.txt: input or output failed: the file was changed while it was read", self.message)
            self.assertEqual(self.names(), ["big.txt", "in.txt"])

    def test_a_mapped_file_that_becomes_shorter(self):
        """SIGBUS: the program waits for texts while its vectors are cut off behind its back."""
        self.run_embd("embed", "in.txt", "-o", "out.npy")
        process = self.start("verify", "out.npy", "-", stdin=subprocess.PIPE)
        process.stdin.write(b"some words, number 0\n")
        process.stdin.flush()
        maps = pathlib.Path(f"/proc/{process.pid}/maps")
        deadline = time.time() + 30
        # It reads texts when all its files are open.
        while time.time() < deadline and ("out.npy" not in maps.read_text() or waiting_bytes(process.stdin) > 0):
            time.sleep(0.005)
        wait_until_idle(process)
        os.truncate(self.path / "out.npy", 200)
        self.finish(process, IO, (self.path / "in.txt").read_bytes().split(b"\n", 1)[1])
        self.assertRegex(self.message, r"^embd: /.*/out\.npy: input or output failed: the file became shorter")


class Pipes(FaultsTest):
    def test_a_closed_pipe(self):
        self.run_embd("embed", "in.txt", "-o", "a.npy")
        for arguments in (["embed", "in.txt"], ["embed", "in.txt", "--output-format", "npy"],
                          ["search", "a.npy", "--queries", "a.npy"], ["inspect", "a.npy"],
                          ["compare", "a.npy", "a.npy"], ["verify", "a.npy", "in.txt"],
                          ["lock", MODEL, "-o", "-"], ["model", "info", MODEL],
                          ["tokenize", "in.txt"], ["completion", "bash"], ["similarity", "a", "b"]):
            read, write = os.pipe()
            os.close(read)
            process = self.start(*arguments, stdout=write)
            os.close(write)
            self.finish(process, PIPE)
            self.assertNotIn("embd: ", self.message)

    def test_a_writer_that_goes_away_is_the_end_of_the_texts(self):
        out = self.run_embd("embed", input=b"a cat\nhalf a li")
        self.assertEqual(len(out.splitlines()), 2)

    def test_standard_input_that_is_closed(self):
        self.run_embd("embed", "-o", "out.npy", expect=(GOOD, IO), limit=lambda: os.close(0), input=None)


class Resources(FaultsTest):
    @unittest.skipIf(SANITIZED, "not of a sanitizer's program")
    def test_out_of_memory(self):
        """Address space from far too little to enough: good, or out of memory, nothing between."""
        self.run_embd("embed", "in.txt", "-o", "a.npy")
        self.run_embd("index", "a.npy", "-o", "a.usearch")
        self.run_embd("index", "a.npy", "-o", "a.svs")
        before = self.names()
        queries = ["--queries", "a.npy", "-t", 2]
        for arguments, output in ((["embed", "in.txt", "-t", 2], "out.npy"),
                                  (["index", "a.npy", "-t", 2], "out.usearch"),
                                  (["index", "a.npy", "-t", 2], "out.svs"),
                                  (["search", "a.npy", *queries], None), (["search", "a.usearch", *queries], None),
                                  (["search", "a.svs", *queries], None)):
            arguments += ["-o", output] if output else []
            good = self.run_embd(*arguments)
            good_files = self.contents_of(set(self.names()) - set(before))
            self.remove(good_files)
            seen = set()
            for megabytes in [*range(12, 40), 80, 400]:
                def limit(size=megabytes << 20):
                    resource.setrlimit(resource.RLIMIT_AS, (size, size))
                loads = self.start("--version", limit=limit)
                loads.communicate()
                if loads.returncode != GOOD:
                    continue
                process = self.start(*arguments, limit=limit)
                out, err = process.communicate(timeout=60)
                seen.add(process.returncode)
                self.assertIn(process.returncode, (GOOD, IO), f"{arguments}, {megabytes} MB: {err.decode()}")
                files = self.contents_of(set(self.names()) - set(before))
                self.remove(files)
                if process.returncode == GOOD:
                    self.assertEqual((out, files), (good, good_files))
                else:
                    self.assertRegex(err.decode(), "out of memory|Cannot allocate memory|unavailable")
                    self.assertEqual(files, {}, megabytes)
            self.assertEqual(seen, {GOOD, IO}, arguments)

    def test_a_count_in_a_file_does_not_decide_about_memory(self):
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 1), }"
        header += b" " * (117 - len(header)) + b"\n"
        self.write("big.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 64)
        self.run_embd("inspect", "big.npy", expect=BAD_INPUT)

    def test_json_nested_too_deep_does_not_decide_about_the_stack(self):
        deep = "[" * 1_000_000 + "]" * 1_000_000
        self.run_embd("embed", "in.txt", "-o", "a.npy")
        self.write("a.npy.recipe.json", '{"pooling":' + deep + "}")
        self.run_embd("inspect", "a.npy", expect=BAD_INPUT)
        self.assertIn("a.npy.recipe.json", self.message)
        self.run_embd("check", self.write("a.lock", '{"embd_lock":' + deep + "}"), expect=BAD_INPUT)
        (self.path / "model").mkdir()
        self.write("model/config.json", '{"hidden_size":' + deep + "}")
        self.run_embd("model", "convert", "model", "a.weights", expect=BAD_INPUT)
        self.assertIn("nested deeper", self.message)

    def test_one_processor(self):
        one = min(os.sched_getaffinity(0))
        self.run_embd("embed", "in.txt", "-o", "one.npy", "--report", "r.json",
                      limit=lambda: os.sched_setaffinity(0, {one}))
        self.assertEqual(json.loads((self.path / "r.json").read_text())["threads"], 1)
        self.run_embd("embed", "in.txt", "-o", "all.npy")
        self.assertEqual((self.path / "one.npy").read_bytes(), (self.path / "all.npy").read_bytes())

    def test_a_cgroup_limit(self):
        root = pathlib.Path("/sys/fs/cgroup")
        for parent in (root, root / "cpu", root / "cpu,cpuacct"):
            group = parent / f"embd-test-{os.getpid()}"
            if not (parent / "cgroup.procs").exists():
                continue
            try:
                group.mkdir()
            except OSError:
                continue
            try:
                if (group / "cpu.max").exists():
                    (group / "cpu.max").write_text("100000 100000")
                else:
                    (group / "cpu.cfs_quota_us").write_text("100000")
                self.run_embd("embed", "in.txt", "-o", "one.npy", "--report", "r.json",
                              limit=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
                self.assertEqual(json.loads((self.path / "r.json").read_text())["threads"], 1)
                return
            except OSError:
                continue
            finally:
                group.rmdir()
        self.skipTest("no cgroup may be made here")

    @unittest.skipIf(SANITIZED, "not of a sanitizer's program")
    def test_more_threads_than_the_system_gives(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.chmod(self.path, 0o777)
        user = 65534 if os.geteuid() == 0 else None
        if user and subprocess.run([EMBD, "--version"], capture_output=True, user=user).returncode:
            self.skipTest("another user cannot run the program")
        for arguments in (["embed", "in.txt", "-o", "a.npy"], ["index", "a.npy", "-o", "a.usearch"],
                          ["index", "a.npy", "-o", "a.svs"], ["search", "a.npy", "--queries", "a.npy"],
                          ["search", "a.usearch", "--queries", "a.npy"], ["search", "a.svs", "--queries", "a.npy"]):
            self.run_embd(*arguments, "-t", 8, limit=limit, user=user)


class Texts(FaultsTest):
    def rows(self, content, *options):
        out = self.run_embd("embed", self.write("x.txt", content), *options)
        return [json.loads(line)["embedding"] for line in out.splitlines()]

    def test_nul_bytes(self):
        self.run_embd("embed", self.write("x.txt", b"a cat\na\0b\n"), expect=BAD_INPUT)
        self.assertRegex(self.message, r"x\.txt: line 2: .*byte 1 is NUL.*\n.*tr -d")

    def test_invalid_utf8(self):
        bad = [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"a\x80b"]
        self.assertEqual(len(self.rows(b"\n".join(bad) + b"\n", "--invalid-utf8", "replace")), len(bad))
        for text in bad:
            self.run_embd("embed", self.write("x.txt", b"good\n" + text + b"\n"), expect=BAD_INPUT)
            self.assertRegex(self.message, r"x\.txt: line 2: .*byte [01] is 0x.., which is not part of a character in UTF-8")
        self.run_embd("embed", self.write("x.jsonl", b'{"text":"\xff"}\n'), expect=BAD_INPUT)
        self.assertIn("x.jsonl: line 1: invalid UTF-8: byte 9 is 0xff", self.message)
        text = self.write("y.txt", b"a\nb\nno \xff\n")
        self.run_embd("embed", text, "-o", "out.fifu", expect=BAD_INPUT)
        self.assertRegex(self.message, r"y\.txt: line 3: invalid UTF-8: byte 3 is 0xff")
        self.run_embd("embed", text, "-o", "out.fifu", "--resume", expect=BAD_INPUT)
        self.assertIn("y.txt: line 3", self.message)
        table = self.write("y.csv", b"id,text\nx,a\n\xc3,b\n")
        for name in OUTPUTS:
            self.run_embd("embed", table, "--id-field", "id", "-o", f"out.{name}", expect=BAD_INPUT)
            self.assertIn("y.csv: line 3: invalid UTF-8: byte 0 is 0xc3", self.message)
        self.run_embd("embed", self.write("z.csv", b"id,text\nx,a\nx,b\n"), "--id-field", "id", "-o", "out.fifu",
                      expect=BAD_INPUT)
        self.assertIn('z.csv: duplicate entry: the word of row 1 is "x", which is the word of an earlier row', self.message)

    def test_a_million_empty_lines(self):
        self.run_embd("embed", "-o", "out.fvecs", "--report", "r.json", input=b"\n" * 1000000)
        self.assertEqual(json.loads((self.path / "r.json").read_text())["rows"], 1000000)
        data = (self.path / "out.fvecs").read_bytes()
        self.assertEqual(data, data[:len(data) // 1000000] * 1000000)

    @unittest.skipIf(SANITIZED, "not of a sanitizer's program")
    def test_a_very_long_line(self):
        """In memory of a few times the line, also as windows' rows and in every reader of texts."""
        size = LINE_MB << 20
        piece = b"some words of a very long line "
        line = piece * (size // len(piece) + 1)
        for name, begin, end, options in (("x.txt", b"", b"\n", []), ("x.csv", b'text\n"', b'"\n', []),
                                          ("x.tsv", b"text\n", b"\n", []),
                                          ("x.jsonl", b'{"text":"', b'"}\n', []),
                                          ("x.txt", b"", b"", ["--on-truncate", "error"])):
            with open(self.path / name, "wb") as file:
                for part in (begin, line, end):
                    file.write(part)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            expect = BAD_INPUT if options else GOOD
            out = self.run_embd("embed", name, *options, "--max-text-bytes", 2 * size, expect=expect)
            if expect == GOOD:
                self.assertEqual(len(out.splitlines()), 1, name)
            else:
                self.assertRegex(self.message, r"x\.txt: line 1: .*: the text has \d{7,} tokens")
            largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            self.assertLess(max(before, largest) << 10, 6 * size + (200 << 20), name)

    def test_a_line_that_never_ends(self):
        """Ends at the limit, in memory of a few times the limit, in every verb and reader of texts."""
        limit = 64 << 20
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        for verb in (["embed", "/dev/zero", "-o", "out.npy"], ["embed", "/dev/zero", "--input-format", "jsonl"],
                     ["embed", "/dev/zero", "--input-format", "csv"], ["embed", "/dev/zero", "--input-format", "tsv"],
                     ["dedupe", "/dev/zero", "--input-format", "txt", "-o", "out.txt"]):
            self.run_embd(*verb, "--max-text-bytes", limit, expect=BAD_INPUT)
            self.assertRegex(self.message, rf"/dev/zero: .*the line has more than {limit} bytes")
            self.assertIn("--max-text-bytes N raises the limit", self.message)
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if not SANITIZED:
            self.assertLess(max(before, largest) << 10, 4 * limit + (200 << 20))
        self.run_embd("embed", "-", "--max-text-bytes", 10, input=b"0123456789\n", expect=BAD_INPUT)
        self.run_embd("embed", "-", "--max-text-bytes", 11, input=b"0123456789\n")

    def test_windows_of_a_long_line_take_no_more_than_its_tokens(self):
        line = b"some words of a very long line " * 20000
        self.run_embd("embed", "-o", "out.fvecs", "--windows", 20, "--report", "r.json", input=line)
        self.assertGreater(json.loads((self.path / "r.json").read_text())["rows"], 8000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
