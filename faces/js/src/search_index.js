import { badArgument } from "./errors.js";
import { fromLibrary, optionsJson } from "./options.js";
import { encodeAtOnce, encodeInBatches } from "./rows.js";

const hitBytes = 16; // the size of a hit: u64 id, f32 distance, u32 slot

/** Returns an id as a number, or as a bigint if a number cannot hold it exactly. */
function idOf(value) {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/**
 * Returns the options of a search as JSON. The ids are written by hand because they may be bigints,
 * which JSON.stringify() refuses.
 */
function searchJson({ ids, promptName, prompt, ...options }) {
  const json = optionsJson(options);
  if (ids === undefined) return json;
  const list = `"ids":[${Array.from(ids, String).join(",")}]`;
  return json === "{}" ? `{${list}}` : `${json.slice(0, -1)},${list}}`;
}

/** An index that finds the rows nearest to a text or a vector. openIndex() makes it. */
export class SearchIndex {
  #runtime;
  #native;
  #handle;
  #model;
  #ids;

  constructor(runtime, handle, model, ids) {
    this.#runtime = runtime;
    this.#native = runtime.native;
    this.#handle = handle;
    this.#model = model;
    this.#ids = ids;
    this.#native.call("embd_index_info", handle);
    this.info = fromLibrary(this.#native.answer());
    if (model !== undefined) this.#native.call("embd_index_check", handle, model.handle, "");
  }

  get #open() {
    if (this.#handle === 0) throw badArgument("the index is closed");
    return this.#handle;
  }

  async search(query, options = {}) {
    const [hits] = await this.#search(await this.#vectorsOf([query], options), options);
    return hits;
  }

  async searchMany(queries, options = {}) {
    return this.#search(await this.#vectorsOf(queries, options), options);
  }

  async close() {
    if (this.#handle !== 0) this.#native.call("embd_index_close", this.#handle);
    this.#handle = 0;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  /** Returns the vectors of queries, one after the other. Each query is a text or a vector. */
  async #vectorsOf(queries, options) {
    const list = Array.from(queries);
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
    const { dim, metric } = this.info;
    const k = options.k ?? 10;
    this.#native.call(
      "embd_index_search",
      this.#open,
      { pointer: queries },
      queries.length / dim,
      dim,
      k,
      searchJson(options),
    );
    const { counts } = this.#native.answer();
    const data = this.#native.answerData();
    const view = new DataView(data.buffer);
    const isCosine = metric === "cos" || metric === "ip";
    let at = 0;
    const next = () => {
      const id = idOf(view.getBigUint64(at, true));
      const distance = view.getFloat32(at + 8, true);
      at += hitBytes;
      const hit = { id: this.#ids === undefined ? id : this.#ids[id], distance };
      if (isCosine) hit.similarity = 1 - distance;
      return hit;
    };
    return counts.map((count) => Array.from({ length: count }, next));
  }
}
