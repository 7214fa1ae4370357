import type {
  IndexFiles,
  IndexOptions,
  Model,
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
