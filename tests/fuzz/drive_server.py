#!/usr/bin/env python3
"""Drives a server with random requests, good ones and malformed ones:  drive_server.py EMBD TEST_DATA
[--seconds N] [--seed S] [--program EMBD]

The server has two embedding models, a reranker and five indexes, over the small models of TEST_DATA. In each round
clients on connections that stay open, several at once, send requests to every route and in every API's form. What a
good one is answered with is compared with what the program says (--program: one that is faster than EMBD, such as a
build without sanitizers). A malformed one must get an error in its API's form, and no request ever a 5xx. After each
round the metrics must have counted what was sent, by its status. Prints each finding with its request, and at the end
how many there were of each route and status. Exit 1 if anything was found. Standard library only."""
import argparse
import base64
import collections
import concurrent.futures
import http.client
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "faces/server"), str(HERE.parent / "faces/python")]
from golden_rerankers import copy_reranker, golden_pairs  # noqa: E402
from server_process import ServerProcess  # noqa: E402
from server_truth import Truth, single, singles  # noqa: E402

WORDS = ["the cat sat on the mat", "a", "cat", "dog", "naïve", "東京", "😀", "e\u0301", "\u200b", "\ufeff", "a\tb", "\x01", "\x7f",
         "\u0000", "x" * 300, "{}", "null", '"', "\\", "[CLS]", "[SEP] [MASK]", "how much is the ticket", " ", "\r\n", "-1",
         "the the the " * 40, "\U0010ffff", "1e5", "</s>"]
LEVELS = ["ERROR", "INFO", "", "WARN \u00e4\n\"x\"", "7"]
JSON = {"Content-Type": "application/json"}
SANITIZERS = ("AddressSanitizer", "LeakSanitizer", "runtime error:", "terminate called", "Assertion")


class Request:
    """`check(answer)` says what is wrong with the answer of a good request; nothing where it is right. The answer is what its JSON
    means, or the text of another `kind`."""

    def __init__(self, method, path, body=None, check=None, api="openai", headers=None, kind="application/json"):
        self.method, self.path, self.body, self.check, self.api, self.kind = method, path, body, check, api, kind
        self.headers = JSON if headers is None and body is not None else headers or {}
        self.is_good = check is not None

    def data(self):
        return self.body if isinstance(self.body, (bytes, type(None))) else json.dumps(self.body).encode()

    def __repr__(self):
        return f"{self.method} {self.path} {self.headers} {self.data()!r}"[:3000]


def same_floats(told, found):
    return singles(found) == tuple(told)


def int8_of(vector):
    length = sum(value * value for value in vector) ** 0.5
    return [int(127 * value / length) for value in vector]


def bits_of(vector):
    bits = "".join("1" if value > 0 else "0" for value in vector)
    bits += "0" * (-len(bits) % 8)
    return [int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)]


def near(told, found):
    """Codes that may differ by one where a value is at the edge of a step."""
    return len(told) == len(found) and all(abs(a - b) <= 1 for a, b in zip(told, found))


def same_values(kind, vector, found):
    if kind == "float":
        return same_floats(vector, found)
    if kind in ("int8", "uint8"):
        return near([code + (128 if kind == "uint8" else 0) for code in int8_of(vector)], found)
    return [code - (128 if kind == "binary" else 0) for code in bits_of(vector)] == found


def values_of(kind, text):
    """The values whose bytes a text in base64 is."""
    data = base64.b64decode(text, validate=True)
    form = {"float": "f", "int8": "b", "uint8": "B", "binary": "b", "ubinary": "B"}[kind]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(form)}{form}", data))


