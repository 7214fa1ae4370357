#!/usr/bin/env bash
# Compares embd with sentence-transformers 6.2, which reads the same model folders: 37 variants of their settings, the
# configurations of 16 models that people use, and 21 folders that must be refused. It installs 6 GB of Python packages
# (torch) in build/models-venv, so scripts/check.sh does not run it.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${EMBD_MODELS_VENV:-build/models-venv}
[ -n "${EMBD_MODELS_VENV:-}" ] || bash scripts/make_venv.sh "$venv" tests/models/requirements.txt

cmake --preset dev >/dev/null
cmake --build build/dev -j "$(nproc)" --target embd_cli
"$venv/bin/python" tests/models/check_folders.py build/dev/cli/embd "$@"
