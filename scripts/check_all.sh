#!/usr/bin/env bash
# Runs what check.sh leaves out because it takes longer: the Python package with its types and tests, the documentation as a site, jobs
# that are killed and resumed, the workflows of the public host, an engine from another compiler, which must compute the same bytes, and
# the program for Windows under Wine.
# It uses what check.sh built. CI runs both scripts. CONTRIBUTING.md names the checks that neither runs.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
embd=build/release/cli/embd

echo "== workflows of the public host"
bash scripts/check_workflows.sh

echo "== documentation as a site"
bash scripts/docs.sh "$embd"

echo "== Python package"
scripts/check_python.sh "$embd"

echo "== the same bytes however it is run, with the real model"
KILLS=20 scripts/check_reproducible.sh "$embd"

# Clang builds without precompiled headers and without joining sources, so it fails for a source that lacks an include.
echo "== the same bytes from another compiler: Clang"
cmake --preset clang -B build/clang-golden -DEMBD_TESTS=ON >/dev/null
cmake --build build/clang-golden -j "$jobs" --target engine_tests
ctest --test-dir build/clang-golden -j "$jobs" --output-on-failure --no-tests=error -R 'TextsHaveTheHash|SameBytesTest'

echo "== the same bytes on Windows: MinGW GCC and Wine"
bash scripts/check_windows.sh "$embd"
