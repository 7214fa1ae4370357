import type {
  EncodeOptions,
  IndexFiles,
  IndexOptions,
  Model,
  ModelInfo,
  OpenOptions,
  Reranker,
  SearchIndex,
  Source,
  TermIndex,
  TermOptions,
} from "./embd.js";

export { EmbdError } from "./embd.js";
export type * from "./embd.js";

/**
 * Opens a model in a worker thread, so that its work does not block the page. The first call starts
 * the thread, which all later calls of open(), openReranker(), openTerms() and openIndex() share.
 */
export function open(source: Source, options?: OpenOptions): Promise<Model>;
/** Opens a reranker in the thread that open() uses. */
export function openReranker(source: Source, options?: OpenOptions): Promise<Reranker>;
/** Opens a term index in the thread that open() uses. A `model` must have been opened there, too. */
export function openTerms(source: string | URL | IndexFiles, options?: TermOptions): Promise<TermIndex>;
/** Opens an index in the thread that open() uses. `model` and `terms` must have been opened there, too. */
export function openIndex(
  source: Source | IndexFiles,
  options?: IndexOptions,
): Promise<SearchIndex>;

/** A worker thread with the functions of this package. */
export class EmbdWorker {
  /**
   * Starts a thread. `url` is the URL of worker_thread.js; by default it lies beside this file.
   * `worker` is a thread that runs that script already, and is used instead of a new one.
   */
  static start(options?: { url?: string | URL; worker?: Worker }): Promise<EmbdWorker>;
  open: typeof open;
  openReranker: typeof openReranker;
  openTerms: typeof openTerms;
  openIndex: typeof openIndex;
  /** Returns the version of the library, and which module and kernels the thread uses. */
  about(options?: object): Promise<Record<string, unknown>>;
  /**
   * Ends the thread and closes all that is open in it. Calls that are not finished fail with the
   * code "cancelled".
   */
  terminate(): void;
}

/** Several threads, each with its own copy of one model, that share the texts of a list. */
export class ModelPool {
  readonly info: ModelInfo;
  readonly dim: number;
  readonly threads: number;
  /** The same bytes as `encode` of one model. */
  encode(texts: string | string[], options?: EncodeOptions): Promise<Float32Array>;
  /** Ends the threads. Calls that are not finished fail with the code `cancelled`. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a model in several threads. `threads`: as many as the machine has, if not given; `url`:
 * where worker_thread.js is, if not beside this file.
 */
export function openPool(
  source: Source,
  options?: OpenOptions & { threads?: number; url?: string | URL },
): Promise<ModelPool>;
