import { checkTexts } from "./batches.js";
import { badArgument } from "./errors.js";
import { packTexts } from "./native.js";
import { fromLibrary } from "./options.js";

/** The files of a term index (docs/formats/terms.md). */
const names = [
  "data.csc.index.npy",
  "indices.csc.index.npy",
  "indptr.csc.index.npy",
  "vocab.index.json",
  "params.index.json",
  "tf.csc.index.npy",
  "lengths.index.npy",
  "recipe.json",
];

/** Returns the files of a term index by their names. `source` has them, or is the place of their folder. */
export function filesOfTerms(source) {
  if (source?.files !== undefined) return source.files;
  if (typeof source !== "string" && !(source instanceof URL))
    throw badArgument("the source has a wrong type, expected the URL or the path of a folder, or its files");
  const folder = String(source).replace(/\/+$/, "");
  return Object.fromEntries(names.map((name) => [name, `${folder}/${name}`]));
}

/** Returns the rows that a search is restricted to as JSON, in which numbers may be bigints. */
function rowsJson(rows) {
  return rows === undefined ? "" : `{"rows":[${Array.from(rows, String).join(",")}]}`;
}

/** An index that finds texts by their words. openTerms() makes it. */
export class TermIndex {
  #native;
  #handle;
  #model;

  constructor(runtime, handle, model) {
    this.runtime = runtime;
    this.#native = runtime.native;
    this.#handle = handle;
    this.#model = model;
    this.#native.call("embd_terms_info", handle);
    this.info = fromLibrary(this.#native.answer());
  }

  /** The number by which the module knows this index. Throws if the index is closed. */
  get handle() {
    if (this.#handle === 0) throw badArgument("the term index is closed");
    return this.#handle;
  }

  /** The number of the model whose tokens are the terms; 0 if there is none. */
  get modelHandle() {
    return this.#model?.handle ?? 0;
  }

  async terms(text) {
    if (typeof text !== "string") throw badArgument("the text has a wrong type, expected a string");
    this.#native.call("embd_terms_query", this.handle, this.modelHandle, text);
    return this.#native.answer().terms;
  }

  async weight(term) {
    this.#native.call("embd_terms_weight", this.handle, term);
    return this.#native.answer().weight;
  }

  async search(query, { k = 10, rows } = {}) {
    const { texts, sizes, count } = await this.#packedTerms(query);
    this.#native.call("embd_terms_search", this.handle, texts, sizes, count, k, rowsJson(rows));
    return this.#native.answer().hits;
  }

  async scores(query, rows) {
    const { texts, sizes, count } = await this.#packedTerms(query);
    this.#native.call("embd_terms_scores", this.handle, texts, sizes, count, rowsJson(rows));
    return this.#native.answerFloats();
  }

  async close() {
    if (this.#handle !== 0) this.#native.call("embd_terms_close", this.#handle);
    this.#handle = 0;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  async #packedTerms(query) {
    const terms = typeof query === "string" ? await this.terms(query) : query;
    checkTexts(terms);
    return packTexts(terms);
  }
}
