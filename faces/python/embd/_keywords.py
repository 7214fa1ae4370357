"""The keyword arguments of the package's functions, as types.

Written by `print_options python` from the lists in jobs/options; the test options_of_python fails if it is outdated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence


class EncodeKeywords(TypedDict, total=False):
    """The options of Model.encode(): how texts become vectors."""

    max_length: int | None
    """Number of tokens that a text is cut to, special tokens included (the model's)"""
    prompt: str | None
    """String that is put before every text (the model's)"""
    prompt_name: str | None
    """Name of a prompt in the model's configuration, such as query or document"""
    truncate_side: Literal["right", "left"] | None
    """The end at which a longer text is cut (the model's)"""
    stride: int | None
    """Number of tokens from the start of a window to the start of the next (no overlap)"""
    threads: int | None
    """Number of threads, including those that tokenize (as many as affinity and cgroup allow)"""
    batch_tokens: int | None
    """Number of tokens that a thread computes at a time; changes no byte of the result"""
    pooling: Literal["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", "joined"] | None
    """How the vectors of tokens become one vector (the model's)"""
    normalize: bool | None
    """False: Keep the lengths of the vectors instead of scaling them to 1"""
    truncate_dim: int | None
    """Keep only the first D components of each vector"""
    dedup: bool | None
    """Compute texts with the same tokens only once; changes no byte of the result (on)"""


class ScoreKeywords(TypedDict, total=False):
    """The options of Reranker.score(): how pairs of texts are scored."""

    max_length: int | None
    """Number of tokens that a pair is cut to, special tokens included (the model's)"""
    truncate_side: Literal["right", "left"] | None
    """The end at which a text is cut (the model's)"""
    prompt: str | None
    """String that is put before every query (the model's)"""
    prompt_name: str | None
    """Name of a prompt in the model's configuration"""
    activation: Literal["identity", "sigmoid"] | None
    """The function that turns a logit into a score; identity: the logit itself (the model's)"""
    refuse_truncated: bool | None
    """A pair that would be cut is an error"""
    threads: int | None
    """Number of threads, including those that tokenize (as many as affinity and cgroup allow)"""
    batch_tokens: int | None
    """Number of tokens that a thread computes at a time; changes no byte of the result"""
    dedup: bool | None
    """Compute pairs with the same tokens only once; changes no byte of the result (on)"""


class WorkerEncodeKeywords(TypedDict, total=False):
    """The options of Model.encode() that a job passes to its workers. The engine decides the number of threads."""

    max_length: int | None
    """Number of tokens that a text is cut to, special tokens included (the model's)"""
    prompt: str | None
    """String that is put before every text (the model's)"""
    prompt_name: str | None
    """Name of a prompt in the model's configuration, such as query or document"""
    truncate_side: Literal["right", "left"] | None
    """The end at which a longer text is cut (the model's)"""
    batch_tokens: int | None
    """Number of tokens that a thread computes at a time; changes no byte of the result"""
    pooling: Literal["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", "joined"] | None
    """How the vectors of tokens become one vector (the model's)"""
    normalize: bool | None
    """False: Keep the lengths of the vectors instead of scaling them to 1"""
    truncate_dim: int | None
    """Keep only the first D components of each vector"""


class WorkerScoreKeywords(TypedDict, total=False):
    """The options of Reranker.score() that a job passes to its workers. The engine decides the number of threads."""

    max_length: int | None
    """Number of tokens that a pair is cut to, special tokens included (the model's)"""
    truncate_side: Literal["right", "left"] | None
    """The end at which a text is cut (the model's)"""
    prompt: str | None
    """String that is put before every query (the model's)"""
    prompt_name: str | None
    """Name of a prompt in the model's configuration"""
    activation: Literal["identity", "sigmoid"] | None
    """The function that turns a logit into a score; identity: the logit itself (the model's)"""
    refuse_truncated: bool | None
    """A pair that would be cut is an error"""
    batch_tokens: int | None
    """Number of tokens that a thread computes at a time; changes no byte of the result"""
    dedup: bool | None
    """Compute pairs with the same tokens only once; changes no byte of the result (on)"""


class InputKeywords(TypedDict, total=False):
    """The options of functions that read a file of texts."""

    input_format: Literal["txt", "jsonl", "csv", "tsv", "parquet"] | None
    """The format of the texts; auto: by the extension, else txt"""
    text_field: str | None
    """Field that holds the text (text)"""
    id_field: str | None
    """Field that holds the id of a row"""
    id_from: Literal["field", "file"] | None
    """file: ids are the file's name and the line, such as notes/a.txt:12"""
    id_type: Literal["auto", "number", "string"] | None
    """The type of ids in csv and tsv; auto: the type that the first id has"""
    has_header: bool | None
    """False: csv, tsv: the first row is data, not a header; fields are named by their numbers from 1"""
    encoding: str | None
    """Encoding of the file, such as latin-1 or windows-1252 (utf-8)"""
    invalid_utf8: Literal["error", "replace"] | None
    """Bytes that are invalid in the encoding: an error, or replaced by U+FFFD"""
    delimiter: str | None
    """csv: the character between the fields of a row, such as ";" or tab (a comma)"""
    skip_empty: bool | None
    """Leave out texts that are empty or only white space; rows are numbered without them"""
    token_ids_field: str | None
    """JSON Lines: field that holds token ids, as embd tokenize writes them, instead of a text"""
    max_text_bytes: int | None
    """Largest size of a line, or of a csv field, in bytes; a larger one is an error (1073741824)"""


class ReadKeywords(TypedDict, total=False):
    """The options of functions that read a file of vectors."""

    column: str | None
    """CVC, Parquet: the column to read"""
    section: str | None
    """CVC: rows of the sections with this metadata"""
    all_rows: bool | None
    """finalfusion: read the rows of subwords, too"""
    unnormalize: bool | None
    """finalfusion: multiply vectors by their norms, to give them their original lengths"""


class DigestKeywords(TypedDict, total=False):
    """The options of digest_file(): how it reads vectors and texts."""

    format: str | None
    """The format of the input (recognized by its content, then by its extension)"""
    dtype: str | None
    """The type of the values in raw files, which do not state it"""
    column: str | None
    """CVC, Parquet: the column to read"""
    section: str | None
    """CVC: rows of the sections with this metadata"""
    all_rows: bool | None
    """finalfusion: read the rows of subwords, too"""
    unnormalize: bool | None
    """finalfusion: multiply vectors by their norms, to give them their original lengths"""
    input_format: Literal["txt", "jsonl", "csv", "tsv", "parquet"] | None
    """The format of the texts; auto: by the extension, else txt"""
    text_field: str | None
    """Field that holds the text (text)"""
    id_field: str | None
    """Field that holds the id of a row"""
    id_from: Literal["field", "file"] | None
    """file: ids are the file's name and the line, such as notes/a.txt:12"""
    id_type: Literal["auto", "number", "string"] | None
    """The type of ids in csv and tsv; auto: the type that the first id has"""
    has_header: bool | None
    """False: csv, tsv: the first row is data, not a header; fields are named by their numbers from 1"""
    encoding: str | None
    """Encoding of the file, such as latin-1 or windows-1252 (utf-8)"""
    invalid_utf8: Literal["error", "replace"] | None
    """Bytes that are invalid in the encoding: an error, or replaced by U+FFFD"""
    delimiter: str | None
    """csv: the character between the fields of a row, such as ";" or tab (a comma)"""
    skip_empty: bool | None
    """Leave out texts that are empty or only white space; rows are numbered without them"""
    token_ids_field: str | None
    """JSON Lines: field that holds token ids, as embd tokenize writes them, instead of a text"""
    max_text_bytes: int | None
    """Largest size of a line, or of a csv field, in bytes; a larger one is an error (1073741824)"""


class WriteKeywords(TypedDict, total=False):
    """The options of write_vectors(), each for one or several formats."""

    compression: Literal["none", "fp16", "int8", "lossless"] | None
    """The compression of CVC; none is columnar (fp16; lossless for output_type f32)"""
    chunk_rows: int | None
    """CVC: number of rows in a chunk (100,000)"""
    mmap: bool | None
    """CVC: every chunk on a page of its own, for readers that map it"""
    column: str | None
    """CVC: the name of the column of the rows in a columnar file (embedding)"""
    parquet_compression: Literal["none", "zstd"] | None
    """The compression of Parquet (none); zstd makes files smaller by a sixth, and takes longer"""
    row_group_rows: int | None
    """Parquet: number of rows in a row group, which engines process as one piece of work (32,768)"""
    layout: Literal["directory", "file", "seed"] | None
    """SVS: the layout of the output (directory)"""
    quantize: Literal["lvq4", "lvq8", "lvq4x4", "lvq4x8", "lvq8x8", "pq", "opq"] | None
    """finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8"""
    bits: int | None
    """finalfusion: bits of each subquantizer (8)"""
    subquantizers: int | None
    """finalfusion: number of subquantizers (dim / 2)"""
    metadata: str | None
    """finalfusion: metadata, to which the recipe is added"""
    normalize_words: bool | None
    """finalfusion: scale the rows of words to length 1, and store their lengths as norms"""
    metric: str | None
    """Index: the metric, which measures how far two rows are apart (cos; hamming for bits)"""
    scalar: str | None
    """Index: the type of the stored values (f32)"""
    connectivity: int | None
    """USearch: number of links of each row in the graph (16)"""
    expansion_add: int | None
    """USearch: number of candidates kept while a row's links are chosen (128)"""
    builder: Literal["parallel", "usearch"] | None
    """USearch: build on all threads, or one row after the other by USearch's own rules (parallel)"""
    threads: int | None
    """Number of threads, including those that tokenize (as many as affinity and cgroup allow)"""


class IndexKeywords(TypedDict, total=False):
    """The options of Index(): how an index is built."""

    kind: Literal["hnsw", "vamana"] | None
    """The kind of graph: hnsw is saved as a .usearch file, vamana as an SVS directory (hnsw)"""
    connectivity: int | None
    """USearch: number of links of each row in the graph (16)"""
    expansion_add: int | None
    """USearch: number of candidates kept while a row's links are chosen (128)"""
    builder: Literal["parallel", "usearch"] | None
    """USearch: build on all threads, or one row after the other by USearch's own rules (parallel)"""
    degree: int | None
    """Vamana: number of links of each row in the graph (64)"""
    window: int | None
    """Vamana: number of candidates kept while a row's links are chosen (128)"""
    alpha: float | None
    """Vamana: how far links may reach (1.2; ip and cos 0.93)"""
    multi: bool | None
    """Several rows may share an id"""
    threads: int | None
    """Number of threads, including those that tokenize (as many as affinity and cgroup allow)"""


class EmbedKeywords(TypedDict, total=False):
    """The options of embed_file(): how it reads, encodes and writes."""

    input_format: Literal["txt", "jsonl", "csv", "tsv", "parquet"] | None
    """The format of the texts; auto: by the extension, else txt"""
    text_field: str | None
    """Field that holds the text (text)"""
    id_field: str | None
    """Field that holds the id of a row"""
    id_from: Literal["field", "file"] | None
    """file: ids are the file's name and the line, such as notes/a.txt:12"""
    id_type: Literal["auto", "number", "string"] | None
    """The type of ids in csv and tsv; auto: the type that the first id has"""
    has_header: bool | None
    """False: csv, tsv: the first row is data, not a header; fields are named by their numbers from 1"""
    encoding: str | None
    """Encoding of the file, such as latin-1 or windows-1252 (utf-8)"""
    invalid_utf8: Literal["error", "replace"] | None
    """Bytes that are invalid in the encoding: an error, or replaced by U+FFFD"""
    delimiter: str | None
    """csv: the character between the fields of a row, such as ";" or tab (a comma)"""
    skip_empty: bool | None
    """Leave out texts that are empty or only white space; rows are numbered without them"""
    token_ids_field: str | None
    """JSON Lines: field that holds token ids, as embd tokenize writes them, instead of a text"""
    max_text_bytes: int | None
    """Largest size of a line, or of a csv field, in bytes; a larger one is an error (1073741824)"""
    max_length: int | None
    """Number of tokens that a text is cut to, special tokens included (the model's)"""
    prompt: str | None
    """String that is put before every text (the model's)"""
    prompt_name: str | None
    """Name of a prompt in the model's configuration, such as query or document"""
    truncate_side: Literal["right", "left"] | None
    """The end at which a longer text is cut (the model's)"""
    stride: int | None
    """Number of tokens from the start of a window to the start of the next (no overlap)"""
    threads: int | None
    """Number of threads, including those that tokenize (as many as affinity and cgroup allow)"""
    batch_tokens: int | None
    """Number of tokens that a thread computes at a time; changes no byte of the result"""
    pooling: Literal["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", "joined"] | None
    """How the vectors of tokens become one vector (the model's)"""
    normalize: bool | None
    """False: Keep the lengths of the vectors instead of scaling them to 1"""
    truncate_dim: int | None
    """Keep only the first D components of each vector"""
    dedup: bool | None
    """Compute texts with the same tokens only once; changes no byte of the result (on)"""
    format: str | None
    """The format of the output (by its extension)"""
    output_type: Literal["f32", "f16", "int8", "binary"] | None
    """The type of the stored values (the usual type of the format)"""
    output_ranges: str | os.PathLike[str] | None
    """For output_type int8: a file of two rows, the least and the greatest value of each component (computed from the vectors); copied to OUT.ranges.npy"""
    compression: Literal["none", "fp16", "int8", "lossless"] | None
    """The compression of CVC; none is columnar (fp16; lossless for output_type f32)"""
    chunk_rows: int | None
    """CVC: number of rows in a chunk (100,000)"""
    mmap: bool | None
    """CVC: every chunk on a page of its own, for readers that map it"""
    parquet_compression: Literal["none", "zstd"] | None
    """The compression of Parquet (none); zstd makes files smaller by a sixth, and takes longer"""
    row_group_rows: int | None
    """Parquet: number of rows in a row group, which engines process as one piece of work (32,768)"""
    text_column: bool | None
    """Parquet: a column of the texts"""
    layout: Literal["directory", "file", "seed"] | None
    """SVS: the layout of the output (directory)"""
    quantize: Literal["lvq4", "lvq8", "lvq4x4", "lvq4x8", "lvq8x8", "pq", "opq"] | None
    """finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8"""
    bits: int | None
    """finalfusion: bits of each subquantizer (8)"""
    subquantizers: int | None
    """finalfusion: number of subquantizers (dim / 2)"""
    metadata: str | None
    """finalfusion: metadata, to which the recipe is added"""
    metric: str | None
    """Index: the metric, which measures how far two rows are apart (cos; hamming for bits)"""
    scalar: str | None
    """Index: the type of the stored values (f32)"""
    connectivity: int | None
    """USearch: number of links of each row in the graph (16)"""
    expansion_add: int | None
    """USearch: number of candidates kept while a row's links are chosen (128)"""
    builder: Literal["parallel", "usearch"] | None
    """USearch: build on all threads, or one row after the other by USearch's own rules (parallel)"""
    term_kind: Literal["stems", "words", "tokens"] | None
    """The kind of terms: stems of words, words, or tokens of the model (stems)"""
    stemmer: Literal["english", "none"] | None
    """The rules for stems; none for texts in other languages than English (english)"""
    section_fields: Sequence[str] | None
    """CVC: neighbouring rows with equal values of this field form a section; repeatable"""
    column_fields: Sequence[str] | None
    """CVC, Parquet, JSON Lines: a field as a column, of type int32 or of TYPE: text, float32, float16, int32, int64, int8, uint8; repeatable"""
    part: tuple[int, int] | str | None
    """Embed part I, from 0, of N parts of the input, with a manifest OUT.part.json beside each output; embd join joins the parts"""
    id_start: int | None
    """Number the rows from N"""
    refuse_truncated: bool | None
    """A text that would be cut is an error"""
    row_report: str | os.PathLike[str] | None
    """A file for the number of tokens of each row, and whether the row was truncated"""
    resume: bool | None
    """Keep a journal beside the first output, and continue from it if it exists"""
    restart: bool | None
    """Begin again if resume refuses to continue"""


class ScorePairsKeywords(TypedDict, total=False):
    """The options of score_pairs_file(): how it reads, scores and writes."""

    input_format: Literal["txt", "jsonl", "csv", "tsv", "parquet"] | None
    """The format of the texts; auto: by the extension, else txt"""
    text_field: str | None
    """Field that holds the text (text)"""
    id_field: str | None
    """Field that holds the id of a row"""
    id_from: Literal["field", "file"] | None
    """file: ids are the file's name and the line, such as notes/a.txt:12"""
    id_type: Literal["auto", "number", "string"] | None
    """The type of ids in csv and tsv; auto: the type that the first id has"""
    has_header: bool | None
    """False: csv, tsv: the first row is data, not a header; fields are named by their numbers from 1"""
    encoding: str | None
    """Encoding of the file, such as latin-1 or windows-1252 (utf-8)"""
    invalid_utf8: Literal["error", "replace"] | None
    """Bytes that are invalid in the encoding: an error, or replaced by U+FFFD"""
    delimiter: str | None
    """csv: the character between the fields of a row, such as ";" or tab (a comma)"""
    skip_empty: bool | None
    """Leave out texts that are empty or only white space; rows are numbered without them"""
    max_text_bytes: int | None
    """Largest size of a line, or of a csv field, in bytes; a larger one is an error (1073741824)"""
    max_length: int | None
    """Number of tokens that a pair is cut to, special tokens included (the model's)"""
    truncate_side: Literal["right", "left"] | None
    """The end at which a text is cut (the model's)"""
    prompt: str | None
    """String that is put before every query (the model's)"""
    prompt_name: str | None
    """Name of a prompt in the model's configuration"""
    activation: Literal["identity", "sigmoid"] | None
    """The function that turns a logit into a score; identity: the logit itself (the model's)"""
    refuse_truncated: bool | None
    """A pair that would be cut is an error"""
    threads: int | None
    """Number of threads, including those that tokenize (as many as affinity and cgroup allow)"""
    batch_tokens: int | None
    """Number of tokens that a thread computes at a time; changes no byte of the result"""
    dedup: bool | None
    """Compute pairs with the same tokens only once; changes no byte of the result (on)"""
    format: str | None
    """The format of the output (by its extension)"""
    parquet_compression: Literal["none", "zstd"] | None
    """The compression of Parquet (none); zstd makes files smaller by a sixth, and takes longer"""
    row_group_rows: int | None
    """Parquet: number of rows in a row group, which engines process as one piece of work (32,768)"""
    query_field: str | None
    """Pairs: field that holds the first text of each pair (query)"""
    part: tuple[int, int] | str | None
    """Score part I, from 0, of N parts of the pairs, with a manifest OUT.part.json beside each output; embd join joins the parts"""
    id_start: int | None
    """Number the pairs from N"""
    row_report: str | os.PathLike[str] | None
    """A file for the number of tokens of each pair, and whether the pair was truncated"""
    resume: bool | None
    """Keep a journal beside the first output, and continue from it if it exists"""
    restart: bool | None
    """Begin again if resume refuses to continue"""


class VerifyKeywords(TypedDict, total=False):
    """The options of verify(): how it reads and encodes."""

    input_format: Literal["txt", "jsonl", "csv", "tsv", "parquet"] | None
    """The format of the texts; auto: by the extension, else txt"""
    text_field: str | None
    """Field that holds the text (text)"""
    id_field: str | None
    """Field that holds the id of a row"""
    id_from: Literal["field", "file"] | None
    """file: ids are the file's name and the line, such as notes/a.txt:12"""
    id_type: Literal["auto", "number", "string"] | None
    """The type of ids in csv and tsv; auto: the type that the first id has"""
    has_header: bool | None
    """False: csv, tsv: the first row is data, not a header; fields are named by their numbers from 1"""
    encoding: str | None
    """Encoding of the file, such as latin-1 or windows-1252 (utf-8)"""
    invalid_utf8: Literal["error", "replace"] | None
    """Bytes that are invalid in the encoding: an error, or replaced by U+FFFD"""
    delimiter: str | None
    """csv: the character between the fields of a row, such as ";" or tab (a comma)"""
    skip_empty: bool | None
    """Leave out texts that are empty or only white space; rows are numbered without them"""
    token_ids_field: str | None
    """JSON Lines: field that holds token ids, as embd tokenize writes them, instead of a text"""
    max_text_bytes: int | None
    """Largest size of a line, or of a csv field, in bytes; a larger one is an error (1073741824)"""
    format: str | None
    """The format of the input (recognized by its content, then by its extension)"""
    dtype: str | None
    """The type of the values in raw files, which do not state it"""
    column: str | None
    """CVC, Parquet: the column to read"""
    section: str | None
    """CVC: rows of the sections with this metadata"""
    all_rows: bool | None
    """finalfusion: read the rows of subwords, too"""
    unnormalize: bool | None
    """finalfusion: multiply vectors by their norms, to give them their original lengths"""
    max_length: int | None
    """Number of tokens that a text is cut to, special tokens included (the model's)"""
    prompt: str | None
    """String that is put before every text (the model's)"""
    prompt_name: str | None
    """Name of a prompt in the model's configuration, such as query or document"""
    truncate_side: Literal["right", "left"] | None
    """The end at which a longer text is cut (the model's)"""
    stride: int | None
    """Number of tokens from the start of a window to the start of the next (no overlap)"""
    batch_tokens: int | None
    """Number of tokens that a thread computes at a time; changes no byte of the result"""
    pooling: Literal["mean", "cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", "joined"] | None
    """How the vectors of tokens become one vector (the model's)"""
    normalize: bool | None
    """False: Keep the lengths of the vectors instead of scaling them to 1"""
    truncate_dim: int | None
    """Keep only the first D components of each vector"""
    dedup: bool | None
    """Compute texts with the same tokens only once; changes no byte of the result (on)"""
    sample: int | None
    """Check only N rows, drawn at random (all)"""
    seed: int | None
    """The seed for drawing rows with sample (0)"""
    force: bool | None
    """Check even if the recipe names another model or other options"""


class SearchKeywords(TypedDict, total=False):
    """The options of functions that search for the nearest rows."""

    expansion: int | None
    """HNSW: number of candidates that a search keeps (64)"""
    window: int | None
    """Vamana: number of candidates that a search keeps (64)"""
    capacity: int | None
    """Vamana: number of candidates from which the hits are chosen (window)"""
    exact: bool | None
    """Compare each query with every row, without the index"""


class TermKeywords(TypedDict, total=False):
    """The options of TermIndex: what counts as a term."""

    term_kind: Literal["stems", "words", "tokens"] | None
    """The kind of terms: stems of words, words, or tokens of the model (stems)"""
    stemmer: Literal["english", "none"] | None
    """The rules for stems; none for texts in other languages than English (english)"""


class SplitKeywords(TypedDict, total=False):
    """The options of split(): where documents are divided."""

    kind: Literal["markdown", "text", "code"] | None
    """Documents are in Markdown, text or code; auto: by the extension, else text"""
    max_tokens: int | None
    """The most tokens of a passage and its context, at most as many as the model reads (256)"""
    invalid_utf8: Literal["error", "replace"] | None
    """Bytes that are not UTF-8: an error, or replaced by U+FFFD"""


class CollectKeywords(TypedDict, total=False):
    """The options of collect(): how a collection is made and updated."""

    max_tokens: int | None
    """The most tokens of a passage and its context (those of the collection; 256)"""
    stemmer: Literal["english", "none"] | None
    """The language whose forms of words are one term (that of the collection; english)"""
    index_rows: int | None
    """Number of passages from which on there is an HNSW index (that of the collection; 200000)"""
    check_content: bool | None
    """Read all files, instead of those whose size or time of change differs"""
    force: bool | None
    """Update even if more than half of the files are gone; with another model or other options, embed everything again"""
    threads: int | None
    """Number of threads, including those that tokenize (as many as affinity and cgroup allow)"""


class GetModelKeywords(TypedDict, total=False):
    """The options of get_model(): where it downloads from, and where to."""

    revision: str | None
    """The branch, tag or commit to download (main)"""
    endpoint: str | None
    """The URL of the hub ($HF_ENDPOINT, else https://huggingface.co)"""
    token: str | None
    """The token for models that are not public ($HF_TOKEN, else the token that Hugging Face's tools have stored)"""
    cache_folder: str | os.PathLike[str] | None
    """The cache folder of Hugging Face's tools (where their environment variables say)"""
    retry_seconds: float | None
    """Seconds until a failed request is sent again, doubled each time (1)"""
