"""The base class of embd.SentenceTransformer and embd.CrossEncoder, as sentence-transformers has one."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from embd.sentence_transformers.refused import refusal

if TYPE_CHECKING:
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    Self = TypeVar("Self", bound="BaseModel")

logger = logging.getLogger("embd")


class BaseModel:
    """A model of the engine behind the interface of sentence_transformers' class `real_name`.

    isinstance(model, that class) is true where the package is imported: programs ask so before they use a model. What
    the engine has not (training, modules of torch, adapters, uploads) raises AttributeError, which says so.
    """

    real_name: ClassVar[str]
    is_hpu_graph_enabled = False
    module_kwargs: dict[str, Any] | None = None
    transformers_model = None
    """None: there is no model of transformers inside; `config` is None for the same reason."""
    config = None
    backend = "torch"
    training = False
    prompts: dict[str, str]
    default_prompt_name: str | None

    # isinstance() looks at the type first, then at this.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        real = getattr(sys.modules.get("sentence_transformers"), type(self).real_name, None)
        return type(self) if real is None else real

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(refusal(type(self).real_name, name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty_model, (type(self),), vars(self)

    def _set_prompts(self, prompts: dict[str, str], default_prompt_name: str | None) -> None:
        """Raises ValueError for a name that is not among the prompts."""
        if default_prompt_name is not None and default_prompt_name not in prompts:
            raise ValueError(f"Default prompt name '{default_prompt_name}' not found in the prompts {list(prompts)!r}")
        self.prompts = prompts
        self.default_prompt_name = default_prompt_name

    def _resolve_prompt(self, prompt: str | None, prompt_name: str | None) -> str | None:
        if prompt is not None:
            if prompt_name is not None:
                logger.warning("both `prompt` and `prompt_name` are given: the name is ignored")
            return prompt
        if prompt_name is None:
            return self.prompts.get(self.default_prompt_name) if self.default_prompt_name is not None else None
        if prompt_name not in self.prompts:
            raise ValueError(f"Prompt name '{prompt_name}' not found in the prompts {list(self.prompts)!r}")
        return self.prompts[prompt_name]

    # ---- what the model is ----

    @property
    def modalities(self) -> list[str]:
        return ["text"]

    def supports(self, modality: Any) -> bool:
        """Whether inputs may be of this kind: "text" alone."""
        return modality in self.modalities

    def get_model_kwargs(self) -> list[str]:
        """Names of further arguments of encode(): none."""
        return []

    def get_backend(self) -> str:
        return self.backend

    # ---- where and how it runs ----

    @property
    def device(self) -> Any:
        return import_torch().device("cpu")

    @property
    def dtype(self) -> Any:
        return import_torch().float32

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Itself. Warns of another device than the processor; ValueError for another type than float32."""
        for value in (*args, *kwargs.values()):
            if str(value).startswith("torch.") and str(value) != "torch.float32":
                raise ValueError(f"{value}: the engine gives float32; `compute` of the constructor chooses its arithmetic")
            if not isinstance(value, bool):
                check_device(value)
        return self

    def cpu(self: Self) -> Self:
        """Itself: it is where it runs."""
        return self

    def float(self: Self) -> Self:
        """Itself: its vectors are float32."""
        return self

    def share_memory(self: Self) -> Self:
        """Itself: processes share the mapped file."""
        return self

    def eval(self: Self) -> Self:
        return self.train(False)

    def train(self: Self, mode: bool = True) -> Self:
        """Itself. Nothing but `training` changes: there is no dropout and nothing to be trained."""
        self.training = mode
        return self

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Itself; ValueError for gradients, of which there are none."""
        if requires_grad:
            raise ValueError("the engine has no gradients: the real class can be trained")
        return self

    def evaluate(self, evaluator: Any, output_path: str | None = None) -> Any:
        """Returns the result of an evaluator of sentence-transformers; output_path: a folder for the files that it writes."""
        if output_path is not None:
            os.makedirs(output_path, exist_ok=True)
        return evaluator(self, output_path)

    # ---- pools: what they are for, threads do ----

    def start_multi_process_pool(self, target_devices: list[str] | None = None) -> dict[str, Any]:
        """Nothing to be started: encode() uses the cores that there are, in this process."""
        return {"input": None, "output": None, "processes": []}

    @staticmethod
    def stop_multi_process_pool(pool: dict[str, Any]) -> None:
        """Nothing to be stopped."""


def refuse_options(backend: str, **options: Any) -> None:
    """Raises ValueError for options of the real class that would change what is computed in ways the engine has not."""
    for name, value in options.items():
        if value:
            raise ValueError(f"{name} is for sentence-transformers' own class: the engine computes by itself, without torch")
    if backend != "torch":
        raise ValueError(f"backend {backend!r}: embd computes by itself, in place of the backend 'torch'")


def _empty_model(model_class: type[BaseModel]) -> BaseModel:
    return model_class.__new__(model_class)


def check_device(device: Any) -> None:
    """Warns of devices that are not the processor."""
    names = device if isinstance(device, (list, tuple)) else [device]
    others = [str(name) for name in names if name is not None and str(name).split(":")[0] != "cpu"]
    if others:
        warnings.warn(f"embd computes on the processor: the device {', '.join(others)} has no effect", stacklevel=3)


def empty_array() -> NDArray[np.float64]:
    import numpy as np

    return np.array([])


def import_torch() -> Any:
    import torch

    return torch


def try_torch() -> None:
    """So that scores are tensors, as they are of the real class; where there is no torch, they are arrays."""
    try:
        import_torch()
    except ImportError:
        pass
