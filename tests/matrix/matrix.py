"""The table of questions (table.json): its files, its questions, and the right answers, in double precision.

Standard library only. A face is asked by a function that takes a Question and returns, for each query, a list of
(id as text, distance), or (id, score) and (id, term score) where terms are compared; matrix_test.py has those of the
program, the server, C++, C and JavaScript, tests/faces/python/test_matrix.py that of Python."""
from __future__ import annotations

import dataclasses
import json
import math
import operator
import pathlib
import struct
import subprocess
import typing

TABLE = json.loads((pathlib.Path(__file__).parent / "table.json").read_text())
# Distances are sums of float32; two rows may lie as near as this to one another's distance.
TOLERANCE = 2e-5


@dataclasses.dataclass
class Question:
    """A question about a set: hits for each query."""

    set: dict
    ask: dict
    paths: list  # of the set: one, or shards
    texts: list  # of the queries
    vectors: list  # of the queries, as the model gives them with the query's prompt
    file: pathlib.Path | None  # of these vectors, or of their bits
    allow: list | None  # ids that may be found, as text
    where: dict | None  # values that rows have by column: a list, or by the name of a relation
    prompt: str  # that the texts get
    terms: pathlib.Path | None  # the term index of the set's texts, where terms are compared

    @property
    def metric(self):
        """The one to be named when the set is opened; None where the file says it or it is the default."""
        return self.set["metric"] if self.set.get("named") else None

    @property
    def match(self):
        return self.ask.get("match", "vectors")

    @property
    def exact(self):
        return self.ask.get("exact", False)

    def __str__(self):
        return f"{self.set['name']} {json.dumps(self.ask)}"


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def with_prompts(model, prompts):
    """A model file without checksums, as bytes, whose metadata names these prompts besides."""
    data = bytearray(model)
    offset, size = struct.unpack_from("<II", data, 12)
    count, entries_size = struct.unpack_from("<II", data, offset)
    added = b""
    for name, text in prompts.items():
        key, value = f"prompt.{name}".encode(), text.encode()
        added += struct.pack("<HH", len(key), len(value)) + key + value
    metadata = struct.pack("<II", count + len(prompts), entries_size + len(added)) + data[offset + 8:offset + size] + added
    struct.pack_into("<II", data, 12, len(data) - 16, len(metadata))  # where the footer was
    struct.pack_into("<Q", data, 48, len(data) + len(metadata))
    return bytes(data[:-16]) + metadata + bytes(data[-16:])


def with_overflow(model, token):
    """A model file without checksums, as bytes, in which a token has finite values that overflow in the model."""
    data = bytearray(model)
    index, count, start = struct.unpack_from("<III", data, 28)
    names = index + 32 * count
    for at in range(index, names, 32):
        length, _, dim = struct.unpack_from("<HII", data, at + 6)
        if data[names:names + length] == b"embeddings.word_embeddings.weight":
            row = start + struct.unpack_from("<Q", data, at + 24)[0] + 4 * dim * token
            struct.pack_into(f"<{dim}f", data, row, *[3e38 * (-1) ** i for i in range(dim)])
        names += length
    return bytes(data)


# The codings of rows, as docs/formats states them. Each takes rows, and what all rows of the set are.

def as_int8(row, rows):
    """256 equal steps between a component's least and greatest value among the rows, in float32."""
    codes = []
    for value, column in zip(row, zip(*rows)):
        least, greatest = min(column), max(column)
        step = float32(float32(greatest - least) / 255)
        codes.append(min(255, max(0, math.floor(float32(float32(value - least) / (step or 1))))) - 128)
    return codes


def as_usearch_i8(row, _):
    """The direction, cut toward zero to 127 steps: as values again."""
    norm = math.sqrt(sum(value * value for value in row))
    return [math.trunc(value * 127 / norm) / 127 for value in row]


CODINGS = {
    "f32": lambda row, _: row,
    "f16": lambda row, _: list(struct.unpack(f"<{len(row)}e", struct.pack(f"<{len(row)}e", *row))),
    "int8": as_int8,
    "i8": as_usearch_i8,
    "binary": lambda row, _: [1 if value > 0 else 0 for value in row],
}


