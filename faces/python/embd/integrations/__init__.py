"""embd in other packages: each module here makes embd usable in one of them, in the form that the package documents.

A module imports the package that it is named for. Nothing else in embd imports these modules, so embd itself needs
NumPy only. Where a function or class takes a `model`, it is a path, a name, or an embd.Model; for rerankers it is a
path, a name, or an embd.Reranker.
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
    """Returns an embd.Model: the given one, or a new one, opened from a path or name with these options."""
    from embd.model import Model

    return model if isinstance(model, Model) else Model(model, **options)


def open_reranker(reranker: RerankerOrName, **options: Any) -> Reranker:
    """Returns an embd.Reranker: the given one, or a new one, opened from a path or name with these options."""
    from embd.reranker import Reranker

    return reranker if isinstance(reranker, Reranker) else Reranker(reranker, **options)


def name_of(model: ModelOrName) -> str:
    """Returns the path or name that opens the model again, for configurations that are saved."""
    from embd.model import Model

    return model.path if isinstance(model, Model) else os.fspath(model)
