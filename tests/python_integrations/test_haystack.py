from __future__ import annotations

import embd
import pytest

pytest.importorskip("haystack")

from haystack import Document, Pipeline  # noqa: E402
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever  # noqa: E402
from haystack.document_stores.in_memory import InMemoryDocumentStore  # noqa: E402
from haystack_integrations.components.embedders.embd import EmbdDocumentEmbedder, EmbdTextEmbedder  # noqa: E402


def test_pipeline(model: embd.Model, model_path: str, texts: list[str]) -> None:
    documents = [Document(content=text, meta={"title": "T"}) for text in texts]
    embedded = EmbdDocumentEmbedder(model_path).run(documents)["documents"]
    assert [document.embedding for document in embedded] == model.encode(texts).tolist()
    assert documents[0].embedding is None
    titled = EmbdDocumentEmbedder(model_path, meta_fields_to_embed=["title"]).run(documents[:1])["documents"]
    assert titled[0].embedding == model.encode("T\n" + texts[0]).tolist()

    store = InMemoryDocumentStore()
    store.write_documents(embedded)
    pipeline = Pipeline()
    pipeline.add_component("embedder", EmbdTextEmbedder(model_path))
    pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store, top_k=1))
    pipeline.connect("embedder.embedding", "retriever.query_embedding")
    assert pipeline.run({"embedder": {"text": texts[2]}})["retriever"]["documents"][0].content == texts[2]
    again = Pipeline.loads(pipeline.dumps())
    assert again.get_component("embedder").model == model_path


def test_what_is_refused(model_path: str) -> None:
    with pytest.raises(TypeError):
        EmbdTextEmbedder(model_path).run(["a"])
    with pytest.raises(TypeError):
        EmbdDocumentEmbedder(model_path).run("a")