RELATIONS = {"eq": operator.eq, "lt": operator.lt, "lte": operator.le, "gt": operator.gt, "gte": operator.ge}
SYMBOLS = {"eq": "=", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def relations_of(where):
    """The conditions on columns, (name, relation, texts) each, of what the table has: lists, or texts by relation."""
    for name, wanted in (where or {}).items():
        for relation, texts in wanted.items() if isinstance(wanted, dict) else [("eq", wanted)]:
            yield name, relation, texts if isinstance(texts, list) else [texts]


def conditions_of(where):
    """The conditions on columns as the command line has them, such as "year>=2020"."""
    return [f"{name}{SYMBOLS[relation]}{text}" for name, relation, texts in relations_of(where) for text in texts]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


DISTANCES = {
    "cos": lambda a, b: 1 - dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)),
    "ip": lambda a, b: 1 - dot(a, b),
    "l2sq": lambda a, b: sum((x - y) ** 2 for x, y in zip(a, b)),
    "hamming": lambda a, b: sum(x != y for x, y in zip(a, b)),
    "tanimoto": lambda a, b: 1 - dot(a, b) / (sum(a) + sum(b) - dot(a, b)),
}


class Matrix:
    """The files of the table in a folder, and what is to be found in them."""

    def __init__(self, program, model, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.model = self.folder / "model.weights"
        self.model.write_bytes(with_prompts(pathlib.Path(model).read_bytes(), TABLE["prompts"]))
        prompts = {"query": TABLE["prompts"]["query"], "document": TABLE["prompts"]["document"], "": ""}
        self.overflowing = self.folder / "overflowing.weights"
        tokens = json.loads(self.run("tokenize", "-m", self.model, "--prompt", "", input=TABLE["overflow"]["token"]))["ids"]
        self.overflowing.write_bytes(with_overflow(self.model.read_bytes(), tokens[1]))
        self.queries = {}  # vectors by (prompt, kind of rows)
        self.rows = {}  # vectors by kind of rows
        for kind, options in (("plain", []), ("long", ["--no-normalize"]), ("windows", ["--max-length", "24"])):
            self.rows[kind] = self.vectors(TABLE["texts"], prompts["document"], options)
            for name, prompt in prompts.items():
                self.queries[name, kind] = self.vectors(TABLE["queries"], prompt, options)
        for entry in TABLE["sets"]:
            self.make(entry)
        (self.folder / "texts.txt").write_text("".join(text + "\n" for text in TABLE["texts"]))
        self.term_options = self.options_of_terms()
        self.run("embed", "texts.txt", "-m", self.model, "--on-truncate", "ignore", *self.term_options,
                 "-o", "texts.npy", "-o", "texts.terms")
        # Windows are compared with what the set holds; how they are cut is not this table's subject.
        self.rows["windows"] = self.decoded("windows.npy")

    def run(self, *arguments, **named):
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, **named)
        if done.returncode != 0:
            raise RuntimeError(f"embd {arguments}: {done.stderr}")
        return done.stdout

    def decoded(self, name):
        lines = self.run("convert", name, "-", "--to", "jsonl").splitlines()
        return [json.loads(line)["embedding"] for line in lines]

    def vectors(self, texts, prompt, options):
        """Of texts with the prompt as a part of them, so that no prompt of the model's has a say."""
        lines = self.run("embed", "-m", self.model, "--prompt", "", "--on-truncate", "ignore", *options,
                         input="".join(prompt + text + "\n" for text in texts))
        return [json.loads(line)["embedding"] for line in lines.splitlines()]

    def ids(self, entry):
        """Returns the ids of a set's rows, as text."""
        count = len(self.rows[entry.get("rows", "plain")])
        if entry.get("rows") == "windows":
            return [json.loads(line) for line in (self.folder / "windows.npy.ids.jsonl").read_text().splitlines()]
        return [{"numbers": str(100 + 7 * i), "strings": f"text {i:02}"}.get(entry.get("ids"), str(i)) for i in range(count)]

    def make(self, entry):
        """Writes the files of a set: texts to vectors, and these, where it has "index", to an index."""
        if "shards" in entry:
            for first, end, name in entry["shards"]:
                self.write(entry, range(first, end), f"{entry['name']}-{name}")
        else:
            self.write(entry, range(len(TABLE["texts"])), entry["name"])

    def write(self, entry, rows, name):
        ids = self.ids(entry | {"rows": "plain"})
        lines = [{"text": TABLE["texts"][row], "id": int(ids[row]) if ids[row].isdigit() else ids[row], **self.columns(row)}
                 for row in rows]
        (self.folder / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        options = ["-m", self.model, "--prompt-name", "document", *entry.get("embed", []), "--on-truncate", "ignore"]
        options += ["--id-field", "id"] if "ids" in entry else []
        for column in entry.get("columns", []):
            options += ["--column-field", column]
        options += ["--no-normalize"] if entry.get("rows") == "long" else []
        is_index = "index" in entry or ("shards" in entry and name.endswith((".usearch", ".svs")))
        vectors = f"of-{name}.npy" if is_index else name
        self.run("embed", "in.jsonl", "-o", vectors, *options)
        if is_index:
            self.run("index", vectors, "-o", name, *entry.get("index", []))

    @staticmethod
    def columns(row):
        """Returns the columns of a row, as the table says it: lists that are gone through again and again."""
        return {name: values[row % len(values)] for name, values in TABLE["columns"].items()}

    def has(self, row, where):
        """Whether a row meets the conditions on every column that is named; numbers are compared as numbers."""
        def met(value, relation, text):
            if isinstance(value, str):
                return RELATIONS[relation](value.encode(), text.encode())
            try:
                return RELATIONS[relation](float32(value), float32(float(text)))
            except ValueError:
                return False
        values = self.columns(row)
        for name, relation, texts in relations_of(where):
            found = any(met(values[name], "eq" if relation == "ne" else relation, text) for text in texts)
            if found == (relation == "ne"):
                return False
        return True

    def paths(self, entry):
        names = [f"{entry['name']}-{name}" for _, _, name in entry["shards"]] if "shards" in entry else [entry["name"]]
        return [self.folder / name for name in names]

    @staticmethod
    def is_opened_by_javascript(entry):
        """JavaScript opens indexes of one file or folder, whose rows are no codes. Under ip and l2sq, it compares rows of i8 as the
        integers that they are (docs/formats/usearch.md)."""
        is_index = "index" in entry and entry["name"].endswith((".usearch", ".svs"))
        compares_integers = entry.get("coding") == "i8" and entry["metric"] != "cos"
        return is_index and not compares_integers and "--output-type" not in entry.get("embed", [])

    def questions(self, face):
        """All questions that a face can be asked."""
        for entry in TABLE["sets"]:
            kind, coding = entry.get("rows", "plain"), entry.get("coding", "f32")
            if face == "javascript" and not self.is_opened_by_javascript(entry):
                continue
            ids = self.ids(entry)
            for ask in TABLE["asks"]:
                if face in ask.get("not", []) or ask.get("only", coding) != coding:
                    continue
                if "where" in ask and "columns" not in entry or "match" in ask and kind == "windows":
                    continue
                name = ask.get("prompt_name", ask.get("prompt", "query"))
                allow = ask.get("allow")
                if allow is not None:
                    allow = [ids[row] if isinstance(row, int) else row for row in allow]
                vectors = self.queries[name, kind]
                yield Question(entry, ask, self.paths(entry), TABLE["queries"], vectors, self.file(ask, kind, vectors), allow,
                               ask.get("where"), TABLE["prompts"].get(name, ""),
                               self.folder / "texts.terms" if "match" in ask else None)

    def file(self, ask, kind, vectors):
        if ask["from"] == "texts":
            return None
        path = self.folder / f"queries-{ask['from']}-{kind}.npy"
        if ask["from"] == "bits":
            write_npy(path, "|u1", len(packed_bits(vectors[0])), b"".join(packed_bits(row) for row in vectors))
        else:
            write_npy(path, "<f4", len(vectors[0]), b"".join(struct.pack(f"<{len(row)}f", *row) for row in vectors))
        return path

    def distances(self, question):
        """For each query, the distance of every row that may be found, by id."""
        entry = question.set
        rows = self.rows[entry.get("rows", "plain")]
        # "f16 rows": rows are rounded, and queries are not.
        code, *of_rows_alone = entry.get("coding", "f32").split(" ")
        code_query = CODINGS["f32" if of_rows_alone else code]
        distance = DISTANCES[entry["metric"]]
        coded = [CODINGS[code](row, rows) for row in rows]
        may_be_found = {key for row, key in enumerate(self.ids(entry))
                        if (question.allow is None or key in question.allow)
                        and (question.where is None or self.has(row, question.where))}
        found = []
        for vector in question.vectors:
            query = code_query(vector, rows)
            found.append({key: distance(query, row) for key, row in zip(self.ids(entry), coded)
                          if key in may_be_found})
        return found

    def options_of_terms(self):
        """Terms are stems or, in a build without the stemmer, words."""
        try:
            self.run("tokenize", "--terms", input="text\n")
            return []
        except RuntimeError:
            return ["--stemmer", "none"]

    def terms(self, texts):
        lines = self.run("tokenize", "--terms", *self.term_options, input="".join(text + "\n" for text in texts)).splitlines()
        return [json.loads(line)["terms"] for line in lines]

    def term_scores(self, question):
        """For each query, the BM25 score of every row, by id: docs/formats/terms.md."""
        texts = self.terms(TABLE["texts"])
        average = sum(map(len, texts)) / len(texts)
        found = []
        for query in self.terms(question.texts):
            scores = [0.0] * len(texts)
            for term in query:
                having = sum(term in text for text in texts)
                idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
                for row, text in enumerate(texts):
                    count = text.count(term)
                    scores[row] += idf * count / (count + 1.2 * (0.25 + 0.75 * len(text) / average))
            found.append(dict(zip(self.ids(question.set), scores)))
        return found

    def fused(self, distances, scores):
        """The scores of the rows that may be found, by id. There are so few rows that all of them are candidates."""
        def scaled(values):
            least, greatest = min(values.values(), default=0), max(values.values(), default=0)
            return {key: (value - least) / (greatest - least) if greatest > least else 0 for key, value in values.items()}
        near = scaled({key: -distance for key, distance in distances.items()})
        terms = scaled({key: scores[key] for key in distances})
        return {key: 0.6 * near[key] + 0.4 * terms[key] for key in distances}

    def ranks(self, question):
        """For each query, a number for every row that may be found, by id: the less, the better."""
        distances = self.distances(question)
        if question.match == "vectors":
            return distances
        scores = self.term_scores(question)
        if question.match == "terms":
            return [{key: -of_query[key] for key in near if of_query[key] > 0} for near, of_query in zip(distances, scores)]
        return [{key: -score for key, score in self.fused(near, of_query).items()} for near, of_query in zip(distances, scores)]

    def check(self, question, answer: typing.Any):
        """None, or what is wrong with an answer."""
        if not isinstance(answer, list):
            return f"{question}: {answer}"
        expected = self.ranks(question)
        if question.match != "vectors":
            answer = [[(key, -score) for key, score in hits] for hits in answer]
        if len(answer) != len(expected):
            return f"{question}: {len(answer)} lists of hits for {len(expected)} queries"
        for query, (hits, distances) in enumerate(zip(answer, expected)):
            nearest = sorted(distances.values())[:TABLE["count"]]
            ids = [key for key, _ in hits]
            if len(hits) != len(nearest) or len(set(ids)) != len(ids):
                return f"{question}: query {query}: {len(hits)} hits {ids}, expected {len(nearest)}"
            for rank, ((key, distance), wanted) in enumerate(zip(hits, nearest)):
                right = distances.get(key)
                slack = TOLERANCE * (1 + abs(wanted))
                if right is None or abs(right - wanted) > slack or abs(distance - right) > slack:
                    return (f"{question}: query {query}: hit {rank} is {key} at {distance}, expected one at {wanted}; "
                            f"{key} lies at {right}")
        return None


def packed_bits(vector):
    bits = "".join("1" if value > 0 else "0" for value in vector)
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def write_npy(path, kind, columns, data):
    size = {"<f4": 4, "|u1": 1}[kind]
    shape = (len(data) // size // columns, columns)
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
