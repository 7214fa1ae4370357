"""The tokenizer of a model, with the part of transformers' interface that programs use beside SentenceTransformer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from embd.model import Model

# Before these no space is put.
_CLOSING = (".", "?", "!", ",")


class Encoding(dict[str, Any]):
    """Token ids and what belongs to them, by their names: encoding["input_ids"] or encoding.input_ids."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def to(self, device: Any) -> Encoding:
        """The same with tensors on the device."""
        return Encoding({name: value.to(device) for name, value in self.items()})


class Tokenizer:
    """WordPiece, in C++: the ids are those that encode() computes with.

    A text of any length is taken whole, unless `truncation` is asked for. Pairs of texts and what else transformers'
    tokenizers can (offsets, overflowing windows, training) raise TypeError or AttributeError.
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
        """The id of each token."""
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
        """Token ids of a text, or of each text, with token types and the mask of what is no padding.

        return_tensors: "pt" or "np"; then texts of different lengths want padding. max_length: of truncation and
        padding="max_length"; by default model_max_length. Raises ValueError, TypeError.
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
        """Token ids of a text; options: of a call."""
        return self(text, **options)["input_ids"]

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text, without special ones."""
        return [self._model.token(i) for i in self._model.tokenize(text, prompt="")[1:-1]]

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """The id of a token, or those of tokens; of one that is not in the vocabulary, that of [UNK]."""
        if isinstance(tokens, str):
            return self._ids.get(tokens, self.unk_token_id)
        return [self._ids.get(token, self.unk_token_id) for token in tokens]

    # ---- ids to texts ----

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """The token of an id, or those of ids."""
        if not hasattr(ids, "__iter__"):
            return self._model.token(int(ids))
        skipped = set(self.all_special_ids) if skip_special_tokens else ()
        return [self._model.token(int(i)) for i in ids if int(i) not in skipped]

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """The tokens as a text: pieces of words joined, a space between words."""
        text = ""
        for i, token in enumerate(tokens):
            if i > 0 and token.startswith("##"):
                text += token[2:]
            else:
                text += token if i == 0 or token in _CLOSING else " " + token
        return text

    def decode(self, token_ids: Any, skip_special_tokens: bool = False) -> Any:
        """A text of ids, or one of each row of ids; not always the one they were made of."""
        ids = token_ids.tolist() if hasattr(token_ids, "tolist") else token_ids
        if isinstance(ids, (list, tuple)) and len(ids) > 0 and isinstance(ids[0], (list, tuple)):
            return self.batch_decode(ids, skip_special_tokens)
        tokens = self.convert_ids_to_tokens([ids] if isinstance(ids, int) else ids, skip_special_tokens)
        return self.convert_tokens_to_string(tokens)

    def batch_decode(self, sequences: Any, skip_special_tokens: bool = False) -> list[str]:
        return [self.decode(ids, skip_special_tokens) for ids in sequences]


def _cut(ids: list[int], limit: int, has_special_tokens: bool) -> list[int]:
    """The first ids, of which the last stays where it is a special one."""
    if len(ids) <= limit:
        return ids
    return ids[: limit - 1] + ids[-1:] if has_special_tokens else ids[:limit]


def _tensor(rows: list[list[int]], kind: str) -> Any:
    if len({len(row) for row in rows}) > 1:
        raise ValueError("texts of different lengths make no tensor: ask for padding")
    if kind == "np":
        import numpy as np

        return np.array(rows, np.int64)
    if kind == "pt":
        import torch

        return torch.tensor(rows, dtype=torch.int64)
    raise ValueError(f"return_tensors {kind!r}, expected 'pt' or 'np'")
