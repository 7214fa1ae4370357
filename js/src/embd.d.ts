/** A URL or a path of a file (Node, Deno, Bun), the answer to a request, or the bytes. */
export type Source = string | URL | Response | Promise<Response> | Blob | BufferSource;

/** Where the WebAssembly module is: its URL, or a module that a bundler or Cloudflare has compiled. */
export type Wasm = WebAssembly.Module | string | URL | Response | BufferSource;

export interface Progress {
  /** Bytes so far. */
  loaded: number;
  /** Of how many; undefined where the server does not say. */
  total?: number;
}

export interface ReadOptions {
  /**
   * SHA-256 of the file, 64 hex digits. It is checked, and the file is kept on this machine (Cache
   * API; in Node, Deno and Bun a folder of the user's cache), so that it is downloaded once.
   */
  sha256?: string;
  /** false: what has a sha256 is not kept. */
  keep?: boolean;
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
  wasm?: Wasm;
}

export interface OpenOptions extends ReadOptions {
  /** In which numbers the model computes; the default is "f32". An int8 file takes "int8", too. */
  compute?: "f32" | "bf16" | "int8";
  /** Check all checksums of the file. */
  verify?: boolean;
}

export interface EncodeOptions {
  maxLength?: number;
  truncateSide?: "right" | "left";
  pooling?: "mean" | "cls" | "max";
  normalize?: boolean;
  truncateDim?: number;
  /** Put before each text. */
  prompt?: string;
  /** The name of a prompt of the model. */
  promptName?: string;
  /** "mean": a long text is the mean of its windows, nothing of it is cut off. */
  windows?: "none" | "mean";
  /** Tokens from the start of one window to that of the next. */
  stride?: number;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number }) => void;
}

export interface ModelInfo {
  name: string;
  /** Values of a vector. */
  dim: number;
  hidden: number;
  maxLength: number;
  maxPositions: number;
  vocabSize: number;
  prompts: { name: string; text: string }[];
  defaultPromptName?: string;
  similarity: string;
  compute: string;
  instructionSet: string;
}

export interface Tokens {
  ids: Int32Array;
  tokens: string[];
  truncated: boolean;
}

export interface Window {
  /** Which of the texts. */
  text: number;
  /** Its number in that text, from 0. */
  window: number;
  /** Its bytes in the text's UTF-8. */
  begin: number;
  end: number;
}

/** A model that makes vectors of texts. */
export interface Model {
  readonly info: ModelInfo;
  readonly dim: number;
  /** The vector of a text; of texts, all vectors one after the other: [texts.length × dim]. */
  encode(texts: string | string[], options?: EncodeOptions): Promise<Float32Array>;
  /** A vector for each window of long texts, and where in its text each window is. */
  encodeWindows(
    texts: string | string[],
    options?: EncodeOptions,
  ): Promise<{ vectors: Float32Array; dim: number; windows: Window[] }>;
  /** As the model would read the text. `maxLength: 0` cuts nothing off. */
  tokenize(text: string, options?: EncodeOptions): Promise<Tokens>;
  decode(ids: ArrayLike<number>, options?: { skipSpecial?: boolean }): Promise<string>;
  /** What vectors made with these options can be compared with, as files of vectors say it. */
  recipe(options?: EncodeOptions): Promise<Record<string, unknown>>;
  /** Gives its memory back. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RerankOptions {
  /** So many at most; all where it is left out. */
  k?: number;
  maxLength?: number;
  activation?: "sigmoid" | "identity";
  prompt?: string;
  promptName?: string;
}

export interface Ranked {
  /** Which of the documents. */
  index: number;
  score: number;
  logit: number;
  truncated: boolean;
}

/** A model that scores how well documents answer a query. */
export interface Reranker {
  readonly info: Record<string, unknown>;
  /** The documents, best first. */
  rerank(query: string, documents: string[], options?: RerankOptions): Promise<Ranked[]>;
  /** Scores of pairs: [pairs.length × labels]. */
  score(pairs: [string, string][], options?: RerankOptions): Promise<Float32Array>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface IndexFiles {
  /** Files of an SVS folder, by their names in it. */
  files: Record<string, Source>;
  /** The one that is opened; "" or nothing: the folder. */
  main?: string;
}

export interface IndexOptions extends ReadOptions {
  /** Makes queries of texts; it is checked that the index is of its vectors. */
  model?: Model;
  /** The file `….recipe.json` beside the index. */
  recipe?: Source;
  /** The file `….ids.jsonl` beside the index, or the id of each row. */
  ids?: Source | (string | number)[];
  /** Of an index that does not say. */
  metric?: string;
}

export interface SearchOptions {
  /** Hits at most; the default is 10. */
  k?: number;
  /** Compare with every row. */
  exact?: boolean;
  /** Candidates that a search keeps in a HNSW graph (64), and in a Vamana graph (64). */
  expansion?: number;
  window?: number;
  capacity?: number;
  /** Only rows with these ids. */
  ids?: Iterable<number | bigint>;
  /** What is put before a query's text; the default is the model's own prompt for queries. */
  prompt?: string;
  promptName?: string;
  signal?: AbortSignal;
}

export interface Hit {
  /** As in the index; a bigint from 2^53 on. */
  id: number | bigint | string;
  distance: number;
  /** 1 − distance, for the metrics cos and ip. */
  similarity?: number;
}

export interface IndexInfo {
  format: string;
  kind: string;
  metric: string;
  scalar: string;
  dim: number;
  rows: number;
  removed: number;
  recipe?: Record<string, unknown>;
}

/** An index that is searched for the nearest rows. */
export interface SearchIndex {
  readonly info: IndexInfo;
  /** The rows nearest to a text or a vector, nearest first. */
  search(query: string | ArrayLike<number>, options?: SearchOptions): Promise<Hit[]>;
  searchMany(
    queries: (string | ArrayLike<number>)[],
    options?: SearchOptions,
  ): Promise<Hit[][]>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What every function throws. */
export class EmbdError extends Error {
  /** What is wrong, in the library's words: "bad_magic", "not_found" … */
  readonly code: string;
  readonly status: "bad_argument" | "bad_input" | "recipe_mismatch" | "io_failed" | "cancelled";
  readonly file?: string;
  readonly line?: number;
  readonly offset?: number;
}

/** Opens a model: an EMBD file. */
export function open(source: Source | (() => Source), options?: OpenOptions): Promise<Model>;
/** Opens a reranker: an EMBD file of a cross-encoder. */
export function openReranker(
  source: Source | (() => Source),
  options?: OpenOptions,
): Promise<Reranker>;
/** Opens an index: a USearch file or an SVS folder. */
export function openIndex(
  source: Source | (() => Source) | IndexFiles,
  options?: IndexOptions,
): Promise<SearchIndex>;
/** Whether this engine runs the faster of the two modules. */
export function hasRelaxedSimd(): boolean;
/** The version of the library, the module and its kernels. */
export function about(options?: { wasm?: Wasm }): Promise<Record<string, unknown>>;
