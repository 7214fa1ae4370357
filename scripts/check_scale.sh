#!/usr/bin/env bash
# Tests the Python package on clusters that run on this machine: Ray Data on two nodes, Spark with two executors, and parts with GNU
# parallel. Workers, executors and nodes are killed, jobs are resumed, and all runs must have the same digest. Also tests Parquet files
# with every reader, and the programs of docs/scale.md. It installs about 2 GB. Only pip uses the network.
#
#   check_scale.sh [VENV]     VENV: a Python environment that has the packages already
#
# EMBD_SCALE_TEXTS: the number of texts, by default 20000. On a busy machine, fewer texts test the same code.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/scale_packages.txt
{ cmake --preset dev && cmake --build build/dev --target embd_cli; } >/dev/null
bash scripts/get_model.sh build/dev/cli/embd
venv=${1:-build/scale-venv}
[ $# -gt 0 ] || bash scripts/make_venv.sh "$venv" scripts/python_scale_requirements.txt
"$venv/bin/pip" install -q --no-deps --force-reinstall .

tests=$PWD/tests/faces/python_scale
venv=$(realpath "$venv")
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
cd "$temporary"
export EMBD_ALL_PACKAGES=1
export EMBD_SCALE_ROWS=$temporary/rows.npy
# Each engine runs in a process of its own, so that its memory is free when the next one starts.
failed=()
for test in "$tests"/test_*.py; do
  echo "== $(basename "$test")"
  "$venv/bin/python" -m pytest -q -p no:cacheprovider --durations=5 --basetemp="$temporary/pytest" "$test" ||
    failed+=("$(basename "$test")")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
