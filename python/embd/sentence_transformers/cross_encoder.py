"""embd.CrossEncoder: sentence-transformers 6.2's class of this name, on our engine.

The same arguments, defaults, shapes, types and kinds of error; torch is imported only where tensors, or activations
other than the sigmoid and the identity, are asked for.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from embd.reranker import Reranker, texts_of_pairs
from embd.sentence_transformers.base import BaseModel, check_device, empty_array, import_torch, refuse_options

if TYPE_CHECKING:
    import numpy as np
    from embd.model import Compute
    from embd.reranker import Activation
    from numpy.typing import NDArray

logger = logging.getLogger("embd")

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OLD_INIT_NAMES = {
    "model_name": "model_name_or_path",
    "automodel_args": "model_kwargs",
    "tokenizer_args": "processor_kwargs",
    "tokenizer_kwargs": "processor_kwargs",
    "config_args": "config_kwargs",
    "cache_dir": "cache_folder",
    "default_activation_function": "activation_fn",
}
_OLD_INIT_PLACES = ("num_labels", "max_length", "activation_fn", "device")
_OLD_NAMES = {"sentences": "inputs", "activation_fct": "activation_fn"}


def _renamed(kwargs: dict[str, Any], new_names: Mapping[str, str]) -> dict[str, Any]:
    """Returns the arguments by their names of today, and warns of older ones."""
    named = {}
    for name, value in kwargs.items():
        if name in new_names:
            warnings.warn(f"`{name}` is now `{new_names[name]}`", DeprecationWarning, stacklevel=3)
        if name not in new_names or new_names[name] not in kwargs:
            named[new_names.get(name, name)] = value
    return named


def _takes_old_init(function: _Function) -> _Function:
    """Also takes the names and places that arguments of the constructor had before 5.4."""

    @wraps(function)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs = {**dict(zip(_OLD_INIT_PLACES, args[1:])), **_renamed(kwargs, _OLD_INIT_NAMES)}
        function(self, *args[:1], **kwargs)

    return cast(_Function, wrapper)


def _takes_old_names(*ignored: str) -> Callable[[_Function], _Function]:
    """Also takes the names that arguments had before, and those that have no effect any more."""

    def decorator(function: _Function) -> _Function:
        @wraps(function)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            for name in ignored:
                if name in kwargs:
                    warnings.warn(f"`{name}` has no effect", DeprecationWarning, stacklevel=2)
                    del kwargs[name]
            return function(self, *args, **_renamed(kwargs, _OLD_NAMES))

        return cast(_Function, wrapper)

    return decorator


class CrossEncoder(BaseModel):
    """A reranker, with the interface of sentence_transformers.CrossEncoder.

    model_name_or_path: as embd.Reranker takes it; `cache_folder` is looked in first.
    activation_fn: a function of tensors of logits. By default the one that the model's configuration names.
    max_length: tokens a pair is cut to. num_labels: ValueError unless the model has as many.
    prompts, default_prompt_name: override what the model says.
    compute, threads: as embd.Reranker takes them; not in sentence-transformers.
    device: all runs on the processor; another device is answered by a warning.
    trust_remote_code, revision, local_files_only, token, model_card_data: accepted, without effect: no code of a model
        is run, nothing is downloaded.
    modules, model_kwargs, processor_kwargs, config_kwargs, keep_in_fp32_modules, a backend other than "torch":
        ValueError, they would change scores in ways the engine has not.
    """

    real_name = "CrossEncoder"
    default_huggingface_organization = "cross-encoder"
    model_type = "CrossEncoder"
    keep_in_fp32_modules = None
    model = None
    """None: there is no model of transformers inside."""

    @_takes_old_init
    def __init__(
        self,
        model_name_or_path: str | os.PathLike[str] | None = None,
        *,
        modules: Any = None,
        device: Any = None,
        prompts: Mapping[str, str] | None = None,
        default_prompt_name: str | None = None,
        cache_folder: str | None = None,
        trust_remote_code: bool = False,
        revision: str | None = None,
        local_files_only: bool = False,
        token: bool | str | None = None,
        model_kwargs: dict[str, Any] | None = None,
        processor_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        model_card_data: Any = None,
        backend: Literal["torch", "onnx", "openvino"] = "torch",
        num_labels: int | None = None,
        max_length: int | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        keep_in_fp32_modules: list[str] | None = None,
        compute: Compute = "f32",
        threads: int = 0,
    ) -> None:
        refuse_options(
            backend,
            modules=modules,
            model_kwargs=model_kwargs,
            processor_kwargs=processor_kwargs,
            config_kwargs=config_kwargs,
            keep_in_fp32_modules=keep_in_fp32_modules,
        )
        if model_name_or_path is None:
            raise ValueError("a model's name or path is needed")
        from embd._find_model import find_model

        check_device(device)
        self._reranker = Reranker(find_model(model_name_or_path, cache_folder), compute=compute, threads=threads)
        if num_labels is not None and num_labels != self.num_labels:
            raise ValueError(f"num_labels {num_labels}: the model has {self.num_labels}, and is not trained here")
        self._max_seq_length = self._reranker.max_seq_length if max_length is None else max_length
        self._activation_fn = activation_fn
        self.trust_remote_code = trust_remote_code
        self.model_card_data = model_card_data
        named = {name: text for name, text in self._reranker.prompts.items() if text}
        self._set_prompts({**named, **(prompts or {})}, default_prompt_name or self._reranker.default_prompt_name)

    def __repr__(self) -> str:
        return f"embd.CrossEncoder({self._reranker.path!r})"

    # ---- what the model is ----

    @property
    def num_labels(self) -> int:
        return len(self._reranker.labels)

    @property
    def max_seq_length(self) -> int:
        """Tokens a pair is cut to, special ones counted. May be set, up to the model's positions."""
        return self._max_seq_length

    @max_seq_length.setter
    def max_seq_length(self, value: int) -> None:
        self._max_seq_length = value

    def get_max_seq_length(self) -> int:
        return self._max_seq_length

    @property
    def max_length(self) -> int:
        """The name of max_seq_length before 5.4."""
        warnings.warn("use max_seq_length", FutureWarning, stacklevel=2)
        return self._max_seq_length

    @max_length.setter
    def max_length(self, value: int) -> None:
        warnings.warn("use max_seq_length", FutureWarning, stacklevel=2)
        self._max_seq_length = value

    @property
    def activation_fn(self) -> Callable[[Any], Any]:
        """The activation that makes scores of logits, a function of tensors. May be set."""
        return self.get_default_activation_fn() if self._activation_fn is None else self._activation_fn

    @activation_fn.setter
    def activation_fn(self, value: Callable[[Any], Any]) -> None:
        self._activation_fn = value

    @property
    def default_activation_function(self) -> Callable[[Any], Any]:
        """The name of activation_fn before 5.4."""
        warnings.warn("use activation_fn", FutureWarning, stacklevel=2)
        return self.activation_fn

    def get_default_activation_fn(self) -> Callable[[Any], Any]:
        """The activation that the model's configuration names, as a module of torch."""
        nn = import_torch().nn
        function: Callable[[Any], Any] = nn.Sigmoid() if self._reranker.activation == "sigmoid" else nn.Identity()
        return function

    def is_singular_input(self, inputs: Any) -> bool:
        """Whether predict() takes it as one pair and no batch."""
        if isinstance(inputs, (list, tuple)):
            return len(inputs) > 0 and not isinstance(inputs[0], (list, tuple))
        kind = getattr(getattr(inputs, "dtype", None), "kind", None)
        if hasattr(inputs, "ndim") and kind in ("U", "O"):
            return bool(inputs.size > 0 and inputs.ndim < 2)
        return not (hasattr(inputs, "__len__") and hasattr(inputs, "__getitem__")) or isinstance(inputs, (str, dict))

    # ---- scores ----

    @_takes_old_names("num_workers")
    def predict(
        self,
        inputs: Any,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        apply_softmax: bool | None = False,
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: Any = None,
        pool: Any = None,
        chunk_size: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """The scores of a pair of texts or of a batch of pairs.

        Returns by default float32 [n], a number for a single pair, [n, labels] of a model with several labels, and
        float64 [0] for an empty batch; a tensor with convert_to_tensor, a list of tensors without convert_to_numpy.
        apply_softmax: over the labels, where there are several. `device`, `pool` and `chunk_size` are accepted: threads
        do what processes do there. `batch_size` changes no byte. Raises ValueError for an unknown keyword, prompt name
        or a batch_size below 1, and for what is no pair of texts.
        """
        if show_progress_bar is None:
            show_progress_bar = logger.getEffectiveLevel() in (logging.INFO, logging.DEBUG)
        _check_batch(batch_size, kwargs)
        check_device(device)
        single = self.is_singular_input(inputs)
        first, second = _texts_of([_listed(inputs)] if single else inputs)
        if not first:
            if convert_to_tensor:
                return import_torch().tensor([])
            return empty_array() if convert_to_numpy else []
        activation = activation_fn if activation_fn is not None else self._activation_fn
        scores = self._scores(first, second, self._resolve_prompt(prompt, prompt_name), activation, show_progress_bar)
        if apply_softmax and scores.ndim > 1:
            scores = _softmax(scores)
        if convert_to_tensor or not convert_to_numpy:
            tensor = import_torch().as_tensor(scores)
            if single:
                return tensor[0]
            return tensor if convert_to_tensor else list(tensor)
        if _is_tensor(scores):
            scores = scores.float().numpy()
        return scores[0] if single else scores

    @_takes_old_names("num_workers", "apply_softmax", "convert_to_numpy", "convert_to_tensor")
    def rank(
        self,
        query: str,
        documents: Any,
        top_k: int | None = None,
        return_documents: bool = False,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        device: Any = None,
        pool: Any = None,
        chunk_size: int | None = None,
    ) -> list[dict[Literal["corpus_id", "score", "text"], Any]]:
        """The documents in the order of their scores for a query: {"corpus_id", "score"} and, with return_documents,
        "text", of each of the best top_k.

        Documents whose scores an activation of the model rounds to the same number stand in the order of their logits
        (sentence-transformers: in that of the documents). Raises ValueError for a model with several labels, and as
        predict() does.
        """
        if self.num_labels != 1:
            raise ValueError(f"rank() is for models with one label, and this has {self.num_labels}: predict() scores pairs")
        _check_batch(batch_size, {})
        check_device(device)
        texts = list(documents)
        first, second = _texts_of([(query, text) for text in texts])
        activation = activation_fn if activation_fn is not None else self._activation_fn
        prompt = self._resolve_prompt(prompt, prompt_name)
        word = _word_of(activation)
        if activation is None or word is not None:
            ranked = self._reranker.rank(
                query, second, activation=word, prompt=prompt or "", max_length=self._max_seq_length
            )
            order = [(document.index, document.score) for document in ranked]
        else:
            scores = self._scores(first, second, prompt, activation, bool(show_progress_bar)).tolist() if first else []
            order = sorted(enumerate(scores), key=lambda item: item[1], reverse=True)
        results: list[dict[Any, Any]] = [{"corpus_id": index, "score": score} for index, score in order[:top_k]]
        if return_documents:
            for result in results:
                result["text"] = texts[result["corpus_id"]]
        return results

    def _scores(
        self,
        first: list[str],
        second: list[str],
        prompt: str | None,
        activation: Callable[[Any], Any] | None,
        show_progress_bar: bool,
    ) -> Any:
        """[n] or [n, labels]: an array, or what an activation makes of a tensor of logits."""
        word = _word_of(activation)
        of_engine = activation is None or word is not None
        scores = self._reranker.score(
            list(zip(first, second)),
            activation=word if of_engine else "identity",
            prompt=prompt or "",
            max_length=self._max_seq_length,
            progress=show_progress_bar,
        )
        if of_engine:
            return scores
        assert activation is not None
        logits = import_torch().from_numpy(scores).reshape(len(first), self.num_labels)
        activated = activation(logits)
        return activated.squeeze(-1) if self.num_labels == 1 and activated.ndim > 1 else activated


def _check_batch(batch_size: int, kwargs: dict[str, Any]) -> None:
    if batch_size <= 0:
        raise ValueError(f"batch_size must be a positive integer, got {batch_size}.")
    if unknown := set(kwargs):
        raise ValueError(f"predict() got keyword arguments that this model does not use: {sorted(unknown)}")


def _listed(inputs: Any) -> Any:
    """An array or a column as a list."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(inputs, name):
            return getattr(inputs, name)()
    return inputs


def _texts_of(inputs: Any) -> tuple[list[str], list[str]]:
    try:
        return texts_of_pairs(_listed(inputs))
    except TypeError as error:
        raise ValueError(str(error)) from None


def _word_of(activation: Callable[[Any], Any] | None) -> Activation | None:
    """The engine's word for an activation that it computes itself; None for another function."""
    torch = sys.modules.get("torch")
    if torch is None or activation is None:
        return None
    if isinstance(activation, torch.nn.Identity):
        return "identity"
    sigmoids = (torch.sigmoid, torch.nn.functional.sigmoid, torch.special.expit)
    return "sigmoid" if isinstance(activation, torch.nn.Sigmoid) or activation in sigmoids else None


def _is_tensor(scores: Any) -> bool:
    return type(scores).__module__.startswith("torch")


def _softmax(scores: Any) -> Any:
    if _is_tensor(scores):
        return scores.softmax(dim=1)
    import numpy as np

    powers: NDArray[np.float64] = np.exp(scores.astype(np.float64) - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
