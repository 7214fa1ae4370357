#!/usr/bin/env bash
# Compares the tokenizers with Hugging Face's `tokenizers`: for each kind, 200,000 hostile strings through variants of its tokenizer.json,
# and every code point in three surroundings. It installs a Python package in build/tokenizers-venv and takes some minutes, so
# scripts/check.sh does not run it. More arguments go to check_tokenizers.py, such as --texts 1000000 or --speed FILE.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${EMBD_TOKENIZERS_VENV:-build/tokenizers-venv}
tests=tests/formats/weights/huggingface
[ -n "${EMBD_TOKENIZERS_VENV:-}" ] || bash scripts/make_venv.sh "$venv" $tests/requirements.txt

[ -f build/dev/CMakeCache.txt ] || cmake --preset dev >/dev/null
cmake --build build/dev -j "${EMBD_JOBS:-$(nproc)}" --target encode_texts
"$venv/bin/python" $tests/check_tokenizers.py "build/dev/$tests/encode_texts" --code-points "$@"
