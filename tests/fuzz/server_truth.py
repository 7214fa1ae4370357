"""The answers of the program that a server must give, too. Each question is noted first; answer() then asks the program all that
are alike in one run. Standard library only."""
import json
import pathlib
import struct
import subprocess


def single(value):
    """The nearest float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def singles(values):
    return struct.unpack(f"{len(values)}f", struct.pack(f"{len(values)}f", *values))


class Truth:
    def __init__(self, embd, folder):
        self.embd = embd
        self.folder = pathlib.Path(folder)
        self.noted = {}  # (verb, arguments) to the questions of one run
        self.known = {}  # (verb, arguments, question) to what the program says

    def note(self, verb, arguments, question):
        """A key by which known has the answer, once answer() was called."""
        key = (verb, tuple(str(word) for word in arguments), question)
        if key not in self.known:
            self.noted.setdefault(key[:2], {})[question] = None
        return key

    def vector(self, model, text, *options):
        return self.note("embed", ["-m", model, *options], text)

    def tokens(self, model, text, *options):
        return self.note("tokenize", ["-m", model, *options], text)

    def pair(self, model, query, text):
        return self.note("rerank", ["-m", model], (query, text))

    def hits(self, index, model, query, *options):
        """`query`: a text, or a tuple of numbers."""
        if isinstance(query, str):
            return self.note("search texts", [index, "-m", model, *options], query)
        return self.note("search vectors", [index, *options], query)

    def answer(self):
        for (kind, arguments), questions in self.noted.items():
            for question, told in zip(questions, self.ask(kind, arguments, list(questions)), strict=True):
                self.known[kind, arguments, question] = told
        self.noted.clear()

    def ask(self, kind, arguments, questions):
        if kind == "embed":
            lines = self.run(["embed", "-", "-o", "-", *self.of_lines(arguments)], [{"text": text} for text in questions])
            return [singles(line["embedding"]) for line in lines]
        if kind == "tokenize":
            lines = self.run(["tokenize", "-", *self.of_lines(arguments)], [{"text": text} for text in questions])
            return [line["ids"] for line in lines]
        if kind == "rerank":
            pairs = [{"query": query, "text": text} for query, text in questions]
            path = self.write("pairs.jsonl", pairs)
            return [(single(line["score"]), single(line["logit"])) for line in self.run(["rerank", path, *arguments])]
        if kind == "search texts":
            path = self.write("queries.jsonl", [{"text": text} for text in questions])
            lines = self.run(["search", *arguments, "--json", "--query-file", path])
        else:
            path = self.write("vectors.jsonl", [{"id": i, "embedding": row} for i, row in enumerate(questions)])
            lines = self.run(["search", *arguments, "--json", "--queries", path])
        return [line["hits"] for line in lines]

    @staticmethod
    def of_lines(arguments):
        return ["--input-format", "jsonl", *arguments]

    def write(self, name, lines):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def run(self, arguments, lines=None):
        given = None if lines is None else "".join(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([self.embd, *arguments], input=given, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise AssertionError(f"{arguments}: {done.returncode} {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]
