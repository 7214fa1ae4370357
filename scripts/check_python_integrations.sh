#!/usr/bin/env bash
# Tests the classes of embd.integrations inside the packages for which they are made, and compares embd.SentenceTransformer with the
# class of sentence-transformers. Only pip uses the network. It installs about 8 GB (torch), so scripts/check.sh does not run it.
#
#   check_python_integrations.sh [VENV]     VENV: a Python environment that has the packages already
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
[ -s models/all-MiniLM-L6-v2.weights ] || { cmake --preset dev && cmake --build build/dev --target embd_cli; } >/dev/null
bash scripts/get_model.sh build/dev/cli/embd
venv=${1:-build/integrations-venv}
[ $# -gt 0 ] || bash scripts/make_venv.sh "$venv" scripts/python_integrations_requirements.txt scripts/python_integrations_alone.txt
"$venv/bin/pip" install -q --no-deps --force-reinstall .

tests=$PWD/tests/faces/python_integrations
venv=$(realpath "$venv")
cd "$(mktemp -d)"
export EMBD_ALL_PACKAGES=1 HF_HUB_OFFLINE=1
# Each test runs in a process of its own, because some packages patch others.
failed=()
for test in "$tests"/test_*.py; do
  echo "== $(basename "$test")"
  "$venv/bin/python" -m pytest -q -p no:cacheprovider -o asyncio_mode=auto "$test" || failed+=("$(basename "$test")")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
