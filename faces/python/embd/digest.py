"""embd.Digest: one number for a set of rows, which depends neither on their order nor on their division into parts."""

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
    """The digest of a set of rows: their number, and the sum of the SHA-256 of each row modulo 2**256.

    The hash of a row covers its id, its text if texts are given, its float32 values and the recipe. Neither the order
    of the rows nor their partition over calls, files and machines changes the sum. A row that is lost, doubled or
    changed does change it, and so do two rows whose vectors were exchanged. The digest finds faults; it is no signature
    against an attacker. `embd digest` prints the same values, and docs/formats/digest.md defines the bytes that are
    hashed.

    recipe: the recipe of all rows, such as model.recipe. With None the digest does not depend on a model.

    Digests of parts can be added: a + b, or sum(digests, start). A Digest can be pickled, and any number of threads may
    use it at once. An update() that fails or is interrupted leaves the digest unchanged.
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
        """Adds rows [n, dim] with their ids and texts to the digest.

        ids: the ids of the rows, whole numbers or strings. Without ids, the rows are numbered from `first_row` on.
        texts: the texts of the rows. They must be given in every call or in none.
        first_row: the number of the first row, if there are no ids.

        Raises embd.Error (invalid_argument) if the numbers of rows, ids and texts differ.
        """
        array = as_rows(rows, single=False)
        self._native.update(array, as_ids(ids), first_row, None if texts is None else as_texts(texts))

    def __add__(self, other: Digest) -> Digest:
        """Returns the digest of the rows of both digests together.

        Raises embd.Error: recipe_mismatch if the recipes differ, invalid_argument if only one of the two has texts.
        """
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
        """The number of rows."""
        return self._native.count

    def hex(self) -> str:
        """Returns the sum over ids, texts and vectors as 64 hexadecimal digits; without texts, over ids and vectors."""
        return self._native.hex()

    def vectors_hex(self) -> str:
        """Returns the sum over ids and vectors. It can be computed again from a file of vectors without their texts."""
        return self._native.vectors_hex()

    def input_hex(self) -> str:
        """Returns the sum over ids and texts, which depends on no recipe; "" without texts."""
        return self._native.input_hex()

    def recipe_hex(self) -> str:
        """Returns the hash of all fields of the recipe that decide the vectors.

        Two digests can be added if this hash is equal.
        """
        return self._native.recipe_hex()

    def to_json(self) -> str:
        """Returns the digest as JSON text, as `embd digest` prints it."""
        return self._native.to_json()

    @classmethod
    def from_json(cls, text: str) -> Digest:
        """Returns the digest that to_json() wrote. Raises embd.Error if the text is no such digest."""
        return _wrap(_native.Digest.from_json(text), cls)


def digest_file(
    vectors: Path, texts: Path | Sequence[Path] | None = None, **options: Unpack[DigestKeywords]
) -> Digest:
    """Computes the digest of all rows of a file of vectors, with the recipe of the file, as `embd digest` does.

    vectors: the file or directory of vectors.
    texts: the texts of the rows: a file, several files, or a folder. They are read as embed_file() reads them.
    options: the options of embed_file() for reading texts, and the options of read_vectors() for reading vectors.

    Raises embd.Error: bad_count if the number of texts is not the number of rows; other codes if a file cannot be read.
    """
    return _wrap(_native.digest_file(vectors, paths_of(texts), dict(options)))


def _wrap(native: _native.Digest, digest_class: type[Digest] = Digest) -> Digest:
    digest = digest_class.__new__(digest_class)
    digest._native = native
    return digest
