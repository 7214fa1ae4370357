// Has the functions of embd.js that embed texts, over smaller modules, which contain no indexes and
// rerankers.

import * as whole from "./embd.js";

export { EmbdError, hasRelaxedSimd } from "./embd.js";

// The expression stands here twice because bundlers look for exactly this form.
const leanModule = whole.hasRelaxedSimd()
  ? new URL("../wasm/embd_lean_relaxed.wasm", import.meta.url)
  : new URL("../wasm/embd_lean.wasm", import.meta.url);

export function open(source, { wasm = leanModule, ...options } = {}) {
  return whole.open(source, { wasm, ...options });
}

export function about({ wasm = leanModule } = {}) {
  return whole.about({ wasm });
}
