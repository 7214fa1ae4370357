#!/usr/bin/env python3
"""The record of a model's hash:  model_hash_test.py EMBD TEST_DATA

That a changed model is hashed again, whatever its times say, and who never takes what was kept. How it is known that a file
did not change is tests/base/kept_hash_test.cc's."""
import hashlib
import json
import os
import shutil
import subprocess
import time
import unittest

from folder_case import GOOD, MODEL, RECIPE, USAGE, FolderCase

WRONG = "f" * 64
FILE_SYSTEMS = ("ext2/ext3", "xfs", "btrfs")  # as stat(1) calls them


class HashCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.model = self.path / "m.weights"
        self.record = self.path / "cache/embd/model-hashes"
        self.environment |= {"EMBD_MODEL": str(self.model), "XDG_CACHE_HOME": str(self.path / "cache")}
        self.write("in.txt", "a cat\nthe dog\n")
        shutil.copyfile(MODEL, self.model)
        system = subprocess.run(["stat", "-f", "-c", "%T", self.model], capture_output=True, text=True, check=True).stdout.strip()
        self.keeps = system in FILE_SYSTEMS

    def true_hash(self):
        return hashlib.sha256(self.model.read_bytes()).hexdigest()

    def hash_in_recipe(self, *options, **environment):
        self.run_embd("embed", "in.txt", "-o", "out.npy", *options, **environment)
        return json.loads(self.bytes("out.npy.recipe.json"))["model_sha256"]

    def keep(self):
        """Runs the program until the hash is kept."""
        if not self.keeps:
            self.skipTest("the file system of the temporary folder does not note every change")
        deadline = time.time() + 30
        while not self.record.exists() and time.time() < deadline:
            self.assertEqual(self.hash_in_recipe(), self.true_hash())
            time.sleep(0.2)
        self.assertTrue(self.record.exists())
        self.assertEqual(self.hash_in_recipe(), self.true_hash())

    def falsify(self):
        """The record says something else of the model, in good form: who takes it, and who does not, can be seen."""
        stamp, true, _ = self.record.read_text().rsplit(maxsplit=2)
        self.assertEqual(true, self.true_hash())
        line = f"{stamp} {WRONG}"
        self.record.write_text(f"{line} {hashlib.sha256(line.encode()).hexdigest()}\n")


class FolderHash(HashCase):
    """A folder has the hash of the file that it would be converted to."""

    def setUp(self):
        super().setUp()
        self.model = self.model_folder("folder")
        self.environment |= {"EMBD_MODEL": str(self.model)}

    def true_hash(self):
        self.run_embd("model", "convert", self.model, "converted.weights")
        return hashlib.sha256(self.bytes("converted.weights")).hexdigest()

    def test_it_is_kept_until_one_of_the_files_changes(self):
        self.keep()
        kept = self.record.read_text()
        self.falsify()
        self.assertEqual(self.hash_in_recipe(), WRONG)
        self.assertEqual(self.hash_in_recipe("--keep-model-hash", "off"), self.true_hash())
        vocabulary = self.model / "vocab.txt"
        vocabulary.write_text(vocabulary.read_text().replace("##c", "##z"))
        self.assertEqual(self.hash_in_recipe(), self.true_hash())
        vocabulary.write_text(vocabulary.read_text().replace("##z", "##c"))
        self.assertEqual(self.hash_in_recipe(), WRONG)
        self.record.write_text(kept)
        with open(self.model / "model.safetensors", "r+b") as file:
            file.seek(-4, os.SEEK_END)
            file.write(bytes(4))
        self.assertEqual(self.hash_in_recipe(), self.true_hash())


class ModelHash(HashCase):
    def test_a_changed_model_is_hashed_again(self):
        self.keep()
        old = self.true_hash()
        times = self.model.stat()
        with open(self.model, "r+b") as file:  # a byte of a tensor, in place
            file.seek(times.st_size - 4096)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))
        os.utime(self.model, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(self.model.stat().st_mtime_ns, times.st_mtime_ns)
        self.assertEqual(self.model.stat().st_size, times.st_size)
        self.assertNotEqual(self.true_hash(), old)
        self.assertEqual(self.hash_in_recipe(), self.true_hash())

    def test_a_replaced_model_is_hashed_again(self):
        self.keep()
        shutil.copyfile(self.model, self.path / "new")
        with open(self.path / "new", "r+b") as file:
            file.seek(-4096, os.SEEK_END)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))
        shutil.copystat(self.model, self.path / "new")
        old = self.true_hash()
        os.replace(self.path / "new", self.model)
        self.assertNotEqual(self.true_hash(), old)
        self.assertEqual(self.hash_in_recipe(), self.true_hash())

    def test_embed_and_search_take_what_was_kept(self):
        self.keep()
        self.run_embd("index", "out.npy", "-o", "i.usearch")
        self.falsify()
        self.assertEqual(self.hash_in_recipe(), WRONG)
        self.run_embd("verify", "out.npy", "in.txt", expect=RECIPE)
        self.run_embd("search", "out.npy", "-q", "a cat")
        self.run_embd("search", "out.npy", "-q", "a cat", "--keep-model-hash", "off", expect=RECIPE)
        self.run_embd("search", "i.usearch", "-q", "a cat", "--keep-model-hash", "off")
        self.run_embd("lock", str(self.model), "-o", "lock")
        self.assertEqual(json.loads(self.bytes("lock"))["recipe"]["model_sha256"], self.true_hash())
        self.run_embd("check", "lock")
        self.assertEqual(self.hash_in_recipe("--keep-model-hash", "off"), self.true_hash())
        self.assertEqual(self.hash_in_recipe(EMBD_KEEP_MODEL_HASH="off"), self.true_hash())
        self.run_embd("verify", "out.npy", "in.txt")

    def test_switched_off_it_writes_nothing(self):
        time.sleep(3.1)
        self.hash_in_recipe("--keep-model-hash", "off")
        self.assertNotIn("cache", self.names())

    def test_no_folder_is_no_error(self):
        time.sleep(3.1)
        self.environment.pop("HOME", None)
        for folder in ("", "relative", "/dev/null"):
            self.assertEqual(self.hash_in_recipe(XDG_CACHE_HOME=folder), self.true_hash())
            self.assertEqual(self.message, "")
        self.assertEqual(self.names(), ["in.txt", "m.weights", "out.npy", "out.npy.recipe.json"])

    def test_home_is_where_it_is_without_xdg(self):
        self.keep()
        del self.environment["XDG_CACHE_HOME"]
        (self.path / "home").mkdir()
        self.hash_in_recipe(HOME=str(self.path / "home"))
        self.assertTrue((self.path / "home/.cache/embd/model-hashes").exists())

    def test_the_record_is_no_output(self):
        self.record.parent.mkdir(parents=True)
        self.run_embd("embed", "in.txt", "-o", str(self.record), "--output-format", "npy", expect=USAGE)
        self.assertIn("--keep-model-hash", self.message)
        self.run_embd("embed", "in.txt", "-o", str(self.record), "--output-format", "npy", "--keep-model-hash", "off",
                      expect=GOOD)


if __name__ == "__main__":
    unittest.main(argv=["model_hash_test.py"])
