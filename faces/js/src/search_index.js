import { badArgument } from "./errors.js";
import { packTexts } from "./native.js";
import { fromLibrary, optionsJson } from "./options.js";
import { encodeAtOnce, encodeInBatches } from "./rows.js";

const hitBytes = 16; // the size of a hit: u64 id, f32 distance, u32 slot
const fusedHitBytes = 24; // the size of a hit of terms: u64 id, f32 score, f32 distance, f32 term score, unused

/** Returns an id as a number, or as a bigint if a number cannot hold it exactly. */
function idOf(value) {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/**
 * Returns the options of a search as JSON. The ids are written by hand because they may be bigints,
 * which JSON.stringify() refuses.
 */
function searchJson({ ids, promptName, prompt, match, texts, ...options }) {
  const json = optionsJson(options);
  if (ids === undefined) return json;
  const list = `"ids":[${Array.from(ids, String).join(",")}]`;
  return json === "{}" ? `{${list}}` : `${json.slice(0, -1)},${list}}`;
}

/** Returns the text of each query, or undefined if one has none. `texts` are those of queries that are vectors. */
function textsOf(queries, texts = queries) {
  const list = typeof texts === "string" ? [texts] : Array.from(texts);
  if (texts !== queries && list.length !== queries.length)
    throw badArgument(`${list.length} texts were given for ${queries.length} queries, expected one for each`);
  return list.every((text) => typeof text === "string") ? list : undefined;
}

/** An index that finds the rows nearest to a text or a vector. openIndex() makes it. */
export class SearchIndex {
  #native;
  #handle;
  #model;
  #ids;
  #terms;

  constructor(runtime, handle, { model, ids, terms }) {
    this.#native = runtime.native;
    this.#handle = handle;
    this.#model = model;
    this.#ids = ids;
    this.#terms = terms;
    this.#native.call("embd_index_info", handle);
    this.info = fromLibrary(this.#native.answer());
    if (model !== undefined) this.#native.call("embd_index_check", handle, model.handle, "");
    if (terms !== undefined) this.#native.call("embd_index_check_terms", handle, terms.handle);
  }

  get #open() {
    if (this.#handle === 0) throw badArgument("the index is closed");
    return this.#handle;
  }

  async search(query, options = {}) {
    const [hits] = await this.searchMany([query], options);
    return hits;
  }

  async searchMany(queries, options = {}) {
    const list = Array.from(queries);
    const match = this.#matchOf(list, options);
    if (match === "vectors") return this.#search(await this.#vectorsOf(list, options), options);
    const vectors = match === "both" ? { pointer: await this.#vectorsOf(list, options) } : 0;
    return this.#searchTerms(textsOf(list, options.texts), vectors, options);
  }

  async close() {
    if (this.#handle !== 0) this.#native.call("embd_index_close", this.#handle);
    this.#handle = 0;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  /** Returns what queries are compared by: "vectors", "terms" or "both". */
  #matchOf(queries, { match, texts }) {
    const haveTexts = textsOf(queries, texts) !== undefined;
    const chosen = match ?? (haveTexts && this.#terms !== undefined ? "both" : "vectors");
    if (chosen === "vectors") return chosen;
    if (chosen !== "terms" && chosen !== "both")
      throw badArgument(`match is ${chosen}, expected "vectors", "terms" or "both"`);
    if (this.#terms === undefined)
      throw badArgument("terms can be searched for only with a term index: give one to openIndex(source, { terms })");
    if (!haveTexts)
      throw badArgument("a query is a vector without a text, whose terms could be searched for: give the option texts");
    return chosen;
  }

  /** Returns the vectors of queries, one after the other. Each query is a text or a vector. */
  async #vectorsOf(list, options) {
    const texts = list.filter((query) => typeof query === "string");
    const encoded = texts.length === 0 ? undefined : await this.#encode(texts, options);
    const dim = this.info.dim;
    const all = new Float32Array(list.length * dim);
    let numTexts = 0;
    list.forEach((query, i) => {
      const row =
        typeof query === "string" ? encoded.subarray(numTexts * dim, ++numTexts * dim) : query;
      if (row.length !== dim)
        throw badArgument(`query ${i} has ${row.length} values, expected ${dim}`);
      all.set(row, i * dim);
    });
    return all;
  }

  /** Encodes the texts of queries as the rows of the index were encoded. */
  async #encode(texts, { prompt, promptName, signal }) {
    if (this.#model === undefined)
      throw badArgument("a text can be searched for only with a model: give one to openIndex(source, { model })");
    return encodeInBatches(texts, { signal }, (batch) => {
      const handles = [this.#open, this.#model.handle];
      const rows = encodeAtOnce(this.#native, "embd_index_encode", handles, batch, {
        prompt,
        promptName,
      });
      if (rows.dim === this.info.dim) return rows;
      throw badArgument(
        `the model gives vectors of ${rows.dim} values, but the rows of the index have ${this.info.dim}`,
      );
    });
  }

  #search(queries, options) {
    const { dim } = this.info;
    this.#native.call(
      "embd_index_search",
      this.#open,
      { pointer: queries },
      queries.length / dim,
      dim,
      options.k ?? 10,
      searchJson(options),
    );
    return this.#hits(hitBytes, (view, at) => this.#withDistance(view.getFloat32(at + 8, true)));
  }

  /** Searches by the terms of texts and, if `vectors` is not 0, by the vectors of the queries. */
  #searchTerms(queries, vectors, options) {
    const { texts, sizes, count } = packTexts(queries);
    this.#native.call(
      "embd_index_search_terms",
      this.#open,
      this.#terms.handle,
      this.#terms.modelHandle,
      texts,
      sizes,
      count,
      vectors,
      this.info.dim,
      options.k ?? 10,
      searchJson(options),
    );
    return this.#hits(fusedHitBytes, (view, at) => {
      const termScore = view.getFloat32(at + 16, true);
      if (vectors === 0) return { termScore };
      const score = view.getFloat32(at + 8, true);
      return { score, ...this.#withDistance(view.getFloat32(at + 12, true)), termScore };
    });
  }

  /** Returns the hits of each query, of `size` bytes each. `numbersAt` reads what stands behind the id. */
  #hits(size, numbersAt) {
    const { counts } = this.#native.answer();
    const view = new DataView(this.#native.answerData().buffer);
    let at = -size;
    const next = () => {
      at += size;
      const id = idOf(view.getBigUint64(at, true));
      return { id: this.#ids === undefined ? id : this.#ids[id], ...numbersAt(view, at) };
    };
    return counts.map((count) => Array.from({ length: count }, next));
  }

  #withDistance(distance) {
    const { metric } = this.info;
    return metric === "cos" || metric === "ip" ? { distance, similarity: 1 - distance } : { distance };
  }
}
