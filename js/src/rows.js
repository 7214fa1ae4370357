// Rows of texts, which the module answers with where it encodes.

import { batchesOf } from "./batches.js";
import { packTexts } from "./native.js";
import { optionsJson } from "./options.js";

/**
 * Encodes texts at once by the export `name`, which takes `handles` before them. Returns what is
 * known of the rows, and their values.
 */
export function encodeAtOnce(native, name, handles, texts, options) {
  const packed = packTexts(texts);
  native.call(name, ...handles, packed.texts, packed.sizes, packed.count, optionsJson(options));
  return { ...native.answer(), values: native.answerFloats() };
}

/** Values of the rows of all texts, a row each, which `encode` makes of a batch. */
export async function encodeInBatches(texts, { signal, onProgress }, encode) {
  let all;
  let done = 0;
  for await (const batch of batchesOf(texts, signal)) {
    const { values, dim } = encode(batch);
    all ??= new Float32Array(texts.length * dim);
    all.set(values, done * dim);
    done += batch.length;
    onProgress?.({ done, total: texts.length });
  }
  return all ?? new Float32Array(0);
}
