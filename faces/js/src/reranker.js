import { checkTexts } from "./batches.js";
import { badArgument } from "./errors.js";
import { packTexts } from "./native.js";
import { fromLibrary, optionsJson } from "./options.js";

/** A model that scores how well documents answer a query. openReranker() makes it. */
export class Reranker {
  #native;
  #handle;

  constructor(runtime, handle) {
    this.#native = runtime.native;
    this.#handle = handle;
    this.#native.call("embd_reranker_info", handle);
    this.info = fromLibrary(this.#native.answer());
  }

  get #open() {
    if (this.#handle === 0) throw badArgument("the reranker is closed");
    return this.#handle;
  }

  async rerank(query, documents, options = {}) {
    if (typeof query !== "string") throw badArgument("the query has a wrong type, expected a string");
    checkTexts(documents);
    const { texts, sizes, count } = packTexts(documents);
    const json = optionsJson(options);
    this.#native.call(
      "embd_reranker_rank",
      this.#open,
      query,
      texts,
      sizes,
      count,
      options.k ?? 0,
      json,
    );
    return this.#native.answer().documents;
  }

  async score(pairs, options = {}) {
    const { texts, sizes } = packTexts(pairs.flat());
    this.#native.call(
      "embd_reranker_score",
      this.#open,
      texts,
      sizes,
      pairs.length,
      optionsJson(options),
    );
    return this.#native.answerFloats();
  }

  async close() {
    if (this.#handle !== 0) this.#native.call("embd_reranker_close", this.#handle);
    this.#handle = 0;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.close();
  }
}
