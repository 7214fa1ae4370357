"""The tokenizer of a SentenceTransformer, with the part of transformers' interface that programs commonly use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from embd.model import Model

# The tokens that convert_tokens_to_string() puts no space before.
_CLOSING = (".", "?", "!", ",")


class Encoding(dict[str, Any]):
    """Token ids, token types and masks by their names: encoding["input_ids"] or encoding.input_ids."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def to(self, device: Any) -> Encoding:
        """Returns an Encoding whose tensors are on the device."""
        return Encoding({name: value.to(device) for name, value in self.items()})


class Tokenizer:
    """The WordPiece tokenizer of a model. Its token ids are the ids that encode() computes with.

    A text of any length is kept whole, unless `truncation` is given. Pairs of texts and other features of transformers'
    tokenizers, such as offsets, overflowing windows and training, raise TypeError or AttributeError.

    model_max_length: the number of tokens that `truncation` cuts to by default.
    """

    model_input_names = ("input_ids", "token_type_ids", "attention_mask")
    padding_side = "right"
    truncation_side = "right"
    is_fast = True
    cls_token = "[CLS]"
    sep_token = "[SEP]"
    pad_token = "[PAD]"
    unk_token = "[UNK]"
    mask_token = "[MASK]"

    def __init__(self, model: Model, model_max_length: int) -> None:
        self._model = model
        self.model_max_length = model_max_length
        self.name_or_path = model.path

    def __repr__(self) -> str:
        return f"embd.sentence_transformers.Tokenizer({self.name_or_path!r}, vocab_size={self.vocab_size})"

    def __len__(self) -> int:
        return self.vocab_size

    @property
    def vocab_size(self) -> int:
        return self._model._native.vocab_size

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {self._model.token(i): i for i in range(self.vocab_size)}

    def get_vocab(self) -> dict[str, int]:
        """Returns the vocabulary: the id of each token."""
        return dict(self._ids)

    @property
    def vocab(self) -> dict[str, int]:
        return self.get_vocab()

    @property
    def cls_token_id(self) -> int | None:
        return self._ids.get(self.cls_token)

    @property
    def sep_token_id(self) -> int | None:
        return self._ids.get(self.sep_token)

    @property
    def pad_token_id(self) -> int | None:
        return self._ids.get(self.pad_token)

    @property
    def unk_token_id(self) -> int | None:
        return self._ids.get(self.unk_token)

    @property
    def mask_token_id(self) -> int | None:
        return self._ids.get(self.mask_token)

    @property
    def all_special_tokens(self) -> list[str]:
        names = (self.unk_token, self.sep_token, self.pad_token, self.cls_token, self.mask_token)
        return [name for name in names if name in self._ids]

    @property
    def all_special_ids(self) -> list[int]:
        return [self._ids[name] for name in self.all_special_tokens]

    # ---- texts to ids ----

    def __call__(
        self,
        text: str | Sequence[str],
        *,
        add_special_tokens: bool = True,
        padding: bool | Literal["longest", "max_length", "do_not_pad"] = False,
        truncation: bool | Literal["longest_first", "do_not_truncate"] = False,
        max_length: int | None = None,
        return_tensors: Literal["pt", "np"] | None = None,
    ) -> Encoding:
        """Returns the token ids of a text or of several texts, with their token types and masks.

        padding: True or "longest" makes all texts as long as the longest, "max_length" as long as max_length. The mask
            of padding is 0.
        truncation: True cuts a longer text to max_length.
        max_length: the length for truncation and padding; by default model_max_length.
        return_tensors: "pt" returns tensors of torch, "np" arrays of NumPy. Texts of different lengths then need
            padding.

        Raises ValueError for tensors of different lengths or another value of return_tensors, TypeError for an item
        that is no text.
        """
        texts = [text] if isinstance(text, str) else list(text)
        limit = self.model_max_length if max_length is None else max_length
        rows = self._model.tokenize(texts, prompt="")
        if not add_special_tokens:
            rows = [row[1:-1] for row in rows]
        if truncation and truncation != "do_not_truncate":
            rows = [_cut(row, limit, add_special_tokens) for row in rows]
        masks = [[1] * len(row) for row in rows]
        if padding and padding != "do_not_pad":
            width = limit if padding == "max_length" else max(map(len, rows), default=0)
            rows = [row + [self.pad_token_id or 0] * (width - len(row)) for row in rows]
            masks = [mask + [0] * (width - len(mask)) for mask in masks]
        encoding = Encoding(input_ids=rows, token_type_ids=[[0] * len(row) for row in rows], attention_mask=masks)
        if return_tensors is not None:
            return Encoding({name: _tensor(value, return_tensors) for name, value in encoding.items()})
        return Encoding({name: value[0] for name, value in encoding.items()}) if isinstance(text, str) else encoding

    def encode(self, text: str, **options: Any) -> Any:
        """Returns the token ids of a text. The options are the same as when the tokenizer is called."""
        return self(text, **options)["input_ids"]

    def tokenize(self, text: str) -> list[str]:
        """Returns the tokens of a text, without special tokens."""
        return [self._model.token(i) for i in self._model.tokenize(text, prompt="")[1:-1]]

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """Returns the id of a token, or a list of ids for tokens. An unknown token has the id of [UNK]."""
        if isinstance(tokens, str):
            return self._ids.get(tokens, self.unk_token_id)
        return [self._ids.get(token, self.unk_token_id) for token in tokens]

    # ---- ids to texts ----

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """Returns the token of an id, or a list of tokens for ids."""
        if not hasattr(ids, "__iter__"):
            return self._model.token(int(ids))
        skipped = set(self.all_special_ids) if skip_special_tokens else ()
        return [self._model.token(int(i)) for i in ids if int(i) not in skipped]

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """Returns the tokens as a text: pieces of a word are joined, and words are separated by spaces."""
        text = ""
        for i, token in enumerate(tokens):
            if i > 0 and token.startswith("##"):
                text += token[2:]
            else:
                text += token if i == 0 or token in _CLOSING else " " + token
        return text

    def decode(self, token_ids: Any, skip_special_tokens: bool = False) -> Any:
        """Returns a text for token ids, or a list of texts for rows of ids.

        The text may differ from the one that the ids were made of, because the tokenizer may change case and spaces.
        """
        ids = token_ids.tolist() if hasattr(token_ids, "tolist") else token_ids
        if isinstance(ids, (list, tuple)) and len(ids) > 0 and isinstance(ids[0], (list, tuple)):
            return self.batch_decode(ids, skip_special_tokens)
        tokens = self.convert_ids_to_tokens([ids] if isinstance(ids, int) else ids, skip_special_tokens)
        return self.convert_tokens_to_string(tokens)

    def batch_decode(self, sequences: Any, skip_special_tokens: bool = False) -> list[str]:
        """Returns a text for each row of token ids."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]


def _cut(ids: list[int], limit: int, has_special_tokens: bool) -> list[int]:
    """Returns the first `limit` ids. If the last id of the text is a special token, it remains the last one."""
    if len(ids) <= limit:
        return ids
    return ids[: limit - 1] + ids[-1:] if has_special_tokens else ids[:limit]


def _tensor(rows: list[list[int]], kind: str) -> Any:
    """Returns rows of equal length as a tensor of torch or an array of NumPy."""
    if len({len(row) for row in rows}) > 1:
        raise ValueError("the texts have different numbers of tokens and cannot be put in a tensor: ask for padding")
    if kind == "np":
        import numpy as np

        return np.array(rows, np.int64)
    if kind == "pt":
        import torch

        return torch.tensor(rows, dtype=torch.int64)
    raise ValueError(f"return_tensors is {kind!r}, expected 'pt' or 'np'")
