#!/usr/bin/env bash
# The suite under AddressSanitizer and UBSan.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
cmake --preset asan-ubsan >/dev/null
cmake --build build/asan-ubsan -j "$(nproc)"
ctest --test-dir build/asan-ubsan -j "$(nproc)" --output-on-failure
