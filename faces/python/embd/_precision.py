"""Converts vectors to other types: float16, int8 and uint8 codes, binary codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

Precision: TypeAlias = Literal["float32", "float16", "int8", "uint8", "binary", "ubinary"]
PRECISIONS = ("float32", "float16", "int8", "uint8", "binary", "ubinary")

# With fewer rows than this, the least and greatest values of components depend much on the choice of rows.
_FEW_ROWS = 100


def check_precision(precision: str) -> None:
    """Raises ValueError if `precision` is none of PRECISIONS."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}, expected one of {', '.join(PRECISIONS)}")


def ranges_of(rows: NDArray[Any], precision: str) -> NDArray[Any]:
    """Returns the least and the greatest value of each component, [2, dim], for int8 and uint8 codes.

    Warns if there are few rows. Raises ValueError for a single vector, whose ranges would be empty.
    """
    import numpy as np

    if rows.ndim == 1 or len(rows) == 1:
        raise ValueError(
            f"{precision} codes need ranges, which a single vector does not have: give `ranges` or "
            "`calibration_embeddings` to quantize_embeddings()"
        )
    if len(rows) < _FEW_ROWS:
        import logging

        logging.getLogger("embd").warning(
            "the ranges of the %s codes were computed from only %d vectors; ranges of more vectors are more reliable", precision, len(rows)
        )
    return np.stack([rows.min(axis=0), rows.max(axis=0)])


def convert(rows: NDArray[Any], precision: str, ranges: NDArray[Any] | None = None) -> NDArray[Any]:
    """Converts float32 vectors [n, dim] or [dim] to another precision.

    precision: "float32", "float16" or a kind of codes. For "uint8" and "int8", the range of each component is divided
        into 256 equal steps, and a code is the number of a value's step. For "ubinary" and "binary", a bit is 1 if the
        component is above 0; eight bits make a byte, the first component in the highest bit. "int8" and "binary" are
        shifted by -128.
    ranges: the least and the greatest value of each component, [2, dim], for "int8" and "uint8"; by default the ranges
        of `rows`.

    Raises ValueError if codes are asked for and a value is not finite.
    """
    import numpy as np

    check_precision(precision)
    if precision == "float32":
        return rows.astype(np.float32, copy=False)
    if precision == "float16":
        return rows.astype(np.float16)
    if not np.isfinite(rows).all():
        raise ValueError(f"a value is infinite or not a number and has no {precision} code, expected finite numbers")
    if precision in ("binary", "ubinary"):
        bits: NDArray[np.uint8] = np.packbits(rows > 0, axis=-1)
        return bits if precision == "ubinary" else (bits - np.uint8(128)).view(np.int8)
    if rows.ndim == 2 and len(rows) == 0:
        return np.zeros(rows.shape, np.dtype(precision))
    ends = ranges_of(rows, precision) if ranges is None else ranges
    ends = ends.astype(np.float32, copy=False)
    steps = (ends[1] - ends[0]) / np.float32(255)
    steps = np.where(steps == 0, np.float32(1), steps)
    codes = np.clip(np.floor((rows - ends[0]) / steps), 0, 255)
    shifted: NDArray[Any] = codes.astype(np.uint8) if precision == "uint8" else (codes - 128).astype(np.int8)
    return shifted
