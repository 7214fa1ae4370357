#!/usr/bin/env python3
"""Every message says what to do:  messages_test.py EMBD TEST_DATA

Each case provokes an error; what it prints must hold the words of the remedy. Standard library only."""
import errno
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

from folder_case import BAD_INPUT, DATA, DIFFERENCE, EMBD, GOOD, INTERRUPTED, IO, MODEL, RECIPE, USAGE, FolderCase

EMBED = ["embed", "in.txt", "-o"]


class Messages(FolderCase):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "a cat\na dog\none more text\n")

    def says(self, words, code, *arguments, **named):
        """That the command ends with `code` and prints all of `words`."""
        with self.subTest(arguments=arguments):
            self.run_embd(*arguments, expect=code, **named)
            for word in [words] if isinstance(words, str) else words:
                self.assertIn(word, self.message)

    def sets(self):
        self.run_embd(*EMBED, "set.npy", "-o", "set.usearch", "-o", "set.jsonl")
        self.run_embd(*EMBED, "cls.npy", "--pooling", "cls")
        self.run_embd(*EMBED, "short.npy", "--truncate-dim", 16)


class Arguments(Messages):
    def test_a_name_that_is_nearly_right_is_told_the_right_one(self):
        for given, meant in (("embedd", "embed"), ("serach", "search"), ("Verify", "verify")):
            self.says(f'"{given}" (did you mean {meant}?)', USAGE, given)
        self.says("did you mean verify?", USAGE, "model", "verfy")
        self.says("did you mean parquet?", USAGE, *EMBED, "x", "--output-format", "parqet")
        self.says("did you mean .npy?", USAGE, *EMBED, "x.NPY")
        self.says("did you mean .jsonl?", USAGE, *EMBED, "x.json")
        self.says("Did you mean in.txt?", IO, "embed", "in.tx", "-o", "x.npy")

    def test_every_option_is_found_without_one_of_its_letters(self):
        for verb in ("embed", "search", "serve", "convert"):
            names = re.findall(r"--([a-z-]{5,})", self.run_embd(verb, "--help").decode())
            self.assertGreater(len(names), 15)
            for name in set(names):
                self.run_embd(verb, "--" + name[:2] + name[3:], "x", expect=USAGE)
                found = re.search(r"did you mean --([a-z0-9-]+)\?", self.message)
                self.assertTrue(found, self.message)
                self.assertLessEqual(abs(len(found[1]) - len(name)), 1, self.message)
        self.says("did you mean --output?", USAGE, "index", "set.npy", "--outptu", "x.usearch")
        self.run_embd("embed", "--nonsense", expect=USAGE)
        self.assertNotIn("did you mean", self.message)

    def test_what_is_missing_or_too_much_is_told_how_the_verb_is_called(self):
        self.says("embd index VECTORS -o OUT", USAGE, "index", "set.npy")
        self.says("embd compare A B", USAGE, "compare", "set.npy")
        self.says("embd tokenize [INPUT]", USAGE, "tokenize", "in.txt", "two.txt")
        self.says("PATH expects IN... OUT", USAGE, "convert", "set.npy")
        self.says("--analogy expects A B C", USAGE, "search", "set.npy", "--analogy", "a", "b")
        self.says("--output expects OUT", USAGE, *EMBED)
        self.says("--threads was given 2 times, expected once", USAGE, *EMBED, "x.npy", "-t", "1", "--threads", "2")
        self.says("give only one of them", USAGE, *EMBED, "x.npy", "--prompt", "a", "--prompt-name", "b")

    def test_a_wrong_value_is_told_a_right_one(self):
        for option, value, words in (
                ("--threads", "many", "from 0 to 65536"), ("--pooling", "avg", "mean|cls|max"),
                ("--progress", "yes", "auto|always|never"), ("--part", "3", "such as 0/4"),
                ("--id-start", "-1", "a whole number of at least 0"), ("--max-length", "1", "expected 3 to"),
                ("--windows", "2", "a window's length is 2, expected 3 to"), ("--truncate-dim", "1000", "at most the 36 components"),
                ("--column-field", "n", "applies to cvc, parquet"), ("--stride", "3", "requires --windows")):
            self.says([words, "Try embd embed --help."], USAGE, *EMBED, "x.npy", option, value)
        self.says("a whole number from 1 to 18446744073709551615", USAGE, "search", "a.npy", "-q", "a", "-k", "99999999999999999999")
        self.says("such as 0:1000", USAGE, "convert", "a.npy", "b.npy", "--rows", "3")
        self.says("bash|zsh|fish", USAGE, "completion", "ksh")

    def test_a_name_without_format_is_told_the_option_that_names_one(self):
        self.says([".w2v.bin", "--output-format"], USAGE, *EMBED, "x.bin")
        self.run_embd(*EMBED, "set.npy")
        self.says([".npy", "--to"], USAGE, "convert", "set.npy", "x.foo")
        self.assertNotIn("fasttext", self.message, "it can only be read")
        self.says(["the name x.cvc stands for the format cvc, but the format svs was named: end the name in .svs or .config"], USAGE,
                  "convert", "set.npy", "x.cvc", "--to", "svs")


