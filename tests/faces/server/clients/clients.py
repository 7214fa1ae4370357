#!/usr/bin/env python3
"""Real clients against the real server:  clients.py EMBD MODEL [JS_FOLDER]

Each client embeds the same texts; each vector must be that of `embd embed`: every float of it, or its
bytes where the client is given base64. A client that is not installed is named and fails the run.
Node's and Go's clients are run as programs; JS_FOLDER holds node_modules with the packages that check_server.sh installs."""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

EMBD, MODEL = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
JS_FOLDER = sys.argv[3] if len(sys.argv) > 3 else None
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from server_process import ServerProcess  # noqa: E402
TEXTS = ["A cat sits on the mat.", "Ein Satz über Käse & \"Brot\".", "日本語のテキスト 😀", "the stock market " * 200]

os.environ.update(HF_HUB_DISABLE_TELEMETRY="1", ANONYMIZED_TELEMETRY="False", LITELLM_LOCAL_MODEL_COST_MAP="True",
                  HAYSTACK_TELEMETRY_ENABLED="False", NO_PROXY="127.0.0.1", no_proxy="127.0.0.1",
                  CO_API_KEY="k", OPENAI_API_KEY="k")


def expected():
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npy"
        subprocess.run([EMBD, "embed", "-m", MODEL, "-o", out], input="\n".join(TEXTS) + "\n", text=True, check=True)
        return np.load(out)


def openai_python(u):
    import openai
    client = openai.OpenAI(base_url=u + "/v1", api_key="k")
    answer = client.embeddings.create(model="m", input=TEXTS)
    assert answer.usage.prompt_tokens > 0
    floats = client.embeddings.create(model="m", input=TEXTS, encoding_format="float")
    # In the answer a float has the fewest digits that read back as the same float32.
    assert np.array_equal(*(np.array([d.embedding for d in a.data], np.float32) for a in (floats, answer)))
    assert len(client.embeddings.create(model="m", input=TEXTS[0], dimensions=64).data[0].embedding) == 64
    assert client.models.list().data[0].id
    try:
        client.embeddings.create(model="m", input="")
        raise AssertionError("an empty text was taken")
    except openai.BadRequestError as error:
        assert error.body["param"] == "input", error.body
    return [d.embedding for d in answer.data]


def langchain_openai(u):
    from langchain_openai import OpenAIEmbeddings
    model = OpenAIEmbeddings(model="m", base_url=u + "/v1", api_key="k", check_embedding_ctx_length=False)
    assert model.embed_query(TEXTS[0]) == model.embed_documents(TEXTS)[0]
    return model.embed_documents(TEXTS)


def langchain_ollama(u):
    from langchain_ollama import OllamaEmbeddings
    return OllamaEmbeddings(model="m", base_url=u).embed_documents(TEXTS)


def llama_index_tei(u):
    from llama_index.embeddings.text_embeddings_inference import TextEmbeddingsInference
    return TextEmbeddingsInference(model_name="m", base_url=u).get_text_embedding_batch(TEXTS)


def llama_index_openai(u):
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding
    # It puts spaces where the text has line ends; these texts have none.
    return OpenAILikeEmbedding(model_name="m", api_base=u + "/v1", api_key="k").get_text_embedding_batch(TEXTS)


def huggingface_hub(u):
    from huggingface_hub import InferenceClient
    client = InferenceClient(model=u)
    same = client.sentence_similarity("a cat", other_sentences=["a cat", "the stock market"])
    assert abs(same[0] - 1) < 1e-6 > same[1] - 1, same
    return [client.feature_extraction(text)[0] for text in TEXTS]


def chromadb(u):
    from chromadb.utils.embedding_functions import HuggingFaceEmbeddingServer
    return HuggingFaceEmbeddingServer(url=u + "/embed")(TEXTS)


def haystack(u):
    from haystack import Document
    from haystack.components.embedders import OpenAIDocumentEmbedder
    from haystack.utils import Secret
    embedder = OpenAIDocumentEmbedder(api_key=Secret.from_token("k"), model="m", api_base_url=u + "/v1",
                                      progress_bar=False)
    return [d.embedding for d in embedder.run([Document(content=text) for text in TEXTS])["documents"]]


def litellm(u):
    import litellm as client
    answer = client.embedding(model="openai/m", input=TEXTS, api_base=u + "/v1", api_key="k")
    return [d["embedding"] for d in answer.data]


def azure(u):
    import openai
    client = openai.AzureOpenAI(azure_endpoint=u, api_key="k", api_version="2024-10-21")
    return [d.embedding for d in client.embeddings.create(model="m", input=TEXTS).data]


def voyage(u):
    import voyageai
    client = voyageai.Client(api_key="k", base_url=u + "/v1")
    answer = client.embed(TEXTS, model="m", input_type="document")
    assert answer.total_tokens > 0
    cut = client.embed(TEXTS, model="m", output_dimension=64).embeddings
    assert [len(row) for row in cut] == [64] * len(TEXTS)
    codes = client.embed(TEXTS, model="m", output_dtype="int8").embeddings
    assert np.abs(np.array(codes) - 127 * np.array(answer.embeddings)).max() < 1
    bits = np.array(client.embed(TEXTS, model="m", output_dtype="ubinary").embeddings, np.uint8)
    assert np.array_equal(bits, np.packbits(np.array(answer.embeddings) > 0, axis=1))
    return answer.embeddings


