// Computes the vectors of texts with the module, and collects them as rows.

import { batchesOf } from "./batches.js";
import { packTexts } from "./native.js";
import { optionsJson } from "./options.js";

/**
 * Encodes texts in one call of the export `name`, whose first arguments are `handles`. Returns the
 * module's answer about the rows, such as `dim`, and their values.
 */
export function encodeAtOnce(native, name, handles, texts, options) {
  const packed = packTexts(texts);
  native.call(name, ...handles, packed.texts, packed.sizes, packed.count, optionsJson(options));
  return { ...native.answer(), values: native.answerFloats() };
}

/** Encodes texts in batches with `encode`. Returns the values of all rows, one row for each text. */
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
