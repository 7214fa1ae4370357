#!/usr/bin/env python3
"""Parts of a job, joined:  parts_test.py EMBD TEST_DATA EXAMPLES

The real program, and the recipes for Slurm, GNU parallel and Kubernetes in EXAMPLES/parts. Standard library only."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import unittest

from folder_case import BAD_INPUT, DIFFERENCE, EMBD, GOOD, IO, RECIPE, USAGE, FolderCase

EXAMPLES = pathlib.Path(sys.argv[3]).resolve() / "parts"


class PartsTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(self.id())

    def run_command(self, *arguments, expect=GOOD, **environment):
        result = subprocess.run([argument if isinstance(argument, bytes) else str(argument) for argument in arguments], cwd=self.path, capture_output=True,
                                env={**self.environment, **environment})
        self.message = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, expect, f"{arguments}: {self.message}{result.stdout.decode()}")
        return result.stdout.decode()

    def run_embd(self, *arguments, **named):
        return self.run_command(EMBD, *arguments, **named)

    def json(self, name):
        return json.loads(self.bytes(name))

    def texts(self, count):
        """Of very different lengths, some empty."""
        return [" ".join(f"w{self.random.randrange(50)}" for _ in range(self.random.choice([0, 1, 2, 3, 60])))
                for _ in range(count)]

    def embed_parts(self, text, count, extension=".npy", options=(), parts=None):
        """The manifests, in an order of their own."""
        manifests = []
        for part in range(count) if parts is None else parts:
            out = f"part-{part}{extension}"
            self.run_embd("embed", text, "--part", f"{part}/{count}", "-o", out, *options)
            manifests.append(out + ".part.json")
        self.random.shuffle(manifests)
        return manifests

    def check_whole(self, text, count, extension, options=(), join_options=()):
        self.run_embd("embed", text, "-o", "whole" + extension, "--report", "report.json", *options)
        manifests = self.embed_parts(text, count, extension, options)
        self.run_embd("join", *manifests, "-o", "joined" + extension, *join_options)
        digest = self.json("report.json")["digest"]
        self.assertIn(digest["digest"], self.message)
        return digest


class Join(PartsTest):
    def test_parts_make_the_file_that_one_run_makes(self):
        plain = self.write("in.txt", "".join(text + "\n" for text in self.texts(157)))
        for count in (1, 2, 3, 7):
            for extension in (".npy", ".jsonl", ".parquet", ".fvecs", ".cvc"):
                options = ["--chunk-rows", 50] if extension == ".cvc" else []
                with self.subTest(count=count, extension=extension):
                    digest = self.check_whole(plain, count, extension, options, options)
                    self.assertEqual(self.bytes("joined" + extension), self.bytes("whole" + extension))
                    self.assertEqual(digest["count"], 157)

    def test_the_digest_of_the_whole_lies_beside_it(self):
        plain = self.write("in.txt", "".join(text + "\n" for text in self.texts(100)))
        digest = self.check_whole(plain, 4, ".npy")
        for name in ("whole.npy", "joined.npy"):
            self.assertEqual(self.json(name + ".recipe.json")["digest"], digest)
            self.assertEqual(json.loads(self.run_embd("digest", name, plain)), digest)
            self.run_embd("verify", name, plain)
            self.assertEqual(self.message, "")
        self.run_embd("convert", "joined.npy", "copy.parquet")
        self.assertEqual(self.json("copy.parquet.recipe.json")["digest"], digest)
        self.run_embd("convert", "--rows", "1:", "joined.npy", "some.npy")
        self.assertNotIn("digest", self.json("some.npy.recipe.json"))
        other = self.write("other.txt", (self.path / plain).read_text()[:-2] + "!\n")
        self.run_embd("verify", "copy.parquet", other, expect=DIFFERENCE)
        self.assertIn("the digest shows a difference: the texts or the ids", self.message)

    def test_every_form_of_input(self):
        texts = self.texts(83)
        rows = [{"text": f'{text} "quoted"\n\n{i}', "key": f"k{i}", "n": i} for i, text in enumerate(texts)]
        files = {"in.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
                 "in.csv": "key,n,text\r\n" + "".join('{},{},"{}"\r\n'.format(row["key"], row["n"], row["text"].replace('"', '""'))
                                                      for row in rows),
                 "in.tsv": "key\tn\ttext\n" + "".join(f"k{i}\t{i}\t{text}\n" for i, text in enumerate(texts)),
                 "bom.txt": "\ufeff" + "\r\n".join(texts)}
        for name, content in files.items():
            self.write(name, content)
            forms = [[]]
            if name != "bom.txt":
                forms += [["--id-field", "key"], ["--id-field", "n"], ["--id-field", "key", "--column-field", "n", "--text-column"]]
            for options in forms:
                extension = ".parquet" if "--text-column" in options else ".jsonl"
                with self.subTest(name=name, options=options):
                    self.check_whole(name, 5, extension, options)
                    self.assertEqual(self.bytes("joined" + extension), self.bytes("whole" + extension))

    def test_columns_and_sections_of_cvc(self):
        rows = [{"text": text, "n": i, "s": i // 10} for i, text in enumerate(self.texts(50))]
        text = self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.check_whole(text, 3, ".cvc", ["--column-field", "n", "--cvc-compression", "none"], ["--cvc-compression", "none"])
        self.assertEqual(self.bytes("joined.cvc"), self.bytes("whole.cvc"))
        self.run_embd("join", *[f"part-{i}.cvc.part.json" for i in range(3)], "-o", "joined.npy")
        self.assertIn("column n", self.message)

    def test_a_run_that_is_refused_or_fails_leaves_the_manifest(self):
        text = self.write("in.txt", "one\ntwo\n")
        bad = self.write("bad.jsonl", b"{\"text\": 1}\n")
        self.embed_parts(text, 1)
        for arguments, code in [(["none.txt"], IO), ([text, "--row-report", "none/rows.jsonl"], IO), ([bad], BAD_INPUT)]:
            with self.subTest(arguments=arguments):
                self.run_embd("embed", *arguments, "--part", "0/1", "-o", "part-0.npy", expect=code)
                self.run_embd("join", "part-0.npy.part.json", "-o", "joined.npy")

    def test_ids_that_are_numbers_in_one_part_only_are_those_of_the_first_row(self):
        rows = "".join(f"{i if i < 30 else 'x' + str(i)}\ttext {i}\n" for i in range(60))
        text = self.write("in.tsv", "key\ttext\n" + rows)
        self.run_embd("embed", text, "--part", "1/2", "--id-field", "key", "-o", "a.npy", expect=BAD_INPUT)

    def test_windows_start_and_halves(self):
        text = self.write("in.txt", "".join(text + "\n" for text in self.texts(40)))
        for options in (["--windows", 8, "--stride", 4], ["--id-start", 1000], ["--output-type", "f16"],
                        ["--windows", 8, "--window-pooling", "mean"]):
            with self.subTest(options=options):
                self.check_whole(text, 3, ".npy", options)
                self.assertEqual(self.bytes("joined.npy"), self.bytes("whole.npy"))
                self.assertEqual(self.bytes("joined.npy.recipe.json"), self.bytes("whole.npy.recipe.json"))

    def test_an_input_without_texts(self):
        for text in (self.write("e.txt", ""), self.write("e.jsonl", "")):
            for extension in (".npy", ".jsonl"):
                self.check_whole(text, 2, extension)
                self.assertEqual(self.bytes("joined" + extension), self.bytes("whole" + extension))
                self.assertEqual(self.bytes(f"joined{extension}.recipe.json"), self.bytes(f"whole{extension}.recipe.json"))

    def test_more_parts_than_texts(self):
        text = self.write("in.txt", "one\ntwo\nthree\n")
        self.check_whole(text, 9, ".npy")
        self.assertEqual(self.bytes("joined.npy"), self.bytes("whole.npy"))

    def test_an_input_split_anew_takes_the_names_over(self):
        text = self.write("in.txt", "".join(text + "\n" for text in self.texts(20)))
        self.embed_parts(text, 4)
        manifests = self.embed_parts(text, 2)
        self.run_embd("join", *manifests, "-o", "joined.npy")
        found = self.run_embd("join", *manifests, "part-3.npy.part.json", "-o", "x.npy", expect=DIFFERENCE)
        self.assertIn("one of 4 parts", found)

    def test_a_part_tried_again_has_the_same_bytes(self):
        text = self.write("in.txt", "".join(text + "\n" for text in self.texts(50)))
        self.embed_parts(text, 3, parts=[1])
        before = {name: self.bytes(name) for name in os.listdir(self.path)}
        self.embed_parts(text, 3, parts=[1], options=["--resume"])
        self.assertEqual({name: self.bytes(name) for name in os.listdir(self.path)}, before)

    def test_the_manifest_says_what_was_made(self):
        text = self.write("in.txt", "".join(f"text {i}\n" for i in range(100)))
        self.embed_parts(text, 4)
        rows = 0
        for part in range(4):
            found = self.json(f"part-{part}.npy.part.json")
            self.assertEqual((found["part"], found["parts"], found["vectors"]), (part, 4, f"part-{part}.npy"))
            self.assertEqual((found["first_text"], found["first_id"]), (rows, rows))
            rows += found["rows"]
            self.assertEqual(found["last_id"], rows - 1)
            self.assertEqual(found["digest"]["vectors_digest"], found["stored_digest"])
            self.assertEqual(found["recipe"]["pooling"], "mean")
        self.assertEqual(rows, 100)


class Refusals(PartsTest):
    def setUp(self):
        super().setUp()
        self.text = self.write("in.txt", "".join(text + "\n" for text in self.texts(60)))

    def test_what_is_missing_is_named(self):
        self.embed_parts(self.text, 7, parts=[0, 3, 5])
        found = self.run_embd("join", *[f"part-{i}.npy.part.json" for i in (0, 3, 5)], "-o", "x.npy", expect=DIFFERENCE)
        self.assertIn("4 of 7 parts are missing: 1–2, 4, 6", found)
        self.assertFalse((self.path / "x.npy").exists())

    def test_a_part_given_twice_or_of_another_job(self):
        manifests = self.embed_parts(self.text, 2)
        self.assertIn("given twice", self.run_embd("join", *manifests, manifests[0], "-o", "x.npy", expect=DIFFERENCE))
        other = self.write("other.txt", "one\ntwo\n")
        self.run_embd("embed", other, "--part", "1/2", "-o", "other.npy")
        self.assertIn("bytes", self.run_embd("join", "part-0.npy.part.json", "other.npy.part.json", "-o", "x.npy",
                                             expect=DIFFERENCE))

    def test_a_part_of_another_recipe(self):
        self.embed_parts(self.text, 2, parts=[0])
        for options, field in ((["--max-length", 9], "max_length"), (["--prompt", "q: "], "prompt"),
                               (["--compute", "int8"], "compute"), (["--output-type", "f16"], "output_type")):
            self.embed_parts(self.text, 2, parts=[1], options=options)
            self.run_embd("join", "part-0.npy.part.json", "part-1.npy.part.json", "-o", "x.npy", expect=RECIPE)
            self.assertRegex(self.message, rf"part-1.*differs from part-0.* in {field}")

    def test_a_part_of_the_reference_kernels(self):
        self.embed_parts(self.text, 2, parts=[0])
        self.run_embd("embed", self.text, "--part", "1/2", "-o", "part-1.npy", EMBD_KERNELS="reference")
        self.run_embd("join", "part-0.npy.part.json", "part-1.npy.part.json", "-o", "x.npy", expect=RECIPE)
        self.assertRegex(self.message, "part-1.*differs from part-0.* in instruction_set")

    def test_a_part_of_other_options(self):
        text = self.write("in.jsonl", "".join(f'{{"text":"body {i}","title":"title {i}"}}\n' for i in range(20)))
        self.embed_parts(text, 2, parts=[0])
        for options, name in ((["--text-field", "title"], "text_field"), (["--id-start", 1000], "id_start"),
                              (["--id-field", "title"], "id_field")):
            self.embed_parts(text, 2, parts=[1], options=options)
            self.run_embd("join", "part-0.npy.part.json", "part-1.npy.part.json", "-o", "x.npy", expect=RECIPE)
            self.assertRegex(self.message, rf"part-1.*differs from part-0.* in {name}")

    def test_an_input_that_was_sorted_between_two_parts(self):
        lines = [f"record number {i}" for i in range(60)]
        text = self.write("in.txt", "\n".join(lines) + "\n")
        self.embed_parts(text, 2, parts=[0])
        self.write("in.txt", "\n".join(reversed(lines)) + "\n")
        self.embed_parts(text, 2, parts=[1])
        found = self.run_embd("join", "part-1.npy.part.json", "part-0.npy.part.json", "-o", "x.npy", expect=DIFFERENCE)
        self.assertRegex(found, r"part 1 \(part-1.*\): the input of this part differs from the input of part 0 \(part-0.*\) before text 3\d")
        self.assertFalse((self.path / "x.npy").exists())

    def test_parts_that_read_the_same_bytes_in_another_way(self):
        lines = "".join(f"cat {i},dog\tbird\n" for i in range(40))
        table = ("--no-header", "--text-field", "1")

        def parts_of(first, second, *options, **given):
            self.run_embd("embed", *first, *options, "--part", "0/2", "-o", "p0.npy")
            given.get("then", lambda: None)()
            self.run_embd("embed", *second, *options, "--part", "1/2", "-o", "p1.npy")
            return "join", "p0.npy.part.json", "p1.npy.part.json", "-o", "x.npy"

        for name in ("a.csv", "a.tsv", "b.csv"):
            self.write(name, lines)
        self.run_embd(*parts_of(["a.csv"], ["a.tsv"], *table), expect=RECIPE)
        self.assertIn("in input_format", self.message)
        self.run_embd(*parts_of(["a.csv", "a.tsv"], ["a.tsv", "a.csv"], *table), expect=RECIPE)
        self.assertIn("in input_format", self.message)
        # The format that was found may also be given.
        self.run_embd("embed", "a.csv", *table, "--input-format", "csv", "--part", "0/2", "-o", "p0.npy")
        self.run_embd("embed", "b.csv", *table, "--part", "1/2", "-o", "p1.npy")
        self.run_embd("join", "p0.npy.part.json", "p1.npy.part.json", "-o", "x.npy")
        # The name of a file is a part of its ids, and of nothing else.
        (self.path / "d").mkdir()
        for ids, expected in ((("--id-from", "file"), RECIPE), ((), 0)):
            (self.path / "d/n.txt").unlink(missing_ok=True)
            (self.path / "d/m.txt").write_text("".join(f"{i} sheep\n" for i in range(60)))
            rename = lambda: (self.path / "d/m.txt").rename(self.path / "d/n.txt")
            self.run_embd(*parts_of(["d"], ["d"], *ids, then=rename), expect=expected)
            self.assertEqual("in input_names" in self.message, expected == RECIPE)

    def test_manifests_behind_links(self):
        manifests = self.embed_parts(self.text, 2)
        (self.path / "links").mkdir()
        links = [f"links/{i}.json" for i in range(2)]
        for link, manifest in zip(links, manifests):
            os.symlink(f"../{manifest}", self.path / link)
        self.run_embd("join", *links, "-o", "x.npy")

    def test_a_manifest_of_an_earlier_version(self):
        self.embed_parts(self.text, 1)
        manifest = self.json("part-0.npy.part.json")
        self.write("part-0.npy.part.json", json.dumps(manifest | {"embd_part": 1}))
        self.run_embd("join", "part-0.npy.part.json", "-o", "x.npy", expect=BAD_INPUT)
        self.assertIn("version 1, expected version 2: make the part again", self.message)

    def test_rows_that_are_not_those_that_were_written(self):
        manifests = self.embed_parts(self.text, 3)
        good = self.bytes("part-1.npy")
        (self.path / "part-1.npy").write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        os.remove(self.path / "part-1.npy.recipe.json")
        found = self.run_embd("join", *manifests, "-o", "x.npy", expect=DIFFERENCE)
        self.assertRegex(found, r"part 1 .*part-1\.npy does not contain the \d+ rows that were written, but other rows")
        os.remove(self.path / "part-1.npy")
        self.assertIn("part-1.npy does not exist", self.run_embd("join", *manifests, "-o", "x.npy", expect=DIFFERENCE))

    def test_an_output_that_holds_another_part(self):
        self.run_embd("embed", self.text, "--part", "0/2", "-o", "same.npy")
        before = self.bytes("same.npy")
        self.run_embd("embed", self.text, "--part", "1/2", "-o", "same.npy", expect=USAGE)
        self.assertIn("choose another name for each part", self.message)
        self.assertEqual(self.bytes("same.npy"), before)

    def test_what_has_no_parts(self):
        for part in ("2/2", "0/0", "-1/2", "1", "a/b", "0/2/3"):
            self.run_embd("embed", self.text, "--part", part, "-o", "x.npy", expect=USAGE)
        self.run_embd("embed", self.text, "--part", "0/2", expect=USAGE)
        self.run_embd("embed", self.text, "--part", "0/2", "-o", "x.fifu", expect=USAGE)
        self.assertIn("names each row by its text", self.message)
        self.run_embd("embed", "-", "--part", "0/2", "-o", "x.npy", expect=USAGE)
        self.run_embd("embed", self.text, "--part", "0/2", "-o", b"\xff.npy", expect=USAGE)
        self.assertIn("not valid UTF-8", self.message)
        self.write("bad.part.json", '{"embd_part": 2, "part": 0, "parts": 2}')
        self.run_embd("join", "bad.part.json", "-o", "x.npy", expect=BAD_INPUT)
        self.assertIn('no member "vectors"', self.message)
        for content in ("", " \n", "[1]", "\x93NUMPY"):
            self.write("bad.part.json", content)
            self.run_embd("join", "bad.part.json", "-o", "x.npy", expect=BAD_INPUT)
            self.assertIn("not the manifest of a part", self.message)
        self.assertEqual(sorted(os.listdir(self.path)), ["bad.part.json", "in.txt"])


class Recipes(PartsTest):
    def setUp(self):
        super().setUp()
        self.text = self.write("in.txt", "".join(text + "\n" for text in self.texts(90)))
        self.run_embd("embed", self.text, "-o", "whole.npy")
        (self.path / "bin").mkdir()
        (self.path / "bin" / "embd").symlink_to(EMBD)
        self.environment["PATH"] = f"{self.path / 'bin'}:{self.environment['PATH']}"

    def test_slurm(self):
        for part in range(3):
            self.run_command("bash", EXAMPLES / "slurm.sh", INPUT=self.text, FOLDER="parts", SLURM_ARRAY_TASK_ID=str(part),
                             SLURM_ARRAY_TASK_COUNT="3", SLURM_CPUS_PER_TASK="1")
        self.run_command("bash", "-c", "embd join parts/*.part.json -o joined.npy")
        self.assertEqual(self.bytes("joined.npy"), self.bytes("whole.npy"))

    def test_parallel(self):
        if shutil.which("parallel") is None:
            self.skipTest("GNU parallel is not installed")
        self.run_command("bash", EXAMPLES / "parallel.sh", self.text, "joined.npy", 4, "--jobs", 2)
        self.assertEqual(self.bytes("joined.npy"), self.bytes("whole.npy"))
        os.remove(self.path / "joined.npy.parts" / "part-2-of-4.npy.part.json")
        self.run_command("bash", EXAMPLES / "parallel.sh", self.text, "joined.npy", 4)
        self.assertEqual(self.bytes("joined.npy"), self.bytes("whole.npy"))

    def test_kubernetes(self):
        """The commands of the pods run, and their policy gives up on those exit codes that would come again."""
        embed, join = (EXAMPLES / "kubernetes.yaml").read_text().split("\n---\n")
        completions = re.search(r"completions: (\d+)$", embed, re.MULTILINE)[1]
        lasting = re.search(r"- action: FailIndex\n +onExitCodes:\n.+\n +operator: In\n +values: (\[.+\])$", embed, re.MULTILINE)[1]
        self.assertEqual(json.loads(lasting), [USAGE, BAD_INPUT, RECIPE, DIFFERENCE])
        script = " ".join(re.search(r"args:\n +- >-\n((?: .+\n)+?) +resources:", embed)[1].split())
        joining = json.loads(re.search(r"args: (\[.+\])$", join, re.MULTILINE)[1])[0]
        self.assertIn(f"/{completions}\"", script)
        for command in (script, joining):
            self.assertIn(f"-of-{completions}.npy", command)

        def run_pod(command, part=0, **named):
            return self.run_command("sh", "-c", command.replace(completions, "4").replace("/data", str(self.path)),
                                    JOB_COMPLETION_INDEX=str(part), **named)

        run_pod(script, expect=IO)  # a volume that is not there yet
        self.write("docs.jsonl", '{"text":1}\n')
        run_pod(script, expect=BAD_INPUT)
        lines = self.bytes(self.text).decode().splitlines()
        self.write("docs.jsonl", "".join(json.dumps({"text": line}) + "\n" for line in lines))
        for part in (3, 0, 2):
            run_pod(script, part)
        self.assertIn("1 of 4 parts are missing: 1", run_pod(joining, expect=DIFFERENCE))
        run_pod(script, 1)
        run_pod(joining)
        self.assertEqual(self.bytes("docs.npy"), self.bytes("whole.npy"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
