// Reads bytes from a URL, a Response, a file or memory into the memory of the module. If their
// SHA-256 is known, they are checked, and kept on this machine for the next time.

import { badArgument, EmbdError, ioFailed, throwIfAborted } from "./errors.js";
import { readLocalFile } from "./platform.js";
import { openStore } from "./store.js";

/** Returns the SHA-256 of bytes in the module's memory, as 64 hexadecimal digits. */
async function sha256(native, pointer, size) {
  if (globalThis.crypto?.subtle === undefined)
    throw new EmbdError({
      code: "unsupported",
      status: "bad_argument",
      message: "a SHA-256 can be checked only in a page that was loaded by https or from this machine",
    });
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", native.bytes(pointer, size)),
  );
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws an EmbdError unless the status of the response is a success. */
export function checkResponse(response) {
  if (response.ok) return;
  const message = `${response.url || "the response"}: the server answered with the HTTP status ${response.status}`;
  const isMissing = response.status === 404 || response.status === 410;
  throw new EmbdError({ code: isMissing ? "not_found" : "io_failed", status: "io_failed", message });
}

/** Returns the bytes of `source` as a stream of chunks, and their number if it is known. */
async function openSource(source, signal) {
  if (ArrayBuffer.isView(source))
    source = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  else if (source instanceof ArrayBuffer) source = new Uint8Array(source);
  else if (typeof source === "string" || source instanceof URL) {
    const local = await readLocalFile(source);
    source = local ?? (await fetch(source, { signal }));
  } else source = await source;

  if (source instanceof Uint8Array) return { chunks: [source], total: source.length };
  if (typeof Blob !== "undefined" && source instanceof Blob)
    return { chunks: source.stream(), total: source.size };
  if (!(source instanceof Response))
    throw badArgument("the source has a wrong type, expected a URL, a Response, a Blob or bytes");
  checkResponse(source);
  // In a compressed response, content-length is the number of compressed bytes.
  const length = source.headers.get("content-encoding")
    ? null
    : source.headers.get("content-length");
  return { chunks: source.body ?? [], total: length === null ? undefined : Number(length) };
}

/** Yields the chunks of a stream or an array. */
async function* iterate(chunks) {
  if (!(chunks instanceof ReadableStream)) return yield* chunks;
  // A reader is used because some browsers cannot iterate over streams.
  const reader = chunks.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.releaseLock();
  }
}

/** Copies chunks into the module's memory, one after the other. Returns { pointer, size }. */
async function copyChunks(native, { chunks, total }, { onProgress, signal }) {
  let loaded = 0;
  let pointer = total === undefined ? 0 : native.allocate(total);
  const waiting = []; // the chunks so far, if the number of bytes is not known beforehand
  try {
    for await (const chunk of iterate(chunks)) {
      throwIfAborted(signal);
      if (total === undefined) waiting.push(chunk);
      else if (chunk.length > total - loaded)
        throw ioFailed(`the server sent more than the ${total} bytes that it announced`);
      else native.bytes(pointer + loaded, chunk.length).set(chunk);
      loaded += chunk.length;
      onProgress?.({ loaded, total });
    }
    if (total !== undefined && loaded !== total)
      throw ioFailed(`the download ended after ${loaded} of ${total} bytes`);
    if (total === undefined) {
      pointer = native.allocate(loaded);
      let at = pointer;
      for (const chunk of waiting) {
        native.bytes(at, chunk.length).set(chunk);
        at += chunk.length;
      }
    }
    return { pointer, size: loaded };
  } catch (error) {
    if (pointer !== 0) native.release(pointer);
    throwIfAborted(signal);
    throw error instanceof EmbdError ? error : ioFailed(`the source cannot be read: ${error.message}`, error);
  }
}

/**
 * Reads a kept file into the module's memory. Returns undefined if there is none with this SHA-256;
 * a damaged one is removed.
 */
async function fromStore(native, store, name, expected, options) {
  const kept = await store?.get(name).catch(() => undefined);
  if (kept === undefined) return undefined;
  const copy = await copyChunks(native, { chunks: [kept], total: kept.length }, options);
  if ((await sha256(native, copy.pointer, copy.size)) === expected) return copy;
  native.release(copy.pointer);
  await store.remove(name);
  return undefined;
}

/**
 * Reads `source` into the module's memory and returns { pointer, size }.
 *
 * With `options.sha256` the bytes are checked. A file that is kept on this machine is used instead
 * of `source`; otherwise the bytes are kept for the next time, unless `options.keep` is false.
 * `source` may then be a function, which is called only if no file is kept.
 */
export async function readSource(native, source, options = {}) {
  const { signal, keep = true } = options;
  throwIfAborted(signal);
  const expected = options.sha256?.toLowerCase();
  if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected))
    throw badArgument("sha256 has a wrong value, expected 64 hexadecimal digits");
  const name = `sha256-${expected}`;
  const store = expected !== undefined && keep ? await openStore() : undefined;
  const kept = await fromStore(native, store, name, expected, options);
  if (kept !== undefined) return kept;

  let opened;
  try {
    opened = await openSource(typeof source === "function" ? source() : source, signal);
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof EmbdError) throw error;
    const code = error.code === "ENOENT" ? "not_found" : "io_failed";
    throw new EmbdError(
      { code, status: "io_failed", message: `${source}: ${error.message}` },
      { cause: error },
    );
  }
  const copy = await copyChunks(native, opened, options);
  if (expected === undefined) return copy;
  const found = await sha256(native, copy.pointer, copy.size);
  if (found !== expected) {
    native.release(copy.pointer);
    throw new EmbdError({
      code: "checksum_mismatch",
      status: "bad_input",
      message: `the SHA-256 is ${found}, expected ${expected}`,
    });
  }
  // A file that cannot be kept, such as on a full disk, is no error: it is downloaded again.
  await store?.put(name, native.bytes(copy.pointer, copy.size).slice()).catch(() => {});
  return copy;
}

/** Reads `source` and returns its bytes as text. */
export async function readText(native, source, options) {
  const { pointer, size } = await readSource(native, source, options);
  try {
    return new TextDecoder().decode(native.bytes(pointer, size));
  } finally {
    native.release(pointer);
  }
}
