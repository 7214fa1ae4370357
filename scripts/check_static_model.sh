#!/usr/bin/env bash
# Compares a real static model with `tokenizers` and NumPy: ids, and vectors in float64. It fetches the model into FOLDER (17 MB) unless it
# is there, so scripts/check.sh does not run it:
#
#   scripts/check_static_model.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

python3 scripts/fetch_model.py tokenlearn-static-model "${1:?usage: check_static_model.sh FOLDER}"
venv=${EMBD_STATIC_VENV:-build/static-venv}
[ -n "${EMBD_STATIC_VENV:-}" ] || bash scripts/make_venv.sh "$venv" tests/models/static_requirements.txt
cmake --preset dev >/dev/null
cmake --build build/dev -j "$(nproc)" --target embd_cli
"$venv/bin/python" tests/models/check_static_model.py build/dev/cli/embd "$1" --scratch build
