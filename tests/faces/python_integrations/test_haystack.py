from __future__ import annotations

import embd
import pytest

pytest.importorskip("haystack")

from haystack import Document, Pipeline  # noqa: E402
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever  # noqa: E402
from haystack.document_stores.in_memory import InMemoryDocumentStore  # noqa: E402
from haystack_integrations.components.embedders.embd import EmbdDocumentEmbedder, EmbdTextEmbedder  # noqa: E402
from haystack_integrations.components.rankers.embd import EmbdRanker  # noqa: E402


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


def test_ranker(reranker: embd.Reranker, reranker_path: str, texts: list[str]) -> None:
    documents = [Document(content=text) for text in texts]
    ranked = reranker.rank("a cat", texts)
    found = EmbdRanker(reranker_path, top_k=3).run("a cat", [*documents, documents[0]])["documents"]
    assert [(document.content, document.score) for document in found] == [(texts[each.index], each.score) for each in ranked[:3]]
    assert documents[0].score is None
    logits = EmbdRanker(reranker_path, scale_score=False).run("a cat", documents)["documents"]
    assert [document.score for document in logits] == [each.logit for each in ranked]
    above = EmbdRanker(reranker_path).run("a cat", documents, score_threshold=ranked[1].score)["documents"]
    assert len(above) == 2 and EmbdRanker(reranker_path).run("a cat", [])["documents"] == []
    titled = EmbdRanker(reranker_path, meta_fields_to_embed=["title"]).run(
        "a cat", [Document(content=texts[0], meta={"title": "T"})]
    )
    assert titled["documents"][0].score == reranker.rank("a cat", ["T\n" + texts[0]])[0].score
    pipeline = Pipeline()
    pipeline.add_component("ranker", EmbdRanker(reranker_path, top_k=2))
    again = Pipeline.loads(pipeline.dumps())
    assert again.run({"ranker": {"query": "a cat", "documents": documents}})["ranker"]["documents"] == found[:2]
    with pytest.raises(ValueError):
        EmbdRanker(reranker_path, top_k=0)
