"""The forms that vectors come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

Precision: TypeAlias = Literal["float32", "float16", "int8", "uint8", "binary", "ubinary"]
PRECISIONS = ("float32", "float16", "int8", "uint8", "binary", "ubinary")

# Fewer rows than this say little of where components begin and end.
_FEW_ROWS = 100


def check_precision(precision: str) -> None:
    if precision not in PRECISIONS:
        raise ValueError(f"Precision {precision!r} is not one of {', '.join(PRECISIONS)}")


def ranges_of(rows: NDArray[Any], precision: str) -> NDArray[Any]:
    """The least and the greatest value of each component, [2, dim]. ValueError for a single row."""
    import numpy as np

    if rows.ndim == 1 or len(rows) == 1:
        raise ValueError(
            f"{precision} codes need ranges, which a single vector has not: give `ranges` or "
            "`calibration_embeddings` to quantize_embeddings()"
        )
    if len(rows) < _FEW_ROWS:
        import logging

        logging.getLogger("embd").warning(
            "the ranges of %s codes are those of %d vectors alone; those of more are steadier", precision, len(rows)
        )
    return np.stack([rows.min(axis=0), rows.max(axis=0)])


def convert(rows: NDArray[Any], precision: str, ranges: NDArray[Any] | None = None) -> NDArray[Any]:
    """Rows [n, dim] or [dim] of float32 in another form.

    int8 and uint8: which of 256 equal steps of its component's range a value lies in. binary and ubinary: a bit a
    component, 1 above 0, eight to a byte, the first the most significant. int8 and binary are shifted by -128.
    ValueError for codes of a value that is not finite.
    """
    import numpy as np

    check_precision(precision)
    if precision == "float32":
        return rows.astype(np.float32, copy=False)
    if precision == "float16":
        return rows.astype(np.float16)
    if not np.isfinite(rows).all():
        raise ValueError(f"a value that is not finite has no {precision} code")
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
