/**
 * A place that bytes are read from: a URL, the path of a file (in Node, Deno and Bun), the response
 * to a request, or the bytes themselves.
 */
export type Source = string | URL | Response | Promise<Response> | Blob | BufferSource;

/**
 * The WebAssembly module of the package: its URL, the response to a request for it, its bytes, or a
 * module that is compiled already, as bundlers and Cloudflare Workers import it. By default it is
 * loaded from the package's own folder.
 */
export type Wasm = WebAssembly.Module | string | URL | Response | BufferSource;

/** The progress of reading a file. */
export interface Progress {
  /** The number of bytes read so far. */
  loaded: number;
  /** The size of the file in bytes. It is undefined if the server does not send it. */
  total?: number;
}

/** Options of all functions that open a file. */
export interface ReadOptions {
  /**
   * The SHA-256 that the file must have, as 64 hexadecimal digits. A file with another hash is
   * refused with the code "checksum_mismatch". A file with the right hash is kept on this machine,
   * so that it is downloaded only once: in the Cache API of a browser, or in the user's cache
   * folder in Node, Deno and Bun.
   */
  sha256?: string;
  /**
   * If false, a file with `sha256` is checked, but not kept on this machine. The default is true.
   */
  keep?: boolean;
  /** Called after each chunk of the file that was read. */
  onProgress?: (progress: Progress) => void;
  /** Stops the reading when it is aborted. The call then fails with the code "cancelled". */
  signal?: AbortSignal;
  wasm?: Wasm;
}

/** Options of open() and openReranker(). */
export interface OpenOptions extends ReadOptions {
  /**
   * The arithmetic that the model computes with; the default is "f32". A file whose weights are
   * stored in int8 is computed in "f32", too, unless this is "int8".
   */
  compute?: "f32" | "bf16" | "int8";
  /** If true, all checksums of the model file are checked. The default is false. */
  verify?: boolean;
}

/**
 * Options of encoding texts. An option that is left out has the value of the model's own settings.
 */
export interface EncodeOptions {
  /** The number of tokens that a text is cut to, special tokens included. */
  maxLength?: number;
  /** The end at which a longer text is cut: "right" drops its last tokens, "left" its first. */
  truncateSide?: "right" | "left";
  /** The way in which the vectors of a text's tokens become one vector. */
  pooling?: "mean" | "cls" | "max" | "mean_sqrt_len_tokens" | "weightedmean" | "lasttoken" | "joined";
  /** If true, vectors are scaled to length 1. */
  normalize?: boolean;
  /** The number of leading components of each vector that are kept. The rest is cut off. */
  truncateDim?: number;
  /** A string that is put before each text, such as "query: ". "" stands for no prompt. */
  prompt?: string;
  /** The name of one of the model's prompts, instead of `prompt`. */
  promptName?: string;
  /**
   * The treatment of a text longer than `maxLength`. With "none", the default, it is cut. With
   * "mean" it is divided into windows, and its vector is the mean of their vectors.
   */
  windows?: "none" | "mean";
  /**
   * The number of tokens from the start of one window to the start of the next. By default windows
   * do not overlap.
   */
  stride?: number;
  /** Stops the call between two batches of texts. It then fails with the code "cancelled". */
  signal?: AbortSignal;
  /** Called after each batch with the number of texts that are done and the number of all texts. */
  onProgress?: (progress: { done: number; total: number }) => void;
}

/** Facts about an open model. */
export interface ModelInfo {
  name: string;
  /** The number of values of a vector. */
  dim: number;
  /** The number of values that the encoder computes for each token. */
  hidden: number;
  /** The number of tokens that a text is cut to by default, special tokens included. */
  maxLength: number;
  /** The largest number of tokens that the model can read at once. */
  maxPositions: number;
  /** The number of tokens in the vocabulary. */
  vocabSize: number;
  /** The model's prompts with the names by which `promptName` selects them. */
  prompts: { name: string; text: string }[];
  /** The name of the prompt that is used if no other is given. "" or undefined: there is none. */
  defaultPromptName?: string;
  /** The similarity that the model was trained for, such as "cosine". */
  similarity: string;
  /** The arithmetic that the model computes with: "f32", "bf16" or "int8". */
  compute: string;
  /** The set of kernels that this engine runs. */
  instructionSet: string;
}

