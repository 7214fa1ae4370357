#!/usr/bin/env bash
# Takes a fresh Debian or Ubuntu to its first vectors: installs packages, builds embd, fetches a model and embeds an example.
#
#   quickstart.sh [FOLDER]     FOLDER: the Hugging Face folder of another model, such as a multilingual one
set -euo pipefail
model=()
[ $# -eq 0 ] || model=(--model "$(realpath "$1")")
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt
cmake --preset release -DEMBD_TESTS=OFF >/dev/null
cmake --build build/release
embd=build/release/cli/embd
[ $# -gt 0 ] || bash scripts/get_model.sh "$embd"

"$embd" embed "${model[@]}" models/example.txt -o build/example.npy
echo
"$embd" similarity "${model[@]}" "A cat sits on the mat." "A kitten rests on a rug." "The stock market fell today."
