#!/usr/bin/env python3
"""The table of questions, put to the program, the server and drivers:  matrix_test.py EMBD MODEL [DRIVER...]

MODEL: a small one without checksums. The drivers are driver.cc and driver.c, built, and driver.mjs, for C++, C and JavaScript.
Every face's answers must be right, and the same as those of the others to the last bit. Standard library only."""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faces/server"))
from matrix import TABLE, Matrix, conditions_of, float32  # noqa: E402
from server_process import ServerProcess  # noqa: E402

EMBD, MODEL, *DRIVERS = (os.path.abspath(argument) for argument in sys.argv[1:])
for variable in [name for name in os.environ if name.startswith("EMBD_")]:
    del os.environ[variable]


# The number of a hit by which hits are ordered.
NUMBERS = {"vectors": "distance", "terms": "term_score", "both": "score"}


def ask_program(matrix, question):
    arguments = ["search", *question.paths, "-k", TABLE["count"]]
    if question.metric:
        arguments += ["--metric", question.metric]
    if question.exact:
        arguments += ["--exact"]
    if question.file:
        arguments += ["--queries", question.file]
    else:
        arguments += ["-m", matrix.model]
        for text in question.texts:
            arguments += ["-q", text]
        for option in ("prompt", "prompt_name"):
            if option in question.ask:
                arguments += ["--" + option.replace("_", "-"), question.ask[option]]
    if question.allow is not None:
        (matrix.folder / "allowed").write_text("".join(key + "\n" for key in question.allow))
        arguments += ["--filter-ids", "allowed"]
    for condition in conditions_of(question.where):
        arguments += ["--filter", condition]
    if question.terms:
        arguments += ["--terms", question.terms, "--match", question.match]
    lines = matrix.run(*arguments).splitlines()
    return [[(str(hit["id"]), hit[NUMBERS[question.match]]) for hit in json.loads(line)["hits"]] for line in lines]


