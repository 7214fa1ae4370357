#!/usr/bin/env bash
# Compares multilingual models with random weights, each with the shape of a real model, with a float64 reference in NumPy. It takes
# 5 GB on the disk and 5 GB of memory, so scripts/check.sh does not run it. Arguments go to tests/models/check_shapes.py, such as
# --only NAME.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${EMBD_SHAPES_VENV:-build/shapes-venv}
[ -n "${EMBD_SHAPES_VENV:-}" ] || bash scripts/make_venv.sh "$venv" tests/models/shapes_requirements.txt

cmake --preset dev >/dev/null
cmake --build build/dev -j "$(nproc)" --target embd_cli
"$venv/bin/python" tests/models/check_shapes.py build/dev/cli/embd --scratch build "$@"
