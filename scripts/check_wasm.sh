#!/usr/bin/env bash
# Builds the WebAssembly modules and compares them with a program that was built for this machine: tokens, bytes of vectors, hits,
# errors, memory, size. Node runs them; in Python's wasmtime, which reads exceptions in their newer form alone, they cannot run.
#
#   check_wasm.sh PROGRAM [MODEL]
set -euo pipefail
cd "$(dirname "$0")/.."
export EMBD_PROGRAM EMBD_MODEL EMBD_WASM=$PWD/build/wasm/js
EMBD_PROGRAM=$(realpath "${1:?usage: $0 PROGRAM [MODEL]}")
EMBD_MODEL=$(realpath "${2:-models/all-MiniLM-L6-v2.weights}")

bash scripts/wasm_sysroot.sh
cmake --preset wasm >/dev/null
cmake --build build/wasm --target embd_wasm embd_wasm_relaxed

# Code over the wire, which grows by no accident.
for module in embd embd_relaxed; do
  size=$(gzip -9 -c "$EMBD_WASM/$module.wasm" | wc -c)
  echo "$module.wasm: $(stat -c %s "$EMBD_WASM/$module.wasm") bytes, $size by gzip"
  [ "$size" -le 760000 ] || { echo "expected at most 760,000"; exit 1; }
done

# Before Node 22 relaxed SIMD is behind a flag.
flags=()
! node --experimental-wasm-relaxed-simd -e 0 2>/dev/null || flags=(--experimental-wasm-relaxed-simd)
node "${flags[@]}" --test tests/wasm/wasm_module_test.mjs
