#!/usr/bin/env python3
"""Real clients of rerankers against the real server:  rerank_clients.py EMBD [JS_FOLDER]

Each client ranks the same documents; its order and its scores must be those of `embd rerank`. The model is a golden
cross-encoder of tests/data. A client that is not installed is named and fails the run."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EMBD = os.path.abspath(sys.argv[1])
JS_FOLDER = sys.argv[2] if len(sys.argv) > 2 else None
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "python")]
from golden_rerankers import copy_reranker, golden_pairs  # noqa: E402
from server_process import ServerProcess  # noqa: E402

QUERY = "how much is the ticket"
# Short ones: litellm asks TEI to refuse what would be cut.
DOCUMENTS = [text for _, text in golden_pairs("bert_sigmoid") if 0 < len(text) <= 40][:40]

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", HAYSTACK_TELEMETRY_ENABLED="False", NO_PROXY="127.0.0.1",
                  no_proxy="127.0.0.1", CO_API_KEY="k", JINA_API_KEY="k", JINAAI_API_KEY="k")


def expected(model):
    """(place, score) of each document, the best first."""
    with tempfile.TemporaryDirectory() as folder:
        texts = pathlib.Path(folder) / "texts.jsonl"
        texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
        line = subprocess.run([EMBD, "rerank", texts, "-q", QUERY, "-m", model, "-k", str(len(DOCUMENTS))], check=True,
                              capture_output=True).stdout
    return [(hit["id"], hit["score"]) for hit in json.loads(line)["hits"]]


def cohere_v2(u):
    import cohere
    answer = cohere.ClientV2(api_key="k", base_url=u).rerank(model="m", query=QUERY, documents=DOCUMENTS)
    return [(hit.index, hit.relevance_score) for hit in answer.results]


def cohere_v1(u):
    import cohere
    answer = cohere.Client(api_key="k", base_url=u).rerank(query=QUERY, documents=[{"text": text} for text in DOCUMENTS],
                                                           return_documents=True)
    assert [hit.document.text for hit in answer.results] == [DOCUMENTS[hit.index] for hit in answer.results]
    return [(hit.index, hit.relevance_score) for hit in answer.results]


def of_litellm(model):
    def client(u):
        import litellm
        base = u + "/v1/rerank" if model.startswith("jina") else u
        # Of one request infinity's provider expects a document to be a str, and the other three an object.
        answer = litellm.rerank(model=model, query=QUERY, documents=DOCUMENTS, api_base=base, api_key="k",
                                top_n=len(DOCUMENTS), return_documents=not model.startswith("infinity"))
        return [(hit["index"], hit["relevance_score"]) for hit in answer.results]
    client.__name__ = "litellm_" + model.split("/")[0]
    return client


def infinity_client(u):
    from infinity_client import Client
    from infinity_client.api.default import rerank
    from infinity_client.models import RerankInput
    answer = rerank.sync(client=Client(base_url=u), body=RerankInput(query=QUERY, documents=DOCUMENTS, model="m"))
    return [(hit.index, hit.relevance_score) for hit in answer.results]


def langchain_cohere(u):
    from langchain_cohere import CohereRerank
    hits = CohereRerank(model="m", cohere_api_key="k", base_url=u, top_n=len(DOCUMENTS)).rerank(DOCUMENTS, QUERY)
    return [(hit["index"], hit["relevance_score"]) for hit in hits]


def llama_index_nodes():
    from llama_index.core.schema import NodeWithScore, TextNode
    return [NodeWithScore(node=TextNode(text=text, id_=str(i)), score=0.5) for i, text in enumerate(DOCUMENTS)]


def ranked_nodes(postprocessor):
    return [(int(hit.node.id_), hit.score)
            for hit in postprocessor.postprocess_nodes(llama_index_nodes(), query_str=QUERY)]


def llama_index_tei(u):
    from llama_index.postprocessor.tei_rerank import TextEmbeddingInference
    return ranked_nodes(TextEmbeddingInference(model_name="m", base_url=u, top_n=len(DOCUMENTS)))


def llama_index_cohere(u):
    from llama_index.postprocessor.cohere_rerank import CohereRerank
    return ranked_nodes(CohereRerank(api_key="k", model="m", base_url=u, top_n=len(DOCUMENTS)))


def llama_index_jina(u):
    from llama_index.postprocessor.jinaai_rerank import JinaRerank
    return ranked_nodes(JinaRerank(api_key="k", model="m", base_url=u + "/v1", top_n=len(DOCUMENTS)))


def ranked_documents(ranker):
    from haystack import Document
    documents = [Document(content=text, id=str(i)) for i, text in enumerate(DOCUMENTS)]
    return [(int(document.id), document.score) for document in ranker.run(QUERY, documents)["documents"]]


def haystack_cohere(u):
    from haystack.utils import Secret
    from haystack_integrations.components.rankers.cohere import CohereRanker
    return ranked_documents(CohereRanker(model="m", top_k=len(DOCUMENTS), api_key=Secret.from_token("k"), api_base_url=u))


def haystack_jina(u):
    from haystack.utils import Secret
    from haystack_integrations.components.rankers.jina import JinaRanker
    return ranked_documents(JinaRanker(model="m", top_k=len(DOCUMENTS), api_key=Secret.from_token("k"),
                                       base_url=u + "/v1/rerank"))


def of_package(name):
    def client(u):
        asked = json.dumps({"query": QUERY, "documents": DOCUMENTS})
        done = subprocess.run(["node", HERE / "node" / "rerank.mjs", name, JS_FOLDER, u], input=asked, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return [tuple(hit) for hit in json.loads(done.stdout)]
    client.__name__ = name
    return client


LITELLM = [of_litellm(f"{provider}/m") for provider in ("cohere", "jina_ai", "hosted_vllm", "huggingface", "infinity")]
CLIENTS = [cohere_v2, cohere_v1, *LITELLM, infinity_client, langchain_cohere, llama_index_tei, llama_index_cohere,
           llama_index_jina, haystack_cohere, haystack_jina, *map(of_package, ("voyageai", "@mixedbread/sdk") if JS_FOLDER else ())]


def is_equal(client, url, want):
    try:
        found = client(url)
    except Exception as error:  # whatever a client throws, the others are still to be run
        print(f"{client.__name__:20} FAILED: {type(error).__name__}: {str(error)[:500]}")
        return False
    print(f"{client.__name__:20} {'equal' if found == want else 'OTHER SCORES'}")
    return found == want


def main():
    with tempfile.TemporaryDirectory() as folder:
        model = copy_reranker("bert_sigmoid", pathlib.Path(folder))
        want = expected(model)
        with ServerProcess([EMBD, "serve", "--reranker", model, "--port", "0"]) as server:
            failed = sum(not is_equal(client, server.url, want) for client in CLIENTS)
    sys.exit(1 if failed else 0)


main()
