// Has the functions of embd.js, but does their work in another thread.

import { checkTexts } from "./batches.js";
import { badArgument, EmbdError, ioFailed } from "./errors.js";
import { hardwareThreads, startWorker } from "./platform.js";
import { checkResponse } from "./source.js";

export { EmbdError } from "./errors.js";

/**
 * Returns an argument in a form that a message can carry. A relative URL is made absolute here,
 * because the thread does not know the page's URL.
 */
function portable(value) {
  if (value instanceof URL) return value.href;
  if (typeof value === "string" && globalThis.document)
    return new URL(value, document.baseURI).href;
  return value;
}

/** Returns a source with each of its files, if it has several, in a form that a message can carry. */
function portableFiles(source) {
  if (source?.files === undefined) return source;
  const files = Object.entries(source.files).map(([name, file]) => [name, portable(file)]);
  return { ...source, files: Object.fromEntries(files) };
}

/** Returns a source in a form that a message can carry: not as a Response, but as the bytes of its body. */
async function sendable(source) {
  const given = await source;
  if (!(given instanceof Response)) return given;
  checkResponse(given);
  return given.arrayBuffer();
}

/** Returns the error that the thread has sent as an object of its class. */
function revived(error) {
  if (error.code === undefined || error.status === undefined)
    return Object.assign(new Error(error.message), { name: error.name, stack: error.stack });
  return new EmbdError(error);
}

/** A thread that runs the library. terminate() ends it and closes everything that it has open. */
export class EmbdWorker {
  #worker;
  #calls = new Map();
  #numCalls = 0;

  /** @param {{ url?: URL | string, worker?: Worker }} [options] where its script is, or a thread that runs it */
  static async start({ url, worker } = {}) {
    // Bundlers look for exactly this form of the expression.
    const thread =
      worker ??
      (url === undefined && typeof Worker === "function"
        ? new Worker(new URL("./worker_thread.js", import.meta.url), { type: "module" })
        : await startWorker(url ?? new URL("./worker_thread.js", import.meta.url)));
    const made = new EmbdWorker(thread);
    await made.#ready;
    made.#letProgramEnd();
    return made;
  }

  #ready;

  /** Called by start(), which waits until the thread is ready. */
  constructor(worker) {
    this.#worker = worker;
    this.#ready = new Promise((resolve, reject) => {
      worker.addEventListener("message", ({ data }) => {
        if (data.ready) resolve();
        else this.#receive(data);
      });
      worker.addEventListener("error", (event) => {
        const error = ioFailed(`the worker failed: ${event.message ?? event}`, event.error ?? event);
        reject(error);
        this.#failAll(error);
      });
    });
  }

  open(source, options) {
    return this.#open("open", WorkerModel, source, options);
  }

  openReranker(source, options) {
    return this.#open("openReranker", WorkerReranker, source, options);
  }

  openTerms(source, options = {}) {
    return this.#open("openTerms", WorkerTermIndex, portableFiles(source), { ...options, model: options.model?.object });
  }

  openIndex(source, options = {}) {
    return this.#open("openIndex", WorkerIndex, portableFiles(source), {
      ...options,
      model: options.model?.object,
      terms: options.terms?.object,
      recipe: portable(options.recipe),
      ids: portable(options.ids),
    });
  }

  about(options) {
    return this.call(undefined, "about", [], options);
  }

  /** Ends the thread. Calls that are not finished fail with the code `cancelled`. */
  terminate() {
    this.#worker.terminate();
    this.#failAll(new EmbdError({ code: "cancelled", status: "cancelled", message: "the worker was terminated" }));
  }

  /**
   * Has the thread call a method with `args` and then `options`, and returns its result. `object`
   * is the number of an opened object; with undefined the method is a function of embd.js.
   */
  call(object, method, args, options = {}) {
    const { signal, onProgress, ...plain } = options;
    const call = ++this.#numCalls;
    return new Promise((resolve, reject) => {
      const abort = () => this.#worker.postMessage({ abort: call });
      const end = (settle) => (value) => {
        signal?.removeEventListener("abort", abort);
        this.#calls.delete(call);
        this.#letProgramEnd();
        settle(value);
      };
      // Throws for an argument that cannot be cloned, and then there is no call to wait for.
      this.#worker.postMessage({
        call,
        object,
        method,
        args: [...args, plain],
        hasProgress: onProgress !== undefined,
      });
      this.#worker.ref?.();
      this.#calls.set(call, { resolve: end(resolve), reject: end(reject), onProgress });
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort);
    });
  }

  async #open(method, Class, source, options = {}) {
    const opened = await this.call(undefined, method, [portable(await sendable(source))], {
      ...options,
      wasm: portable(options.wasm),
    });
    return new Class(this, opened);
  }

  #receive({ call, progress, value, error }) {
    const waiting = this.#calls.get(call);
    if (progress !== undefined) return waiting?.onProgress?.(progress);
    if (error !== undefined) waiting?.reject(revived(error));
    else waiting?.resolve(value);
  }

  #failAll(error) {
    for (const { reject } of this.#calls.values()) reject(error);
  }

  /** In Node, lets the program end while the thread has nothing to do. */
  #letProgramEnd() {
    if (this.#calls.size === 0) this.#worker.unref?.();
  }
}

