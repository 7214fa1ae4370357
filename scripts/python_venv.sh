#!/usr/bin/env bash
# Makes build/python-venv, which has what scripts/python_requirements.txt names, where it is not there already.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=build/python-venv
if ! cmp -s scripts/python_requirements.txt "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install -q -r scripts/python_requirements.txt
  cp scripts/python_requirements.txt "$venv/"
fi
