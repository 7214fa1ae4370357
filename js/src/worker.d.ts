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
} from "./embd.js";

export { EmbdError } from "./embd.js";
export type * from "./embd.js";

/** The functions of `embd`, computed by a thread that all calls share. */
export function open(source: Source, options?: OpenOptions): Promise<Model>;
export function openReranker(source: Source, options?: OpenOptions): Promise<Reranker>;
export function openIndex(
  source: Source | IndexFiles,
  options?: IndexOptions,
): Promise<SearchIndex>;

/** A thread of its own. */
export class EmbdWorker {
  /** `url`: where worker_thread.js is, if not beside this file; `worker`: a thread that runs it. */
  static start(options?: { url?: string | URL; worker?: Worker }): Promise<EmbdWorker>;
  open: typeof open;
  openReranker: typeof openReranker;
  openIndex: typeof openIndex;
  about(options?: object): Promise<Record<string, unknown>>;
  /** Ends the thread with all that it has open. */
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
