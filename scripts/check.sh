#!/usr/bin/env bash
# Builds embd and runs the suite with each set of kernels that this machine can run, the test of the installation, the tests that
# exchange files with the reference libraries, the tests of the Python package, and the seeds of the fuzzers. CI runs it as its first job.
# All other checks have scripts of their own, which CONTRIBUTING.md lists; it says which of them CI runs, too.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt

echo "== clang-format"
git ls-files '*.cc' '*.h' '*.inc' '*.c' | xargs clang-format-19 --dry-run -Werror

echo "== plain words"
python3 scripts/check_words.py

echo "== EMBD_TRY in braced lists"
python3 scripts/check_tries.py

echo "== links of the pages"
python3 scripts/check_links.py

echo "== workflows of the public host"
bash scripts/check_workflows.sh

echo "== build, warnings are errors"
cmake --preset dev >/dev/null
cmake --build build/dev -j "$jobs"
bash scripts/get_model.sh build/dev/cli/embd

echo "== documentation as a site"
bash scripts/docs.sh build/dev/cli/embd

echo "== reference libraries"
bash scripts/make_venv.sh build/interop-venv tests/interop/requirements.txt
for test in tests/interop/*_test.py; do
  build/interop-venv/bin/python "$test" "$PWD/build/dev/cli/embd"
done

echo "== Python package"
scripts/check_python.sh build/dev/cli/embd

echo "== the same bytes however it is run, with the real model"
KILLS=20 scripts/check_reproducible.sh build/dev/cli/embd

echo "== the same bytes with every set of kernels"
scripts/check_same_bytes.sh build/dev/cli/embd

echo "== the same bytes from another compiler: Clang at -O3, where this build is GCC's at -O2"
cmake --preset clang -B build/clang-golden -DEMBD_TESTS=ON >/dev/null
cmake --build build/clang-golden -j "$jobs" --target golden_test same_bytes_test
ctest --test-dir build/clang-golden -j "$jobs" --output-on-failure --no-tests=error -R 'TextsHaveTheHash|SameBytesTest'

echo "== tests"
ctest --test-dir build/dev -j "$jobs" --output-on-failure
