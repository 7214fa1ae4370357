"""embd in other packages, in the form that each documents.

A module here imports the package it is named for, and nothing else imports the modules here: embd itself needs NumPy
alone. Each takes as `model` a path, a name, or an embd.Model; a hook of rerankers takes an embd.Reranker so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from typing import TypeAlias

    from embd.model import Model
    from embd.reranker import Reranker

ModelOrName: TypeAlias = "Union[Model, str, os.PathLike[str]]"
RerankerOrName: TypeAlias = "Union[Reranker, str, os.PathLike[str]]"


def open_model(model: ModelOrName, **options: Any) -> Model:
    """An embd.Model, as it is, or opened with these options."""
    from embd.model import Model

    return model if isinstance(model, Model) else Model(model, **options)


def open_reranker(reranker: RerankerOrName, **options: Any) -> Reranker:
    """An embd.Reranker, as it is, or opened with these options."""
    from embd.reranker import Reranker

    return reranker if isinstance(reranker, Reranker) else Reranker(reranker, **options)


def name_of(model: ModelOrName) -> str:
    """Returns the settings that open the model again, for configurations that are saved."""
    from embd.model import Model

    return model.path if isinstance(model, Model) else os.fspath(model)