class Requests:
    """Makes random good requests, each with its check, which asks `truth` what the program says."""

    def __init__(self, chance, truth, models, reranker, indexes, texts):
        self.random, self.truth, self.reranker, self.indexes, self.texts = chance, truth, reranker, indexes, texts
        self.models = models  # name to path, dim; the first is meant where none is named
        self.first = next(iter(models))
        self.kinds = [self.openai, self.azure, self.tei, self.tei_all, self.similarity, self.tokenize, self.ollama, self.ollama_prompt,
                      self.cohere, self.rerank, self.score, self.predict, self.search, self.search, self.place, self.looks]

    def any(self):
        return self.random.choice(self.kinds)()

    def word(self, empty=False):
        parts = [self.random.choice(WORDS) for _ in range(self.random.choice([0, 1, 1, 2, 3] if empty else [1, 1, 2, 3]))]
        return " ".join(parts)

    def some(self, most=5, empty=False):
        return [self.word(empty) for _ in range(self.random.randint(1, most))]

    def maybe(self, chance):
        return self.random.random() < chance

    def model(self, body, chance=0.7):
        """Names a model in the body, or not."""
        if not self.maybe(chance):
            return self.first
        name = self.random.choice(list(self.models))
        body["model"] = name + self.random.choice(["", "", ":latest"])
        return name

    def dimensions(self, name, options, chance=0.3):
        if not self.maybe(chance):
            return None
        dim = self.random.choice([1, 8, self.models[name][1]])
        options += ["--truncate-dim", dim]
        return dim

    def prompt(self, options, names):
        name = self.random.choice(list(names))
        if names[name]:
            options += ["--prompt-name", names[name]]
        return name

    def vectors(self, name, texts, options):
        keys = [self.truth.vector(self.models[name][0], text, *options) for text in texts]
        return lambda: [self.truth.known[key] for key in keys]

    # One for each route and form.

    def openai_body(self, named=True):
        body, options = {}, []
        name = self.model(body) if named else self.first
        texts = self.some()
        body["input"] = texts if self.maybe(0.8) else texts[0]
        texts = texts if isinstance(body["input"], list) else texts[:1]
        dim = self.dimensions(name, options)
        if dim:
            body[self.random.choice(["dimensions", "output_dimension"])] = dim
        kind, base = "float", False
        if self.maybe(0.4):
            kind = self.random.choice(["float", "int8", "uint8", "binary", "ubinary"])
            body[self.random.choice(["output_dtype", "embedding_type"])] = kind
        if self.maybe(0.4):
            base = self.maybe(0.6)
            body["encoding_format"] = "base64" if base else "float"
        if self.maybe(0.2):
            body["input_type"] = self.prompt(options, {"query": "query", "document": "document", "classification": None})
        if self.maybe(0.2) and "input_type" not in body:
            body["task"] = self.prompt(options, {"retrieval.query": "query", "retrieval.passage": "document", "separation": None})
        if self.maybe(0.2):
            body["normalized"] = self.maybe(0.5)
            options += [] if body["normalized"] else ["--no-normalize"]
        for field, value in (("user", "me"), ("late_chunking", False), ("truncation", True), ("unknown", [{"a": None}])):
            if self.maybe(0.1):
                body[field] = value
        told = self.vectors(name, texts, options)

        def check(answer):
            rows = [item["embedding"] for item in answer["data"]]
            rows = [values_of(kind, row) for row in rows] if base else rows
            if [item["index"] for item in answer["data"]] != list(range(len(texts))):
                return "the order"
            if not all(same_values(kind, vector, row) for vector, row in zip(told(), rows, strict=True)):
                return f"vectors {rows} for {told()}"
            return None if answer["model"] == name else f"the model {answer['model']}"
        return body, check, name

    def openai(self):
        body, check, _ = self.openai_body()
        return Request("POST", self.random.choice(["/v1/embeddings", "/embeddings"]), body, check)

    def azure(self):
        body, check, name = self.openai_body(named=False)
        headers = dict(JSON, **{"api-key": "any"})
        return Request("POST", f"/openai/deployments/{name}/embeddings?api-version=2024-02-01", body, check, headers=headers)

    def tei_fields(self, body, options):
        if self.maybe(0.2):
            body["truncation_direction"] = self.random.choice(["Left", "Right"])
            options += ["--truncate-side", body["truncation_direction"].lower()]
        if self.maybe(0.2):
            body["prompt_name"] = self.prompt(options, {"query": "query", "document": "document"})
        if self.maybe(0.2):
            body["truncate"] = True

    def tei(self):
        body, options = {}, []
        name = self.model(body, 0.3)
        texts = self.some(8)
        body["inputs"] = texts
        self.tei_fields(body, options)
        dim = self.dimensions(name, options)
        if dim:
            body["dimensions"] = dim
        if self.maybe(0.2):
            body["normalize"] = False
            options.append("--no-normalize")
        told = self.vectors(name, texts, options)
        check = lambda answer: None if all(map(same_floats, told(), answer)) and len(answer) == len(texts) else "vectors"
        return Request("POST", self.random.choice(["/embed", "/", "/invocations"]), body, check, "tei")

    def tei_all(self):
        body, options = {}, []
        name = self.model(body, 0.3)
        body["inputs"] = texts = self.some(3)
        self.tei_fields(body, options)
        keys = [self.truth.tokens(self.models[name][0], text, "--max-length", self.models[name][2], *options) for text in texts]

        def check(answer):
            lengths = [(len(rows), {len(row) for row in rows}) for rows in answer]
            told = [(len(self.truth.known[key]), {self.models[name][1]}) for key in keys]
            return None if lengths == told else f"{lengths} rows for {told} tokens"
        return Request("POST", "/embed_all", body, check, "tei")

    def similarity(self):
        source, others = self.word(), self.some()
        told = self.vectors(self.first, [source, *others], [])

        def check(answer):
            rows = told()
            cosines = [sum(a * b for a, b in zip(rows[0], row)) for row in rows[1:]]
            return None if all(abs(a - b) < 1e-6 for a, b in zip(cosines, answer, strict=True)) else f"{answer} for {cosines}"
        body = {"inputs": {"source_sentence": source, "sentences": others}}
        return Request("POST", self.random.choice(["/similarity", "/"]), body, check, "tei")

    def tokenize(self):
        body, options = {}, []
        name = self.model(body, 0.3)
        body["inputs"] = texts = self.some()
        if self.maybe(0.3):
            body["prompt_name"] = self.prompt(options, {"query": "query", "document": "document"})
        keys = [self.truth.tokens(self.models[name][0], text, *options) for text in texts]
        special = self.maybe(0.5)
        if not special:
            body["add_special_tokens"] = False

        def check(answer):
            for key, text, tokens in zip(keys, texts, answer, strict=True):
                told = self.truth.known[key]
                if [token["id"] for token in tokens] != (told if special else told[1:-1]):
                    return f"ids {tokens} for {told}"
                places = [(token["start"], token["stop"]) for token in tokens if not token["special"]]
                if any(not 0 <= start <= stop <= len(text.encode()) for start, stop in places):
                    return f"places {places}"
            return None
        return Request("POST", "/tokenize", body, check, "tei")

    def ollama(self):
        body, options = {}, []
        name = self.model(body, 1)
        texts = self.some(empty=True)
        body["input"] = texts
        dim = self.dimensions(name, options)
        if dim:
            body["dimensions"] = dim
        if self.maybe(0.3):
            length = self.random.choice([3, 7, 4096])
            body["options"] = {"num_ctx": length, "temperature": 0.5, "stop": ["a"], "seed": None}
            options += ["--max-length", min(length, self.models[name][2])]
        if self.maybe(0.2):
            body["keep_alive"] = self.random.choice(["5m", -1, 0.5])
        told = self.vectors(name, texts, options)
        check = lambda answer: None if all(map(same_floats, told(), answer["embeddings"])) and len(
            answer["embeddings"]) == len(texts) else "vectors"
        headers = self.random.choice([JSON, {}, {"Content-Type": "text/plain"}])
        return Request("POST", "/api/embed", body, check, "ollama", headers)

    def ollama_prompt(self):
        body = {"prompt": self.word()}
        name = self.model(body, 1)
        told = self.vectors(name, [body["prompt"]], [])
        check = lambda answer: None if same_floats(told()[0], answer["embedding"]) else "a vector"
        return Request("POST", "/api/embeddings", body, check, "ollama")

    def cohere(self):
        body, options = {}, []
        name = self.model(body)
        texts = self.some(empty=True)
        if self.maybe(0.5):
            body["texts"] = texts
        else:
            body["inputs"] = [{"content": [{"type": "text", "text": text}]} for text in texts]
        kinds = self.random.sample(["float", "int8", "uint8", "binary", "ubinary", "base64"], self.random.randint(1, 4))
        body["embedding_types"] = kinds
        if self.maybe(0.4):
            body["input_type"] = self.prompt(options, {"search_query": "query", "search_document": "document", "clustering": None})
        if self.maybe(0.3):
            length = self.random.choice([3, 9, 100_000])
            body["max_tokens"] = length
            options += ["--max-length", min(length, self.models[name][2])]
        if self.maybe(0.3):
            body["truncate"] = self.random.choice(["START", "END"])
            options += ["--truncate-side", "left"] if body["truncate"] == "START" else []
        dim = self.dimensions(name, options)
        if dim:
            body["output_dimension"] = dim
        told = self.vectors(name, texts, options)

        def check(answer):
            if answer["texts"] != texts or set(answer["embeddings"]) != set(kinds):
                return "texts or types"
            for kind, rows in answer["embeddings"].items():
                rows = [values_of("float", row) for row in rows] if kind == "base64" else rows
                kind = "float" if kind == "base64" else kind
                if not all(same_values(kind, vector, row) for vector, row in zip(told(), rows, strict=True)):
                    return f"{kind} {rows} for {told()}"
            return None
        return Request("POST", self.random.choice(["/v2/embed", "/v1/embed"]), body, check, "cohere")

    def ranking(self, query, documents):
        keys = [self.truth.pair(self.reranker, query, text) for text in documents]

        def told(member):
            scores = [self.truth.known[key] for key in keys]
            order = sorted(range(len(keys)), key=lambda i: (-scores[i][1], i))
            return [(i, scores[i][member]) for i in order]
        return told

    def rerank(self):
        query, documents = self.word(), [text for _, text in self.random.sample(self.texts, self.random.randint(1, 8))]
        told = self.ranking(query, documents)
        top = self.random.choice([None, 1, 3, 100])
        path = self.random.choice(["/rerank", "/v1/rerank", "/v2/rerank", "/reranking", "/v1/reranking/", "//api/rerank"])
        body = {"query": query}
        is_raw = self.maybe(0.3)
        if path == "/rerank" and self.maybe(0.5):
            body["texts"] = documents
            read = lambda answer: [(hit["index"], single(hit["score"])) for hit in answer]
        else:
            body["documents"] = [{"text": text} if self.maybe(0.3) else text for text in documents]
            read = lambda answer: [(hit["index"], single(hit["relevance_score"])) for hit in answer[self.random.choice(["results", "data"])]]
        count = self.random.choice(["top_n", "top_n", "top_k"]) if "documents" in body else "top_n"
        body.update({count: top} if top else {}, **({"raw_scores": True} if is_raw else {}))
        check = lambda answer: None if read(answer) == told(int(is_raw))[:top] else f"{read(answer)} for {told(int(is_raw))}"
        return Request("POST", path, body, check, "rerank")

    def score(self):
        query, documents = self.word(), [text for _, text in self.random.sample(self.texts, self.random.randint(1, 8))]
        told = self.ranking(query, documents)
        body = {"text_1": query, "text_2": documents}
        is_raw = self.maybe(0.5)
        if is_raw:
            body["use_activation"] = False

        def check(answer):
            found = [single(item["score"]) for item in answer["data"]]
            return None if found == [value for _, value in sorted(told(int(is_raw)))] else "scores"
        return Request("POST", self.random.choice(["/score", "/v1/score"]), body, check)

    def predict(self):
        query, documents = self.word(), [text for _, text in self.random.sample(self.texts, self.random.randint(1, 4))]
        told = self.ranking(query, documents)
        check = lambda answer: None if [single(labels[0]["score"]) for labels in answer] == [
            value for _, value in sorted(told(0))] else "scores"
        return Request("POST", "/predict", {"inputs": [[query, text] for text in documents]}, check, "tei")

    def column_filter(self):
        """A filter of columns as the server takes it, and the same as conditions of the program."""
        signs = {"eq": "=", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
        filters, conditions = {}, []
        for column in self.random.sample(["level", "stars", "weight"], self.random.randint(1, 2)):
            value = lambda: {"level": self.random.choice(LEVELS + ["nothing"]), "stars": self.random.randint(-1, 6),
                             "weight": self.random.choice([-0.1, 0, 0.1, 2.5, 1e30])}[column]
            if self.maybe(0.4):
                filters[column] = [value() for _ in range(self.random.randint(1, 3))]
                conditions += [f"{column}={each}" for each in filters[column]]
                continue
            relations = self.random.sample(sorted(signs), self.random.randint(1, 3))
            filters[column] = {relation: [value(), value()] if relation in ("eq", "ne") and self.maybe(0.5) else value()
                               for relation in relations}
            for relation, given in filters[column].items():
                conditions += [f"{column}{signs[relation]}{each}" for each in (given if isinstance(given, list) else [given])]
        return filters, conditions

    def search(self):
        name = self.random.choice(list(self.indexes))
        path, model, has_texts, ids, dim = self.indexes[name]
        body, options = {"index": name, "k": self.random.choice([1, 3, 10, 1000])}, []
        options += ["-k", body["k"]]
        if self.maybe(0.3):
            body["exact"] = True
            options.append("--exact")
        if name == "graph" and self.maybe(0.3):
            body["expansion"] = self.random.choice([1, 16, 500])
            options += ["--expansion", body["expansion"]]
        if self.maybe(0.3):
            chosen = self.random.sample(ids, self.random.randint(0, 5)) + self.random.choice([[], ["nobody"]])
            body["filter"] = {"ids": chosen}
            file = self.truth.folder / f"filter-{hash(tuple(chosen)) & 0xffffffff:x}.txt"
            file.write_text("".join(f"{id}\n" for id in chosen))
            options += ["--filter-ids", file]
        if name == "columns" and self.maybe(0.6):
            body.setdefault("filter", {})["columns"], conditions = self.column_filter()
            options += [word for condition in conditions for word in ("--filter", condition)]
        if self.maybe(0.7) or name == "bits":
            queries = body["texts"] = self.some(4)
        else:
            queries = [tuple(single(self.random.uniform(-1, 1)) for _ in range(dim)) for _ in range(self.random.randint(1, 3))]
            body["vectors"] = queries
        if has_texts and "texts" in body and self.maybe(0.3):
            body.update(rerank=True, candidates=self.random.choice([1, 5, 50]))
            options += ["--texts", has_texts, "--rerank", self.reranker, "--candidates", body["candidates"]]
        keys = [self.truth.hits(path, self.models[model][0], query, *options) for query in queries]
        members = ("id", "distance", "score", "logit", "columns")

        def check(answer):
            for key, result in zip(keys, answer["results"], strict=True):
                told, found = ([[hit.get(member) for member in members] for hit in hits]
                               for hits in (self.truth.known[key], result["hits"]))
                if told != found:
                    return f"hits {found} for {told}"
                if has_texts and any("text" not in hit for hit in result["hits"]):
                    return "no texts"
            return None
        return Request("POST", "/search", body, check)

    def place(self):
        """Where texts lie on a map whose points are all rows: near the rows that an exact search finds."""
        name = self.random.choice(list(self.indexes))
        path, model, _, ids, _ = self.indexes[name]
        body = {"index": name, "texts": self.some(4)}
        keys = [self.truth.hits(path, self.models[model][0], text, "-k", 1, "--exact") for text in body["texts"]]

        def check(answer):
            for key, found in zip(keys, answer["results"], strict=True):
                points = [near["point"] for near in found["near"]]
                if not points or len(set(points)) != len(points) or not all(0 <= point < len(ids) for point in points):
                    return f"points {points}"
                if not all(math.isfinite(found[axis]) for axis in "xy"):
                    return f"a place {found}"
                best, nearest = 1 - self.truth.known[key][0]["distance"], found["near"][0].get("similarity")
                if (nearest is None) != (name == "bits") or nearest is not None and abs(best - nearest) > 2e-5:
                    return f"a similarity of {nearest} for {best}"
            return None
        return Request("POST", "/map", body, check)

    def looks(self):
        """Looks something up, which changes nothing."""
        name = self.random.choice(list(self.models))
        index = self.random.choice(list(self.indexes))
        model = lambda answer: None if answer["model_info"]["bert.embedding_length"] == self.models[name][1] else "a model"
        every = lambda *keys: lambda answer: None if {model["name"] for model in answer["models"]} >= set(self.models) else "models"
        return self.random.choice([
            Request("GET", "/v1/models", None,
                    lambda answer: None if {m["id"] for m in answer["data"]} >= set(self.models) else "models"),
            Request("GET", f"/v1/models/{name}", None, lambda answer: None if answer["id"] == name else "a model"),
            Request("GET", "/models", None, lambda answer: None if {m["id"] for m in answer["data"]} >= set(self.models) else "models"),
            Request("GET", "/api/version", None, lambda answer: None if answer["version"] else "a version", "ollama"),
            Request("GET", "/ping", None, lambda answer: None if answer == {"status": "ok"} else "health"),
            Request("GET", "/ready", None, lambda answer: None if answer == {"status": "ready"} else "ready"),
            Request("GET", self.random.choice(["/", "/docs"]), None, lambda page: None if "</html>" in page else "a page", kind="text/html"),
            Request("GET", "/api/tags", None, every(), "ollama"), Request("GET", "/api/ps", None, every(), "ollama"),
            Request("POST", "/api/show", {"model": name, "verbose": self.maybe(0.5)}, model, "ollama"),
            Request("POST", "/api/pull", {"model": name, "stream": False}, lambda answer: None if answer == {"status": "success"} else "a pull",
                    "ollama"),
            Request("GET", "/info", None,
                    lambda answer: None if {i["name"] for i in answer["embd"]["indexes"]} == set(self.indexes) else "indexes", "tei"),
            Request("GET", f"/map?index={index}", None,
                    lambda answer: None if sorted(str(p["id"]) for p in answer["points"]) == sorted(self.indexes[index][3]) else "points"),
            Request("GET", "/health", None, lambda answer: None if answer["status"] == "ok" else "health"),
            Request("GET", "/openapi.json", None, lambda answer: None if answer["openapi"] == "3.1.0" else "a description"),
            Request("POST", "/decode", {"ids": [[101, 5, 102], [5]]}, lambda answer: None if len(answer) == 2 else "texts", "tei"),
        ])


class Malformed:
    """Makes of a good request one that is most likely none."""

    def __init__(self, chance):
        self.random = chance

    def of(self, good):
        ways = [self.bytes_of, self.bytes_of, self.value_of, self.value_of, self.value_of, self.member_of, self.head_of]
        return self.random.choice(ways)(good)

    def like(self, good, body, method=None, path=None, headers=None):
        return Request(method or good.method, path or good.path, body, None, good.api, good.headers if headers is None else headers)

    def bytes_of(self, good):
        text = bytearray(good.data() or b"{}")
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(text) + 1)
            way = self.random.randrange(3)
            if way == 0:
                text[at:at + 1] = self.random.randbytes(1)
            elif way == 1:
                del text[at:at + self.random.randint(1, 6)]
            else:
                text[at:at] = self.random.choice([b"[" * 40, b"{", b"]", b",", b"\\ud800", b"\xff", b"1e999", b"-", b'"', b"\x00", b"null"])
        return self.like(good, bytes(text))

    def value(self):
        return self.random.choice([None, True, -1, 0, 1.5, 1e300, 2**63, 2**64, "", "x", [], [[]], [None], {}, {"a": 1}, [1, "a"], ["a", 1],
                                   [["a"]], ["a"] * 3000, [[1, 2], [3]], [2**31], "latest", [{}], [{"text": 1}], [{"content": []}]])

    def value_of(self, good):
        body = dict(good.body or {})
        if body:
            body[self.random.choice(list(body))] = self.value()
        return self.like(good, body)

    def member_of(self, good):
        """A member left out, added or there twice."""
        body = dict(good.body or {})
        way = self.random.randrange(3)
        if way == 0 and body:
            del body[self.random.choice(list(body))]
        elif way == 1:
            body[self.random.choice(["dimensions", "model", "images", "truncate", "inputs", "input", "texts", "filter", "options", "late_chunking",
                                     "embedding_types", "output_dtype", "priority", "rerank", "candidates"])] = self.value()
        elif body:
            twice = self.random.choice(list(body))
            return self.like(good, json.dumps(body)[:-1].encode() + b"," + json.dumps({twice: body[twice]}).encode()[1:])
        return self.like(good, body)

    def head_of(self, good):
        way = self.random.randrange(5)
        if way == 0:
            return self.like(good, good.data(), method=self.random.choice(["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"]))
        if way == 1:
            return self.like(good, good.data(), path=good.path + self.random.choice(["/", "x", "/%00", "?a=%zz", "/../..", "//"]))
        if way == 2:
            return self.like(good, good.data(), headers=dict(JSON, **{"Content-Type": self.random.choice(["text/html", "json", ""])}))
        if way == 3:
            return self.like(good, good.data(), headers=dict(JSON, Host="evil.example"))
        return self.like(good, good.data(), headers=dict(JSON, **{"Content-Encoding": "gzip"}))


