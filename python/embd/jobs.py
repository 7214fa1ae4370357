"""Whole jobs: a file of texts to files of vectors, and the proof that they are its vectors; a file of pairs to files of scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from embd import _native
from embd._keywords import EncodeKeywords, InputKeywords, ScoreKeywords
from embd._paths import paths_of
from embd._progress import progress_bar
from embd._tables import is_table, text_batches
from embd.model import Model
from embd.reranker import Reranker

if TYPE_CHECKING:
    from typing import TypeAlias

    from embd._keywords import EmbedKeywords, ScorePairsKeywords, VerifyKeywords
    from embd.digest import Digest
    from typing_extensions import Unpack

    Path: TypeAlias = Union[str, os.PathLike[str]]


class OutputLoss(NamedTuple):
    """The error that quantizing made in one output: means over all rows."""

    path: str
    cosine: float
    """1 - the cosine of a row and what its codes stand for."""
    euclidean: float
    """The length of their difference."""


class EmbedReport(NamedTuple):
    """The result of embed_file() or score_pairs_file(); a row of the latter is a pair."""

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
    repeated_rows: int = 0
    """Of this run, those that were not computed, since an earlier text had the same tokens."""
    digest: Digest | None = None
    """The digest of all rows with their texts, before they were stored."""
    losses: tuple[OutputLoss, ...] = ()
    """The errors of the outputs that were quantized."""


class Verification(NamedTuple):
    """How far the vectors of a file are from those of its texts."""

    has_recipe: bool
    rows: int
    """Rows of the file."""
    expected_rows: int
    """That the texts make."""
    checked_rows: int
    equal_rows: int
    """How many of the checked rows have every value equal."""
    largest_difference: float

    def is_good(self, tolerance: float = 0) -> bool:
        return self.rows == self.expected_rows and self.largest_difference <= tolerance


def embed_file(
    model: Model,
    input: Path | Sequence[Path],
    output: Path | Sequence[Path],
    *,
    column: str | None = None,
    id_column: str | None = None,
    windows: int | None = None,
    window_pooling: Literal["mean", "rows"] = "rows",
    progress: bool = False,
    **options: Unpack[EmbedKeywords],
) -> EmbedReport:
    """Embeds the texts of a file into one or more files of vectors, as `embd embed` does, byte for byte.

    input: lines of text (txt), JSON Lines, csv or tsv, by its extension; several of these as one, or a folder, which stands for
    its .txt, .text, .md, .jsonl, .ndjson, .csv and .tsv files in the order of their paths; Parquet and Arrow files (.parquet, .arrow, .feather,
    .ipc, or any name with `column`), which are read with pyarrow, a batch of rows at a time. Of Parquet and Arrow: column,
    by default "text", and id_column, whole numbers from 0 or strings.
    output: formats by their extensions. Memory does not grow with the number of texts. Each output appears whole at the end,
    or none does. Ctrl-C ends it within a moment.
    windows: a longer text becomes windows of so many tokens, each `stride` tokens after the last, with a row each, or with
    one row for their mean.

    options: those of `embd embed`. Of text files: text_field, id_field, id_from ("file": ids are the file's name and the line, "a.txt:12"), id_type,
    token_ids_field (JSON Lines: token ids instead of texts), has_header, encoding (such as "latin-1"; empty: UTF-8),
    invalid_utf8 (bytes that are not of the encoding: an error, or U+FFFD for them), delimiter (of csv) and skip_empty (leave
    out texts that are empty or only white space). Of the model: what Model.encode() takes. Of outputs: format, output_type,
    output_ranges, and what write_vectors() takes. section_fields, column_fields (CVC, Parquet, JSON Lines) and text_column (Parquet): what
    goes with the rows. part: (i, n) for one of n parts of the input, which `embd join` puts together. id_start: number the
    rows from there. refuse_truncated: a text that would be cut is an error. row_report: a file for a JSON line a row.
    resume: finished rows are kept in a journal beside the first output, and an interrupted job goes on from it; restart: begin
    anew where the journal is of other conditions.

    Raises embd.Error with file and line (or row); ValueError for a missing text or column, for options of the other kind of
    input, and for options that no output has a use for.
    """
    encode, others = _split(options, EncodeKeywords)
    native_options = model._options(windows=windows, window_pooling=window_pooling, **encode)
    inputs = paths_of(input)
    has_columns = (
        column is not None
        or id_column is not None
        or (options.get("input_format") is None and any(is_table(path) for path in inputs))
    )
    if has_columns and len(inputs) != 1:
        raise ValueError("Parquet and Arrow files are embedded one by one")
    if has_columns:
        _check_table_options(options, id_column)
    outputs = [output] if isinstance(output, (str, os.PathLike)) else list(output)

    def run(update: Any) -> EmbedReport:
        if has_columns:
            with text_batches(inputs[0], "text" if column is None else column, id_column) as batches:
                report = _native.embed_batches(
                    model._native, batches, inputs[0], outputs, native_options, others, update
                )
        else:
            report = _native.embed_files(model._native, inputs, outputs, native_options, others, update)
        return _report_of(report)

    return _with_bar(run, "text", progress)


def score_pairs_file(
    reranker: Reranker,
    input: Path,
    output: Path | Sequence[Path],
    *,
    query_column: str | None = None,
    column: str | None = None,
    id_column: str | None = None,
    progress: bool = False,
    **options: Unpack[ScorePairsKeywords],
) -> EmbedReport:
    """Scores the pairs of a file into one or more files of scores, as `embd rerank PAIRS` does, byte for byte.

    input: JSON Lines, csv or tsv, by its extension, with the first text of a pair in query_field (by default "query") and the
    second in text_field ("text"); Parquet and Arrow files, read with pyarrow, with query_column, column and id_column.
    output: JSON Lines or Parquet, with columns id, score and logit, or scores and logits of a reranker with several labels.

    options: those of `embd rerank`: of text files and of jobs as embed_file() takes them, of the reranker as Reranker.score()
    does. Raises as embed_file() does.
    """
    score, others = _split(options, ScoreKeywords)
    native_options = reranker._options(**score)
    columns = (query_column, column, id_column)
    has_columns = any(columns) or (options.get("input_format") is None and is_table(input))
    if has_columns:
        _check_table_options(options, id_column)
    outputs = [output] if isinstance(output, (str, os.PathLike)) else list(output)

    def run(update: Any) -> EmbedReport:
        if has_columns:
            with text_batches(input, column or "text", id_column, query_column or "query") as batches:
                report = _native.score_batches(
                    reranker._native, batches, os.fspath(input), outputs, native_options, others, update
                )
        else:
            report = _native.score_file(reranker._native, input, outputs, native_options, others, update)
        return _report_of(report)

    return _with_bar(run, "pair", progress)


def _report_of(report: dict[str, Any]) -> EmbedReport:
    from embd.digest import Digest

    digest = report.pop("digest")
    losses = tuple(OutputLoss(os.fspath(path), *loss) for path, *loss in report.pop("losses"))
    return EmbedReport(**report, digest=None if digest is None else Digest.from_json(digest), losses=losses)


def _with_bar(run: Callable[[Any], EmbedReport], unit: str, progress: bool) -> EmbedReport:
    """Runs a job, with a bar of progress if that is asked for."""
    if not progress:
        return run(None)
    with progress_bar(None, unit=unit) as update:
        return run(update)


def _split(
    options: EmbedKeywords | ScorePairsKeywords | VerifyKeywords, keywords: type[Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the options that a class of keywords has, and all others."""
    others: dict[str, Any] = dict(options)
    return {name: others.pop(name) for name in keywords.__annotations__ if name in others}, others


def _check_table_options(options: EmbedKeywords | ScorePairsKeywords, id_column: str | None) -> None:
    """Parquet and Arrow files take none of the options of text files: raises ValueError for one that is given."""
    given = [name for name in (*InputKeywords.__annotations__, "query_field") if options.get(name) is not None]
    if any(name.endswith("_field") or name == "input_format" for name in given):
        raise ValueError("Parquet and Arrow have columns: give column and id_column instead of fields and input_format")
    if given:
        raise ValueError(f"{', '.join(given)}: of text files, which Parquet and Arrow are not")
    if id_column is not None and options.get("id_start") is not None:
        raise ValueError("ids are numbered or read from a column, not both")


def verify(
    model: Model,
    vectors: Path,
    texts: Path | Sequence[Path],
    *,
    windows: int | None = None,
    window_pooling: Literal["mean", "rows"] = "rows",
    threads: int = 0,
    **options: Unpack[VerifyKeywords],
) -> Verification:
    """Embeds the texts of a file, of several or of a folder again, as the recipe of the vectors says, and compares, as `embd verify` does.

    sample: check so many rows, drawn by `seed`; 0: all. force: go on where the recipe is of another model. Others say how the
    texts are read, as embed_file() takes them, how the vectors are read, as read_vectors() takes them, and how texts are
    encoded, where the recipe is not to say. Raises embd.Error: recipe_mismatch for vectors of another model.
    """
    encode, others = _split(options, EncodeKeywords)
    native_options = model._options(windows=windows, window_pooling=window_pooling, threads=threads, **encode)
    return Verification(**_native.verify(model._native, vectors, paths_of(texts), native_options, others))