/** An object that a thread has opened: a model, a reranker, an index or a term index. */
class WorkerObject {
  #worker;

  constructor(worker, { object, info }) {
    this.#worker = worker;
    this.object = object;
    this.info = info;
  }

  call(method, args, options) {
    return this.#worker.call(this.object, method, args, options);
  }

  close() {
    return this.call("close", []);
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }
}

class WorkerModel extends WorkerObject {
  get dim() {
    return this.info.dim;
  }
  encode(texts, options) {
    return this.call("encode", [texts], options);
  }
  encodeWindows(texts, options) {
    return this.call("encodeWindows", [texts], options);
  }
  tokenize(text, options) {
    return this.call("tokenize", [text], options);
  }
  decode(ids, options) {
    return this.call("decode", [ids], options);
  }
  recipe(options) {
    return this.call("recipe", [], options);
  }
}

class WorkerReranker extends WorkerObject {
  rerank(query, documents, options) {
    return this.call("rerank", [query, documents], options);
  }
  score(pairs, options) {
    return this.call("score", [pairs], options);
  }
}

class WorkerTermIndex extends WorkerObject {
  terms(text) {
    return this.call("terms", [text]);
  }
  weight(term) {
    return this.call("weight", [term]);
  }
  search(query, options) {
    return this.call("search", [query], options);
  }
  scores(query, rows) {
    return this.call("scores", [query, rows]);
  }
}

class WorkerIndex extends WorkerObject {
  search(query, options) {
    return this.call("search", [query], options);
  }
  searchMany(queries, options) {
    return this.call("searchMany", [queries], options);
  }
}

/** How many texts a thread gets at once: few, so that no thread is left waiting for the last one. */
const partSize = 16;

/** Several threads, each with its own copy of one model, that share the texts of a list. */
export class ModelPool {
  #workers;
  #models;

  /** Called by openPool(). */
  constructor(workers, models) {
    this.#workers = workers;
    this.#models = models;
    this.info = models[0].info;
  }

  get dim() {
    return this.info.dim;
  }

  get threads() {
    return this.#models.length;
  }

  async encode(texts, { onProgress, ...options } = {}) {
    if (typeof texts === "string") return this.#models[0].encode(texts, options);
    checkTexts(texts);
    let rows = new Float32Array();
    let begin = 0;
    let done = 0;
    const work = async (model) => {
      while (begin < texts.length) {
        const first = begin;
        const part = texts.slice(first, (begin += partSize));
        const vectors = await model.encode(part, options);
        const dim = vectors.length / part.length;
        if (done === 0) rows = new Float32Array(texts.length * dim);
        rows.set(vectors, first * dim);
        done += part.length;
        onProgress?.({ done, total: texts.length });
      }
    };
    try {
      await Promise.all(this.#models.map(work));
    } finally {
      begin = texts.length; // After an error the other threads get no further part.
    }
    return rows;
  }

  /** Ends the threads. Calls that are not finished fail with the code `cancelled`. */
  close() {
    for (const worker of this.#workers) worker.terminate();
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    this.close();
  }
}

/** Opens a model in several threads: as many as the machine has, where `threads` says nothing. */
export async function openPool(source, { threads, url, onProgress, ...options } = {}) {
  const count = threads ?? (await hardwareThreads());
  if (!Number.isInteger(count) || count < 1)
    throw badArgument("threads has a wrong value, expected a whole number from 1");
  const given = await sendable(source);
  const workers = [];
  try {
    const start = async (how) => {
      const worker = await EmbdWorker.start({ url });
      workers.push(worker);
      return worker.open(given, { ...options, ...how });
    };
    // The first one downloads and keeps what the others then find.
    const first = await start({ onProgress });
    const others = await Promise.all(Array.from({ length: count - 1 }, () => start()));
    return new ModelPool(workers, [first, ...others]);
  } catch (error) {
    for (const worker of workers) worker.terminate();
    throw error;
  }
}

let shared;

/** Returns the thread of open(), openIndex(), openTerms() and openReranker(). The first call starts it. */
function sharedWorker() {
  shared ??= EmbdWorker.start();
  shared.catch(() => (shared = undefined)); // The next call starts it anew.
  return shared;
}

export async function open(source, options) {
  return (await sharedWorker()).open(source, options);
}

export async function openIndex(source, options) {
  return (await sharedWorker()).openIndex(source, options);
}

export async function openTerms(source, options) {
  return (await sharedWorker()).openTerms(source, options);
}

export async function openReranker(source, options) {
  return (await sharedWorker()).openReranker(source, options);
}
