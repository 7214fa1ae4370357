#!/usr/bin/env python3
"""`embd model get` against a hub of its own on the loopback address:  get_model_test.py EMBD TEST_DATA [SLOW_SYSTEM]

SLOW_SYSTEM is the library of slow_system.cc, which a program that is linked statically cannot load.

The questions stand in tests/faces/python/model_hub.py, which asks the Python package the same."""
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from folder_case import BAD_INPUT, DATA, EMBD, GOOD, INTERRUPTED, IO, USAGE, FolderCase

KNOWN = DATA.parents[1] / "models" / "cache" / "all-MiniLM-L6-v2"
SLOW_SYSTEM = sys.argv[3] if len(sys.argv) > 3 else ""

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

    @unittest.skipUnless(KNOWN.exists(), f"{KNOWN} is not there (scripts/get_model.sh)")
    def test_a_known_model_has_exactly_its_files(self):
        self.hub.folder = self.path / "known"
        self.hub.folder.mkdir()
        for file in (file for file in KNOWN.rglob("*") if file.is_file()):
            (self.hub.folder / file.relative_to(KNOWN)).parent.mkdir(exist_ok=True)
            (self.hub.folder / file.relative_to(KNOWN)).symlink_to(file)
        self.give_it_the_known_name()
        folder = pathlib.Path(self.get("all-MiniLM-L6-v2"))

        blob = (folder / "config.json").resolve()  # changed in the cache: fetched again
        blob.write_bytes(blob.read_bytes().replace(b"12", b"21"))
        self.get("all-MiniLM-L6-v2")
        self.assertEqual((folder / "config.json").read_bytes(), (KNOWN / "config.json").read_bytes())

        prompts = '{"prompts": {"query": "false: "}, "default_prompt_name": "query"}'
        for place in (self.hub.folder, folder):
            (place / "config_sentence_transformers.json").write_text(prompts)
            self.get("all-MiniLM-L6-v2", error="checksum_mismatch")
            (place / "config_sentence_transformers.json").unlink()
        self.get("all-MiniLM-L6-v2")

        weights = self.hub.folder / "model.safetensors"
        weights.rename(self.hub.folder / "model-00001-of-00001.safetensors")
        (self.hub.folder / "model.safetensors.index.json").write_text("{}")
        self.get("all-MiniLM-L6-v2", error="checksum_mismatch")

    def held_at(self, call, **environment):
        """Starts the program, and returns it when it is in its first call of this function of the system."""
        if not SLOW_SYSTEM:
            self.skipTest("this program cannot load another library")
        slow = {"LD_PRELOAD": SLOW_SYSTEM, "SLOW_CALL": call, "SLOW_MARKER": str(self.path / "held"), "SLOW_END": str(self.path / "go on"),
                "ASAN_OPTIONS": "verify_asan_link_order=0"}
        program = subprocess.Popen([EMBD, "model", "get", model_hub.NAME], env=self.environment | slow | environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        while not (self.path / "held").exists():
            self.assertIsNone(program.poll())
            time.sleep(0.01)
        return program

    def test_the_search_for_a_host_can_be_interrupted(self):
        program = self.held_at("getaddrinfo", HF_ENDPOINT="http://hub.invalid", NO_PROXY="*")
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(timeout=20), INTERRUPTED)

    def test_three_processes_of_which_one_locks_late(self):
        """It opened the file that the second one has put in its place meanwhile, and the third one downloads anew."""
        self.get()
        blob = self.model / "blobs" / self.blobs_hash()
        whole = blob.read_bytes()
        blob.unlink()
        late = self.held_at("flock")
        self.get()
        blob.write_bytes(whole[:1000])
        self.hub.faults["hangs"] = 1
        self.hub.marker = self.path / "hangs"
        third = subprocess.Popen([EMBD, "model", "get", model_hub.NAME], env=self.environment, stdout=subprocess.DEVNULL)
        self.addCleanup(third.wait)
        while not self.hub.marker.exists():
            time.sleep(0.01)
        (self.path / "go on").touch()
        self.assertIn(b"another process is downloading this file", late.communicate(timeout=60)[1])
        self.assertEqual(late.returncode, IO)
        self.hub.pause.set()
        self.assertEqual(third.wait(timeout=60), GOOD)
        self.assertEqual(blob.read_bytes(), whole)

    def test_a_slash_in_a_password_is_escaped(self):
        for address in ("http://me:sec/ret@proxy:80", "http://me:secret@:80", "socks5://me:secret@proxy"):
            self.get(HF_ENDPOINT="http://hub.invalid", HTTP_PROXY=address, NO_PROXY="", error="invalid_argument")
            self.assertNotRegex(self.message, "sec|ret")
            self.assertIn("expected http://HOST:PORT", self.message)

    def test_a_tunnel_to_an_ipv6_address(self):
        proxy = self.proxy()
        self.get(HF_ENDPOINT="https://[::1]:9", HTTPS_PROXY=proxy.url("me:wrong"), NO_PROXY="", error="io_failed")
        self.assertEqual(proxy.asked, [("CONNECT [::1]:9", "[::1]:9")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