def has_error_form(api, body):
    """Whether an error is in the form of the API, or in our own where no route was found."""
    error = json.loads(body)
    openai = isinstance(error.get("error"), dict) and {"message", "type", "param", "code"} <= set(error["error"])
    forms = {"tei": isinstance(error.get("error"), str) and isinstance(error.get("error_type"), str),
             "ollama": isinstance(error.get("error"), str), "cohere": isinstance(error.get("message"), str)}
    return openai or (any(forms.values()) if api == "rerank" else forms.get(api, False))


class Client:
    """A connection that stays open, and what is wrong with its answers."""

    def __init__(self, server):
        self.server = server
        self.connection = None
        self.sent = collections.Counter()  # (route, status)
        self.findings = []

    def send(self, request):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=300)
        self.connection.request(request.method, request.path, request.data(), request.headers)
        response = self.connection.getresponse()
        body = response.read()
        if response.getheader("connection", "").lower() == "close":
            self.close()
        return response.status, body

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def ask(self, request):
        try:
            status, body = self.send(request)
        except (http.client.HTTPException, OSError) as error:
            self.close()
            return self.findings.append(f"{type(error).__name__} {error}: {request!r}")
        self.sent[request.path.split("?")[0] if request.is_good else "malformed", status] += 1
        wrong = self.judge(request, status, body)
        return wrong and self.findings.append(f"{wrong}\n  {request!r}\n  {status} {body[:2000]!r}")

    @staticmethod
    def judge(request, status, body):
        if request.is_good:
            if status != 200:
                return f"status {status}"
            return request.check(json.loads(body) if request.kind == "application/json" else body.decode())
        if status in (200, 204):
            return None
        if not 400 <= status < 500:
            return f"status {status}"
        return None if has_error_form(request.api, body) else "an error of another form"


