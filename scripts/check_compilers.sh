#!/usr/bin/env bash
# Builds the library and the program twice: as users do, and with Clang. In both builds, warnings are errors. Compares the bytes of the
# vectors that the two programs compute, with every set of kernels.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
for preset in release clang; do
  cmake --preset "$preset" -DEMBD_WERROR=ON -DEMBD_TESTS=OFF >/dev/null
  cmake --build "build/$preset" -j "$jobs"
done
bash scripts/get_model.sh build/release/cli/embd
scripts/check_same_bytes.sh build/release/cli/embd build/clang/cli/embd