class Files(Messages):
    def test_a_file_that_is_not_there(self):
        self.says(f"not in {os.path.realpath(self.path)}", IO, "embed", "nowhere", "-o", "x.npy")
        self.says("The folder no does not exist.", IO, "embed", "no/in.txt", "-o", "x.npy")
        self.says("mkdir -p no/where", IO, *EMBED, "no/where/x.npy")

    def test_what_is_no_reranker(self):
        self.run_embd(*EMBED, "set.npy")
        (self.path / "folder").mkdir()
        for name, status in (("folder", IO), ("nowhere", IO), ("set.npy", BAD_INPUT)):
            self.says("A model is a weight file", status, "search", "set.npy", "-q", "a", "--rerank", name, "--texts", "in.txt")

    def test_a_folder_or_a_file_where_the_other_is_expected(self):
        (self.path / "folder").mkdir()
        self.says("name a file, not a directory", IO, "check", "folder")
        self.says("the folder contains no file of texts", BAD_INPUT, "embed", "folder", "-o", "x.npy")
        self.says("in.txt is a file, expected a folder", IO, *EMBED, "in.txt/x.npy")
        self.says("in.txt is a file, expected a folder", IO, *EMBED, "in.txt/deeper/x.npy")

    @unittest.skipIf(os.geteuid() == 0 and shutil.which("setpriv") is None, "root may do everything")
    def test_files_of_others(self):
        user = ["setpriv", "--reuid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
        (self.path / "closed").mkdir(mode=0)
        self.write("secret.txt", "a")
        (self.path / "secret.txt").chmod(0)
        self.path.chmod(0o555)
        self.addCleanup(self.path.chmod, 0o755)
        for arguments, words in ((["embed", "secret.txt", "-o", "/dev/null", "--output-format", "npy"], "You have no permission to read"),
                                 ([*EMBED, "x.npy"], "You have no permission to write in .:"),
                                 (["embed", "closed/in.txt", "-o", "x.npy"], "You have no permission to look into closed")):
            done = subprocess.run([*user, EMBD, *arguments], cwd=self.path, env=self.environment, capture_output=True, text=True)
            if "Permission denied" in done.stderr and EMBD in done.stderr:
                self.skipTest("the program is where others may not run it")
            self.assertEqual(done.returncode, IO, done.stderr)
            self.assertIn(words, done.stderr)

    def test_limits_of_the_system(self):
        def with_limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = subprocess.run([EMBD, *EMBED, "x.npy"], cwd=self.path, env=self.environment, capture_output=True,
                              text=True, preexec_fn=with_limit)
        self.assertIn("ulimit -f", done.stderr)
        if os.path.exists("/dev/full"):
            self.says("Free some space", IO, *EMBED, "/dev/full", "--output-format", "npy")
        self.says("shorter name", IO, *EMBED, "a" * 300 + ".npy")

    def test_an_address_that_cannot_be_had(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.says("choose another with --port", IO, "serve", "--port", taken.getsockname()[1])
        with socket.socket() as probe:
            try:
                probe.bind(("192.0.2.1", 0))  # kept for documentation: no machine has it
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL:
                    self.says("an address of this machine with --host", IO, "serve", "--host", "192.0.2.1", "--port", 0)


class Inputs(Messages):
    def test_a_file_that_is_no_model(self):
        (self.path / "folder").mkdir()
        self.run_embd(*EMBED, "set.npy")
        for model in ("in.txt", "set.npy"):
            self.says("embd model convert makes", BAD_INPUT, *EMBED, "x.npy", "-m", model)
            self.says("embd model convert makes", BAD_INPUT, "lock", model, "-o", "x.lock")
            self.says("embd model convert makes", BAD_INPUT, "model", "verify", model)
        for model in ("no-such-model", "folder"):
            self.says("embd model convert makes", IO, *EMBED, "x.npy", "-m", model)
        self.says("--vocab", BAD_INPUT, *EMBED, "x.npy", "-m", DATA / "embd/external_vocab.weights")

    def test_weights_in_another_format_are_named_with_what_to_do(self):
        self.write("a.gguf", b"GGUF\x03\0\0\0" + bytes(100))
        self.says(["GGUF file of llama.cpp", "embd model get NAME"], BAD_INPUT, *EMBED, "x.npy", "-m", "a.gguf")
        folder = self.model_folder("m")
        self.says("safetensors file", BAD_INPUT, *EMBED, "x.npy", "-m", "m/model.safetensors")
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        self.says(["a pickle of PyTorch", "from transformers import AutoModel", "save_pretrained"], BAD_INPUT,
                  *EMBED, "x.npy", "-m", "m")
        (folder / "pytorch_model.bin").rename(folder / "a.gguf")
        self.says(["a.gguf (a GGUF file", "embd model get NAME"], BAD_INPUT, *EMBED, "x.npy", "-m", "m")

    def test_what_a_folder_leaves_open_is_said_once(self):
        folder = self.model_folder("small")
        self.run_embd(*EMBED, "x.npy", "-m", "small")
        self.assertEqual(self.message, "")
        folder.rename(self.path / "e5-small")
        self.says(['warning: models like e5-small need prompts', '"query: "', "--prompt"], GOOD, *EMBED, "x.npy", "-m", "e5-small")
        self.assertEqual(self.message.count("warning"), 1)
        self.run_embd(*EMBED, "x.npy", "-m", "e5-small", "--prompt", "passage: ", "--force")
        self.assertEqual(self.message, "")
        self.run_embd("model", "convert", "e5-small", "any.weights")
        self.says("models like e5-small need prompts", GOOD, *EMBED, "x.npy", "-m", "any.weights", "--force")
        bare = self.model_folder("bare")
        (bare / "modules.json").unlink()
        self.says(["no modules.json", "--pooling"], GOOD, *EMBED, "x.npy", "-m", "bare", "--force")
        self.model_folder("none", seed="prompts")
        self.run_embd(*EMBED, "x.npy", "-m", "none", "--prompt-name", "passage", "--force")
        self.assertEqual(self.message, "")

    def test_damage_of_any_file(self):
        """Whatever is wrong with a binary file, the line below says what to do about the file."""
        folders = {"cvc": "bad_*.cvc", "npy": "bad_*.npy", "usearch": "bad_*.usearch", "finalfusion/bad": "*.fifu"}
        for folder, pattern in folders.items():
            files = sorted((DATA / folder).glob(pattern))
            self.assertTrue(files, folder)
            for file in files[::3]:
                done = subprocess.run([EMBD, "inspect", file], env=self.environment, capture_output=True, text=True)
                if done.returncode != 0 and ": byte " in done.stderr and "version" not in done.stderr:
                    self.assertRegex(done.stderr, r"\n.*(Download the file again|with --from)", str(file))
        for file in sorted((DATA / "embd/bad").glob("t*.weights")):
            self.says(["embd model convert"], BAD_INPUT, "model", "verify", file)

    def test_a_file_of_svs_does_not_say_what_its_elements_are(self):
        self.run_embd(*EMBED, "half.svs", "--output-type", "f16", "--svs-layout", "file")
        self.says("--dtype", BAD_INPUT, "inspect", "half.svs")
        self.says("--dtype", BAD_INPUT, "search", "half.svs", "-q", "a cat")
        self.says("Download the file again", BAD_INPUT, "inspect", "half.svs", "--dtype", "f64")
        self.run_embd("inspect", "half.svs", "--dtype", "f16")

    def test_texts_where_vectors_are_expected(self):
        self.says("embd embed makes rows of them", BAD_INPUT, "search", "in.txt", "-q", "a cat")
        self.write("raw", b"\x01\x02\x03")
        self.says(["--from", "embd embed"], BAD_INPUT, "inspect", "raw")
        self.write("texts.jsonl", '{"text": "a cat"}\n')
        self.write("texts.csv", "id,text\n1,a cat\n")
        for file in ("raw", "texts.jsonl", "texts.csv", "in.txt"):
            self.says("embed them first: embd embed", BAD_INPUT, "search", file, "-q", "a cat")
            self.assertNotIn("Download", self.message)
            self.assertNotIn("--text-field", self.message)

    def test_vectors_where_texts_are_expected(self):
        self.run_embd(*EMBED, "set.npy", "-o", "set.cvc")
        for file in ("set.npy", "set.cvc"):
            self.says("embd inspect", BAD_INPUT, "embed", file, "-o", "x.npy")

    def test_fields_that_are_not_there_are_told_those_that_are(self):
        self.write("a.jsonl", '{"title":"a","body":"b"}\n')
        self.says(['"title", "body"', "--text-field"], BAD_INPUT, "embed", "a.jsonl", "-o", "x.npy")
        self.says('"title", "body"', BAD_INPUT, "embed", "a.jsonl", "-o", "x.npy", "--text-field", "body", "--id-field", "n")
        self.write("many.jsonl", "{" + ",".join(f'"n{i}":1' for i in range(99)) + "}\n")
        self.says('"n7", …', BAD_INPUT, "embed", "many.jsonl", "-o", "x.npy")
        self.write("a.csv", "title;body\na;b\n")
        self.says(['"title;body"', "--text-field", "--no-header", "--delimiter"], BAD_INPUT, "embed", "a.csv", "-o", "x.npy")
        self.says("jsonl, csv, tsv or parquet", USAGE, *EMBED, "x.npy", "--text-field", "body")

    def test_a_line_that_is_not_as_the_name_says(self):
        self.write("plain.jsonl", "a cat\n")
        self.says("--input-format", BAD_INPUT, "embed", "plain.jsonl", "-o", "x.npy")
        self.write("latin", b"caf\xe9\n")
        self.says(["--encoding", "--invalid-utf8"], BAD_INPUT, "embed", "latin", "-o", "x.fifu")

    def test_rows_that_share_an_id(self):
        self.write("twice.jsonl", '{"text":"a","id":1}\n{"text":"b","id":1}\n')
        self.run_embd("embed", "twice.jsonl", "--id-field", "id", "-o", "twice.npy")
        self.says("--multi", BAD_INPUT, "index", "twice.npy", "-o", "x.usearch")
        self.says("a different id for each row of a Vamana index", BAD_INPUT, "index", "twice.npy", "-o", "x.svs")
        self.assertNotIn("--multi", self.message)


class OtherFiles(Messages):
    def test_a_file_that_is_no_text_is_told_the_command_that_reads_it(self):
        for start, words in (
                (b"\x1f\x8b\x08", "zcat FILE"), (b"\x28\xb5\x2f\xfd", "zstdcat FILE"), (b"\xfd7zXZ\0", "xzcat FILE"),
                (b"BZh91AY&SY", "bzcat FILE"), (b"PK\x03\x04", "unzip -p FILE"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "libreoffice"),
                (b"%PDF-", "pdftotext FILE"), (b"{\\rtf", "pandoc"), (b"SQLite format 3\0", "sqlite3 FILE"), (b"\x7fELF", "strings FILE"),
                (b"\x89PNG\r\n\x1a\n", "tesseract FILE"), (b"\xff\xd8\xff", "tesseract"), (b"GIF89a", "tesseract"),
                (b"II*\0", "tesseract"), (b"MM\0*", "tesseract"), (b"\xff\xfe", "iconv -f UTF-16"), (b"\xfe\xff", "iconv -f UTF-16"),
                (b"PAR1\x15", "--input-format parquet"), (b"\x93NUMPY", "embd inspect FILE"), (b"CVCF\x01\0", "embd inspect FILE"),
                (b"ARROW1\0", "embd.embed_file")):
            self.write("file", start + b" and more\n")
            self.says(["the file is ", words], BAD_INPUT, "embed", "file", "-o", "x.npy")

    def test_other_texts_are_told_the_command_that_converts_them(self):
        self.write("in.json", '[{"text": "a"}]')
        self.says("jq -c '.[]' FILE", BAD_INPUT, "embed", "in.json", "-o", "x.npy")
        self.says("iconv -f ENCODING", USAGE, "embed", "in.txt", "--encoding", "utf-16", "-o", "x.npy")
        self.write("nul", b"a\0b\n")
        self.says("tr -d", BAD_INPUT, "embed", "nul", "-o", "x.npy")


class Recipes(Messages):
    def test_another_recipe(self):
        self.sets()
        for arguments in (["verify", "set.npy", "in.txt", "--pooling", "cls"], ["convert", "set.npy", "cls.npy", "x.npy"],
                          ["search", "set.npy", "--queries", "cls.npy"]):
            self.says(["pooling", "--force"], RECIPE, *arguments)
            self.run_embd(*arguments, "--force", expect=DIFFERENCE if arguments[0] == "verify" else GOOD)

    def test_another_lock_or_manifest(self):
        self.write("in.json", "{}")
        self.says("embd lock makes", BAD_INPUT, "check", "in.txt")
        self.says("embd lock", BAD_INPUT, "check", "in.json")
        self.says("embd embed --part", BAD_INPUT, "join", "in.txt", "-o", "x.npy")
        for part, pooling in ((0, "cls"), (1, "mean")):
            self.run_embd(*EMBED, f"{part}.npy", "--part", f"{part}/2", "--pooling", pooling)
        self.says("again with embd embed --part", DIFFERENCE, "join", "0.npy.part.json", "-o", "x.npy")
        self.says(["pooling", "same options"], RECIPE, "join", "0.npy.part.json", "1.npy.part.json", "-o", "x.npy")
        self.assertNotIn("--force", self.message, "join has none")

    def test_a_job_that_is_interrupted_goes_on_or_begins_anew(self):
        os.mkfifo(self.path / "pipe")
        command = [EMBD, "embed", "pipe", "-o", "x.npy", "--resume"]
        with subprocess.Popen(command, cwd=self.path, env=self.environment, stderr=subprocess.PIPE, text=True) as process:
            with open(self.path / "pipe", "w") as pipe:
                pipe.write("a cat\n")
                pipe.flush()
                while not (self.path / "x.npy.journal").exists():
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                process.send_signal(signal.SIGINT)
                message = process.stderr.read()
            self.assertEqual(process.wait(), INTERRUPTED, message)
        self.assertIn("continues where this run stopped", message)
        self.says("--force", RECIPE, *EMBED, "x.npy", "--resume", "--pooling", "cls")
        self.write("x.npy.journal", "what is this")
        self.says("--force", BAD_INPUT, *EMBED, "x.npy", "--resume")
        self.run_embd(*EMBED, "x.npy", "--resume", "--force")


class ControlCharacters(Messages):
    """The words of a name or a file neither command the terminal nor look like a line of the program's."""

    HOSTILE = "a\x1b[31m\nnum_rows: 9\r\x7f\x9b2J"
    SHOWN = r"a\x1b[31m\nnum_rows: 9\r\x7f\x9b2J"

    def shows(self, output):
        self.assertIn(self.SHOWN, output)
        self.assertFalse([c for c in output if c != "\n" and (c < " " or "\x7f" <= c < "\xa0")], output)

    def test_in_messages(self):
        for arguments in (["inspect", self.HOSTILE], ["embed", "in.txt", "-o", self.HOSTILE],
                          ["embed", self.HOSTILE, "-o", "x.npy"], ["model", "info", self.HOSTILE]):
            with self.subTest(arguments=arguments):
                done = subprocess.run([EMBD, *arguments], cwd=self.path, env=self.environment, capture_output=True, text=True)
                self.assertNotEqual(done.returncode, GOOD)
                self.shows(done.stderr)

    def test_in_what_is_printed(self):
        self.run_embd(*EMBED, "set.npy", "--prompt", self.HOSTILE)
        lines = self.run_embd("inspect", "set.npy").decode()
        self.shows(lines)
        self.assertEqual(lines.count("\nnum_rows:"), 1)
        self.write("texts.jsonl", json.dumps({"id": self.HOSTILE, "text": "a cat"}) + "\n")
        self.run_embd("embed", "texts.jsonl", "--id-field", "id", "-o", "a.jsonl")
        self.write("texts.jsonl", json.dumps({"id": "b", "text": "a cat"}) + "\n")
        self.run_embd("embed", "texts.jsonl", "--id-field", "id", "-o", "b.jsonl")
        self.shows(self.run_embd("compare", "a.jsonl", "b.jsonl", expect=DIFFERENCE).decode())
        self.shows(self.run_embd("similarity", self.HOSTILE, "a cat").decode())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
