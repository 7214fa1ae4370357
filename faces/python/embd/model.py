"""embd.Model: computes the vectors of texts."""

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
Pooling: TypeAlias = Literal["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", "joined"]


class Comparable(TypedDict):
    """The fields of a recipe that must be equal in two recipes for their vectors to be comparable."""

    model_sha256: str
    """The SHA-256 of the weight file, in hexadecimal digits."""
    tokenizer_sha256: str
    """The SHA-256 of the vocabulary and the tokenizer's rules, in hexadecimal digits."""
    max_length: int
    """The number of tokens that a longer text is cut to, special tokens included."""
    pooling: str
    """The way in which one vector is made of the tokens' rows, such as "mean" or "cls"."""
    normalize: bool
    """True if vectors have length 1."""
    truncate_dim: int
    """The number of components of a vector."""


class Recipe(Comparable, total=False):
    """Everything that a vector depends on: the model, the tokenizer and the options of encode().

    Vectors can be compared if their recipes are equal in the fields of Comparable. The other fields are informational.
    """

    model_name: str
    """The name of the model in its weight file."""
    prompt: str
    """The string that was put before every text."""
    compute: str
    """The arithmetic: "f32", "bf16" or "int8"."""
    instruction_set: str
    """The kernels that computed the vectors, such as "avx512"."""
    output_type: str
    """The type in which a file stores the vectors, such as "f32" or "int8"."""
    embd_version: str
    """The release of embd."""