def make_files(embd, data, folder):
    """The models, the indexes and what is known of each."""
    models = {"plain": (data / "embd" / "plain.weights", 36, 40), "small": (data / "embd" / "plain_h32.weights", 32, 32)}
    reranker = copy_reranker("bert_sigmoid", folder)
    texts = [(query, text.replace("\n", " ").replace("\r", " ")) for query, text in golden_pairs("bert_sigmoid") if text.strip()][:60]
    lines = folder / "docs.jsonl"
    lines.write_text("".join(json.dumps({"id": f"d{i}", "text": text, "level": LEVELS[i % 5], "stars": i % 6, "weight": i / 10}) + "\n"
                             for i, (_, text) in enumerate(texts)))
    indexes = {}
    for name, file, model, options in (("graph", "graph.usearch", "plain", []), ("rows", "rows.npy", "small", ["--id-field", "id"]),
                                       ("columns", "columns.parquet", "plain",
                                        ["--id-field", "id", "--column-field", "level:text", "--column-field", "stars",
                                         "--column-field", "weight:float32"]),
                                       ("codes", "codes.npy", "plain", ["--output-type", "int8"]),
                                       ("bits", "bits.npy", "small", ["--output-type", "binary"])):
        subprocess.run([embd, "embed", lines, "-m", models[model][0], "-o", folder / file, *options], check=True, capture_output=True)
        ids = [f"d{i}" if options and options[0] == "--id-field" else str(i) for i in range(len(texts))]
        indexes[name] = (folder / file, model, lines if name in ("graph", "rows") else None, ids, models[model][1])
    return models, reranker, indexes, texts


