#!/usr/bin/env bash
# From a fresh Debian or Ubuntu to the first vectors: packages, build, model, an example.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt
cmake --preset release -DEMBD_TESTS=OFF >/dev/null
cmake --build build/release
embd=build/release/cli/embd
bash scripts/get_model.sh "$embd"

"$embd" embed models/example.txt -o build/example.npy
echo
"$embd" similarity "A cat sits on the mat." "A kitten rests on a rug." "The stock market fell today."
