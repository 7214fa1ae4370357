// Long work in parts, so that a page goes on between them.

import { badArgument, throwIfAborted } from "./errors.js";

/** Bytes of text that are embedded at once: some tens of milliseconds. */
const batchBytes = 8192;

const rest = globalThis.scheduler?.yield
  ? () => globalThis.scheduler.yield()
  : () => new Promise((resolve) => setTimeout(resolve));

/** `texts` in batches, with a rest between two of them. */
export async function* batchesOf(texts, signal) {
  for (let begin = 0; begin < texts.length; ) {
    throwIfAborted(signal);
    let end = begin;
    for (let bytes = 0; end < texts.length && (end === begin || bytes < batchBytes); ++end)
      bytes += texts[end].length;
    yield texts.slice(begin, end);
    begin = end;
    if (begin < texts.length) await rest();
  }
}

/** Throws unless `texts` is an array of strings. */
export function checkTexts(texts) {
  if (!Array.isArray(texts)) throw badArgument("expected a string or an array of strings");
  const wrong = texts.findIndex((text) => typeof text !== "string");
  if (wrong >= 0) throw badArgument(`text ${wrong}: expected a string, found ${typeof texts[wrong]}`);
}