class Model(LoadedModel[_native.Model]):
    """A sentence embedding model.

    path_or_name: a weight file of embd (NAME.weights), a model's folder in the form of Hugging Face, or the name of a
        model. find_model() says where names are looked for. Nothing is downloaded.
    compute: the arithmetic of the weight matrices: "f32", "bf16" or "int8". "bf16" was measured to be faster than "f32"
        on an AMD processor with AVX512-BF16; its speed on processors with AMX is not known.
    threads: the number of threads of a call; 0 takes all CPUs that the process may use.
    vocab: a vocab.txt or tokenizer.json, for a weight file without a vocabulary.
    prompts: strings that can be put before texts, by name. encode_query() takes "query", encode_document() "document".
        By default they are the prompts that the model's configuration names.
    verify: check the checksums over the whole weight file, too.
    hash_record: a file in which `recipe` keeps the SHA-256 of the model for other processes, as `embd embed` does in
        ~/.cache/embd/model-hashes. With None, each process computes it.

    A model is immutable: any number of Python threads may use it at once, and calls release the GIL. The vector of a
    text has the same bytes with any number of threads and whatever other texts are in the call. A model can be pickled;
    it then consists of its class, path, options and attributes. It works after fork() and in spawned processes. Errors
    are raised as embd.Error. A warning (UserWarning) tells what the files of the model leave open: the pooling of a bare
    encoder, or prompts that models of its family need.
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
        self._load(path_or_name, _native.open_model, has_prompts=prompts is not None, **arguments)
        self._arguments["prompts"] = prompts
        self.prompts: dict[str, str] = self._native.prompts if prompts is None else dict(prompts)

    @property
    def dim(self) -> int:
        """The number of components of a vector."""
        return self._native.dim

    @property
    def full_dim(self) -> int:
        """The number of components of a vector of which none are cut off. It is the largest truncate_dim."""
        return self._native.full_dim

    @property
    def hidden(self) -> int:
        """The number of components of the last layer's rows."""
        return self._native.hidden

    @property
    def poolings(self) -> list[str]:
        """The poolings of the model's configuration, such as ["mean"]. The results of several are joined in this order."""
        return self._native.poolings

    @property
    def similarity(self) -> str | None:
        """The similarity that the model was trained for: "cosine", "dot", "euclidean" or "manhattan", or None."""
        return self._native.similarity or None

    @property
    def recipe(self) -> Recipe:
        """The recipe of vectors that encode() makes without options.

        The first use reads the whole model file to hash it.
        """
        return self.recipe_of()

    def recipe_of(self, **options: Unpack[EncodeKeywords]) -> Recipe:
        """Returns the recipe of vectors that encode() makes with these options."""
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
        """Returns the options of encode() as the binding takes them. Raises ValueError for contradictory options."""
        if windows is not None and options.get("max_length") is not None:
            raise ValueError(
                "windows and max_length were both given, expected at most one, because the value of windows is the length "
                "of a window"
            )
        if windows is not None:
            options["max_length"] = windows
        name = options.get("prompt_name")
        if name and options.get("prompt") is not None:
            raise ValueError("prompt and prompt_name were both given, expected at most one")
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
        """Computes the vectors of texts: [n, dim] for several texts, [dim] for one str.

        texts: a str; a list, tuple or iterator of str; an array of NumPy (U, O, StringDType); or a column of pandas,
            polars, pyarrow or DuckDB. An empty text has a vector, too.
        prompt: the string put before every text, such as "query: ". By default it is the model's own prompt, if it has
            one.
        prompt_name: the name of a prompt in `prompts`, instead of `prompt`.
        max_length: the number of tokens that a longer text is cut to, special tokens included; by default
            max_seq_length.
        truncate_side: the end of a longer text that is cut off, "right" or "left"; by default the model's.
        pooling: the way in which one vector is made of the tokens' rows, such as "mean", "cls" or "max"; by default the
            model's.
        normalize: True to give vectors length 1; by default the model's choice.
        truncate_dim: keep only so many leading components. Vectors of length 1 get length 1 again.
        windows: the number of tokens of a window. A longer text is divided into windows, and its vector is the mean of
            their vectors. encode_windows() gives a row for each window instead.
        stride: the number of tokens from the start of a window to the start of the next; 0 means that windows do not
            overlap.
        precision: the type of the result: "float32", "float16", or codes: "int8" and "uint8" divide the range of each
            component into 256 steps and need at least two texts; "binary" and "ubinary" have one bit for each
            component.
        out: a C-contiguous array of float32, which is filled and returned. Its shape is the shape of the result.
        threads: the number of threads; by default the model's.
        batch_tokens: the number of tokens that a thread computes at a time. It changes no byte of the result.
        dedup: compute texts with the same tokens only once; by default True. It changes no byte of the result.
        progress: show a progress bar that counts texts, if tqdm is installed.

        Ctrl-C ends the call within a moment. Raises TypeError for an item that is no text, ValueError for a null in a
        column or for options that exclude each other, embd.Error for all other faults. A text whose vector is not
        finite, because the model is damaged, is such a fault.
        """
        native_options = self._options(windows=windows, **options)
        if precision != "float32":
            check_precision(precision)
            if out is not None:
                raise ValueError("out and precision were both given, but out is filled with float32: leave precision out")
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
        """Computes vectors as encode() does, with the prompt "query" of the model if no prompt is given."""
        options.setdefault("prompt", self.prompts.get("query", ""))
        return self.encode(texts, **options)

    def encode_document(self, texts: str | Texts, **options: Any) -> NDArray[Any]:
        """Computes vectors as encode() does, with the model's prompt for documents if no prompt is given.

        This prompt is the first of "document", "passage" and "corpus" that the model has.
        """
        found = (self.prompts[name] for name in ("document", "passage", "corpus") if name in self.prompts)
        options.setdefault("prompt", next(found, ""))
        return self.encode(texts, **options)

    def encode_stream(
        self, texts: Iterable[str], *, batch_size: int = 1024, **options: Any
    ) -> Iterator[NDArray[Any]]:
        """Yields the vectors of texts from an iterable, in arrays of up to `batch_size` rows.

        At most `batch_size` texts are held in memory. The options are the same as in encode().
        """
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, expected at least 1")
        if isinstance(texts, str):
            raise TypeError("the texts are a str, expected an iterable of str")
        from itertools import islice

        source = iter(texts)
        while batch := list(islice(source, batch_size)):
            yield self.encode(batch, **options)

    def encode_windows(
        self, texts: str | Texts, *, windows: int, **options: Unpack[EncodeKeywords]
    ) -> tuple[Vectors, NDArray[np.int64]]:
        """Divides texts into windows and computes a vector for each window.

        windows: the number of tokens of a window; special tokens and the prompt are included.
        stride: the number of tokens from the start of a window to the start of the next; 0 means that windows do not
            overlap.

        The further options are the same as in encode(). Returns the vectors of all windows, [m, dim], and the number of
        the text that each window belongs to, [m].
        """
        native_options = self._options(windows=windows, window_pooling="rows", **options)
        batch = [texts] if isinstance(texts, str) else as_texts(texts)
        return self._native.encode_windows(batch, native_options)

    def encode_tokens(self, text: str, *, prompt: str | None = None, max_length: int | None = None) -> Vectors:
        """Returns the last layer's row for each token of a text, [tokens, hidden], neither pooled nor normalized."""
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
        """Returns the token ids of a str, or a list of them for each of several texts, special tokens included.

        prompt: the string put before every text; by default the model's own prompt, if it has one.
        max_length: the number of tokens that a longer text is cut to. 0 does not cut; None cuts as encode() does.
        """
        options = self._options(prompt=prompt, max_length=max_length)
        if isinstance(texts, str):
            return self._native.tokenize([texts], options)[0]
        return self._native.tokenize(as_texts(texts), options)

    def token(self, token_id: int) -> str:
        """Returns the token of an id in the vocabulary; "" if there is no such id."""
        return self._native.token(token_id)