def serve(embd, models, reranker, indexes):
    words = [embd, "serve", "--port", "0", "--reranker", reranker]
    for name, (path, _, _) in models.items():
        words += ["-m", f"{name}={path}"]
    for name, (path, _, texts, _, _) in indexes.items():
        words += ["--index", f"{name}={path}"] + (["--texts", f"{name}={texts}"] if texts else [])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMBD_")}
    environment.update(ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:exitcode=99",
                       UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:exitcode=99")
    return ServerProcess(words, env=environment)


def counted(server):
    """How many requests the metrics have of each status."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    counts = collections.Counter()
    for status, count in re.findall(r'embd_requests_total\{route="[^"]*",status="(\d+)"\} (\d+)', text):
        counts[int(status)] += int(count)
    return counts, re.search(r"^embd_queue_tokens (\d+)", text, re.MULTILINE)[1]


class Driver:
    def __init__(self, options, folder):
        self.options = options
        self.random = random.Random(options.seed)
        program = os.path.abspath(options.program or options.embd)
        data = pathlib.Path(options.data).resolve()
        models, reranker, indexes, texts = make_files(program, data, folder)
        self.server = serve(os.path.abspath(options.embd), models, reranker, indexes)
        self.truth = Truth(program, folder)
        self.requests = Requests(self.random, self.truth, models, reranker, indexes, texts)
        self.malformed = Malformed(self.random)
        self.clients = [Client(self.server) for _ in range(options.clients)]
        self.asked_metrics = 0

    def round(self):
        good = [self.requests.any() for _ in range(self.options.requests)]
        self.truth.answer()
        bad = [self.malformed.of(self.requests.any()) for _ in range(self.options.requests)]
        self.truth.noted.clear()
        requests = good + bad
        self.random.shuffle(requests)
        with concurrent.futures.ThreadPoolExecutor(len(self.clients)) as pool:
            list(pool.map(lambda i: [self.clients[i].ask(request) for request in requests[i::len(self.clients)]],
                          range(len(self.clients))))
        for client in self.random.sample(self.clients, len(self.clients) // 4):
            client.close()
        return self.check_metrics()

    def check_metrics(self):
        sent = collections.Counter()
        for client in self.clients:
            for (_, status), count in client.sent.items():
                sent[status] += count
        end = time.monotonic() + 10
        queued = None
        while queued != "0" and time.monotonic() < end:  # What a client has left is dropped when its turn comes.
            counts, queued = counted(self.server)
            self.asked_metrics += 1
            if queued != "0":
                time.sleep(0.05)
        sent[200] += self.asked_metrics - 1
        if queued != "0":
            return [f"{queued} tokens are left in the queue"]
        # A request that came back counts; so does one whose connection was lost, which is a finding already.
        lost = any("Error" in finding.split(":")[0] for client in self.clients for finding in client.findings)
        return [] if lost or +counts == +sent else [f"the metrics have {dict(+counts)}, sent were {dict(+sent)}"]

    def end(self):
        for client in self.clients:
            client.close()
        self.server.process.terminate()
        status = self.server.wait()
        said = [line for line in self.server.lines if any(word in line for word in SANITIZERS)]
        return [f"the server ended with {status}: {self.server.lines[-30:]}"] if status != 0 or said else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embd")
    parser.add_argument("data")
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", help="what answers are compared with (EMBD)")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=60, help="good ones a round, and as many malformed ones")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="embd-drive-") as folder:
        driver = Driver(options, pathlib.Path(folder))
        end = time.monotonic() + options.seconds
        rounds = findings = 0

        def report(found):
            nonlocal findings
            for finding in found:
                findings += 1
                print(f"finding {findings}, round {rounds}: {finding}\n", flush=True)

        while time.monotonic() < end and driver.server.process.poll() is None and findings < 50:
            rounds += 1
            found = driver.round()
            for client in driver.clients:
                report(client.findings)
                client.findings.clear()
            report(found)
        report(driver.end())
    total = collections.Counter()
    for client in driver.clients:
        total.update(client.sent)
    print(f"{rounds} rounds, {sum(total.values())} requests, {findings} findings, seed {options.seed}")
    for (route, status), count in sorted(total.items()):
        print(f"  {route} {status}: {count}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
