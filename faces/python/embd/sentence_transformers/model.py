"""embd.SentenceTransformer: the class of this name in sentence-transformers 6.2, computed by embd.

It has the same arguments, defaults, shapes, types and kinds of errors. torch is imported only if tensors are asked for.
For features that need the class of sentence-transformers itself, such as modules of torch and training, use
embd.integrations.sentence_transformers.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from embd import _precision, util
from embd.model import Compute, Model
from embd.sentence_transformers import inputs as _inputs
from embd.sentence_transformers.base import (
    BaseModel,
    as_asked,
    check_batch,
    check_device,
    import_torch,
    no_results,
    place_of,
    refuse_keywords,
    refuse_options,
    shows_progress,
    try_torch,
)
from embd.sentence_transformers.model_card import ModelCardData

if TYPE_CHECKING:
    import numpy as np
    from embd.sentence_transformers.tokenizer import Tokenizer
    from numpy.typing import NDArray

_PRECISIONS = ("float32", "int8", "uint8", "binary", "ubinary")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _takes_sentences(function: _Function) -> _Function:
    """Makes a method accept `sentences`, the name of the argument `inputs` before version 5.4, with a warning."""

    @wraps(function)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "sentences" in kwargs:
            if "inputs" in kwargs or args:
                raise TypeError(f"{function.__name__}() got both 'sentences' and 'inputs'")
            warnings.warn("`sentences` is now `inputs`", DeprecationWarning, stacklevel=2)
            kwargs["inputs"] = kwargs.pop("sentences")
        return function(self, *args, **kwargs)

    return wrapper  # type: ignore[return-value]


class SentenceTransformer(BaseModel):
    """A sentence embedding model with the interface of sentence_transformers.SentenceTransformer.

    model_name_or_path: a model, as embd.Model takes it, or a folder that save() wrote.
    cache_folder: a cache of Hugging Face's tools to search for the model, before their usual caches.
    prompts, default_prompt_name, similarity_fn_name, truncate_dim: settings that replace the settings of the model.
    compute, threads: options of embd.Model. sentence-transformers does not have them.
    device: accepted for compatibility. embd computes on the processor, and warns if another device is given.
    trust_remote_code, revision, local_files_only, token: accepted for compatibility, without effect. embd never runs
        code of a model, and downloads nothing here.
    modules, model_kwargs, processor_kwargs, config_kwargs, backend: accepted with their default values only. Other
        values raise ValueError, because embd does not support what they would do to vectors.
    """

    real_name = "SentenceTransformer"
    SUPPORTED_SIMILARITY_FN_NAMES = ("cosine", "dot", "euclidean", "manhattan")
    default_huggingface_organization = "sentence-transformers"
    model_card_data_class = ModelCardData
    model_type = "SentenceTransformer"

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
        use_auth_token: bool | str | None = None,
        model_kwargs: dict[str, Any] | None = None,
        processor_kwargs: dict[str, Any] | None = None,
        tokenizer_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        model_card_data: Any = None,
        backend: Literal["torch", "onnx", "openvino"] = "torch",
        similarity_fn_name: str | None = None,
        truncate_dim: int | None = None,
        compute: Compute = "f32",
        threads: int = 0,
    ) -> None:
        refuse_options(
            backend,
            modules=modules,
            model_kwargs=model_kwargs,
            processor_kwargs=processor_kwargs,
            tokenizer_kwargs=tokenizer_kwargs,
            config_kwargs=config_kwargs,
        )
        from embd.sentence_transformers.saving import open_saved

        check_device(device)
        saved = open_saved(place_of(model_name_or_path, cache_folder))
        self._model = Model(saved.model, compute=compute, threads=threads)
        self._max_seq_length = saved.max_seq_length or self._model.max_seq_length
        self._tokenizer: Tokenizer | None = None
        self._modules: list[Any] | None = None
        self.trust_remote_code = trust_remote_code
        self.model_card_data = ModelCardData(local_files_only=local_files_only) if model_card_data is None else model_card_data
        self._set_prompts(
            {"query": "", "document": "", **self._model.prompts, **saved.config.get("prompts", {}), **(prompts or {})},
            default_prompt_name or saved.config.get("default_prompt_name") or self._model.default_prompt_name,
        )
        own_dim = self._model.dim if self._model.dim < self._model.full_dim else None
        self.truncate_dim: int | None = saved.config.get("truncate_dim", own_dim) if truncate_dim is None else truncate_dim
        self._similarity_fn_name: str | None = None
        said = saved.config.get("similarity_fn_name", self._model.similarity)
        known = said if said in self.SUPPORTED_SIMILARITY_FN_NAMES else None
        self.similarity_fn_name = known if similarity_fn_name is None else similarity_fn_name

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
        """Computes the embeddings of a text or of a batch of texts. A text is a str or a dict {"text": str}.

        By default it returns float32 [n, dim] for a batch, [dim] for a text, and float64 [0] for an empty batch.

        prompt_name, prompt: the prompt that is put before each text, by its name or as a string.
        batch_size: accepted for compatibility; it changes no byte of the result.
        show_progress_bar: show a progress bar; by default if the logger "embd" shows messages of level INFO.
        output_value: "token_embeddings" returns a tensor [tokens, hidden] for each text; None returns a dict for each
            text with everything that the model computes.
        precision: the type of the result; "int8", "uint8", "binary" and "ubinary" return codes.
        convert_to_tensor: return a tensor.
        convert_to_numpy: False returns a list of tensors.
        normalize_embeddings: give the embeddings length 1.
        truncate_dim: the number of leading components that are kept. The result is not normalized again.
        device, pool, chunk_size: accepted for compatibility. embd uses threads instead of devices and processes.

        Raises ValueError for an unknown keyword, prompt name or precision, for a batch_size below 1, and for an item
        that is no text.
        """
        check_batch(batch_size)
        refuse_keywords("encode", set(kwargs) - {"task", "processing_kwargs"})
        if precision is not None and precision not in _PRECISIONS:
            raise ValueError(f"Precision {precision!r} is not supported, must be one of {_PRECISIONS}")
        if kwargs.get("processing_kwargs"):
            raise ValueError("processing_kwargs is not supported: use embd.integrations.sentence_transformers, which has it")
        if (pool is not None or isinstance(device, list)) and chunk_size is not None and chunk_size <= 0:
            raise ValueError(f"chunk_size must be a positive integer, got {chunk_size}.")
        check_device(device)
        single = _inputs.is_singular(inputs)
        texts = _inputs.texts_of([inputs] if single else inputs)
        prompt_text = self._resolve_prompt(prompt, prompt_name)
        keep = truncate_dim if truncate_dim is not None else self.truncate_dim
        narrow = precision not in (None, "float32")

        if output_value != "sentence_embedding":
            items = self._items(texts, prompt_text, output_value, keep)
            if narrow and items:
                items = list(util.quantize_embeddings(items, precision))
            return items[0] if single else items

        if len(texts) == 0:
            return no_results(convert_to_numpy, convert_to_tensor)
        rows = self._rows(texts, prompt_text, shows_progress(show_progress_bar))
        if keep is not None:
            rows = rows[:, :keep]
        if normalize_embeddings:
            rows = util.normalized(rows)
        if narrow:
            rows = _precision.convert(rows, precision)
        return as_asked(rows, single=single, convert_to_numpy=convert_to_numpy, convert_to_tensor=convert_to_tensor)

    @_takes_sentences
    def encode_query(
        self, inputs: Any, prompt_name: str | None = None, prompt: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Computes embeddings as encode() does, with the model's prompt "query" if no prompt is given."""
        if prompt_name is None and prompt is None and "query" in self.prompts:
            prompt_name = "query"
        kwargs.setdefault("task", "query")
        return self.encode(inputs, prompt_name, prompt, *args, **kwargs)

    @_takes_sentences
    def encode_document(
        self, inputs: Any, prompt_name: str | None = None, prompt: str | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Computes embeddings as encode() does, with the model's prompt for documents if no prompt is given.

        This prompt is the first of "document", "passage" and "corpus" that the model has.
        """
        if prompt_name is None and prompt is None:
            prompt_name = next((name for name in ("document", "passage", "corpus") if name in self.prompts), None)
        kwargs.setdefault("task", "document")
        return self.encode(inputs, prompt_name, prompt, *args, **kwargs)

    def _rows(self, texts: list[str], prompt: str | None, show_progress_bar: bool) -> NDArray[np.float32]:
        """Returns embeddings with all components, [n, full_dim]. The caller reduces them to `truncate_dim`."""
        return self._model.encode(
            texts,
            prompt=prompt or "",
            max_length=self._max_seq_length,
            truncate_dim=self._model.full_dim,
            progress=show_progress_bar,
        )

    def _items(self, texts: list[str], prompt: str | None, output_value: str | None, keep: int | None) -> list[Any]:
        """Returns, for each text, a tensor of its tokens' rows or, if `output_value` is None, a dict of tensors."""
        torch = import_torch()
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
                **self._said_of_batch(prompt),
                "token_embeddings": tokens[i],
                "sentence_embedding": rows[i],
            }
            for i in range(len(texts))
        ]

    def __repr__(self) -> str:
        return f"embd.SentenceTransformer({self._model.path!r})"

    # ---- what the model is ----

    def get_embedding_dimension(self) -> int:
        """Returns the number of components of an embedding, after truncate_dim."""
        return self._model.full_dim if self.truncate_dim is None else min(self.truncate_dim, self._model.full_dim)

    def get_sentence_embedding_dimension(self) -> int:
        """Calls get_embedding_dimension(), which replaced this method in sentence-transformers 5.4."""
        warnings.warn("use get_embedding_dimension()", FutureWarning, stacklevel=2)
        return self.get_embedding_dimension()

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the model, with the part of transformers' interface that programs commonly use."""
        if self._tokenizer is None or self._tokenizer.model_max_length != self._max_seq_length:
            from embd.sentence_transformers.tokenizer import Tokenizer

            self._tokenizer = Tokenizer(self._model, self._max_seq_length)
        return self._tokenizer

    @property
    def processor(self) -> Tokenizer:
        """The processor of inputs, which is the tokenizer, because a model of embd takes only texts."""
        return self.tokenizer

    def is_singular_input(self, inputs: Any) -> bool:
        """Returns true if encode() takes `inputs` as one text, false if it takes it as a batch."""
        return _inputs.is_singular(inputs)

    def set_pooling_include_prompt(self, include_prompt: bool) -> None:
        """Accepts True: embd pools over the tokens of the prompt, too. Raises ValueError for False."""
        if not include_prompt:
            raise ValueError(
                "include_prompt is False, but embd always pools over the tokens of the prompt, too: use the class of "
                "sentence-transformers"
            )

    def _parts(self) -> list[Any]:
        """Returns the modules that describe the model's steps."""
        if self._modules is None:
            from embd.sentence_transformers.modules import modules_of

            self._modules = modules_of(self)
        return self._modules

    def __len__(self) -> int:
        return len(self._parts())

    def __getitem__(self, place: int) -> Any:
        return self._parts()[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts())

    def _first_module(self) -> Any:
        return self[0]

    def _last_module(self) -> Any:
        return self[-1]

    # ---- files ----

    def save(
        self,
        path: str,
        model_name: str | None = None,
        create_model_card: bool = True,
        train_datasets: list[str] | None = None,
        safe_serialization: bool = True,
    ) -> None:
        """Writes the model and its configuration to a folder, which sentence-transformers' own class opens, too.

        A model that was opened from a folder in the form of Hugging Face is written in this form. For a model that was
        opened from a weight file, the class of sentence-transformers needs trust_remote_code=True, and embd must be
        installed. No model card is written. The arguments other than `path` are accepted for compatibility, without
        effect.
        """
        from embd.sentence_transformers.saving import write

        write(self, Path(path))

    def save_pretrained(self, path: str, *args: Any, **kwargs: Any) -> None:
        """Writes the model to a folder, as save() does."""
        self.save(path, *args, **kwargs)

    @staticmethod
    def load(input_path: str) -> SentenceTransformer:
        """Opens a model as SentenceTransformer(input_path) does, which replaced this method in version 5.0."""
        warnings.warn("use SentenceTransformer(path)", DeprecationWarning, stacklevel=2)
        return SentenceTransformer(input_path)

    @contextmanager
    def truncate_embeddings(self, truncate_dim: int | None) -> Iterator[None]:
        """Sets `truncate_dim` within a `with` block: embeddings have this number of components there."""
        before = self.truncate_dim
        self.truncate_dim = truncate_dim
        try:
            yield
        finally:
            self.truncate_dim = before

    @contextmanager
    def truncate_sentence_embeddings(self, truncate_dim: int | None) -> Iterator[None]:
        """Calls truncate_embeddings(), which replaced this method in sentence-transformers 5.4."""
        warnings.warn("use truncate_embeddings()", FutureWarning, stacklevel=2)
        with self.truncate_embeddings(truncate_dim):
            yield

    def preprocess(self, inputs: Any, prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Returns the token ids of texts as a tensor [n, longest], with types and a mask that is 0 for padding."""
        torch = import_torch()
        texts = _inputs.texts_of([inputs] if isinstance(inputs, str) else inputs)
        if not texts:
            return {}
        ids = self._model.tokenize(texts, prompt=prompt or "", max_length=self._max_seq_length)
        longest = max(map(len, ids), default=0)
        padded = torch.tensor([row + [0] * (longest - len(row)) for row in ids], dtype=torch.int64)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in ids], dtype=torch.int64)
        types = torch.zeros_like(padded)
        return {"input_ids": padded, "token_type_ids": types, "attention_mask": mask, **self._said_of_batch(prompt)}

    def _said_of_batch(self, prompt: str | None) -> dict[str, Any]:
        """Returns the items of preprocess() besides the tensors: the modality, and the number of tokens of a prompt.

        The first special token, [CLS], counts as a token of the prompt.
        """
        said: dict[str, Any] = {"modality": "text"}
        if prompt:
            said["prompt_length"] = len(self._model.tokenize(prompt, prompt="")) - 1
        return said

    def tokenize(self, texts: list[str], **kwargs: Any) -> dict[str, Any]:
        """Calls preprocess(), which replaced this method in sentence-transformers 5.4."""
        warnings.warn("use preprocess()", FutureWarning, stacklevel=2)
        return self.preprocess(texts, **kwargs)

    # ---- similarity ----

    @property
    def similarity_fn_name(self) -> str:
        """The function that similarity() computes: "cosine" (the default), "dot", "euclidean" or "manhattan"."""
        return self._similarity_fn_name or "cosine"

    @similarity_fn_name.setter
    def similarity_fn_name(self, value: Any) -> None:
        name = getattr(value, "value", value)
        if name is not None and name not in self.SUPPORTED_SIMILARITY_FN_NAMES:
            raise ValueError(f"similarity_fn_name {name!r} is not one of {self.SUPPORTED_SIMILARITY_FN_NAMES}")
        self._similarity_fn_name = name

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Returns the similarity of each of embeddings1 with each of embeddings2, [n, m].

        The result is a tensor, or an array if torch is not installed.
        """
        functions = {
            "cosine": util.cos_sim,
            "dot": util.dot_score,
            "euclidean": util.euclidean_sim,
            "manhattan": util.manhattan_sim,
        }
        try_torch()
        return functions[self.similarity_fn_name](embeddings1, embeddings2)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Returns the similarity of row i of embeddings1 and row i of embeddings2, [n].

        If one argument is a single vector, it is compared with each row of the other. The result of two vectors has no
        dimensions. It is a tensor, or an array if torch is not installed.
        """
        functions = {
            "cosine": util.pairwise_cos_sim,
            "dot": util.pairwise_dot_score,
            "euclidean": util.pairwise_euclidean_sim,
            "manhattan": util.pairwise_manhattan_sim,
        }
        try_torch()
        return functions[self.similarity_fn_name](embeddings1, embeddings2)

    def encode_multi_process(
        self,
        sentences: list[str],
        pool: dict[str, Any],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        chunk_size: int | None = None,
        show_progress_bar: bool | None = None,
        precision: Literal["float32", "int8", "uint8", "binary", "ubinary"] = "float32",
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
    ) -> Any:
        """Calls encode(), which replaced this method in sentence-transformers 5.0. embd needs no pool of processes."""
        warnings.warn("use encode()", FutureWarning, stacklevel=2)
        return self.encode(
            sentences,
            prompt_name=prompt_name,
            prompt=prompt,
            batch_size=batch_size,
            show_progress_bar=show_progress_bar,
            precision=precision,
            normalize_embeddings=normalize_embeddings,
            truncate_dim=truncate_dim,
            pool=pool,
            chunk_size=chunk_size,
        )
