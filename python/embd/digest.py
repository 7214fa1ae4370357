"""embd.Digest: one number for a set of rows, whatever their order and their parts."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Union

from embd import _native
from embd._paths import paths_of
from embd._rows import as_rows
from embd._texts import Texts, as_texts
from embd.vectors import as_ids

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from embd._keywords import DigestKeywords
    from embd.model import Recipe

    Path: TypeAlias = Union[str, os.PathLike[str]]


class Digest:
    """The number of rows, and the sum of a SHA-256 of each modulo 2**256, as `embd digest` prints them.

    A row's hash covers its id, its text where texts are given, its float32 values and the recipe. Neither the order of
    rows nor their partition over calls, files and machines changes the sum; a row that is lost, doubled or changed
    does, and so do two rows whose vectors were exchanged. docs/formats/digest.md has the bytes.

    recipe: of all rows, such as model.recipe; None binds them to no model.

    Digests of parts add up: a + b, sum(digests, start). Pickled. Any number of threads may use one at once; an update()
    that fails or is interrupted leaves it as it was.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recipe: Recipe | None = None) -> None:
        self._native = _native.Digest(None if recipe is None else json.dumps(recipe))

    def update(
        self,
        rows: Any,
        ids: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
        texts: Texts | None = None,
        *,
        first_row: int = 0,
    ) -> None:
        """Adds rows [n, dim] with their ids and texts.

        ids: whole numbers or strings, one a row; without them rows are numbered from `first_row` on. texts: one a row,
        in every call or in none. Raises embd.Error (invalid_argument) if the numbers of them differ.
        """
        array = as_rows(rows, single=False)
        self._native.update(array, as_ids(ids), first_row, None if texts is None else as_texts(texts))

    def __add__(self, other: Digest) -> Digest:
        """The digest of the rows of both. Raises embd.Error: recipe_mismatch for those of another recipe."""
        if not isinstance(other, Digest):
            return NotImplemented
        total = _wrap(self._native.copy())
        total._native.add(other._native)
        return total

    def __iadd__(self, other: Digest) -> Digest:
        if not isinstance(other, Digest):
            return NotImplemented
        self._native.add(other._native)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Digest):
            return NotImplemented
        return self._native.equals(other._native)

    def __repr__(self) -> str:
        return f"embd.Digest(count={self.count}, hex={self.hex()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)

    @property
    def count(self) -> int:
        """Rows."""
        return self._native.count

    def hex(self) -> str:
        """The sum over ids, texts and vectors, 64 digits; over ids and vectors where no texts came."""
        return self._native.hex()

    def vectors_hex(self) -> str:
        """The sum over ids and vectors: what can be made again from a file of vectors alone."""
        return self._native.vectors_hex()

    def input_hex(self) -> str:
        """The sum over ids and texts, of no recipe: the input's. "" where no texts came."""
        return self._native.input_hex()

    def recipe_hex(self) -> str:
        """The hash of what the recipe says of the vectors; digests are added where it is equal."""
        return self._native.recipe_hex()

    def to_json(self) -> str:
        """Returns the JSON text that `embd digest` prints."""
        return self._native.to_json()

    @classmethod
    def from_json(cls, text: str) -> Digest:
        """Returns the digest that to_json() wrote. Raises embd.Error."""
        return _wrap(_native.Digest.from_json(text), cls)


def digest_file(
    vectors: Path, texts: Path | Sequence[Path] | None = None, **options: Unpack[DigestKeywords]
) -> Digest:
    """The digest of all rows of a file of vectors, bound to its recipe, as `embd digest FILE [TEXTS]` makes it.

    texts: the file of the rows' texts, several files, or a folder, which are read as embed_file() reads them. options: how
    they are read, as embed_file() takes them, and how the vectors are, as read_vectors() takes them. Raises embd.Error: bad_count where it has another number of
    texts.
    """
    return _wrap(_native.digest_file(vectors, paths_of(texts), dict(options)))


def _wrap(native: _native.Digest, digest_class: type[Digest] = Digest) -> Digest:
    digest = digest_class.__new__(digest_class)
    digest._native = native
    return digest
