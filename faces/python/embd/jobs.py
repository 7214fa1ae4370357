"""Runs whole jobs: embeds a file of texts, scores a file of pairs, and verifies that vectors belong to their texts."""

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
    """The error that quantization made in one output file, as means over all rows."""

    path: str
    """The path of the output."""
    cosine: float
    """1 - the cosine similarity of a row and the vector that its codes stand for."""
    euclidean: float
    """The Euclidean distance of a row and the vector that its codes stand for."""


class EmbedReport(NamedTuple):
    """The result of embed_file() or score_pairs_file(). For score_pairs_file(), each pair is a row."""

    rows: int
    """The number of rows in the outputs."""
    resumed_rows: int
    """The number of these rows that earlier, interrupted runs had made."""
    tokens: int
    """The number of tokens that went through the model in this run."""
    truncated_rows: int
    """The number of rows whose text was longer than the model takes, and was cut."""
    empty_rows: int
    """The number of rows whose text is empty or only white space."""
    renamed_rows: int
    """The number of rows whose text was the id of an earlier row, so that #2, #3, … was put behind it (finalfusion)."""
    seconds: float
    """The duration of this run."""
    repeated_rows: int = 0
    """The number of rows that this run did not compute because an earlier text had the same tokens."""
    digest: Digest | None = None
    """The digest of all rows, computed from their float32 values before an output stored them in another type.

    It covers the texts, unless each window of a text has a row of its own. It is None if the outputs have no place for
    it.
    """
    losses: tuple[OutputLoss, ...] = ()
    """The errors of the outputs that were quantized."""


class Verification(NamedTuple):
    """The result of verify(): how far the vectors of a file are from newly computed vectors of its texts."""

    has_recipe: bool
    """True if the vectors have a recipe."""
    rows: int
    """The number of rows in the file of vectors."""
    expected_rows: int
    """The number of rows that the texts give. If it is not `rows`, only the rows that exist in both were compared."""
    checked_rows: int
    """The number of rows that were compared."""
    equal_rows: int
    """The number of compared rows in which every value is equal."""
    largest_difference: float
    """The largest difference of two values."""

    def is_good(self, tolerance: float = 0) -> bool:
        """Returns true if the numbers of rows are equal and no difference is larger than `tolerance`."""
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
    """Embeds the texts of a file into one or more files of vectors, as `embd embed` does, with the same bytes.

    Memory does not grow with the number of texts. All outputs appear complete at the end, or none does. Ctrl-C ends the
    call within a moment.

    input: a file of texts, a list of files, or a folder. The extension tells the format: lines of text (.txt), JSON
        Lines, csv, tsv, Parquet or Arrow (.parquet, .arrow, .feather, .ipc). A folder stands for the .txt, .text, .md,
        .jsonl, .ndjson, .csv and .tsv files in it and in its subfolders, in the order of their paths. Parquet and Arrow
        files are read with pyarrow, one file in a call.
    output: the file of vectors, or several. The extension tells the format.
    column: the column of texts in a Parquet or Arrow file, by default "text".
    id_column: the column of ids in a Parquet or Arrow file: whole numbers from 0, or strings.
    windows: the number of tokens of a window. A longer text is divided into windows of this length; each begins
        `stride` tokens after the previous one.
    window_pooling: "rows" gives each window a row, "mean" gives a text one row, the mean of its windows.
    progress: show a progress bar that counts texts, if tqdm is installed.

    The further options are the same as in `embd embed`. How text files are read:
    text_field, id_field: the fields that hold the text and the id.
    id_from: "file" makes ids of the file's name and the line, such as "a.txt:12".
    id_type: whether ids in csv and tsv files are numbers or strings.
    token_ids_field: a field with token ids, which are embedded instead of a text (JSON Lines).
    has_header: False if the first row of a csv or tsv file is data.
    encoding: the encoding of the file, such as "latin-1"; by default UTF-8.
    invalid_utf8: "error" or "replace", for bytes that are not valid in the encoding. "replace" reads them as U+FFFD.
    delimiter: the character between the fields of a csv file.
    skip_empty: leave out texts that are empty or only white space.
    max_text_bytes: the largest size of a line of a file, or of a field of csv, in bytes; a larger one is an error.

    How texts are embedded: the options of Model.encode().

    How rows are written:
    format, output_type, output_ranges: the format, the type of the values, and the ranges of int8 codes. The options of
        write_vectors() for single formats may be given, too.
    section_fields, column_fields: fields of the input that are written with the rows (CVC, Parquet, JSON Lines).
    text_column: write the texts, too (Parquet).
    part: (i, n) embeds only part i, from 0, of n parts of the input. `embd join` puts the parts together.
    id_start: number the rows from this number on.
    refuse_truncated: raise an error for a text that would be cut.
    row_report: a file that gets a line of JSON for each row.
    resume: keep finished rows in a journal beside the first output, and continue from the journal of an interrupted
        job.
    restart: begin anew if the journal was written under other conditions.

    Raises ValueError for a missing text or column, for an option of another kind of input, and for an option that no
    output uses. Raises embd.Error, with file and line or row, for all other faults.
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
        raise ValueError("several Parquet or Arrow files were given, expected one file in each call")
    if has_columns:
        _check_table_options(options, id_column)
    outputs = [output] if isinstance(output, (str, os.PathLike)) else list(output)

    def run(update: Any) -> EmbedReport:
        if has_columns:
            with text_batches(inputs[0], "text" if column is None else column, id_column) as batches:
                records = _native.BatchRecords(batches, inputs[0])
                report = _native.embed_batches(model._native, records, outputs, native_options, others, update)
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
    """Scores the pairs of a file into one or more files of scores, as `embd rerank PAIRS` does, with the same bytes.

    input: a file of pairs, in JSON Lines, csv, tsv, Parquet or Arrow, by its extension.
    output: the file of scores, or several, in JSON Lines or Parquet. The columns are id, score and logit; for a
        reranker with several labels they are id, scores and logits.
    query_column, column, id_column: the columns of a Parquet or Arrow file that hold the first text of a pair (by
        default "query"), the second text (by default "text") and the id.
    query_field, text_field: the fields of other files that hold the first text of a pair (by default "query") and the
        second (by default "text").
    progress: show a progress bar that counts pairs, if tqdm is installed.

    The further options are the same as in `embd rerank`. Options for reading files and for the job are as in
    embed_file(), options for the reranker as in Reranker.score(). Raises the same errors as embed_file().
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
                records = _native.BatchRecords(batches, os.fspath(input))
                report = _native.score_batches(reranker._native, records, outputs, native_options, others, update)
        else:
            report = _native.score_file(reranker._native, input, outputs, native_options, others, update)
        return _report_of(report)

    return _with_bar(run, "pair", progress)


