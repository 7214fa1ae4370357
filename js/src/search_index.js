import { badArgument } from "./errors.js";
import { fromLibrary, optionsJson } from "./options.js";

const hitBytes = 16; // u64 id, f32 distance, u32 slot

/** An id as a number where it is one exactly. */
function idOf(value) {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** JSON of the options of a search; ids may be of 64 bits, which JSON.stringify() refuses. */
function searchJson({ ids, promptName, prompt, ...options }) {
  const json = optionsJson(options);
  if (ids === undefined) return json;
  const list = `"ids":[${Array.from(ids, String).join(",")}]`;
  return json === "{}" ? `{${list}}` : `${json.slice(0, -1)},${list}}`;
}

/** How a query is encoded for rows of this recipe, as the library's Searcher encodes it. */
function queryOptions(recipe, model) {
  const hasPrompt = model.info.prompts.some(({ name }) => name === "query");
  const prompt = hasPrompt ? { promptName: "query" } : { prompt: "" };
  if (recipe === undefined) return prompt;
  const { dim, hidden, maxPositions } = model.info;
  const isCut = recipe.truncate_dim !== dim && recipe.truncate_dim <= hidden;
  return {
    ...prompt,
    maxLength: Math.min(recipe.max_length, maxPositions),
    pooling: recipe.pooling,
    normalize: recipe.normalize,
    truncateDim: isCut ? recipe.truncate_dim : undefined,
  };
}

/** An index that is searched for the nearest rows. Made by openIndex(). */
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

  /** Queries, each a text or a vector, as rows one after the other. */
  async #vectorsOf(queries, { prompt, promptName, signal }) {
    const rows = [];
    for (const query of queries) {
      if (typeof query !== "string") {
        rows.push(Float32Array.from(query));
        continue;
      }
      if (this.#model === undefined)
        throw badArgument("a text is searched with a model: openIndex(source, { model })");
      const how = { ...queryOptions(this.info.recipe, this.#model), signal };
      if (prompt !== undefined || promptName !== undefined)
        Object.assign(how, { prompt, promptName });
      rows.push(await this.#model.encode(query, how));
    }
    const dim = this.info.dim;
    const all = new Float32Array(rows.length * dim);
    rows.forEach((row, i) => {
      if (row.length !== dim)
        throw badArgument(`query ${i} has ${row.length} values, expected ${dim}`);
      all.set(row, i * dim);
    });
    return all;
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
