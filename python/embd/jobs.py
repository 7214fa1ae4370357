"""Whole jobs: a file of texts to files of vectors, and the proof that they are its vectors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from embd import _native
from embd._inputs import input_options
from embd._progress import progress_bar
from embd._tables import is_table, text_batches
from embd.model import Model

if TYPE_CHECKING:
    from typing import TypeAlias

    Path: TypeAlias = Union[str, os.PathLike[str]]


class EmbedReport(NamedTuple):
    """What embed_file() did."""

    rows: int
    resumed_rows: int
    """Of them, those that interrupted runs had made."""
    tokens: int
    """That went through the model in this run."""
    truncated_rows: int
    empty_rows: int
    renamed_rows: int
    """Whose text was an id already, so that theirs ends in #2, #3, … (finalfusion)."""
    seconds: float


class Verification(NamedTuple):
    """How far the vectors of a file are from those of its texts."""

    has_recipe: bool
    rows: int
    """Of the file."""
    expected_rows: int
    """That the texts make."""
    checked_rows: int
    equal_rows: int
    """Of those checked, the ones of which every value is equal."""
    largest_difference: float

    def is_good(self, tolerance: float = 0) -> bool:
        return self.rows == self.expected_rows and self.largest_difference <= tolerance


def embed_file(
    model: Model,
    input: Path,
    output: Path | Sequence[Path],
    *,
    input_format: Literal["txt", "jsonl", "csv", "tsv"] | None = None,
    text_field: str = "",
    id_field: str = "",
    token_ids_field: str = "",
    has_header: bool = True,
    encoding: str = "",
    invalid_utf8: Literal["error", "replace"] = "error",
    delimiter: str = ",",
    skip_empty: bool = False,
    column: str | None = None,
    id_column: str | None = None,
    output_type: Literal["", "f32", "f16", "int8", "binary"] = "",
    id_start: int | None = None,
    prompt: str | None = None,
    max_length: int | None = None,
    truncate_dim: int | None = None,
    normalize: bool | None = None,
    windows: int | None = None,
    stride: int = 0,
    window_pooling: Literal["mean", "rows"] = "rows",
    threads: int | None = None,
    resume: bool = False,
    restart: bool = False,
    refuse_truncated: bool = False,
    progress: bool = False,
    **write: Any,
) -> EmbedReport:
    """Embeds the texts of a file into one or more files of vectors, as `embd embed` does, byte for byte.

    input: lines of text (txt), JSON Lines, csv or tsv, by its extension; Parquet and Arrow files (.parquet, .arrow, .feather,
    .ipc, or any name with `column`), which are read with pyarrow, a batch of rows at a time.
    Of text files: text_field, id_field, token_ids_field (JSON Lines: token ids instead of texts), has_header, encoding
    (such as "latin-1"; empty: UTF-8), invalid_utf8 (bytes that are not of the encoding: an error, or U+FFFD for them),
    delimiter (of csv) and skip_empty (leave out texts that are empty or only white space). Of Parquet and Arrow: column,
    by default "text", and id_column, whole numbers from 0 or strings.
    output: formats by their extensions. Memory does not grow with the number of texts. resume: finished rows are kept in a
    journal beside the first output, and an interrupted job goes on from it; restart: begin anew where the journal is of
    other conditions. write: as write_vectors() takes. Each output appears whole at the end, or none does. Ctrl-C
    ends it within a moment. Raises embd.Error with file and line (or row); ValueError for a missing text or column, and
    for options of the other kind of input.
    """
    has_columns = column is not None or id_column is not None or (input_format is None and is_table(input))
    if has_columns and (input_format is not None or text_field or id_field or token_ids_field):
        raise ValueError("Parquet and Arrow have columns: give column and id_column instead of fields and input_format")
    if has_columns and (encoding or skip_empty or not has_header or invalid_utf8 != "error" or delimiter != ","):
        raise ValueError(
            "encoding, invalid_utf8, has_header, delimiter and skip_empty are of text files, which Parquet and Arrow are not"
        )
    if id_column is not None and id_start is not None:
        raise ValueError("ids are numbered or read from a column, not both")
    outputs = [output] if isinstance(output, (str, os.PathLike)) else list(output)
    options = model._options(
        prompt=prompt,
        max_length=max_length,
        truncate_dim=truncate_dim,
        normalize=normalize,
        windows=windows,
        stride=stride,
        window_pooling=window_pooling,
        threads=threads,
    )
    common: dict[str, Any] = {
        "output_type": output_type,
        "id_start": id_start,
        "resume": resume,
        "restart": restart,
        "refuse_truncated": refuse_truncated,
        "write": write,
    }

    def run(update: Any) -> EmbedReport:
        if has_columns:
            with text_batches(input, "text" if column is None else column, id_column) as batches:
                report = _native.embed_batches(
                    model._native, batches, os.fspath(input), outputs, options, **common, progress=update
                )
        else:
            report = _native.embed_file(
                model._native,
                input,
                outputs,
                options,
                input_options(
                    input_format,
                    text_field,
                    id_field,
                    token_ids_field,
                    has_header,
                    encoding,
                    invalid_utf8,
                    delimiter,
                    skip_empty,
                ),
                **common,
                progress=update,
            )
        return EmbedReport(**report)

    if not progress:
        return run(None)
    with progress_bar(None, unit="text") as update:
        return run(update)


def verify(
    model: Model,
    vectors: Path,
    texts: Path,
    *,
    sample: int = 0,
    seed: int = 0,
    force: bool = False,
    input_format: Literal["txt", "jsonl", "csv", "tsv"] | None = None,
    text_field: str = "",
    id_field: str = "",
    token_ids_field: str = "",
    has_header: bool = True,
    encoding: str = "",
    invalid_utf8: Literal["error", "replace"] = "error",
    delimiter: str = ",",
    skip_empty: bool = False,
    threads: int = 0,
) -> Verification:
    """Embeds the texts of a file again, as the recipe of the vectors says, and compares, as `embd verify` does.

    sample: check so many rows, drawn by `seed`; 0: all. force: go on where the recipe is of another model. Raises
    embd.Error: recipe_mismatch for vectors of another model.
    """
    return Verification(
        **_native.verify(
            model._native,
            vectors,
            texts,
            sample,
            seed,
            force,
            input_options(
                input_format, text_field, id_field, token_ids_field, has_header, encoding, invalid_utf8, delimiter, skip_empty
            ),
            threads,
        )
    )
