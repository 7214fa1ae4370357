"""embd.Model: texts in, vectors out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from embd import _native
from embd._loaded import LoadedModel
from embd._precision import Precision, check_precision, convert
from embd._progress import progress_bar
from embd._texts import Texts, as_texts

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from embd._keywords import EncodeKeywords
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    Vectors: TypeAlias = NDArray[np.float32]

Compute: TypeAlias = Literal["f32", "bf16", "int8"]
Pooling: TypeAlias = Literal["mean", "cls", "max"]


class Comparable(TypedDict):
    """Fields in which two recipes are equal whose vectors can be compared."""

    model_sha256: str
    tokenizer_sha256: str
    max_length: int
    pooling: str
    normalize: bool
    truncate_dim: int


class Recipe(Comparable, total=False):
    """The options that vectors are made with."""

    model_name: str
    prompt: str
    compute: str
    instruction_set: str
    output_type: str
    embd_version: str


class Model(LoadedModel[_native.Model]):
    """A sentence embedding model.

    path_or_name: a file of embd (NAME.weights), a folder of Hugging Face's, or the name of a model that is in one of
        the places find_model() lists. Nothing is downloaded.
    compute: arithmetic of the weight matrices: "f32", "bf16" (worth it on AMD processors with AVX512-BF16, or with AMX) or "int8".
    threads: busy threads of a call; 0: what affinity and the cgroup allow.
    vocab: vocab.txt or tokenizer.json for a model file without its own.
    prompts: texts put before others, by name; encode_query() uses "query", encode_document() "document". By default
        those that the model's configuration names.
    verify: also check the checksums over the whole file.
    hash_record: a file that keeps the model's SHA-256 from process to process, for `recipe`, as `embd embed` keeps it in
        ~/.cache/embd/model-hashes; None: it is computed in each.

    Immutable: any number of Python threads may use one model at once, and calls release the GIL. A text's vector has
    the same bytes whatever else is in the call, with any number of threads. Pickled as its class, path, options and
    attributes; works after fork() and in processes that are spawned. Raises embd.Error.
    """

    def __init__(
        self,
        path_or_name: str | os.PathLike[str],
        *,
        compute: Compute = "f32",
        threads: int = 0,
        vocab: str | os.PathLike[str] | None = None,
        prompts: Mapping[str, str] | None = None,
        verify: bool = False,
        hash_record: str | os.PathLike[str] | None = None,
    ) -> None:
        self._open(
            path_or_name,
            compute=compute,
            threads=threads,
            vocab=vocab,
            prompts=prompts,
            verify=verify,
            hash_record=hash_record,
        )

    def _open(
        self, path_or_name: str | os.PathLike[str], *, prompts: Mapping[str, str] | None = None, **arguments: Any
    ) -> None:
        self._load(path_or_name, _native.open_model, **arguments)
        self._arguments["prompts"] = prompts
        self.prompts: dict[str, str] = self._native.prompts if prompts is None else dict(prompts)

    @property
    def dim(self) -> int:
        """Components of a vector."""
        return self._native.dim

    @property
    def hidden(self) -> int:
        """The most components that truncate_dim may keep: those of the last layer's rows."""
        return self._native.hidden

    @property
    def similarity(self) -> str | None:
        """The similarity that the model was trained for: "cosine", "dot", "euclidean" or "manhattan"; None where it does not say."""
        return self._native.similarity or None

    @property
    def recipe(self) -> Recipe:
        """The recipe of encode() where it is given texts alone. The first time the model file is hashed."""
        return self.recipe_of()

    def recipe_of(self, **options: Unpack[EncodeKeywords]) -> Recipe:
        """Returns the recipe for options of encode()."""
        import json

        recipe: Recipe = json.loads(self._native.recipe(self._options(**options)))
        return recipe

    def _options(
        self,
        *,
        windows: int | None = None,
        window_pooling: str = "mean",
        **options: Unpack[EncodeKeywords],
    ) -> _native.EncodeOptions:
        if windows is not None and options.get("max_length") is not None:
            raise ValueError("windows and max_length exclude each other: a window is that long")
        if windows is not None:
            options["max_length"] = windows
        name = options.get("prompt_name")
        if name and options.get("prompt") is not None:
            raise ValueError("prompt and prompt_name exclude each other")
        if name in self.prompts:
            options["prompt"] = self.prompts[name]
            options["prompt_name"] = None
        if options.get("threads") is None:
            options["threads"] = self._threads
        return _native.EncodeOptions(window_pooling="none" if windows is None else window_pooling, **options)

    @overload
    def encode(
        self,
        texts: str | Texts,
        *,
        windows: int | None = ...,
        precision: Literal["float32"] = ...,
        out: Vectors | None = ...,
        progress: bool = ...,
        **options: Unpack[EncodeKeywords],
    ) -> Vectors: ...

    @overload
    def encode(
        self,
        texts: str | Texts,
        *,
        windows: int | None = ...,
        precision: Precision,
        out: Vectors | None = ...,
        progress: bool = ...,
        **options: Unpack[EncodeKeywords],
    ) -> NDArray[Any]: ...

    def encode(
        self,
        texts: str | Texts,
        *,
        windows: int | None = None,
        precision: Precision = "float32",
        out: Vectors | None = None,
        progress: bool = False,
        **options: Unpack[EncodeKeywords],
    ) -> NDArray[Any]:
        """The vectors of texts, [n, dim], or of one str, [dim].

        texts: a str, or a list, tuple or iterator of str, an array of NumPy (U, O, StringDType), a column of pandas,
            polars, pyarrow or DuckDB. An empty text has a vector, too.
        prompt: put before every text as it is, such as "query: "; by default the model's own, where it has such.
        prompt_name: the prompt by its name in `prompts` instead.
        max_length: tokens a text is cut to, special ones counted; by default max_seq_length. truncate_side: which end of a
            longer text is cut off, "right" or "left"; by default the model's.
        pooling: "mean", "cls" or "max"; by default the model's.
        normalize: whether vectors have length 1; by default as the model says.
        truncate_dim: keep the leading components, normalized again if normalizing.
        windows: a longer text becomes windows of so many tokens, whose vectors' mean is its vector; each begins
            `stride` tokens after the last (0: windows do not overlap). For a row a window see encode_windows().
        precision: "float32", "float16", "int8", "uint8" (the range of each component in 256 steps; two texts or
            more), "binary", "ubinary" (a bit a component).
        out: a C-contiguous float32 array of the result's shape, which is filled and returned.
        threads: as the model's. batch_tokens: tokens a thread takes at a time; dedup: compute texts with the same tokens
            once (True). Neither changes a byte.
        progress: a bar of tqdm, if it is installed, that counts texts.

        Ctrl-C ends it within a moment. Raises TypeError for what is no text, ValueError for a null, embd.Error.
        """
        native_options = self._options(windows=windows, **options)
        if precision != "float32":
            check_precision(precision)
            if out is not None:
                raise ValueError("out is filled with float32: leave out precision")
        if isinstance(texts, str):
            if out is None:
                rows: Vectors = self._native.encode_one(texts, native_options)
            else:
                rows = self._native.encode([texts], native_options, out)
        else:
            batch = as_texts(texts)
            if progress:
                with progress_bar(batch, unit="text") as update:
                    rows = self._native.encode(batch, native_options, out, update)
            else:
                rows = self._native.encode(batch, native_options, out)
        return rows if precision == "float32" else convert(rows, precision)

    def encode_query(self, texts: str | Texts, **options: Any) -> NDArray[Any]:
        """encode() with the prompt "query", if the model has one and none is given."""
        options.setdefault("prompt", self.prompts.get("query", ""))
        return self.encode(texts, **options)

    def encode_document(self, texts: str | Texts, **options: Any) -> NDArray[Any]:
        """encode() with the prompt "document", else "passage", else "corpus", if the model has one and none is
        given."""
        found = (self.prompts[name] for name in ("document", "passage", "corpus") if name in self.prompts)
        options.setdefault("prompt", next(found, ""))
        return self.encode(texts, **options)

    def encode_stream(
        self, texts: Iterable[str], *, batch_size: int = 1024, **options: Any
    ) -> Iterator[NDArray[Any]]:
        """Arrays of up to `batch_size` rows for texts that come one by one: memory does not grow with their number."""
        if batch_size < 1:
            raise ValueError(f"batch_size {batch_size}, expected at least 1")
        if isinstance(texts, str):
            raise TypeError("a str where an iterable of str was expected")
        from itertools import islice

        source = iter(texts)
        while batch := list(islice(source, batch_size)):
            yield self.encode(batch, **options)

    def encode_windows(
        self, texts: str | Texts, *, windows: int, **options: Unpack[EncodeKeywords]
    ) -> tuple[Vectors, NDArray[np.int64]]:
        """The vectors of all windows of the texts, [m, dim], and which text each is of, [m].

        windows: tokens of a window, special ones and the prompt counted. stride: tokens from the start of one to the
        next; 0: they do not overlap.
        """
        native_options = self._options(windows=windows, window_pooling="rows", **options)
        batch = [texts] if isinstance(texts, str) else as_texts(texts)
        return self._native.encode_windows(batch, native_options)

    def encode_tokens(self, text: str, *, prompt: str | None = None, max_length: int | None = None) -> Vectors:
        """The last layer's row for each token of a text, [tokens, dim], neither pooled nor normalized."""
        return self._native.encode_tokens(text, self._options(prompt=prompt, max_length=max_length))

    @overload
    def tokenize(  # type: ignore[overload-overlap]
        self, texts: str, *, prompt: str | None = ..., max_length: int | None = ...
    ) -> list[int]: ...

    @overload
    def tokenize(self, texts: Texts, *, prompt: str | None = ..., max_length: int | None = ...) -> list[list[int]]: ...

    def tokenize(
        self, texts: str | Texts, *, prompt: str | None = None, max_length: int | None = 0
    ) -> list[int] | list[list[int]]:
        """The ids of tokens, [CLS] and [SEP] counted, of a str or of each text.

        max_length: 0 does not cut; None cuts as encode() does.
        """
        options = self._options(prompt=prompt, max_length=max_length)
        if isinstance(texts, str):
            return self._native.tokenize([texts], options)[0]
        return self._native.tokenize(as_texts(texts), options)

    def token(self, token_id: int) -> str:
        """The vocabulary's entry of an id; "" if there is none."""
        return self._native.token(token_id)