class Served:
    """A server for the set that was asked last, so that a set that is not served hides no other."""

    def __init__(self):
        self.name, self.server = None, None

    def serve(self, matrix, entry):
        self.end()
        self.name = entry["name"]
        arguments = []
        for path in matrix.paths(entry):
            arguments += ["--index", f"{self.name}={path}"]
        if entry.get("named"):
            arguments += ["--metric", f"{self.name}={entry['metric']}"]
        if entry.get("rows") != "windows":
            arguments += ["--terms", f"{self.name}={matrix.folder / 'texts.terms'}"]
        self.server = ServerProcess([EMBD, "serve", "-m", matrix.model, "--port", "0", *arguments])

    def __call__(self, matrix, question):
        if self.name != question.set["name"]:
            self.serve(matrix, question.set)
        server = self.server
        if server is None:
            return "not served"
        asked = {"index": question.set["name"], "k": TABLE["count"], "exact": question.exact, "match": question.match}
        if question.ask["from"] == "texts":
            asked["texts"] = question.texts
        else:
            asked["vectors"] = question.vectors
        if "prompt_name" in question.ask:
            asked["prompt_name"] = question.ask["prompt_name"]
        if question.allow is not None:
            asked["filter"] = {"ids": question.allow}
        if question.where is not None:
            asked["filter"] = asked.get("filter", {}) | {"columns": question.where}
        connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
        connection.request("POST", "/search", json.dumps(asked), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        if "results" not in answer:
            return str(answer)
        number = NUMBERS[question.match]
        return [[(str(hit["id"]), hit[number]) for hit in result["hits"]] for result in answer["results"]]

    def end(self):
        if self.server is not None:
            self.server.__exit__(None)
        self.server = None


def as_lines(question):
    """A question as the drivers read it."""
    lines = [f"set {path}" for path in question.paths]
    lines += [f"metric {question.metric}"] if question.metric else []
    lines += ["exact"] if question.exact else []
    lines += [f"terms {question.terms}", f"match {question.match}"] if question.terms else []
    if question.ask["from"] == "texts":
        lines += [f"text {text}" for text in question.texts]
        lines += [f"{name} {question.ask[name]}" for name in ("prompt", "prompt_name") if name in question.ask]
    elif question.ask["from"] == "file":
        lines.append(f"file {question.file}")
    elif question.ask["from"] == "bits":
        lines += ["bits " + packed.hex() for packed in map(bytes, npy_rows(question.file))]
    else:
        lines += ["vector " + " ".join(map(repr, row)) for row in question.vectors]
    if question.allow is not None:
        lines += ["filter"] + [f"allow {key}" for key in question.allow]
    lines += [f"where {condition}" for condition in conditions_of(question.where)]
    return "\n".join([*lines, f"ask {TABLE['count']}"]) + "\n"


def npy_rows(path):
    data = path.read_bytes()[128:]
    count = len(TABLE["queries"])
    return [data[i * len(data) // count:(i + 1) * len(data) // count] for i in range(count)]


def face_of(driver):
    """The face that a driver puts the questions to."""
    return "javascript" if driver.endswith(".mjs") else os.path.basename(driver)


def ask_driver(driver):
    """A function that asks a driver all its questions at once, when it is first called."""
    answers = {}

    def ask(matrix, question):
        if not answers:
            questions = list(matrix.questions(face_of(driver)))
            done = subprocess.run([driver, matrix.model], input="".join(map(as_lines, questions)), capture_output=True,
                                  text=True, timeout=120)
            lines = done.stdout.splitlines()
            if len(lines) != len(questions):
                raise RuntimeError(f"{driver}: {len(lines)} answers to {len(questions)} questions: {done.stderr}")
            for question_asked, line in zip(questions, lines):
                hits = json.loads(line) if line.startswith("[") else line
                answers[str(question_asked)] = hits if isinstance(hits, str) else [[tuple(h) for h in row] for row in hits]
        return answers[str(question)]
    return ask


def server_refusals(matrix, texts):
    """The answers of every route that gives vectors, or something made of vectors, of texts."""
    with ServerProcess([EMBD, "serve", "-m", matrix.overflowing, "--port", "0"]) as server:
        for path, body in (
                ("/v1/embeddings", {"input": texts}),
                ("/v1/embeddings", {"input": texts, "encoding_format": "base64"}),
                ("/embed", {"inputs": texts}),
                ("/embed_all", {"inputs": texts}),
                ("/similarity", {"inputs": {"source_sentence": texts[0], "sentences": texts[1:]}}),
                ("/v2/embed", {"texts": texts, "embedding_types": ["int8"]}),
                ("/api/embed", {"model": "m", "input": texts})):
            connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            yield f"{path}: {response.status} {response.read().decode()}", response.status
            connection.close()


class MatrixTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.matrix = Matrix(EMBD, MODEL, folder.name)
        served = Served()
        cls.addClassCleanup(served.end)
        cls.faces = {"program": ask_program, "server": served}
        cls.faces |= {face_of(driver): ask_driver(driver) for driver in DRIVERS}

    def test_every_face_gives_the_right_answers_and_the_same(self):
        wrong, asked, given = [], 0, {}
        for face, ask in self.faces.items():
            for question in self.matrix.questions(face):
                asked += 1
                try:
                    answer = ask(self.matrix, question)
                except RuntimeError as error:
                    answer = str(error)
                problem = self.matrix.check(question, answer)
                if problem is None:
                    bits = [[(key, float32(distance)) for key, distance in hits] for hits in answer]
                    if given.setdefault(str(question), bits) != bits:
                        problem = f"{question}: {bits}, other faces {given[str(question)]}"
                if problem is not None:
                    wrong.append(f"{face}: {problem}")
        self.assertGreater(asked, 300)
        self.assertEqual(wrong, [], f"{len(wrong)} of {asked} answers:\n" + "\n".join(wrong[:200]))

    def test_a_vector_that_is_not_finite_is_refused_with_the_number_of_its_text(self):
        overflow = TABLE["overflow"]
        number = overflow["number"]
        (self.matrix.folder / "good.txt").write_text("".join(text + "\n" for text in overflow["good"]))
        (self.matrix.folder / "bad.txt").write_text("".join(text + "\n" for text in overflow["bad"]))
        model = ["-m", self.matrix.overflowing]
        self.matrix.run("embed", "good.txt", *model, "-o", "good.npy")
        self.matrix.run("embed", "bad.txt", "-m", self.matrix.model, "-o", "set.npy")
        for output in ("bad.npy", "bad.jsonl", "bad.fifu", "bad.usearch"):
            self.check_refused_by_program(["embed", "bad.txt", *model, "-o", output], f"bad.txt: line {number + 1}: ")
            self.assertFalse((self.matrix.folder / output).exists())
        (self.matrix.folder / "bad.csv").write_text(f'text\n"two\ndogs"\n{overflow["bad"][number]}\n')
        self.check_refused_by_program(["embed", "bad.csv", *model, "-o", "bad.npy"], "bad.csv: line 4: ")
        inputs = ["good.txt", "bad.txt", "--id-from", "file"]
        self.check_refused_by_program(["embed", *inputs, *model, "-o", "bad.jsonl"], f"bad.txt: line {number + 1}: ")
        for windows in ("none", "mean"):
            arguments = ["embed", "bad.txt", *model, "-o", "bad.npy", "--windows", "5", "--window-pooling", windows]
            self.check_refused_by_program(arguments, f"bad.txt: line {number + 1}: ")
        self.check_refused_by_program(["verify", "set.npy", "bad.txt", *model, "--force"], f"bad.txt: line {number + 1}: ")
        self.check_refused_by_program(["similarity", *overflow["bad"], *model], f"line {number + 1}: ")
        for driver in DRIVERS:
            for texts, wanted in ((overflow["good"], "[]"), (overflow["bad"], "error: ")):
                asked = "".join(f"text {text}\n" for text in texts) + "ask 1\n"
                said = subprocess.run([driver, self.matrix.overflowing], input=asked, capture_output=True, text=True).stdout
                self.assertTrue(said.startswith(wanted), said)
            self.assertIn(f"line {number + 1}: ", said)
            self.assertIn("expected a finite number", said)
        for said, status in server_refusals(self.matrix, overflow["good"]):
            self.assertEqual(status, 200, said)
        for said, status in server_refusals(self.matrix, overflow["bad"]):
            self.assertIn(status, (424, 500), said)
            self.assertIn(f"text {number}: ", said)
            self.assertIn("expected a finite number", said)

    def check_refused_by_program(self, arguments, place):
        done = subprocess.run([EMBD, *map(str, arguments)], cwd=self.matrix.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(place, done.stderr)
        self.assertIn("expected a finite number", done.stderr)

    def test_what_has_no_right_answer_is_refused(self):
        for entry in TABLE["refused"]:
            name = "refused.usearch"
            with self.subTest(entry), self.assertRaises(RuntimeError):
                self.matrix.write(entry, range(10), name)
            self.assertFalse((self.matrix.folder / name).exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
