#!/usr/bin/env bash
# Runs the suite and the tests of the Python package under AddressSanitizer and UBSan, and the tests with threads under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
cmake --preset asan-ubsan >/dev/null
cmake --build build/asan-ubsan -j "$(nproc)"
ctest --test-dir build/asan-ubsan -j "$(nproc)" --output-on-failure

echo "== Python package"
bash scripts/make_venv.sh build/python-venv scripts/python_requirements.txt
python=$PWD/build/python-venv/bin/python
cmake --preset asan-ubsan -B build/asan-python -DEMBD_WHEEL=ON -DPython_EXECUTABLE="$python" \
  -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >/dev/null
cmake --build build/asan-python -j "$(nproc)" --target embd_python
package=$PWD/build/asan-python/package
rm -rf "$package"
mkdir "$package"
cp -r faces/python/embd build/asan-python/python/_native*.so "$package"
mv "$package"/_native*.so "$package/embd"
# Python itself was built without sanitizers. So the libraries of the sanitizers must be loaded first, and leaks are not reported,
# because Python never frees some of its memory.
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 \
  PYTHONPATH=$package EMBD_PROGRAM=$PWD/build/asan-ubsan/cli/embd "$python" -m pytest -q tests/faces/python

echo "== threads"
threaded=(
  "base_tests:ParallelFor.*:RowCache.*"
  "engine_tests:Team.*:Pipeline*.*:Model*.*:Rank*.*:Reranker*.*"
  "tokenizer_wordpiece_tests:WordPieceTokenizer.*"
  "tokenizer_unigram_tests:UnigramTokenizer.*"
  "index_tests:*Hnsw*.*:Exact.*"
  "index_vamana_tests:*Medoid*.*:VamanaBuilder*.*"
  "jobs_search_tests:Searcher*.*:Shards*.*"
  "faces_server_tests:*")
cmake --preset tsan >/dev/null
cmake --build build/tsan -j "$(nproc)" --target "${threaded[@]%%:*}"
for test in "${threaded[@]}"; do
  "$(find build/tsan -name "${test%%:*}" -type f)" --gtest_brief --gtest_filter="${test#*:}"
done
