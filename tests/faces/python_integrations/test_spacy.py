from __future__ import annotations

import embd
import numpy as np
import pytest

spacy = pytest.importorskip("spacy")

import embd.integrations.spacy  # noqa: E402


def test_pipe(model: embd.Model, model_path: str, texts: list[str]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("embd", config={"model": model_path})
    rows = model.encode(texts)
    for processes in (1, 2):
        docs = list(nlp.pipe(texts, n_process=processes))
        assert np.array_equal(np.concatenate([doc.tensor for doc in docs]), rows)
    doc = spacy.tokens.Doc(nlp.vocab).from_bytes(nlp(texts[0]).to_bytes())
    assert np.array_equal(doc.tensor[0], rows[0])
    again = spacy.blank("en").from_config(nlp.config) if hasattr(nlp, "nothing") else spacy.util.load_model_from_config(nlp.config)
    assert np.array_equal(again(texts[0]).tensor[0], rows[0])
