#!/usr/bin/env bash
# Builds and runs every test: the suite once for each set of kernels this machine has, again under AddressSanitizer and
# UBSan, the install test, and the files of the reference libraries both ways.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)

bash scripts/install_packages.sh

echo "== build"
cmake --preset release -DEMBD_TESTS=ON -DEMBD_WERROR=ON >/dev/null
cmake --build build/release -j "$jobs"
bash scripts/get_model.sh build/release/cli/embd

echo "== reference libraries"
venv=build/interop-venv
if ! cmp -s tests/interop/requirements.txt "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install -q -r tests/interop/requirements.txt
  cp tests/interop/requirements.txt "$venv/"
fi
EMBD=$PWD/build/release/cli/embd "$venv/bin/python" -m unittest discover -s tests/interop -p '*_test.py'

echo "== sanitizers"
cmake --preset asan-ubsan -DEMBD_TESTS=ON >/dev/null
cmake --build build/asan-ubsan -j "$jobs"
ctest --test-dir build/asan-ubsan -j "$jobs" --output-on-failure

echo "== tests"
ctest --test-dir build/release -j "$jobs" --output-on-failure
