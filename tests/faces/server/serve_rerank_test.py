#!/usr/bin/env python3
"""embd serve --reranker, the real program over real sockets:  serve_rerank_test.py EMBD TEST_DATA

Standard library only. The cross-encoders are those of TEST_DATA/rerank, the answers those of embd rerank."""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from server_process import ServerProcess

EMBD = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(DATA.parent / "faces/python"))
from golden_rerankers import copy_reranker, golden_pairs  # noqa: E402

EMBEDDING_MODEL = DATA / "embd" / "plain.weights"


# The routes that rank documents. The body decides the form of the answer.
RANKING_PATHS = ("/rerank", "/v1/rerank", "/v2/rerank", "/reranking", "/v1/reranking", "/api/rerank")


class Server(ServerProcess):
    def __init__(self, *arguments):
        super().__init__([EMBD, "serve", "--port", "0", *arguments])

    def ask(self, path, body):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            method = "GET" if body is None else "POST"
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def good(self, path, body=None):
        status, answer = self.ask(path, body)
        if status != 200:
            raise AssertionError(f"{path}: {status} {answer}")
        return json.loads(answer)


class RerankTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        for name in ("bert_sigmoid", "bert_three"):
            copy_reranker(name, cls.path)
        cls.query = "how much is the ticket"
        cls.documents = [text for _, text in golden_pairs("bert_sigmoid")[:60]]
        cls.server = Server("--reranker", cls.path / "bert_sigmoid")
        cls.library = cls.scores("bert_sigmoid")
        cls.description = cls.server.good("/openapi.json")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None)
        cls.folder.cleanup()

    @classmethod
    def scores(cls, model):
        """The lines of embd rerank, whose numbers are as exact as the server's."""
        lines = "".join(json.dumps({"query": cls.query, "text": text}) + "\n" for text in cls.documents)
        (cls.path / "pairs.jsonl").write_text(lines)
        printed = subprocess.run([EMBD, "rerank", cls.path / "pairs.jsonl", "-m", cls.path / model], check=True,
                                 capture_output=True).stdout
        return [json.loads(line) for line in printed.splitlines()]

    def ranking(self, member="score"):
        order = sorted(range(len(self.library)), key=lambda i: (-self.library[i]["logit"], i))
        return [(i, self.library[i][member]) for i in order]

    def refused(self, server, path, body, status, *members):
        """Checks that a request is refused, with a status and in a form that the server's description of the route has."""
        found, answer = server.ask(path, body)
        self.assertEqual(found, status, answer)
        for member in members:
            self.assertIn(member, json.loads(answer), answer)
        described = self.description["paths"][path]["post"]["responses"]
        self.assertIn(str(status), described, path)
        schema = described[str(status)]["content"]["application/json"]["schema"]
        self.assertTrue(any(self.has_form(json.loads(answer), form) for form in self.forms_of(schema)), f"{path}: {schema}: {answer}")
        return answer

    def forms_of(self, schema):
        """The schemas of objects that a schema allows."""
        if "$ref" in schema:
            return self.forms_of(self.description["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        return [form for one in schema["anyOf"] for form in self.forms_of(one)] if "anyOf" in schema else [schema]

    @staticmethod
    def has_form(answer, schema):
        types = {"string": str, "object": dict}
        return all(isinstance(answer.get(member), types[schema["properties"][member]["type"]]) for member in schema["required"])

    def test_answers_are_those_of_the_command_line(self):
        found = self.server.good("/rerank", {"query": self.query, "texts": self.documents, "return_text": True})
        self.assertEqual([(hit["index"], hit["score"]) for hit in found], self.ranking())
        self.assertEqual([hit["text"] for hit in found], [self.documents[hit["index"]] for hit in found])
        found = self.server.good("/rerank", {"query": self.query, "texts": self.documents, "raw_scores": True})
        self.assertEqual([(hit["index"], hit["score"]) for hit in found], self.ranking("logit"))
        for path in RANKING_PATHS:
            found = self.server.good(path, {"query": self.query, "documents": self.documents, "top_n": 3})
            for hits in (found["results"], found["data"]):
                self.assertEqual([(hit["index"], hit["relevance_score"]) for hit in hits], self.ranking()[:3])
            found = self.server.good(path, {"query": self.query, "texts": self.documents})
            self.assertEqual([(hit["index"], hit["score"]) for hit in found], self.ranking())
        objects = [{"text": text} for text in self.documents]
        found = self.server.good("/v1/rerank", {"query": self.query, "documents": objects, "return_documents": True})
        self.assertEqual([hit["document"]["text"] for hit in found["results"]], [self.documents[i] for i, _ in self.ranking()])

    def test_scores_of_pairs_keep_their_order(self):
        for path in ("/score", "/v1/score"):
            found = self.server.good(path, {"text_1": self.query, "text_2": self.documents})["data"]
            self.assertEqual([item["score"] for item in found], [line["score"] for line in self.library])
            pairs = {"text_1": [self.query] * len(self.documents), "text_2": self.documents, "use_activation": False}
            self.assertEqual([item["score"] for item in self.server.good(path, pairs)["data"]],
                             [line["logit"] for line in self.library])
        found = self.server.good("/predict", {"inputs": [[self.query, text] for text in self.documents]})
        self.assertEqual([item[0]["score"] for item in found], [line["score"] for line in self.library])
        one = self.server.good("/predict", {"inputs": [self.query, self.documents[0]]})
        self.assertEqual(one[0]["score"], self.library[0]["score"])

    def test_a_request_may_have_a_thousand_documents(self):
        documents = (self.documents * 1000)[:1000]
        found = self.server.good("/v2/rerank", {"query": self.query, "documents": documents})["results"]
        self.assertEqual(len(documents), 1000)
        expected = sorted(range(1000), key=lambda i: (-self.library[i % len(self.library)]["logit"], i))
        self.assertEqual([hit["index"] for hit in found], expected)

    def test_several_labels_have_shares(self):
        with Server("--reranker", self.path / "bert_three") as server:
            found = server.good("/predict", {"inputs": [[self.query, text] for text in self.documents], "raw_scores": True})
            for item, line in zip(found, self.scores("bert_three"), strict=True):
                self.assertEqual([label["score"] for label in item], sorted(line["logits"], reverse=True))
            shares = server.good("/predict", {"inputs": [self.query, self.documents[0]]})
            self.assertAlmostEqual(sum(label["score"] for label in shares), 1, delta=1e-6)
            self.assertIn("3 labels", self.refused(server, "/rerank", {"query": "a", "texts": ["b"]}, 424))

    def test_absent_and_empty_are_refused_in_the_form_of_the_api(self):
        for path in RANKING_PATHS:
            member = "error" if path in ("/rerank", "/api/rerank") else "message"
            self.refused(self.server, path, {"query": "a"}, 422 if path == "/rerank" else 400, member)
            for body in ({"documents": ["a"]}, {"query": "", "documents": ["a"]},
                         {"query": "a", "documents": []}, {"query": "a", "documents": ["b"], "texts": ["b"]},
                         {"query": "a", "documents": ["b"], "rank_fields": ["title"]},
                         {"query": "a", "documents": ["b"], "truncation_direction": "up"},
                         {"query": "a", "documents": ["b"], "max_tokens_per_doc": 3},
                         {"query": "a", "documents": ["b"], "truncate_prompt_tokens": 4},
                         {"query": "a", "documents": ["b"], "top_n": 1, "top_k": 2},
                         {"query": "a", "documents": ["b"], "truncate": True, "truncation": False}):
                self.refused(self.server, path, body, 400, member)
        self.assertIn("error_type", self.refused(self.server, "/rerank", {"query": "a", "texts": []}, 400))
        for path in RANKING_PATHS:
            self.refused(self.server, path, {"query": "a", "texts": "b"}, 422 if path == "/rerank" else 400)
            self.refused(self.server, path, {"query": "a", "texts": ["b"], "documents": {}}, 422, "error_type")
        self.refused(self.server, "/score", {"text_1": ["a", "b"], "text_2": ["c"]}, 400, "error")
        self.refused(self.server, "/predict", {"inputs": ["a"]}, 422, "error_type")
        long = {"query": "a", "texts": ["word " * 600], "truncate": False}
        self.refused(self.server, "/rerank", long, 422, "error_type")

    def test_mixedbreads_names_are_honoured(self):
        body = {"model": "m", "query": self.query, "input": self.documents, "top_k": 3, "return_input": True, "rewrite_query": False}
        found = self.server.good("/v1/reranking", body)
        self.assertEqual([(hit["index"], hit["score"]) for hit in found["data"]], self.ranking()[:3])
        self.assertEqual([hit["input"] for hit in found["data"]], [self.documents[i] for i, _ in self.ranking()[:3]])
        for wrong in ({"rewrite_query": True}, {"documents": ["a"]}, {"return_documents": False}):
            self.assertIn(next(iter(wrong)), self.refused(self.server, "/v1/reranking", {**body, **wrong}, 400, "message"))

    def test_voyages_names_are_honoured_and_answered_in_its_form(self):
        plain = {"query": self.query, "documents": self.documents, "model": "m"}  # what its client for JavaScript sends
        found = self.server.good("/v1/rerank", plain)
        self.assertEqual([(hit["index"], hit["relevance_score"]) for hit in found["data"]], self.ranking())
        body = {"query": self.query, "documents": self.documents, "model": None, "top_k": None, "truncation": True}
        found = self.server.good("/v1/rerank", body)
        self.assertEqual([(hit["index"], hit["relevance_score"]) for hit in found["data"]], self.ranking())
        self.assertEqual((found["object"], "document" in found["data"][0]), ("list", False))
        self.assertGreater(found["usage"]["total_tokens"], 0)
        found = self.server.good("/v1/rerank", dict(body, top_k=3, return_documents=True))["data"]
        self.assertEqual([hit["document"] for hit in found], [self.documents[i] for i, _ in self.ranking()[:3]])
        found = self.server.good("/v1/rerank", dict(body, top_n=2, truncation=None))["results"]
        self.assertEqual(len(found), 2)
        long = dict(body, documents=["word " * 600])
        self.assertEqual(self.server.good("/v1/rerank", long)["truncated"], [0])
        self.refused(self.server, "/v1/rerank", dict(long, truncation=False), 400, "message")

    def test_members_that_ask_for_what_there_is_not_are_refused_by_name(self):
        body = {"query": self.query, "documents": self.documents}
        for name, value, harmless in (("max_chunks_per_doc", 10, 1), ("priority", 3, 0), ("return_embeddings", True, False),
                                      ("max_query_length", 512, None), ("max_doc_length", 2048, None)):
            self.assertIn(name, self.refused(self.server, "/v1/rerank", {**body, name: value}, 400, "message"))
            found = self.server.good("/v1/rerank", {**body, name: harmless})["results"]
            self.assertEqual([hit["index"] for hit in found], [i for i, _ in self.ranking()])
        image = dict(body, documents=[{"image": "a.png"}])
        self.assertIn("documents", self.refused(self.server, "/v1/rerank", image, 400, "message"))

    def test_a_shorter_length_is_honoured(self):
        long = "the ticket is " * 100
        body = {"query": self.query, "documents": [long]}
        whole = self.server.good("/v2/rerank", body)
        self.assertEqual(self.server.good("/v2/rerank", dict(body, max_tokens_per_doc=4096))["results"], whole["results"])
        cut = self.server.good("/v2/rerank", dict(body, truncate_prompt_tokens=20))
        self.assertEqual(cut["usage"]["total_tokens"], 20)

    def test_search_ranks_what_it_found(self):
        reranker = self.path / "bert_sigmoid"
        texts, index = self.path / "texts.txt", self.path / "rows.npy"
        texts.write_text("".join(text.replace("\n", " ") + "\n" for text in self.documents))
        embd = lambda *arguments: subprocess.run([EMBD, *map(str, arguments)], check=True, capture_output=True).stdout
        embd("embed", texts, "-o", index, "-m", EMBEDDING_MODEL)
        queries = [self.query, "a cat"]
        asked = [argument for query in queries for argument in ("-q", query)]
        served = ["-m", EMBEDDING_MODEL, "--index", f"docs={index}", "--index", f"bare={index}", "--texts", f"docs={texts}"]
        with Server(*served, "--reranker", reranker) as server:
            for k, candidates in ((10, 100), (3, 7), (20, 5)):
                printed = embd("search", index, *asked, "-m", EMBEDDING_MODEL, "--texts", texts, "-k", k,
                               "--rerank", reranker, "--candidates", candidates)
                body = {"index": "docs", "texts": queries, "k": k, "rerank": True, "candidates": candidates}
                found = server.good("/search", body)
                for line, result in zip(printed.splitlines(), found["results"], strict=True):
                    for hit in result["hits"]:
                        self.assertAlmostEqual(hit.pop("similarity"), 1 - hit["distance"], places=6)
                        hit.pop("truncated", None)
                    self.assertEqual(result["hits"], json.loads(line)["hits"])
            plain = server.good("/search", {"index": "docs", "texts": queries, "rerank": False})
            self.assertNotIn("score", plain["results"][0]["hits"][0])
            self.assertGreater(found["usage"]["total_tokens"], plain["usage"]["total_tokens"])
            empty = server.good("/search", {"index": "docs", "texts": queries, "rerank": True, "filter": {"ids": []}})
            self.assertEqual(empty["results"], [{"hits": []}, {"hits": []}])
            text = {"texts": [self.query], "rerank": True}
            for wrong in ({"index": "bare", **text}, {"index": "docs", "vectors": [[0.5] * 32], "rerank": True},
                          {"index": "docs", "texts": ["a"], "candidates": 3}, {"index": "docs", **text, "candidates": 1001},
                          {"index": "docs", **text, "candidates": 0}, {"index": "docs", "texts": ["a" * 70000], "rerank": True}):
                self.refused(server, "/search", wrong, 400, "error")
        with Server(*served) as server:
            refusal = self.refused(server, "/search", {"index": "docs", **text}, 424, "error")
            self.assertIn("--reranker", refusal)

    def test_each_kind_of_model_says_what_it_cannot_do(self):
        works = {*RANKING_PATHS, "/score", "/v1/score", "/predict", "/api/show", "/api/pull"}
        for path in [path for path, methods in self.description["paths"].items() if "post" in methods and path not in works]:
            self.refused(self.server, path, {}, 424)
        info = self.server.good("/info")
        self.assertIn("reranker", info["model_type"])
        with Server("-m", EMBEDDING_MODEL) as server:
            for path, body in (("/rerank", {"query": "a", "texts": ["b"]}),
                               *((path, {"query": "a", "documents": ["b"]}) for path in RANKING_PATHS),
                               ("/score", {"text_1": "a", "text_2": "b"}), ("/v1/score", {"text_1": "a", "text_2": "b"}),
                               ("/predict", {"inputs": ["a", "b"]})):
                self.assertIn("--reranker", self.refused(server, path, body, 424))
        with Server("-m", EMBEDDING_MODEL, "--reranker", self.path / "bert_sigmoid") as server:
            self.assertEqual(len(server.good("/v1/embeddings", {"input": "a"})["data"]), 1)
            found = server.good("/rerank", {"query": self.query, "texts": self.documents})
            self.assertEqual([(hit["index"], hit["score"]) for hit in found], self.ranking())
        with Server("--reranker", self.path / "bert_sigmoid", "--model-name", "mine") as server:
            for path in RANKING_PATHS:
                body = {"query": "a", "documents": ["b"], "model": "other"}
                self.refused(server, path, body, 404, "error" if path in ("/rerank", "/api/rerank") else "message")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
