#!/usr/bin/env bash
# clang-tidy over the library, the program and the C interface, with the checks of .clang-tidy. Any finding fails.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
cmake --preset tidy >/dev/null
cmake --build build/tidy -j "$(nproc)"
