#!/usr/bin/env bash
# Checks a change, in about a quarter of an hour: the form of sources and pages, the whole suite of tests on what quickstart.sh built,
# with each set of kernels that this machine can run, and the files that are exchanged with the reference libraries. check_all.sh runs
# what takes longer; CI runs both.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
embd=build/release/cli/embd

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt

echo "== clang-format"
git ls-files '*.cc' '*.h' '*.inc' '*.c' | xargs clang-format-19 --dry-run -Werror

echo "== plain words"
python3 scripts/check_words.py

echo "== EMBD_TRY in braced lists"
python3 scripts/check_tries.py

echo "== links of the pages"
python3 scripts/check_links.py

echo "== tests: build"
cmake --preset release -DEMBD_TESTS=ON -DEMBD_AMX_MODEL=ON >/dev/null
cmake --build build/release -j "$jobs"
bash scripts/get_model.sh "$embd"

echo "== reference libraries"
bash scripts/make_venv.sh build/interop-venv tests/interop/requirements.txt
for test in tests/interop/*_test.py; do
  build/interop-venv/bin/python "$test" "$PWD/$embd"
done

echo "== the same bytes with every set of kernels"
scripts/check_same_bytes.sh "$embd"

echo "== tests: run"
ctest --test-dir build/release -j "$jobs" --output-on-failure
