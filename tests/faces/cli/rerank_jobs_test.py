#!/usr/bin/env python3
"""Jobs of embd rerank: Parquet, --resume, --part and join:  rerank_jobs_test.py EMBD TEST_DATA [KILLS]

Runs are killed (SIGKILL) at random moments and begun again; pairs are scored in parts; what comes of it has the bytes of one
undisturbed run. Standard library only; the cross-encoders are those of TEST_DATA/rerank."""
import json
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from folder_case import BAD_INPUT, DATA, DIFFERENCE, EMBD, RECIPE, USAGE, FolderCase

sys.path.insert(0, str(DATA.parent / "faces/python"))
from golden_rerankers import copy_reranker  # noqa: E402

KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
INPUT = "pairs.jsonl"
MODELS = ("bert_sigmoid", "bert_three")


class JobTest(FolderCase):
    def setUp(self):
        super().setUp()
        for name in MODELS:
            copy_reranker(name, self.path)
        numbers = random.Random(5)
        words = "the cat sat on a mat how much is a ticket 1 2 3".split()
        self.pairs = [{"query": " ".join(numbers.choices(words, k=numbers.randrange(9))),
                       "text": " ".join(numbers.choices(words, k=numbers.randrange(40))), "key": f"k{i}", "n": 2 * i} for i in range(400)]
        self.write(INPUT, "".join(json.dumps(pair) + "\n" for pair in self.pairs))

    def made(self):
        return [entry for entry in self.path.iterdir() if entry.name not in {INPUT, *MODELS}]

    def outputs(self):
        """The files of the folder; a process that is killed may leave an empty folder for temporary ones."""
        files = [file for entry in self.made() for file in (entry, *entry.rglob("*")) if file.is_file()]
        return {str(file.relative_to(self.path)): file.read_bytes() for file in files}

    def clear(self):
        for entry in self.made():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def rerank(self, *arguments, **named):
        return self.run_embd("rerank", INPUT, *arguments, **named)

    def undisturbed(self, *arguments):
        start = time.monotonic()
        self.rerank(*arguments)
        seconds = time.monotonic() - start
        outputs = self.outputs()
        self.clear()
        return outputs, seconds

    def kill_after(self, seconds, *arguments):
        """True if the run was killed, False if it was done by then."""
        process = subprocess.Popen([EMBD, "rerank", INPUT, *map(str, arguments)], cwd=self.path, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def has_journal_rows(self):
        return any(file.stat().st_size > 8000 for file in self.path.glob("*.journal"))


class Kills(JobTest):
    def disturb(self, kills, *arguments):
        expected, seconds = self.undisturbed(*arguments)
        arguments = [*arguments, "--resume"]
        chance = random.Random(str(arguments))
        done = continued = 0
        while done < kills:
            while done < kills and self.kill_after(chance.uniform(0, seconds), *arguments):
                done += 1
                continued += self.has_journal_rows()
            self.rerank(*arguments)
            self.assertEqual(self.outputs(), expected, f"{arguments}, after {done} kills")
            self.clear()
        return continued

    def test_a_run_that_is_killed_goes_on(self):
        small = ["--batch-tokens", 64, "-t", 1]
        runs = [["-m", "bert_sigmoid", "-o", "out.jsonl"],
                ["-m", "bert_sigmoid", "-o", "out.parquet", "--id-field", "key", "--row-group-rows", 30],
                ["-m", "bert_three", "-o", "out.parquet", "-o", "out.jsonl", "--row-report", "rows.jsonl"]]
        continued = sum(self.disturb(KILLS // len(runs), *small, *run) for run in runs)
        self.assertGreater(continued, KILLS // 20, "kills came too early to show anything")

    def test_other_conditions_are_refused_by_name(self):
        arguments = ["-m", "bert_sigmoid", "-o", "out.jsonl", "--batch-tokens", 64]
        expected, seconds = self.undisturbed(*arguments)
        chance = random.Random(1)
        while not self.has_journal_rows():
            self.clear()
            if not self.kill_after(chance.uniform(0, seconds), *arguments, "--resume"):
                self.clear()
        for option, name in ((["--activation", "identity"], "activation"), (["--query-field", "key"], "query_field"),
                             (["--max-length", 9], "max_length"), (["--id-start", 1], "id_start"), (["-o", "b.parquet"], "outputs")):
            self.rerank(*arguments, *option, "--resume", expect=RECIPE)
            self.assertIn(name, self.message.split("begun with another")[1])
        self.rerank("-m", "bert_three", *arguments[2:], "--resume", expect=RECIPE)
        self.assertIn("model_sha256", self.message)
        text = self.bytes(INPUT)
        self.write(INPUT, text.replace(b"ticket", b"tocket", 1))
        self.rerank(*arguments, "--resume", expect=RECIPE)
        self.assertIn("input_sha256", self.message)
        self.write(INPUT, text)
        # The model's own activation, named, is no other one.
        self.rerank(*arguments, "--activation", "sigmoid", "--resume", "--report", "report.json", "-t", 2)
        report = json.loads(self.bytes("report.json"))
        self.assertEqual(report["rows"], 400)
        self.assertGreater(report["resumed_rows"], 0)
        (self.path / "report.json").unlink()
        self.assertEqual(self.outputs(), expected)

    def test_a_query_that_changed_is_found_in_a_pipe(self):
        arguments = ["-", "--input-format", "jsonl", "-m", "bert_sigmoid", "-o", "out.jsonl", "--batch-tokens", 64, "--resume"]
        process = subprocess.Popen([EMBD, "rerank", *map(str, arguments)], cwd=self.path, stdin=subprocess.PIPE, env=self.environment,
                                   stderr=subprocess.DEVNULL)
        process.stdin.write(self.bytes(INPUT))
        process.stdin.flush()
        while not self.has_journal_rows():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.kill()
        process.stdin.close()
        process.wait()
        first = json.dumps(self.pairs[0]["query"]).encode()
        changed = self.bytes(INPUT).replace(first, b'"another"', 1)
        self.run_embd("rerank", *arguments, input=changed, expect=RECIPE)
        self.assertIn("are not those with which", self.message)
        self.run_embd("rerank", *arguments, input=self.bytes(INPUT))
        lines = self.bytes("out.jsonl")
        self.rerank("-m", "bert_sigmoid", "-o", "again.jsonl")
        self.assertEqual(lines, self.bytes("again.jsonl"))


class Parts(JobTest):
    def score_parts(self, count, extension, *options):
        manifests = []
        for part in range(count):
            out = f"part-{part}{extension}"
            self.rerank("--part", f"{part}/{count}", "-o", out, *options)
            manifests.append(out + ".part.json")
        return manifests[::-1]

    def test_parts_make_the_file_that_one_run_makes(self):
        for model in MODELS:
            for extension in (".jsonl", ".parquet"):
                for ids in ([], ["--id-field", "key"], ["--id-field", "n"], ["--id-start", 7]):
                    with self.subTest(model=model, extension=extension, ids=ids):
                        options = ["-m", model, *ids]
                        self.rerank("-o", "whole" + extension, *options)
                        self.run_embd("join", *self.score_parts(5, extension, *options), "-o", "joined" + extension)
                        for end in (extension, extension + ".recipe.json"):
                            self.assertEqual(self.bytes("joined" + end), self.bytes("whole" + end))
                        self.clear()

    def test_parts_are_joined_in_the_other_format(self):
        self.rerank("-m", "bert_three", "-o", "whole.jsonl", "-o", "whole.parquet")
        self.run_embd("join", *self.score_parts(3, ".parquet", "-m", "bert_three"), "-o", "joined.jsonl")
        self.assertEqual(self.bytes("joined.jsonl"), self.bytes("whole.jsonl"))
        self.run_embd("join", *[f"part-{i}.parquet.part.json" for i in range(3)], "-o", "joined.npy", expect=USAGE)
        self.assertIn("cannot store scores", self.message)

    def test_parts_without_pairs(self):
        self.write(INPUT, json.dumps(self.pairs[0]) + "\n")
        for extension in (".jsonl", ".parquet"):
            self.rerank("-m", "bert_sigmoid", "-o", "whole" + extension)
            self.run_embd("join", *self.score_parts(4, extension, "-m", "bert_sigmoid"), "-o", "joined" + extension)
            self.assertEqual(self.bytes("joined" + extension), self.bytes("whole" + extension))
            self.clear()

    def test_parts_prove_that_they_belong_together(self):
        manifests = self.score_parts(3, ".jsonl", "-m", "bert_sigmoid")
        self.assertEqual(self.run_embd("join", *manifests[:2], "-o", "joined.jsonl", expect=DIFFERENCE).count(b"missing"), 1)
        self.rerank("--part", "1/3", "-o", "part-1.jsonl", "-m", "bert_sigmoid", "--activation", "identity")
        self.run_embd("join", *manifests, "-o", "joined.jsonl", expect=RECIPE)
        self.assertIn("activation", self.message)
        self.write(INPUT, self.bytes(INPUT).replace(b"ticket", b"tocket", 1))
        self.rerank("--part", "1/3", "-o", "part-1.jsonl", "-m", "bert_sigmoid")
        self.assertIn(b"differs from the input of", self.run_embd("join", *manifests, "-o", "joined.jsonl", expect=DIFFERENCE))
        self.assertNotIn("joined.jsonl", self.names())

    def test_a_changed_score_is_found(self):
        manifests = self.score_parts(2, ".jsonl", "-m", "bert_sigmoid")
        (self.path / "part-1.jsonl.recipe.json").unlink()  # which is tied to the file
        lines = self.bytes("part-1.jsonl")
        at = lines.index(b'"score":') + len(b'"score":')
        self.write("part-1.jsonl", lines[:at] + (b"1" if lines[at:at + 1] != b"1" else b"0") + lines[at + 1:])
        self.run_embd("join", *manifests, "-o", "joined.jsonl", expect=DIFFERENCE)

    def test_a_killed_part_goes_on(self):
        arguments = ["--part", "1/2", "-o", "part-1.parquet", "-m", "bert_sigmoid", "--batch-tokens", 64]
        expected, seconds = self.undisturbed(*arguments)
        while self.kill_after(seconds / 2, *arguments, "--resume") and not self.has_journal_rows():
            pass
        self.rerank(*arguments, "--resume")
        self.assertEqual(self.outputs(), expected)


class Files(JobTest):
    def test_the_formats_hold_the_same_scores(self):
        for model in MODELS:
            for ids in ([], ["--id-field", "key"]):
                self.rerank("-m", model, "-o", "a.jsonl", "-o", "a.parquet", *ids)
                self.run_embd("convert", "a.parquet", "b.jsonl")
                self.assertEqual(self.bytes("b.jsonl"), self.bytes("a.jsonl"))
                self.run_embd("convert", "a.jsonl", "b.parquet")
                self.run_embd("compare", "a.parquet", "b.parquet")
                for name in ("a.jsonl", "a.parquet"):
                    described = json.loads(self.run_embd("inspect", "--json", name))
                    self.assertEqual((described["num_rows"], described["dim"]), (400, 2 if model == "bert_sigmoid" else 6))
                    digest = json.loads(self.run_embd("digest", name))
                    self.assertEqual(digest["digest"], json.loads(self.bytes(name + ".recipe.json"))["digest"]["digest"])
                self.clear()

    def test_pairs_in_parquet_have_the_scores_of_pairs_in_json_lines(self):
        rows = DATA / "parquet" / "texts_snappy.parquet"
        pairs = [{"query": f"question {i // 5}", "text": f"na\u00efve answer {i}, \u6771\u4eac" if i != 7 else "", "key": f"k{i}"} for i in range(40)]
        self.write("same.jsonl", "".join(json.dumps(pair) + "\n" for pair in pairs))
        options = ["-m", "bert_sigmoid", "--id-field", "key"]
        self.run_embd("rerank", "same.jsonl", *options, "-o", "a.jsonl")
        self.run_embd("rerank", rows, *options, "-o", "b.jsonl", "--resume")
        self.assertEqual(self.bytes("a.jsonl"), self.bytes("b.jsonl"))
        for part in range(3):
            self.run_embd("rerank", rows, *options, "-o", f"p{part}.jsonl", "--part", f"{part}/3")
        self.run_embd("join", *(f"p{part}.jsonl.part.json" for part in range(3)), "-o", "c.jsonl")
        self.assertEqual(self.bytes("a.jsonl"), self.bytes("c.jsonl"))
        self.run_embd("rerank", rows, *options, "--query-field", "tags", "-o", "d.jsonl", expect=BAD_INPUT)
        self.assertIn("tags", self.message)

    def test_what_cannot_be_is_refused(self):
        self.write("docs.txt", "a\n")
        for arguments in (["-o", "out.npy"], ["-o", "out.cvc"], ["-o", "out.jsonl", "-o", "out.fifu"], ["--resume"], ["--part", "0/2"],
                          ["-o", "out.jsonl", "--row-group-rows", 3], ["-o", "out.jsonl", "--id-field", "key", "--id-start", 3]):
            self.rerank("-m", "bert_sigmoid", *arguments, expect=USAGE)
        for option in (["--resume"], ["--part", "0/2"], ["--id-start", 3], ["-o", "a.jsonl", "-o", "b.jsonl"], ["--row-report", "r.jsonl"]):
            self.run_embd("rerank", "docs.txt", "-q", "a", "-m", "bert_sigmoid", *option, expect=USAGE)
        self.write("mixed.jsonl", '{"id":0,"score":1,"logit":2}\n{"id":1,"embedding":[1,2]}\n')
        self.run_embd("inspect", "mixed.jsonl", expect=BAD_INPUT)
        self.assertIn("line 2: counts disagree: the line has 2 values, expected a score and a logit", self.message)
        for line in ('{"id":0,"score":1}', '{"id":0,"scores":[1],"logits":[1,2]}', '{"id":0,"score":[1],"logit":1}', '{"score":1,"score":1}'):
            self.write("bad.jsonl", line + "\n")
            self.run_embd("inspect", "bad.jsonl", expect=BAD_INPUT)
        self.write("rows.jsonl", '{"id":1,"embedding":[1,2]}\n')
        self.write("scores.jsonl", '{"id":0,"score":1,"logit":2}\n')
        self.run_embd("convert", "rows.jsonl", "scores.jsonl", "out.jsonl", expect=USAGE)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
