// The vectors of all golden texts have the SHA-256 that `embd embed` gives them, in each module.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hasRelaxedSimd, open } from "../src/embd.js";
import { f32Model, goldenTexts, int8Model, sha256, wasmFolder, without } from "./fixtures.js";

// embd embed tests/data/engine/embeddings.jsonl -m MODEL --compute COMPUTE -o OUT.npy: of the values.
const native = {
  f32: "be4a63a8ed9abc2e8086aa98555fa2fd43035d9b5ac129e6c98505795fe1e004",
  int8: "5bf5a45778226f6e938cf671e05771ec4f4eedbd4d05255a688e91d282709114",
};

const relaxed = ["embd_relaxed.wasm", "embd_lean_relaxed.wasm"];
const modules = ["embd.wasm", "embd_lean.wasm", ...(hasRelaxedSimd() ? relaxed : [])];

for (const module of modules) {
  for (const [compute, path] of [["int8", int8Model], ["f32", f32Model]]) {
    test(`${module}, ${compute}`, { skip: without(path, "the model") }, async () => {
      const model = await open(path, { compute, wasm: new URL(module, wasmFolder) });
      const rows = await model.encode(goldenTexts());
      assert.equal(rows.length, 240 * model.dim);
      assert.equal(sha256(rows), native[compute]);
      await model.close();
    });
  }
}

test("all modules are tested where the engine has relaxed SIMD", (t) => {
  if (!hasRelaxedSimd()) t.skip("this engine has no relaxed SIMD");
});
