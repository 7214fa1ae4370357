import { batchesOf, checkTexts } from "./batches.js";
import { badArgument } from "./errors.js";
import { fromLibrary, optionsJson } from "./options.js";
import { encodeAtOnce, encodeInBatches } from "./rows.js";

/** A model that computes the vectors of texts. open() makes it. */
export class Model {
  #native;
  #handle;

  constructor(runtime, handle) {
    this.runtime = runtime;
    this.#native = runtime.native;
    this.#handle = handle;
    this.#native.call("embd_model_info", handle);
    this.info = fromLibrary(this.#native.answer());
  }

  get dim() {
    return this.info.dim;
  }

  /** The number by which the module knows this model. Throws if the model is closed. */
  get handle() {
    if (this.#handle === 0) throw badArgument("the model is closed");
    return this.#handle;
  }

  async encode(texts, options = {}) {
    if (typeof texts === "string") return this.#encodeBatch([texts], options).values;
    checkTexts(texts);
    return encodeInBatches(texts, options, (batch) => this.#encodeBatch(batch, options));
  }

  async encodeWindows(texts, options = {}) {
    const list = typeof texts === "string" ? [texts] : texts;
    checkTexts(list);
    const parts = [];
    const windows = [];
    let first = 0;
    let dim = this.dim;
    for await (const batch of batchesOf(list, options.signal)) {
      const found = this.#encodeBatch(batch, { ...options, windows: "rows" });
      dim = found.dim;
      parts.push(found.values);
      for (let i = 0; i < found.rows; ++i)
        windows.push({
          text: first + found.texts[i],
          window: found.window[i],
          begin: found.places[i][0],
          end: found.places[i][1],
        });
      first += batch.length;
      options.onProgress?.({ done: first, total: list.length });
    }
    const vectors = new Float32Array(windows.length * dim);
    let at = 0;
    for (const part of parts) {
      vectors.set(part, at);
      at += part.length;
    }
    return { vectors, dim, windows };
  }

  async tokenize(text, options = {}) {
    if (typeof text !== "string") throw badArgument("the text has a wrong type, expected a string");
    this.#native.call(
      "embd_model_tokenize",
      this.handle,
      text,
      optionsJson(options),
    );
    const { ids, tokens, truncated } = this.#native.answer();
    return { ids: Int32Array.from(ids), tokens, truncated };
  }

  async decode(ids, { skipSpecial = true } = {}) {
    const list = Int32Array.from(ids);
    this.#native.call(
      "embd_model_decode",
      this.handle,
      { pointer: list },
      list.length,
      skipSpecial ? 1 : 0,
    );
    return this.#native.answerText();
  }

  async recipe(options = {}) {
    this.#native.call("embd_model_recipe", this.handle, optionsJson(options));
    return this.#native.answer();
  }

  async close() {
    if (this.#handle !== 0) this.#native.call("embd_model_close", this.#handle);
    this.#handle = 0;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }

  #encodeBatch(batch, options) {
    return encodeAtOnce(this.#native, "embd_model_encode", [this.handle], batch, options);
  }
}