def jina(u):
    """Jina's users post by hand: it has no package of its own."""
    import httpx
    body = {"model": "m", "input": TEXTS, "task": "retrieval.passage", "embedding_type": "base64", "normalized": True,
            "late_chunking": False}
    answer = httpx.post(u + "/v1/embeddings", json=body, trust_env=False).json()
    body = dict(body, late_chunking=True)
    refused = httpx.post(u + "/v1/embeddings", json=body, trust_env=False)
    assert refused.status_code == 400 and refused.json()["error"]["param"] == "late_chunking", refused.text
    return [np.frombuffer(base64.b64decode(d["embedding"]), np.float32) for d in answer["data"]]


def ollama(u):
    import ollama as client
    answer = client.Client(host=u).embed(model="m", input=TEXTS)
    assert answer.prompt_eval_count > 0
    assert client.Client(host=u).embeddings(model="m", prompt=TEXTS[0]).embedding == list(answer.embeddings[0])
    assert client.Client(host=u).list().models
    shown = client.Client(host=u).show("m")
    assert shown.capabilities == ["embedding"] and shown.modelinfo["bert.embedding_length"] == 384, shown
    assert client.Client(host=u).ps().models[0].size > 0
    assert client.Client(host=u).pull("m").status == "success"
    assert [step.status for step in client.Client(host=u).pull("m", stream=True)][-1] == "success"
    return answer.embeddings


def cohere(u):
    import cohere as client
    v2 = client.ClientV2(api_key="k", base_url=u)
    answer = v2.embed(model="m", texts=TEXTS, input_type="search_document", embedding_types=["float"])
    assert len(v2.embed(model="m", texts=TEXTS[:1], input_type="search_query",
                        embedding_types=["ubinary"]).embeddings.ubinary[0]) == 48
    codes = v2.embed(model="m", inputs=[{"content": [{"type": "text", "text": text}]} for text in TEXTS],
                     input_type="search_document", embedding_types=["int8", "uint8"]).embeddings
    assert np.abs(np.array(codes.int8) - 127 * np.array(answer.embeddings.float_)).max() < 1
    assert np.array_equal(np.array(codes.int8) + 128, codes.uint8)
    return answer.embeddings.float_


def program(command, folder, u):
    result = subprocess.run(command + [u + "/v1"], cwd=folder, input=json.dumps(TEXTS), text=True, capture_output=True,
                            timeout=600)
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout)


def readme(u):
    """The lines that the README has for OpenAI's client, and what it says they print."""
    text = (HERE.parents[3] / "README.md").read_text(encoding="utf-8")
    code, shown = re.search(r"```python\n(from openai.*?)```\n\n```\n(.*?)```", text, re.DOTALL).groups()
    printed = subprocess.run([sys.executable, "-c", code.replace("http://localhost:8080", u)], text=True,
                             capture_output=True, check=True).stdout
    assert printed == shown, printed
    return expected()


def mistral(u):
    from mistralai.client import Mistral
    client = Mistral(api_key="k", server_url=u)
    answer = client.embeddings.create(model="m", inputs=TEXTS)
    assert answer.id == client.embeddings.create(model="m", inputs=TEXTS).id
    return [d.embedding for d in answer.data]


def openai_node(u):
    return program(["node", str(HERE / "node" / "openai.mjs"), JS_FOLDER], JS_FOLDER, u)


def mistral_node(u):
    return program(["node", str(HERE / "node" / "mistral.mjs"), JS_FOLDER], JS_FOLDER, u)


def openai_go(u):
    return program(["go", "run", "."], HERE / "go", u)


CLIENTS = [openai_python, azure, voyage, jina, langchain_openai, langchain_ollama, llama_index_tei, llama_index_openai, huggingface_hub,
           chromadb, haystack, litellm, ollama, cohere, mistral, readme] + ([openai_node, mistral_node, openai_go] if JS_FOLDER else [])


def is_equal(client, url, want):
    try:
        rows = np.asarray(client(url), dtype=np.float64)
    except Exception as error:  # whatever a client throws, the others are still to be run
        print(f"{client.__name__:20} FAILED: {type(error).__name__}: {str(error)[:500]}")
        return False
    # A client may hand floats on as doubles of their decimals, which read back to the same float32.
    equal = rows.shape == want.shape and (rows.astype(np.float32) == want).all()
    print(f"{client.__name__:20} {'equal' if equal else 'OTHER VECTORS'}")
    return equal


def main():
    want = expected()
    with ServerProcess([EMBD, "serve", "-m", MODEL, "--port", "0"]) as server:
        failed = sum(not is_equal(client, server.url, want) for client in CLIENTS)
    sys.exit(1 if failed else 0)


main()
