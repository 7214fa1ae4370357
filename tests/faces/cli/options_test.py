#!/usr/bin/env python3
"""Every option has an effect or is refused:  options_test.py EMBD TEST_DATA PRINT_OPTIONS

Standard library only."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from folder_case import EMBD, USAGE, clean_environment

PRINT_OPTIONS = sys.argv[3]

# Good values of the options that only some outputs have a use for; a value may need another option beside it. Which formats
# they are for stands in the lists of jobs/options.
OUTPUT_VALUES = {
    "--cvc-compression": ["none"],
    "--chunk-rows": [7],
    "--cvc-mmap": [],
    "--section-field": ["kind"],
    "--column-field": ["price"],
    "--parquet-compression": ["zstd"],
    "--row-group-rows": [7],
    "--text-column": [],
    "--svs-layout": ["file"],
    "--quantize": ["lvq8"],
    "--bits": [1, "--quantize", "pq"],
    "--subquantizers": [2, "--quantize", "pq", "--bits", 1],
    "--normalize": [],
    "--metric": ["ip"],
    "--scalar": ["f16"],
    "--connectivity": [4],
    "--expansion-add": [40],
    "--builder": ["usearch"],
}
READ_VALUES = {
    "--column": ["embedding"],
    "--section": ["a=b"],
    "--all-rows": [],
    "--unnormalize": [],
    "--dtype": ["f32"],
}
EXTENSIONS = {"npy": "npy", "cvc": "cvc", "jsonl": "jsonl", "usearch": "usearch", "svs": "svs", "fifu": "finalfusion",
              "fvecs": "fvecs", "vec": "vec", "parquet": "parquet"}
WRITING = ("CvcOptions", "ParquetOptions", "SvsOptions", "FinalfusionOptions", "IndexOptions", "EmbedOptions")


class OptionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.environment = clean_environment()
        (cls.path / "in.txt").write_text("a cat\na dog\none more text\n")
        (cls.path / "in.jsonl").write_text("".join(json.dumps({"text": text, "kind": "a", "price": 1}) + "\n"
                                                   for text in ("a cat", "a dog", "one more text")))
        listed = subprocess.run([PRINT_OPTIONS, "json"], capture_output=True, check=True)
        cls.listed = [option for option in json.loads(listed.stdout) if option["option"]]
        script = cls.run_embd(cls, "completion", "bash")[1]
        cls.options = {verb: words.split() for verb, words in re.findall(r"'([a-z ]*)'\) words='([^']*)'", script)}
        outputs = [part for e in EXTENSIONS for part in ("-o", f"set.{e}")]
        cls.run_embd(cls, "embed", "in.txt", *outputs)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_embd(self, *arguments, input=None, **environment):
        result = subprocess.run([EMBD, *map(str, arguments)], cwd=self.path, capture_output=True, input=input,
                                text=True, env={**self.environment, **environment}, timeout=60)
        return result.returncode, result.stdout, result.stderr

    def refuses(self, option, *arguments):
        code, _, message = self.run_embd(*arguments)
        self.assertEqual(code, USAGE, f"{arguments}: {message}")
        self.assertIn(option, message)

    def accepts(self, *arguments):
        code, out, message = self.run_embd(*arguments)
        self.assertEqual(code, 0, f"{arguments}: {message}")
        return out

    def test_every_option_of_a_list_is_one_of_a_verb(self):
        self.assertGreater(len(self.listed), 80)
        known = {name for names in self.options.values() for name in names}
        for option in self.listed:
            with self.subTest(structure=option["structure"], option=option["option"]):
                self.assertIn(option["option"], known)

    def formats_of(self, structures):
        """The options of structures that only some formats have a use for, with these formats."""
        return {option["option"]: option["formats"] for option in self.listed
                if option["structure"] in structures and option["formats"]}

    def test_options_of_one_format_are_refused_by_all_others(self):
        options = self.formats_of(WRITING)
        tried = 0
        for option, formats in options.items():
            for verb, arguments in (("embed", ["in.jsonl", "-o"]), ("convert", ["set.npy"])):
                if option not in self.options[verb]:
                    continue
                values = OUTPUT_VALUES[option]
                tried += 1
                for extension, format in EXTENSIONS.items():
                    call = [verb, *arguments, f"out.{extension}", option, *values]
                    if format not in formats:
                        # Of two options that have no use, either is named.
                        self.refuses(" applies to " if "--quantize" in values else option, *call)
                    elif (option, extension) != ("--quantize", "fifu"):  # whose word is another
                        self.accepts(*call)
                if verb == "embed":  # one of several outputs that has a use for it is enough
                    extension = next(e for e, format in EXTENSIONS.items() if format in formats)
                    self.accepts(*call[:2], "-o", "out.npy", "-o", f"out.{extension}", option, *values)
        self.assertGreater(tried, 30)

    def test_options_of_reading(self):
        options = self.formats_of(["ReadOptions"])
        self.assertEqual(options.keys(), READ_VALUES.keys())
        for option, formats in options.items():
            for extension, format in EXTENSIONS.items():
                for verb in (["convert", f"set.{extension}", "copy.npy"],
                             ["compare", f"set.{extension}", f"set.{extension}"],
                             ["search", f"set.{extension}", "--queries", "set.npy"]):
                    if format not in formats:
                        self.refuses(option, *verb, option, *READ_VALUES[option])

    def test_options_of_indexes(self):
        self.accepts("index", "set.npy", "-o", "v.svs")
        self.refuses("--expansion", "search", "set.npy", "--queries", "set.npy", "--expansion", 9)
        self.refuses("--expansion", "search", "v.svs", "--queries", "set.npy", "--expansion", 9)
        self.refuses("--window", "search", "set.usearch", "--queries", "set.npy", "--window", 9)
        self.accepts("search", "set.usearch", "--queries", "set.npy", "--expansion", 9)
        self.accepts("search", "v.svs", "--queries", "set.npy", "--window", 9, "--metric", "cos")
        self.refuses("l2sq", "search", "set.usearch", "--queries", "set.npy", "--metric", "l2")
        for option, value in (("--degree", 8), ("--window", 20), ("--alpha", 0.9)):
            self.refuses(option, "index", "set.npy", "-o", "x.usearch", option, value)
            self.accepts("index", "set.npy", "-o", "v.svs", option, value)
        for option in ("--connectivity", "--expansion-add"):
            self.refuses(option, "index", "set.npy", "-o", "v.svs", option, 8)
        self.refuses("--multi", "index", "set.npy", "-o", "v.svs", "--multi")

    def test_options_that_need_another(self):
        self.refuses("--seed", "verify", "set.npy", "in.txt", "--seed", 1)
        self.refuses("--bits", "embed", "in.txt", "-o", "x.fifu", "--bits", 8)
        self.refuses("--output-ranges", "embed", "in.txt", "-o", "x.npy", "--output-ranges", "set.npy")
        self.refuses("--id-type", "embed", "in.txt", "-o", "x.npy", "--id-type", "string")
        self.refuses("--prompt", "search", "set.npy", "--queries", "set.npy", "--prompt", "x")

    def test_the_environment_is_for_all_verbs(self):
        code, _, message = self.run_embd("embed", "in.txt", "-o", "e.npy", EMBD_SVS_LAYOUT="file", EMBD_BITS="8")
        self.assertEqual(code, 0, message)

    def test_numbers_are_read_strictly(self):
        bad = ["-1", "+1", "010", "0x10", "1e3", "1.0", "nan", "18446744073709551616", " 1", "", "1_000"]
        for verb, option in ((["embed", "in.txt", "-o", "n.npy"], "--id-start"),
                             (["embed", "in.txt", "-o", "n.npy"], "--max-length"),
                             (["embed", "in.txt", "-o", "n.npy"], "--threads"),
                             (["search", "set.usearch", "--queries", "set.npy"], "--expansion"),
                             (["verify", "set.npy", "in.txt"], "--sample")):
            for value in bad:
                self.refuses(option, *verb, f"{option}={value}")
        for option in ("--port", "--max-inputs", "--max-tokens", "--max-connections", "--drain", "--request-timeout",
                       "--queue", "--cache", "--max-body"):
            for value in ["-1", "0x10", "nan", "inf", "18446744073709551616", "1e99", "", "x", "1 MiB", "99999999999GiB"]:
                self.refuses(option, "serve", f"{option}={value}")
        for option in ("--port", "--max-inputs", "--max-tokens", "--max-connections", "--cache", "--max-body"):
            for value in ("010", "1.5", "+1"):
                self.refuses(option, "serve", f"{option}={value}")
        for option in ("--max-inputs", "--request-timeout", "--queue"):
            self.refuses(option, "serve", option, "0")
        for value in ("0", "010", "1e3"):
            self.refuses("-k", "search", "set.npy", "--queries", "set.npy", "-k", value)
        for value in ("nan", "-1", "inf", "1e999", "x", "", "0x1p3"):
            self.refuses("--tolerance", "compare", "set.npy", "set.npy", f"--tolerance={value}")
        for value in ("0", "1e-6", "0.5", "1"):
            self.accepts("compare", "set.npy", "set.npy", "--tolerance", value)
        code, _, message = self.run_embd("search", "set.npy", "--queries", "set.npy", "-k", 0)
        self.assertLess(len(message), 200)

    def test_an_empty_value_is_one_only_of_a_text(self):
        for option in ("--model", "--vocab", "--output", "--output-format", "--text-field", "--row-report", "--part"):
            self.refuses(option, "embed", "in.txt", option, "")
        self.refuses("INPUT", "embed", "")
        self.refuses("--queries", "search", "set.npy", "--queries", "")
        self.accepts("embed", "in.txt", "-o", "e.npy", "--prompt", "", "--force")
        self.accepts("similarity", "", "a text")

    def test_what_is_no_verb_or_option_is_named_with_what_there_is(self):
        for arguments, named in (([], "embed, tokenize"), (["foo"], '"foo", expected one of embed, tokenize'),
                                 (["--foo"], '"--foo"'), (["model"], "expected one of get, convert"), (["model", "foo"], '"foo"'),
                                 (["index", "set.npy", "a cat", "-o", "x.usearch"], 'embd index has no "a cat"'),
                                 (["convert", "set.npy", "-o", "x.cvc"], 'has no "-o", expected embd convert PATH'),
                                 (["embed", "in.txt", "--nonsense"], 'embd embed has no "--nonsense"')):
            with self.subTest(arguments=arguments):
                self.refuses(named, *arguments)
        self.refuses("Try embd model convert --help.", "model", "convert", "in.txt", "x", "y")

    def test_texts_are_texts_whatever_they_look_like(self):
        texts = ["C", "++", "[a, b]", "%%", "{}"]
        self.assertEqual(json.loads(self.accepts("similarity", "--json", *texts))["texts"], texts)

    def test_pipes_wherever_a_file_of_texts_can_be(self):
        for option in ("--query-file", "--texts", "--filter-ids"):
            name = self.path / ("pipe" + option)
            os.mkfifo(name)
            content = "0\n1\n2\n" if option == "--filter-ids" else "a cat\na dog\none more text\n"
            threading.Thread(target=lambda: name.write_text(content), daemon=True).start()
            queries = [] if option == "--query-file" else ["-q", "a cat"]
            self.accepts("search", "set.npy", *queries, option, name.name)

    def test_a_query_file_of_json_lines_is_read_as_such(self):
        (self.path / "q.jsonl").write_text('\ufeff{"text": "a cat"}\n')
        self.assertEqual(self.accepts("search", "set.npy", "--query-file", "q.jsonl"),
                         self.accepts("search", "set.npy", "-q", "a cat"))
        (self.path / "ids").write_text('\ufeff1\r\n')
        hits = json.loads(self.accepts("search", "set.npy", "-q", "a cat", "--filter-ids", "ids"))["hits"]
        self.assertEqual([hit["id"] for hit in hits], [1])

    def test_outputs_that_are_no_files(self):
        self.accepts("embed", "in.txt", "-o", "/dev/null", "--output-format", "npy")
        before = set(os.listdir(self.path))
        script = f'"{EMBD}" embed in.txt --output-format npy -o >(cat >piped.npy; touch piped.done)'
        subprocess.run(["bash", "-c", script], cwd=self.path, env=self.environment, check=True)
        deadline = time.time() + 30
        while not (self.path / "piped.done").exists() and time.time() < deadline:
            time.sleep(0.01)
        self.assertEqual((self.path / "piped.npy").read_bytes(), (self.path / "set.npy").read_bytes())
        self.assertEqual(set(os.listdir(self.path)) - before, {"piped.npy", "piped.done"})
        self.refuses("several files", "embed", "in.txt", "-o", "-", "--output-format", "svs")
        self.assertEqual([n for n in os.listdir(self.path) if n == "-"], [])

    def test_a_name_that_tells_no_format_says_what_to_do(self):
        for name, hints in (("x.bin", [".w2v.bin", ".fbin"]), ("x.foo", [".npy", ".cvc"])):
            code, _, message = self.run_embd("embed", "in.txt", "-o", name)
            self.assertEqual(code, USAGE)
            for hint in [name, *hints]:
                self.assertIn(hint, message)

    def on_terminal(self, *arguments):
        """Standard output of the program on a terminal."""
        leader, follower = pty.openpty()
        with subprocess.Popen([EMBD, *arguments], cwd=self.path, stdout=follower, stderr=subprocess.PIPE,
                              env=self.environment) as process:
            os.close(follower)
            out = b""
            try:
                while part := os.read(leader, 4096):
                    out += part
            except OSError:
                pass
        os.close(leader)
        self.assertEqual(process.returncode, 0, process.stderr)
        return out.decode().replace("\r\n", "\n")

    def test_search_prints_a_table_on_a_terminal(self):
        arguments = ["search", "set.npy", "-q", "a cat", "--texts", "in.txt"]
        table = self.on_terminal(*arguments)
        self.assertRegex(table, r"rank +similarity +id +text\n +1 +1\.0000 +0 +a cat\n")
        self.assertEqual(self.on_terminal(*arguments, "--json"), self.accepts(*arguments))

    def test_help_is_grouped_and_has_every_option_once(self):
        for verb in re.findall(r"^  (\w+)", self.accepts("--help").partition("Verbs:\n")[2], re.MULTILINE):
            if verb in ("model",):
                continue
            text = self.accepts(verb, "--help")
            names = re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", text, re.MULTILINE)
            self.assertEqual(len(names), len(set(names)), verb)
        text = self.accepts("embed", "--help")
        self.assertIn("Most used:\n  -o, --output OUT", text)
        for group in ("Texts:", "Model and vectors:", "Output:", "CVC:", "Running:"):
            self.assertIn("\n" + group + "\n", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
