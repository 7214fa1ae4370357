"""embd.CrossEncoder: the class of this name in sentence-transformers 6.2, computed by embd.

It has the same arguments, defaults, shapes, types and kinds of errors. torch is imported only if tensors are asked for,
or an activation other than the sigmoid and the identity.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from embd.reranker import Reranker, texts_of_pairs
from embd.sentence_transformers.base import (
    BaseModel,
    as_asked,
    check_batch,
    check_device,
    import_torch,
    is_tensor,
    no_results,
    place_of,
    refuse_keywords,
    refuse_options,
    shows_progress,
)

if TYPE_CHECKING:
    import numpy as np
    from embd.model import Compute
    from embd.reranker import Activation
    from numpy.typing import NDArray

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
    """Returns keyword arguments under their present names. Warns if an old name is used."""
    named = {}
    for name, value in kwargs.items():
        if name in new_names:
            warnings.warn(f"`{name}` is now `{new_names[name]}`", DeprecationWarning, stacklevel=3)
        if name not in new_names or new_names[name] not in kwargs:
            named[new_names.get(name, name)] = value
    return named


def _takes_old_init(function: _Function) -> _Function:
    """Makes the constructor accept the names and the order that its arguments had before version 5.4."""

    @wraps(function)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs = {**dict(zip(_OLD_INIT_PLACES, args[1:])), **_renamed(kwargs, _OLD_INIT_NAMES)}
        function(self, *args[:1], **kwargs)

    return cast(_Function, wrapper)


def _takes_old_names(*ignored: str) -> Callable[[_Function], _Function]:
    """Makes a method accept old names of its arguments, and the arguments `ignored`, which no longer have an effect."""

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
    """A reranker with the interface of sentence_transformers.CrossEncoder.

    model_name_or_path: a model, as embd.Reranker takes it.
    cache_folder: a cache of Hugging Face's tools to search for the model, before their usual caches.
    activation_fn: a function from a tensor of logits to a tensor of scores. By default it is the activation that the
        model's configuration names.
    max_length: the number of tokens that a longer pair is cut to; by default the model's.
    num_labels: the number of the model's labels. Any other number raises ValueError.
    prompts, default_prompt_name: settings that replace the settings of the model.
    compute, threads: options of embd.Reranker. sentence-transformers does not have them.
    device: accepted for compatibility. embd computes on the processor, and warns if another device is given.
    trust_remote_code, revision, local_files_only, token, model_card_data: accepted for compatibility, without effect.
        embd never runs code of a model, and downloads nothing here.
    modules, model_kwargs, processor_kwargs, config_kwargs, keep_in_fp32_modules, backend: accepted with their default
        values only. Other values raise ValueError, because embd does not support what they would do to scores.
    """

    real_name = "CrossEncoder"
    default_huggingface_organization = "cross-encoder"
    model_type = "CrossEncoder"
    keep_in_fp32_modules = None
    model = None
    """None, because there is no model of transformers inside."""

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
        check_device(device)
        self._reranker = Reranker(place_of(model_name_or_path, cache_folder), compute=compute, threads=threads)
        if num_labels is not None and num_labels != self.num_labels:
            raise ValueError(
                f"num_labels is {num_labels}, expected {self.num_labels}, the number of labels of the model, because embd "
                "does not train models"
            )
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
    def max_length(self) -> int:
        """The older name of the property max_seq_length, until sentence-transformers 5.4. It warns when it is used."""
        warnings.warn("use max_seq_length", FutureWarning, stacklevel=2)
        return self._max_seq_length

    @max_length.setter
    def max_length(self, value: int) -> None:
        warnings.warn("use max_seq_length", FutureWarning, stacklevel=2)
        self._max_seq_length = value

    @property
    def activation_fn(self) -> Callable[[Any], Any]:
        """The activation: a function that turns a tensor of logits into a tensor of scores. It may be set."""
        return self.get_default_activation_fn() if self._activation_fn is None else self._activation_fn

    @activation_fn.setter
    def activation_fn(self, value: Callable[[Any], Any]) -> None:
        self._activation_fn = value

    @property
    def default_activation_function(self) -> Callable[[Any], Any]:
        """The older name of the property activation_fn, until sentence-transformers 5.4. It warns when it is used."""
        warnings.warn("use activation_fn", FutureWarning, stacklevel=2)
        return self.activation_fn

    def get_default_activation_fn(self) -> Callable[[Any], Any]:
        """Returns the activation that the model's configuration names, as a module of torch."""
        nn = import_torch().nn
        function: Callable[[Any], Any] = nn.Sigmoid() if self._reranker.activation == "sigmoid" else nn.Identity()
        return function

    def is_singular_input(self, inputs: Any) -> bool:
        """Returns true if predict() takes `inputs` as one pair, false if it takes it as a batch of pairs."""
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
        """Computes the scores of a pair of texts or of a batch of pairs.

        By default it returns float32 [n] for a batch, a number for a pair, and float64 [0] for an empty batch. A model
        with several labels gives [n, labels].

        prompt_name, prompt: the prompt that is put before the first text of a pair, by its name or as a string.
        batch_size: accepted for compatibility; it changes no byte of the result.
        show_progress_bar: show a progress bar; by default if the logger "embd" shows messages of level INFO.
        activation_fn: the function that makes scores of logits; by default the property activation_fn.
        apply_softmax: apply the softmax over the labels, if there are several.
        convert_to_tensor: return a tensor.
        convert_to_numpy: False returns a list of tensors.
        device, pool, chunk_size: accepted for compatibility. embd uses threads instead of devices and processes.

        Raises ValueError for an unknown keyword or prompt name, for a batch_size below 1, and for an item that is no
        pair of texts.
        """
        check_batch(batch_size)
        refuse_keywords("predict", set(kwargs))
        check_device(device)
        single = self.is_singular_input(inputs)
        first, second = _texts_of([_listed(inputs)] if single else inputs)
        if not first:
            return no_results(convert_to_numpy, convert_to_tensor)
        activation = activation_fn if activation_fn is not None else self._activation_fn
        prompt = self._resolve_prompt(prompt, prompt_name)
        scores = self._scores(first, second, prompt, activation, shows_progress(show_progress_bar))
        if apply_softmax and scores.ndim > 1:
            scores = _softmax(scores)
        return as_asked(
            scores, single=single, convert_to_numpy=convert_to_numpy, convert_to_tensor=convert_to_tensor
        )

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
        """Ranks documents for a query. Returns a list of {"corpus_id": place, "score": score}, best first.

        top_k: the number of documents to return; by default all.
        return_documents: add the document itself to each result, as "text".

        The other arguments are the same as in predict(). If an activation of the model rounds scores to the same
        number, these documents are ordered by their logits; in sentence-transformers they keep the order in which they
        were given. Raises ValueError for a model with several labels, and the errors of predict().
        """
        if self.num_labels != 1:
            raise ValueError(f"rank() needs a model with one label, but this model has {self.num_labels}: score pairs with predict()")
        check_batch(batch_size)
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
        """Returns the scores of pairs, [n] or [n, labels].

        The result is an array. If embd does not compute `activation` itself, `activation` gets the logits, and its
        result is returned.
        """
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


def _listed(inputs: Any) -> Any:
    """Returns an array or a column as a list; other inputs as they are."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(inputs, name):
            return getattr(inputs, name)()
    return inputs


def _texts_of(inputs: Any) -> tuple[list[str], list[str]]:
    """Returns the first texts of pairs and the second texts. Raises ValueError for an item that is no pair of texts."""
    try:
        return texts_of_pairs(_listed(inputs))
    except TypeError as error:
        raise ValueError(*error.args) from None


def _word_of(activation: Callable[[Any], Any] | None) -> Activation | None:
    """Returns embd's name of an activation that embd computes itself; None for any other function."""
    torch = sys.modules.get("torch")
    if torch is None or activation is None:
        return None
    if isinstance(activation, torch.nn.Identity):
        return "identity"
    sigmoids = (torch.sigmoid, torch.nn.functional.sigmoid, torch.special.expit)
    return "sigmoid" if isinstance(activation, torch.nn.Sigmoid) or activation in sigmoids else None


def _softmax(scores: Any) -> Any:
    """Returns the softmax of scores [n, labels] over the labels."""
    if is_tensor(scores):
        return scores.softmax(dim=1)
    import numpy as np

    powers: NDArray[np.float64] = np.exp(scores.astype(np.float64) - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
