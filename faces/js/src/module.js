// Chooses one of the two WebAssembly modules, which depends on the JavaScript engine, and loads it.

import { readLocalFile } from "./platform.js";
import { checkResponse } from "./source.js";

/**
 * A module to test an engine with. Its one function computes i16x8.relaxed_dot_i8x16_i7x16_s of its
 * two parameters.
 */
const relaxedProbe = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x07, 0x01, 0x60, 0x02, 0x7b, 0x7b, 0x01,
  0x7b, 0x03, 0x02, 0x01, 0x00, 0x0a, 0x0b, 0x01, 0x09, 0x00, 0x20, 0x00, 0x20, 0x01, 0xfd, 0x92,
  0x02, 0x0b,
]);

/**
 * Returns true if this engine knows the instructions of relaxed SIMD. Their results may differ from
 * engine to engine; the module checks them itself.
 */
export function hasRelaxedSimd() {
  return WebAssembly.validate(relaxedProbe);
}

/** Returns the URL of the module that this engine can run. */
function moduleUrl() {
  // The expression stands here twice because bundlers look for exactly this form.
  return hasRelaxedSimd()
    ? new URL("../wasm/embd_relaxed.wasm", import.meta.url)
    : new URL("../wasm/embd.wasm", import.meta.url);
}

/**
 * Compiles the module from its URL, its bytes or a response; by default the one of this package.
 * @param {WebAssembly.Module | Response | BufferSource | URL | string | undefined} source
 */
export async function compileModule(source = moduleUrl()) {
  if (source instanceof WebAssembly.Module) return source;
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer)
    return WebAssembly.compile(source);
  if (typeof source === "string" || source instanceof URL) {
    const local = await readLocalFile(source);
    if (local !== undefined) return WebAssembly.compile(local);
    source = await fetch(source);
  }
  const response = await source;
  checkResponse(response);
  const type = response.headers.get("content-type") ?? "";
  // A response of another type cannot be compiled while it arrives.
  if (WebAssembly.compileStreaming && type.startsWith("application/wasm"))
    return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
