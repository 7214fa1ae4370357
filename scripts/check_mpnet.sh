#!/usr/bin/env bash
# Compares the real all-mpnet-base-v2 with a float64 reference in NumPy: ids, vectors in float32, cosines in bf16 and int8. It fetches the
# model into FOLDER (440 MB) unless it is there, so scripts/check.sh does not run it:
#
#   scripts/check_mpnet.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

python3 scripts/fetch_model.py all-mpnet-base-v2 "${1:?usage: check_mpnet.sh FOLDER}"
venv=${EMBD_SHAPES_VENV:-build/shapes-venv}
[ -n "${EMBD_SHAPES_VENV:-}" ] || bash scripts/make_venv.sh "$venv" tests/models/shapes_requirements.txt
cmake --preset dev >/dev/null
cmake --build build/dev -j "$(nproc)" --target embd_cli
"$venv/bin/python" tests/models/check_mpnet.py build/dev/cli/embd "$1" --scratch build