def _report_of(report: dict[str, Any]) -> EmbedReport:
    """Returns the report of a job from the dict that the binding gives."""
    from embd.digest import Digest

    digest = report.pop("digest")
    losses = tuple(OutputLoss(os.fspath(path), *loss) for path, *loss in report.pop("losses"))
    return EmbedReport(**report, digest=None if digest is None else Digest.from_json(digest), losses=losses)


def _with_bar(run: Callable[[Any], EmbedReport], unit: str, progress: bool) -> EmbedReport:
    """Runs a job, and shows a progress bar if `progress` is true."""
    if not progress:
        return run(None)
    with progress_bar(None, unit=unit) as update:
        return run(update)


def _split(
    options: EmbedKeywords | ScorePairsKeywords | VerifyKeywords, keywords: type[Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits options into two dicts: the members of the class `keywords`, and all others."""
    others: dict[str, Any] = dict(options)
    return {name: others.pop(name) for name in keywords.__annotations__ if name in others}, others


def _check_table_options(options: EmbedKeywords | ScorePairsKeywords, id_column: str | None) -> None:
    """Raises ValueError for an option that Parquet and Arrow files do not take, such as the options of text files."""
    given = [name for name in (*InputKeywords.__annotations__, "query_field") if options.get(name) is not None]
    if any(name.endswith("_field") or name == "input_format" for name in given):
        raise ValueError("Parquet and Arrow files have columns: give column and id_column instead of the names of fields and input_format")
    if given:
        raise ValueError(f"{', '.join(given)} applies to text files, but the input is a Parquet or Arrow file: leave it out")
    if id_column is not None and options.get("id_start") is not None:
        raise ValueError("id_start and id_column were both given, expected at most one: ids are either numbered or read from a column")


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
    """Embeds texts again, as the recipe of the vectors says, and compares the results with the vectors of a file.

    This is what `embd verify` does.

    model: the model that the vectors were made with.
    vectors: the file or directory of vectors.
    texts: the texts of the rows: a file, several files, or a folder.
    windows, window_pooling: as in embed_file(); by default as the recipe says.
    sample: the number of rows to check, drawn with `seed`; 0 checks all.
    force: continue even if the recipe names another model or other options.

    Further options are the options of embed_file() for reading texts, the options of read_vectors() for reading
    vectors, and the options of Model.encode(), each of which overrides the recipe. Raises embd.Error: recipe_mismatch
    for vectors of another model, bad_count for vectors of another dimension.
    """
    encode, others = _split(options, EncodeKeywords)
    native_options = model._options(windows=windows, window_pooling=window_pooling, threads=threads, **encode)
    return Verification(**_native.verify(model._native, vectors, paths_of(texts), native_options, others))