/** The tokens of a text, special tokens included. */
export interface Tokens {
  /** The numbers of the tokens in the vocabulary. */
  ids: Int32Array;
  /** The tokens as the vocabulary spells them, one for each id. */
  tokens: string[];
  /** True if tokens were cut off, because the text is longer than `maxLength`. */
  truncated: boolean;
}

/** A window of a long text, which has a vector of its own. */
export interface Window {
  /** The number of the text in the list that was encoded, from 0. */
  text: number;
  /** The number of the window in its text, from 0. */
  window: number;
  /** The offset of the window's first byte in the text's UTF-8. */
  begin: number;
  /** The offset behind the window's last byte. */
  end: number;
}

/** A model that computes vectors of texts. */
export interface Model {
  readonly info: ModelInfo;
  /** The number of values of a vector. */
  readonly dim: number;
  /**
   * Returns the vector of a text. For several texts it returns all vectors in one array, one after
   * the other: `texts.length` × `dim` values.
   */
  encode(texts: string | string[], options?: EncodeOptions): Promise<Float32Array>;
  /**
   * Divides long texts into windows and returns a vector for each window, with the place of the
   * window in its text. `vectors` has `windows.length` × `dim` values.
   */
  encodeWindows(
    texts: string | string[],
    options?: EncodeOptions,
  ): Promise<{ vectors: Float32Array; dim: number; windows: Window[] }>;
  /** Returns the tokens that the model reads of a text. With `maxLength: 0` no token is cut off. */
  tokenize(text: string, options?: EncodeOptions): Promise<Tokens>;
  /** Returns the text of token ids. Special tokens are left out unless `skipSpecial` is false. */
  decode(ids: ArrayLike<number>, options?: { skipSpecial?: boolean }): Promise<string>;
  /**
   * Returns the recipe of vectors made with these options: all that they depend on besides the
   * texts. Vectors can be compared if their recipes agree. Files of vectors hold the same object.
   */
  recipe(options?: EncodeOptions): Promise<Record<string, unknown>>;
  /** Closes the model and frees its memory. Later calls fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of reranking. An option that is left out has the value of the model's own settings. */
export interface RerankOptions {
  /** The number of documents to return at most. By default all are returned. */
  k?: number;
  /** The number of tokens that a pair is cut to, special tokens included. */
  maxLength?: number;
  /** The function that turns a logit into a score; "identity" leaves it as it is. */
  activation?: "sigmoid" | "identity";
  /** A string that is put before the query, or before the first text of each pair. */
  prompt?: string;
  /** The name of one of the model's prompts, instead of `prompt`. */
  promptName?: string;
}

/** A document with its score. */
export interface Ranked {
  /** The place of the document in the list that was given, from 0. */
  index: number;
  /** The score; a greater one means that the document answers the query better. */
  score: number;
  /** The number that the model computed, before the activation made a score of it. */
  logit: number;
  /** True if the query and the document together were cut, because they had too many tokens. */
  truncated: boolean;
}

/** A model that scores how well documents answer a query. */
export interface Reranker {
  /** Facts about the model, such as `name`, `maxLength`, `labels` and `activation`. */
  readonly info: Record<string, unknown>;
  /** Scores all documents for a query and returns them, the best first. */
  rerank(query: string, documents: string[], options?: RerankOptions): Promise<Ranked[]>;
  /**
   * Returns the scores of pairs of texts, one after the other: `pairs.length` × `labels` values.
   * Most rerankers have a single label.
   */
  score(pairs: [string, string][], options?: RerankOptions): Promise<Float32Array>;
  /** Closes the reranker and frees its memory. Later calls fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The files of an index that has several, such as an SVS folder. */
export interface IndexFiles {
  /** The files by their names in the folder. */
  files: Record<string, Source>;
  /** The name of the file that is opened. By default, and if it is "", the folder is opened. */
  main?: string;
}

/** Options of openTerms(). */
export interface TermOptions extends Pick<ReadOptions, "signal" | "wasm"> {
  /** The model whose tokens are the terms. It is needed for an index of tokens only. */
  model?: Model;
}

/** Facts about an open term index. */
export interface TermIndexInfo {
  /** The number of texts, empty ones included. */
  rows: number;
  /** The number of different terms. */
  terms: number;
  /** The number of pairs of a term and a text that has it. */
  postings: number;
  /** The number of terms in a text, on average. */
  averageLength: number;
  /** The kind of terms. */
  termKind: "stems" | "words" | "tokens";
  /** The rules by which words became stems. */
  stemmer: "english" | "none";
}

/** A text that was found by its terms. */
export interface TermMatch {
  /** The number of the text, from 0. */
  row: number;
  /** The BM25 score of the text; a greater one is better. */
  score: number;
}

/** An index that finds texts by their words, which are called terms. */
export interface TermIndex {
  readonly info: TermIndexInfo;
  /** Returns the terms of a text, as this index counts them. */
  terms(text: string): Promise<string[]>;
  /** Returns how much a term distinguishes texts (its idf); 0 for a term that no text has. */
  weight(term: string): Promise<number>;
  /**
   * Returns the texts with the best scores, the best first. Texts without a term of the query are
   * not found. The query is a text or a list of terms. `k` is the number of texts to return at
   * most, by default 10. With `rows`, only texts with these numbers are found; they must ascend.
   */
  search(
    query: string | string[],
    options?: { k?: number; rows?: Iterable<number | bigint> },
  ): Promise<TermMatch[]>;
  /** Returns the score of each of `rows`; 0 for a text without a term of the query. */
  scores(query: string | string[], rows: Iterable<number | bigint>): Promise<Float32Array>;
  /** Closes the index and frees its memory. Later calls fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of openIndex(). */
export interface IndexOptions extends ReadOptions {
  /**
   * The model that computes the vectors of queries that are texts. The call fails with the status
   * "recipe_mismatch" if the index has a recipe and was made with another model.
   */
  model?: Model;
  /**
   * The term index of the texts of the rows. Searches can then compare terms, too. The call fails
   * with the code "bad_count" unless it has as many rows as the index.
   */
  terms?: TermIndex;
  /** The file `….recipe.json` beside the index. It is not needed if the index holds its recipe. */
  recipe?: Source;
  /**
   * The ids of the rows in place of the index's own: the file `….ids.jsonl` beside the index, or an
   * array with the id of each row.
   */
  ids?: Source | (string | number)[];
  /** The metric of an index that does not state its own, such as "cos", "ip" or "l2sq". */
  metric?: string;
}

/** Options of a search. */
export interface SearchOptions {
  /** The number of hits to return at most; the default is 10. */
  k?: number;
  /** If true, the query is compared with every row instead of searching the graph. */
  exact?: boolean;
  /**
   * The number of candidates that a search in an HNSW graph keeps; the default is 64. More
   * candidates find more of the true nearest rows and take longer.
   */
  expansion?: number;
  /** The number of candidates that a search in a Vamana graph keeps; the default is 64. */
  window?: number;
  /**
   * The number of candidates of a Vamana graph from which the hits are chosen at the end; by
   * default it is `window`.
   */
  capacity?: number;
  /**
   * The way in which queries are compared with rows: by "vectors", "terms" or "both". The default
   * is "both" if the index has the option `terms` and each query has a text; otherwise it is
   * "vectors". For "terms" no model is needed.
   */
  match?: "vectors" | "terms" | "both";
  /** The text of each query that is a vector, for `match`. */
  texts?: string | string[];
  /** Only rows with these ids of the index are found. */
  ids?: Iterable<number | bigint>;
  /**
   * A string that is put before a query that is a text; the default is the model's own prompt for
   * queries.
   */
  prompt?: string;
  /** The name of one of the model's prompts, instead of `prompt`. */
  promptName?: string;
  /**
   * Stops the encoding of queries that are texts. The call then fails with the code "cancelled".
   */
  signal?: AbortSignal;
}

/** A row that was found. */
export interface Hit {
  /** The id of the row. It is a bigint if a number cannot hold it exactly, from 2^53 on. */
  id: number | bigint | string;
  /** The distance of the row to the query by the index's metric; smaller is nearer. */
  distance: number;
  /** 1 − `distance`, only for the metrics "cos" and "ip". */
  similarity?: number;
  /**
   * The score of the row, from 0 to 1, only of a search by both: 0.6 for the nearest candidate, 0.4
   * for the one with the best term score, and less for others. A greater one is better.
   */
  score?: number;
  /**
   * The BM25 score of the row's text, only of a search by both. A greater one is better. It is 0 if
   * the text has no term of the query.
   */
  termScore?: number;
}

/** A row that was found by its terms alone. */
export interface TermHit {
  /** The id of the row, as in a Hit. */
  id: number | bigint | string;
  /** The BM25 score of the row's text; a greater one is better. */
  termScore: number;
}

/** Facts about an open index. */
export interface IndexInfo {
  /** The format of the files: "usearch" or "svs". */
  format: string;
  /** The kind of the graph: "hnsw" or "vamana". */
  kind: string;
  /** The name of the metric, such as "cos", "ip" or "l2sq". */
  metric: string;
  /** The type of the stored values, such as "f32" or "i8". */
  scalar: string;
  /** The number of values of a vector. */
  dim: number;
  /** The number of rows that can be found. */
  rows: number;
  /** The number of removed rows, which still have places in the graph. */
  removed: number;
  /** The recipe of the rows, if the index or the file beside it has one. */
  recipe?: Record<string, unknown>;
}

/** An index that is searched for the nearest rows. */
export interface SearchIndex {
  readonly info: IndexInfo;
  /**
   * Returns the rows nearest to a text or a vector, the nearest first. A text needs the option
   * `model` of openIndex(), unless `match` is "terms". A search by terms or by both returns the best
   * rows, the best first; with "terms", rows without a term of the query are not found.
   */
  search(query: string | ArrayLike<number>, options: SearchOptions & { match: "terms" }): Promise<TermHit[]>;
  search(query: string | ArrayLike<number>, options?: SearchOptions): Promise<Hit[]>;
  /** Searches for several queries at once and returns a list of hits for each. */
  searchMany(
    queries: (string | ArrayLike<number>)[],
    options: SearchOptions & { match: "terms" },
  ): Promise<TermHit[][]>;
  searchMany(
    queries: (string | ArrayLike<number>)[],
    options?: SearchOptions,
  ): Promise<Hit[][]>;
  /** Closes the index and frees its memory. Later calls fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The error that every function throws. */
export class EmbdError extends Error {
  /** The kind of failure, as the C++ library names it: "bad_magic", "not_found" … */
  readonly code: string;
  /** The class that the failure belongs to. */
  readonly status: "bad_argument" | "bad_input" | "recipe_mismatch" | "io_failed" | "cancelled";
  /** The file in which the failure lies, if it lies in one. */
  readonly file?: string;
  /** The line of that file, from 1, if the file is text. */
  readonly line?: number;
  /** The offset in that file in bytes, if it is known. */
  readonly offset?: number;
}

/**
 * Opens a model from a weight file (format EMBD). `source` may be a function, which is called only
 * if the file is not kept on this machine already.
 */
export function open(source: Source | (() => Source), options?: OpenOptions): Promise<Model>;
/** Opens a reranker from a weight file (format EMBD) of a cross-encoder. */
export function openReranker(
  source: Source | (() => Source),
  options?: OpenOptions,
): Promise<Reranker>;
/**
 * Opens a term index (`X.terms`). `source` is the URL or the path of its folder, or its eight files
 * by their names.
 */
export function openTerms(source: string | URL | IndexFiles, options?: TermOptions): Promise<TermIndex>;
/** Opens an index from a USearch file, or from the files of an SVS folder. */
export function openIndex(
  source: Source | (() => Source) | IndexFiles,
  options?: IndexOptions,
): Promise<SearchIndex>;
/**
 * Returns true if this JavaScript engine knows the instructions of relaxed SIMD, so that it runs
 * the faster of the package's two WebAssembly modules.
 */
export function hasRelaxedSimd(): boolean;
/** Returns the version of the library, and which module and kernels are in use. */
export function about(options?: { wasm?: Wasm }): Promise<Record<string, unknown>>;
