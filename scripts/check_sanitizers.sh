#!/usr/bin/env bash
# The suite under AddressSanitizer and UBSan, and what has threads under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
cmake --preset asan-ubsan >/dev/null
cmake --build build/asan-ubsan -j "$(nproc)"
ctest --test-dir build/asan-ubsan -j "$(nproc)" --output-on-failure

threaded=(team_test pipeline_test model_test tokenizer_test hnsw_test exact_test vamana_builder_test server_test)
cmake --preset tsan >/dev/null
cmake --build build/tsan -j "$(nproc)" --target "${threaded[@]}"
for test in "${threaded[@]}"; do
  "$(find build/tsan -name "$test" -type f)" --gtest_brief
done
