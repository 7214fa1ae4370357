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
requirements=scripts/python_integrations_requirements.txt
venv=${1:-build/integrations-venv}
if [ $# -eq 0 ] && ! cmp -s "$requirements" "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv"
  # fastembed asks for an older huggingface-hub than transformers does; what it needs of it is in both.
  grep -v -E '^(fastembed|#)' "$requirements" | "$venv/bin/pip" install -q -r /dev/stdin
  "$venv/bin/pip" install -q --no-deps "$(grep '^fastembed' "$requirements")"
  "$venv/bin/pip" install -q loguru mmh3 onnxruntime py-rust-stemmers
  cp "$requirements" "$venv/"
fi
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
