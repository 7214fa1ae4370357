"""embd.SentenceTransformer: sentence-transformers 6.2's class of this name, on our engine.

The same arguments, defaults, shapes, types and kinds of error; torch is imported only where tensors are asked for.
What needs the real class (isinstance, modules, training) is served by embd.integrations.sentence_transformers.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from embd import _precision
from embd.model import Compute, Model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger("embd")

_PRECISIONS = ("float32", "int8", "uint8", "binary", "ubinary")
_SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _takes_sentences(function: _Function) -> _Function:
    """`sentences=`, the name of `inputs` before 5.4, with a warning."""

    @wraps(function)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "sentences" in kwargs:
            if "inputs" in kwargs or args:
                raise TypeError(f"{function.__name__}() got both 'sentences' and 'inputs'")
            warnings.warn("`sentences` is now `inputs`", DeprecationWarning, stacklevel=2)
            kwargs["inputs"] = kwargs.pop("sentences")
        return function(self, *args, **kwargs)

    return wrapper  # type: ignore[return-value]


class SentenceTransformer:
    """A model, with the interface of sentence_transformers.SentenceTransformer.

    model_name_or_path: as embd.Model takes it; `cache_folder` is looked in first.
    prompts, default_prompt_name, similarity_fn_name, truncate_dim: override what the model's folder says.
    compute, threads: as embd.Model takes them; not in sentence-transformers.
    device, trust_remote_code, revision, local_files_only, token, model_card_data: accepted, without effect: all runs
        on the processor, no code of a model is run, nothing is downloaded.
    modules, model_kwargs, processor_kwargs, config_kwargs, backend other than "torch": ValueError, they would change
        vectors in ways the engine has not.
    """

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
        similarity_fn_name: str | None = None,
        truncate_dim: int | None = None,
        compute: Compute = "f32",
        threads: int = 0,
    ) -> None:
        for name, value in (
            ("modules", modules),
            ("model_kwargs", model_kwargs),
            ("processor_kwargs", processor_kwargs),
            ("config_kwargs", config_kwargs),
        ):
            if value:
                raise ValueError(f"{name} is of the real class: embd.integrations.sentence_transformers has it")
        if model_name_or_path is None:
            raise ValueError("a model's name or path is needed")
        from embd._find_model import find_model

        path = find_model(model_name_or_path, cache_folder)
        config = _saved_config(path)
        self._model = Model(path, compute=compute, threads=threads)
        self._max_seq_length = self._model.max_seq_length
        self.prompts: dict[str, str] = {"query": "", "document": "", **self._model.prompts, **(prompts or {})}
        self.default_prompt_name = default_prompt_name or self._model.default_prompt_name
        if self.default_prompt_name is not None and self.default_prompt_name not in self.prompts:
            raise ValueError(
                f"Default prompt name '{self.default_prompt_name}' not found in the prompts {list(self.prompts)!r}"
            )
        self.truncate_dim: int | None = config.get("truncate_dim") if truncate_dim is None else truncate_dim
        self._similarity_fn_name: str | None = None
        self.similarity_fn_name = similarity_fn_name or config.get("similarity_fn_name")

    def __repr__(self) -> str:
        return f"embd.SentenceTransformer({self._model.path!r})"

    # ---- encoding ----

    @_takes_sentences
    def encode(
        self,
        inputs: Any,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: Literal["sentence_embedding", "token_embeddings"] | None = "sentence_embedding",
        precision: Literal["float32", "int8", "uint8", "binary", "ubinary"] = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: Any = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        pool: Any = None,
        chunk_size: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Embeddings of a str or of a batch of them.

        Returns by default float32 [n, dim], [dim] for a str, and float64 [0] for an empty batch; a tensor with
        convert_to_tensor, a list of tensors without convert_to_numpy. output_value "token_embeddings": a tensor
        [tokens, hidden] a text; None: a dict a text of what the model computes. `device`, `pool` and `chunk_size` are
        accepted: threads do what processes do there. `batch_size` changes no byte. Raises ValueError for an unknown
        keyword, prompt name, precision or a batch_size below 1, and for what is no text.
        """
        if show_progress_bar is None:
            show_progress_bar = logger.getEffectiveLevel() in (logging.INFO, logging.DEBUG)
        if batch_size <= 0:
            raise ValueError(f"batch_size must be a positive integer, got {batch_size}.")
        if unknown := set(kwargs) - {"task", "processing_kwargs"}:
            raise ValueError(f"encode() got keyword arguments that this model does not use: {sorted(unknown)}")
        if precision is not None and precision not in _PRECISIONS:
            raise ValueError(f"Precision {precision!r} is not supported, must be one of {_PRECISIONS}")
        if kwargs.get("processing_kwargs"):
            raise ValueError("processing_kwargs is of the real class: embd.integrations.sentence_transformers has it")
        single = isinstance(inputs, str)
        texts = _texts_of([inputs] if single else inputs)
        prompt_text = self._resolve_prompt(prompt, prompt_name)
        keep = truncate_dim if truncate_dim is not None else self.truncate_dim
        narrow = precision not in (None, "float32")

        if output_value != "sentence_embedding":
            items = self._items(texts, prompt_text, output_value, keep)
            if narrow and items:
                from embd.util import quantize_embeddings

                items = list(quantize_embeddings(items, precision))
            return items[0] if single else items

        as_tensors = convert_to_tensor or not convert_to_numpy
        if len(texts) == 0:
            if convert_to_tensor:
                return _torch().tensor([])
            return _empty() if convert_to_numpy else []
        rows = self._rows(texts, prompt_text, show_progress_bar)
        if keep is not None:
            rows = rows[:, :keep]
        if normalize_embeddings:
            from embd.util import normalize_embeddings as normalize

            rows = normalize(rows)
        if narrow:
            rows = _precision.convert(rows, precision)
        if not as_tensors:
            return rows[0] if single else rows
        tensor = _torch().from_numpy(rows)
        if convert_to_tensor:
            return tensor[0] if single else tensor
        return tensor[0] if single else list(tensor)

    @_takes_sentences
    def encode_query(
        self, inputs: Any, prompt_name: str | None = None, prompt: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """encode() with the prompt "query" where none is given."""
        if prompt_name is None and prompt is None and "query" in self.prompts:
            prompt_name = "query"
        kwargs.setdefault("task", "query")
        return self.encode(inputs, prompt_name, prompt, *args, **kwargs)

    @_takes_sentences
    def encode_document(
        self, inputs: Any, prompt_name: str | None = None, prompt: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """encode() with the first of the prompts "document", "passage" and "corpus" that there is, where none is
        given."""
        if prompt_name is None and prompt is None:
            prompt_name = next((name for name in ("document", "passage", "corpus") if name in self.prompts), None)
        kwargs.setdefault("task", "document")
        return self.encode(inputs, prompt_name, prompt, *args, **kwargs)

    def _rows(self, texts: list[str], prompt: str | None, show_progress_bar: bool) -> NDArray[np.float32]:
        return self._model.encode(
            texts, prompt=prompt or "", max_length=self._max_seq_length, progress=show_progress_bar
        )

    def _items(self, texts: list[str], prompt: str | None, output_value: str | None, keep: int | None) -> list[Any]:
        """What the model computes of each text, as tensors."""
        torch = _torch()
        tokens = [
            torch.from_numpy(self._model.encode_tokens(text, prompt=prompt or "", max_length=self._max_seq_length))
            for text in texts
        ]
        if output_value == "token_embeddings":
            return tokens
        if output_value is not None:
            raise KeyError(output_value)
        ids = self._model.tokenize(texts, prompt=prompt or "", max_length=self._max_seq_length)
        rows = torch.from_numpy(self._rows(texts, prompt, False)[:, :keep]) if texts else []
        return [
            {
                "input_ids": torch.tensor(ids[i]),
                "token_type_ids": torch.zeros(len(ids[i]), dtype=torch.int64),
                "attention_mask": torch.ones(len(ids[i]), dtype=torch.int64),
                "token_embeddings": tokens[i],
                "sentence_embedding": rows[i],
            }
            for i in range(len(texts))
        ]

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
    def max_seq_length(self) -> int:
        """Tokens a text is cut to, special ones counted. May be set, up to the model's positions."""
        return self._max_seq_length

    @max_seq_length.setter
    def max_seq_length(self, value: int) -> None:
        self._max_seq_length = value

    def get_max_seq_length(self) -> int:
        return self._max_seq_length

    def get_embedding_dimension(self) -> int:
        """Components of an embedding, after truncate_dim."""
        return self._model.dim if self.truncate_dim is None else min(self.truncate_dim, self._model.dim)

    def get_sentence_embedding_dimension(self) -> int:
        """The name of get_embedding_dimension() before 5.4."""
        warnings.warn("use get_embedding_dimension()", FutureWarning, stacklevel=2)
        return self.get_embedding_dimension()

    @property
    def device(self) -> Any:
        return _torch().device("cpu")

    def to(self, *args: Any, **kwargs: Any) -> SentenceTransformer:
        """Itself: it is where it runs."""
        return self

    def eval(self) -> SentenceTransformer:
        """Itself: it is not trained."""
        return self

    @contextmanager
    def truncate_embeddings(self, truncate_dim: int | None) -> Iterator[None]:
        """Within it, embeddings have so many components."""
        before = self.truncate_dim
        self.truncate_dim = truncate_dim
        try:
            yield
        finally:
            self.truncate_dim = before

    truncate_sentence_embeddings = truncate_embeddings

    def preprocess(self, inputs: Any, prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Token ids of texts as tensors [n, longest], with their mask."""
        torch = _torch()
        texts = _texts_of([inputs] if isinstance(inputs, str) else inputs)
        ids = self._model.tokenize(texts, prompt=prompt or "", max_length=self._max_seq_length)
        longest = max(map(len, ids), default=0)
        padded = torch.tensor([row + [0] * (longest - len(row)) for row in ids], dtype=torch.int64)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in ids], dtype=torch.int64)
        return {"input_ids": padded, "token_type_ids": torch.zeros_like(padded), "attention_mask": mask}

    def tokenize(self, texts: list[str], **kwargs: Any) -> dict[str, Any]:
        """The name of preprocess() before 5.4."""
        warnings.warn("use preprocess()", FutureWarning, stacklevel=2)
        return self.preprocess(texts, **kwargs)

    # ---- similarity ----

    @property
    def similarity_fn_name(self) -> str:
        """ "cosine", "dot", "euclidean" or "manhattan"."""
        return self._similarity_fn_name or "cosine"

    @similarity_fn_name.setter
    def similarity_fn_name(self, value: Any) -> None:
        name = getattr(value, "value", value)
        if name is not None and name not in _SIMILARITIES:
            raise ValueError(f"similarity_fn_name {name!r} is not one of {_SIMILARITIES}")
        self._similarity_fn_name = name

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Of all pairs, a tensor [n, m]."""
        from embd import util

        functions = {
            "cosine": util.cos_sim,
            "dot": util.dot_score,
            "euclidean": util.euclidean_sim,
            "manhattan": util.manhattan_sim,
        }
        return _torch().from_numpy(functions[self.similarity_fn_name](embeddings1, embeddings2))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Of row i with row i, a tensor [n]; without dimensions for two vectors."""
        from embd import util

        functions = {
            "cosine": util.pairwise_cos_sim,
            "dot": util.pairwise_dot_score,
            "euclidean": util.pairwise_euclidean_sim,
            "manhattan": util.pairwise_manhattan_sim,
        }
        scores = _torch().from_numpy(functions[self.similarity_fn_name](embeddings1, embeddings2))
        return scores[0] if getattr(embeddings1, "ndim", 2) == 1 else scores

    # ---- pools: what they are for, threads do ----

    def start_multi_process_pool(self, target_devices: list[str] | None = None) -> dict[str, Any]:
        """Nothing to be started: encode() uses the cores that there are, in this process."""
        return {"input": None, "output": None, "processes": []}

    @staticmethod
    def stop_multi_process_pool(pool: dict[str, Any]) -> None:
        """Nothing to be stopped."""

    def encode_multi_process(self, inputs: Any, pool: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """encode(), as it was called before 5.0."""
        warnings.warn("use encode()", FutureWarning, stacklevel=2)
        kwargs.pop("chunk_size", None)
        return self.encode(inputs, *args, **kwargs)


def _texts_of(inputs: Any) -> list[str]:
    """A batch as sentence-transformers takes it, and columns of pandas, polars and pyarrow, too."""
    from embd._texts import as_texts

    if inputs is None or isinstance(inputs, (bytes, bytearray, set, frozenset, dict)):
        raise ValueError(f"{type(inputs).__name__} is neither a text nor a batch of texts")
    if hasattr(inputs, "__next__"):
        raise ValueError("an iterator is no batch of texts: give a list, or use embd.Model.encode_stream()")
    texts = as_texts(inputs)
    if not isinstance(texts, (list, tuple)):
        texts = _from_arrow(texts)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"input {i} is {type(text).__name__}, expected str")
    return list(texts)


def _from_arrow(column: Any) -> list[Any]:
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            values: list[Any] = getattr(column, name)()
            return values
    return list(column)


def _saved_config(path: Any) -> dict[str, Any]:
    import json

    file = path / "config_sentence_transformers.json"
    if not file.is_file():
        return {}
    config: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return config


def _empty() -> NDArray[np.float64]:
    import numpy as np

    return np.array([])


def _torch() -> Any:
    import torch

    return torch
