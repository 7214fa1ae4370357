"""scikit-learn: its estimator checks, and everything that copies, pickles or asks an estimator."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import embd
import numpy as np
import pytest

pytest.importorskip("sklearn")

from embd.integrations.sklearn import EmbdVectorizer  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

MODEL = str(Path(__file__).resolve().parents[2] / "data" / "embd" / "plain.weights")


@parametrize_with_checks([EmbdVectorizer(MODEL)])
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_pipeline(model: embd.Model, texts: list[str]) -> None:
    vectorizer = EmbdVectorizer(MODEL, truncate_dim=8)
    assert np.array_equal(vectorizer.fit_transform(texts), model.encode(texts, truncate_dim=8))
    assert len(vectorizer.get_feature_names_out()) == 8
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    assert len(pickle.dumps(vectorizer)) < 1000
    classes = [i % 2 for i in range(len(texts) * 4)]
    pipeline = make_pipeline(EmbdVectorizer(MODEL), LogisticRegression())
    assert len(cross_val_score(pipeline, texts * 4, classes, cv=2, n_jobs=2)) == 2


def test_columns(model: embd.Model, texts: list[str]) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"number": range(len(texts)), "text": texts})
    columns = ColumnTransformer([("text", EmbdVectorizer(MODEL), "text"), ("number", "passthrough", ["number"])])
    assert columns.fit_transform(frame).shape == (len(texts), model.dim + 1)
    named = EmbdVectorizer(MODEL).set_output(transform="pandas").fit_transform(frame[["text"]])
    assert named.shape == (len(texts), model.dim)
    with pytest.raises(ValueError):
        EmbdVectorizer(MODEL).fit([1, 2])
    with pytest.raises(ValueError):
        EmbdVectorizer(MODEL).fit("a text")
