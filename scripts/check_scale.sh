#!/usr/bin/env bash
# The package on clusters of this machine: Ray Data on two nodes, Spark with two executors, parts by GNU parallel; workers,
# executors and nodes killed, jobs resumed, one digest for all. Parquet as every reader returns it, and the programs of
# docs/scale.md. Installs about 2 GB, offline but for pip.
#
#   check_scale.sh [VENV]     VENV: one that has the packages already
#
# EMBD_SCALE_TEXTS: how many texts, by default 20000. On a busy machine fewer show the same.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/scale_packages.txt
{ cmake --preset dev && cmake --build build/dev --target embd_cli; } >/dev/null
bash scripts/get_model.sh build/dev/cli/embd
venv=${1:-build/scale-venv}
[ $# -gt 0 ] || bash scripts/make_venv.sh "$venv" scripts/python_scale_requirements.txt
"$venv/bin/pip" install -q --no-deps --force-reinstall .

tests=$PWD/tests/python_scale
venv=$(realpath "$venv")
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
cd "$temporary"
export EMBD_SCALE_ROWS=$temporary/rows.npy
# A process for each engine, which then leaves its memory to the next.
failed=()
for test in "$tests"/test_*.py; do
  echo "== $(basename "$test")"
  "$venv/bin/python" -m pytest -q -p no:cacheprovider --durations=5 --basetemp="$temporary/pytest" "$test" ||
    failed+=("$(basename "$test")")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
