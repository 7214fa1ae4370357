#!/usr/bin/env bash
# Model folders beside sentence-transformers 6.2, which reads the same folders: 32 variants of their settings, the
# configurations of 16 models that people use, and 27 folders that have to be refused. Installs 6 GB of Python packages
# (torch) in build/models-venv, so scripts/check.sh leaves it out.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${EMBD_MODELS_VENV:-build/models-venv}
if [ -z "${EMBD_MODELS_VENV:-}" ] && ! cmp -s tests/models/requirements.txt "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install -q -r tests/models/requirements.txt
  cp tests/models/requirements.txt "$venv/"
fi

cmake --preset dev >/dev/null
cmake --build build/dev -j "$(nproc)" --target embd_cli
"$venv/bin/python" tests/models/check_folders.py build/dev/cli/embd "$@"
