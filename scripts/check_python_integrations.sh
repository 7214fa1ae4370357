#!/usr/bin/env bash
# The hooks of embd.integrations in the packages they are for, and embd.SentenceTransformer beside the real one; offline
# but for pip. Installs about 8 GB (torch): not part of scripts/check.sh.
#
#   check_python_integrations.sh [VENV]     VENV: one that has the packages already
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
[ -s models/all-MiniLM-L6-v2.weights ] || { cmake --preset dev && cmake --build build/dev --target embd_cli; } >/dev/null
bash scripts/get_model.sh build/dev/cli/embd
venv=${1:-build/integrations-venv}
[ $# -gt 0 ] || bash scripts/make_venv.sh "$venv" scripts/python_integrations_requirements.txt scripts/python_integrations_alone.txt
"$venv/bin/pip" install -q --no-deps --force-reinstall .

tests=$PWD/tests/python_integrations
venv=$(realpath "$venv")
cd "$(mktemp -d)"
# A process for each: packages that patch others do not meet.
failed=()
for test in "$tests"/test_*.py; do
  echo "== $(basename "$test")"
  HF_HUB_OFFLINE=1 "$venv/bin/python" -m pytest -q -p no:cacheprovider -o asyncio_mode=auto "$test" || failed+=("$(basename "$test")")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
