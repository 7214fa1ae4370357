#!/usr/bin/env bash
# Runs the suite and the tests of the Python package under AddressSanitizer and UBSan, and the tests with threads under ThreadSanitizer,
# in about two and a half hours on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
cmake --preset asan-ubsan >/dev/null
cmake --build build/asan-ubsan -j "$(nproc)"
bash scripts/get_model.sh build/asan-ubsan/cli/embd
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
# Whole programs, less the kernels, which have no threads, and without the real model, which takes too long here. No tests are named,
# because a name that no longer matches would pass.
threaded=(base_tests tokenizer_tests tokenizer_wordpiece_tests tokenizer_unigram_tests tokenizer_bpe_tests formats_vectors_cvc_tests
  formats_vectors_finalfusion_tests formats_vectors_parquet_tests engine_tests index_tests index_terms_tests index_vamana_tests
  analysis_tests jobs_collect_tests jobs_embed_tests jobs_search_tests faces_server_tests)
cmake --preset tsan >/dev/null
cmake --build build/tsan -j "$(nproc)" --target "${threaded[@]}"
for test in "${threaded[@]}"; do
  EMBD_MODEL= "$(find build/tsan -name "$test" -type f)" --gtest_brief \
    --gtest_filter='-*KernelsTest*:*ProductsTest*:*Int8Test*:*SameBytesTest*'
done
