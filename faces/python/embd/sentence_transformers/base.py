"""The base class of embd.SentenceTransformer and embd.CrossEncoder."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from embd.sentence_transformers.refused import refusal

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeVar

    Self = TypeVar("Self", bound="BaseModel")

logger = logging.getLogger("embd")


class BaseModel:
    """A model of embd with the interface of a class of sentence-transformers, whose name is `real_name`.

    If the package sentence-transformers is imported, isinstance(model, CLASS) is true for its class of this name.
    Programs ask this before they use a model. Attributes for features that embd does not have, such as training,
    modules of torch, adapters and uploads, raise an AttributeError that says why.
    """

    real_name: ClassVar[str]
    """The name of the class in sentence-transformers."""
    is_hpu_graph_enabled = False
    module_kwargs: dict[str, Any] | None = None
    transformers_model = None
    """None, because there is no model of transformers inside. `config` is None for the same reason."""
    config = None
    backend = "torch"
    training = False
    prompts: dict[str, str]
    default_prompt_name: str | None
    _max_seq_length: int

    # isinstance() asks for the type first, and then for this attribute.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        real = getattr(sys.modules.get("sentence_transformers"), type(self).real_name, None)
        return type(self) if real is None else real

    def __getattr__(self, name: str) -> Any:
        if name in ("device", "dtype"):  # Python asks here if the property raised AttributeError.
            raise AttributeError(f"{name!r} is a value of torch, but torch is not installed")
        raise AttributeError(refusal(type(self).real_name, name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty_model, (type(self),), vars(self)

    def _set_prompts(self, prompts: dict[str, str], default_prompt_name: str | None) -> None:
        """Sets the prompts and the name of the default prompt. Raises ValueError if no prompt has this name."""
        if default_prompt_name is not None and default_prompt_name not in prompts:
            raise ValueError(f"Default prompt name '{default_prompt_name}' not found in the prompts {list(prompts)!r}")
        self.prompts = prompts
        self.default_prompt_name = default_prompt_name

    def _resolve_prompt(self, prompt: str | None, prompt_name: str | None) -> str | None:
        """Returns the prompt for a call: the given prompt, the prompt of the given name, or the default prompt.

        Returns None if there is none of these. Raises ValueError if no prompt has the given name.
        """
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
    def max_seq_length(self) -> int:
        """The number of tokens that a longer text or pair is cut to, special tokens included.

        It may be set, up to the number of the model's positions.
        """
        return self._max_seq_length

    @max_seq_length.setter
    def max_seq_length(self, value: int) -> None:
        self._max_seq_length = value

    def get_max_seq_length(self) -> int:
        return self._max_seq_length

    @property
    def modalities(self) -> list[str]:
        return ["text"]

    def supports(self, modality: Any) -> bool:
        """Returns true if inputs may be of this modality. Only "text" is supported."""
        return modality in self.modalities

    def get_model_kwargs(self) -> list[str]:
        """Returns the names of further arguments that encode() passes to the model. There are none."""
        return []

    def get_backend(self) -> str:
        return self.backend

    # ---- where and how it runs ----

    @property
    def device(self) -> Any:
        return torch_of_attribute().device("cpu")

    @property
    def dtype(self) -> Any:
        return torch_of_attribute().float32

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Returns the model itself. It stays on the processor and computes float32.

        Warns if another device is given. Raises ValueError for another type than float32.
        """
        for value in (*args, *kwargs.values()):
            if str(value).startswith("torch.") and str(value) != "torch.float32":
                raise ValueError(
                    f"the type {value} was asked for, but embd gives float32: choose the arithmetic with the argument "
                    "`compute` of the constructor"
                )
            if not isinstance(value, bool):
                check_device(value)
        return self

    def cpu(self: Self) -> Self:
        """Returns the model itself, which runs on the processor anyway."""
        return self

    def float(self: Self) -> Self:
        """Returns the model itself, whose vectors are float32 anyway."""
        return self

    def share_memory(self: Self) -> Self:
        """Returns the model itself. Processes share the mapped file anyway."""
        return self

    def eval(self: Self) -> Self:
        """Sets `training` to False and returns the model itself."""
        return self.train(False)

    def train(self: Self, mode: bool = True) -> Self:
        """Sets `training` and returns the model itself. Nothing else changes: embd neither trains nor uses dropout."""
        self.training = mode
        return self

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Returns the model itself. Raises ValueError if gradients are asked for, because embd computes none."""
        if requires_grad:
            raise ValueError("embd computes no gradients: train the model with the class of sentence-transformers")
        return self

    def evaluate(self, evaluator: Any, output_path: str | None = None) -> Any:
        """Runs an evaluator of sentence-transformers and returns its result.

        output_path: the folder for the files that the evaluator writes. It is made if it does not exist.
        """
        if output_path is not None:
            os.makedirs(output_path, exist_ok=True)
        return evaluator(self, output_path)

    # ---- pools of processes: embd uses threads instead ----

    def start_multi_process_pool(self, target_devices: list[str] | None = None) -> dict[str, Any]:
        """Returns an empty pool. No process is started, because encode() uses all cores from this process."""
        return {"input": None, "output": None, "processes": []}

    @staticmethod
    def stop_multi_process_pool(pool: dict[str, Any]) -> None:
        """Does nothing, because start_multi_process_pool() starts no process."""


def refuse_options(backend: str, **options: Any) -> None:
    """Raises ValueError for options of sentence-transformers' class that would change the result.

    These options set up the modules, the tokenizer, the configuration or the backend of that class, which embd does not
    have.
    """
    for name, value in options.items():
        if value:
            raise ValueError(
                f"{name} applies to the class of sentence-transformers only, because embd computes without torch: "
                "leave it out"
            )
    if backend != "torch":
        raise ValueError(f"backend is {backend!r}, expected 'torch', in whose place embd computes")


def place_of(model_name_or_path: str | os.PathLike[str] | None, cache_folder: str | None) -> Path:
    """Returns the file or folder of a model, as find_model() finds it. Raises ValueError for None."""
    from embd._find_model import find_model

    if model_name_or_path is None:
        raise ValueError("no model was given, expected a name or a path")
    return find_model(model_name_or_path, cache_folder)


def _empty_model(model_class: type[BaseModel]) -> BaseModel:
    """Makes a model without attributes, which pickle then sets."""
    return model_class.__new__(model_class)


def check_device(device: Any) -> None:
    """Warns if a device other than the processor is given."""
    names = device if isinstance(device, (list, tuple)) else [device]
    others = [str(name) for name in names if name is not None and str(name).split(":")[0] != "cpu"]
    if others:
        warnings.warn(f"embd computes on the processor: the device {', '.join(others)} has no effect", stacklevel=3)


def shows_progress(show_progress_bar: bool | None) -> bool:
    """Returns `show_progress_bar`; for None, true if the logger "embd" shows messages of level INFO."""
    if show_progress_bar is None:
        return logger.getEffectiveLevel() in (logging.INFO, logging.DEBUG)
    return show_progress_bar


def check_batch(batch_size: int) -> None:
    """Raises ValueError for a batch_size below 1."""
    if batch_size <= 0:
        raise ValueError(f"batch_size must be a positive integer, got {batch_size}.")


def refuse_keywords(function: str, unknown: set[str]) -> None:
    """Raises ValueError if there are unknown keyword arguments."""
    if unknown:
        raise ValueError(f"{function}() got keyword arguments that this model does not use: {sorted(unknown)}")


def no_results(convert_to_numpy: bool, convert_to_tensor: bool) -> Any:
    """Returns the result for an empty batch: an empty tensor, list or array. The array is float64."""
    if convert_to_tensor:
        return import_torch().tensor([])
    if not convert_to_numpy:
        return []
    import numpy as np

    return np.array([])


def as_asked(rows: Any, *, single: bool, convert_to_numpy: bool, convert_to_tensor: bool) -> Any:
    """Converts the rows of a result to the form that a call asks for: an array, a tensor or a list of tensors.

    single: the call had a single input, so return its row alone.
    """
    if convert_to_tensor or not convert_to_numpy:
        tensor = import_torch().as_tensor(rows)
        if single:
            return tensor[0]
        return tensor if convert_to_tensor else list(tensor)
    if is_tensor(rows):
        rows = rows.float().numpy()
    return rows[0] if single else rows


def is_tensor(value: Any) -> bool:
    """Returns true for a tensor of torch."""
    return type(value).__module__.startswith("torch")


def import_torch() -> Any:
    """Imports torch and returns it."""
    import torch

    return torch


def torch_of_attribute() -> Any:
    """Imports torch for an attribute and returns it. Raises AttributeError without torch, so that hasattr() is false."""
    try:
        return import_torch()
    except ImportError as error:
        raise AttributeError(*error.args) from error


def try_torch() -> None:
    """Imports torch if it is installed, so that scores are tensors, as in the real class. Otherwise they are arrays."""
    try:
        import_torch()
    except ImportError:
        pass
