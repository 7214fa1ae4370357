#!/usr/bin/env bash
# Builds the WebAssembly modules and compares them with a program that was built for this machine. In Node it compares tokens, bytes of
# vectors, hits and errors, and checks memory and size. In wasmtime it compares bytes of vectors. wasmtime only reads the newer form of
# exceptions, so Binaryen translates the modules for it.
#
#   check_wasm.sh PROGRAM [MODEL]
set -euo pipefail
cd "$(dirname "$0")/.."
export EMBD_PROGRAM EMBD_MODEL EMBD_WASM=$PWD/build/wasm/js
EMBD_PROGRAM=$(realpath "${1:?usage: $0 PROGRAM [MODEL]}")
EMBD_MODEL=$(realpath "${2:-models/all-MiniLM-L6-v2.weights}")

bash scripts/wasm_sysroot.sh
cmake --preset wasm >/dev/null
cmake --build build/wasm --target embd_wasm embd_wasm_relaxed embd_wasm_lean embd_wasm_lean_relaxed

# Limits on the size of the compressed modules, which browsers download. They keep the modules from growing unnoticed.
while read -r module most; do
  size=$(gzip -9 -c "$EMBD_WASM/$module.wasm" | wc -c)
  echo "$module.wasm: $(stat -c %s "$EMBD_WASM/$module.wasm") bytes, $size by gzip"
  [ "$size" -le "$most" ] || { echo "expected at most $most"; exit 1; }
done <<MODULES
embd 600000
embd_relaxed 650000
embd_lean 320000
embd_lean_relaxed 370000
MODULES

# Versions of Node before 22 need a flag for relaxed SIMD.
flags=()
! node --experimental-wasm-relaxed-simd -e 0 2>/dev/null || flags=(--experimental-wasm-relaxed-simd)
node "${flags[@]}" --test tests/faces/js/wasm_module_test.mjs

build/wasm-sysroot/bin/wasm-opt --all-features --translate-to-exnref \
  "$EMBD_WASM/embd.wasm" -o build/wasm/embd_exnref.wasm
texts=tests/data/engine/embeddings.jsonl
"$EMBD_PROGRAM" embed "$texts" -o build/wasm/rows.npy --compute int8 --model "$EMBD_MODEL" --force --progress never 2>/dev/null
build/wasm-venv/bin/python tests/faces/js/wasmtime_check.py build/wasm/embd_exnref.wasm "$EMBD_MODEL" "$texts" int8 build/wasm/rows.npy
