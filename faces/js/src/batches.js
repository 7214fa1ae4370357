// Divides long work into parts, so that a page stays responsive between them.

import { badArgument, throwIfAborted } from "./errors.js";

/** The length of the texts that are embedded at once, which takes some tens of milliseconds. */
const batchBytes = 8192;

/** Lets the page do other work before this goes on. */
const rest = globalThis.scheduler?.yield
  ? () => globalThis.scheduler.yield()
  : () => new Promise((resolve) => setTimeout(resolve));

/** Yields `texts` in batches, and lets the page do other work between two batches. */
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
  if (!Array.isArray(texts)) throw badArgument("the texts have a wrong type, expected a string or an array of strings");
  const wrong = texts.findIndex((text) => typeof text !== "string");
  if (wrong >= 0) throw badArgument(`text ${wrong} is of the type ${typeof texts[wrong]}, expected a string`);
}
