#!/usr/bin/env bash
# Builds the kernels and the engine for aarch64 and runs their tests under emulation, on Debian for x86-64.
# It checks values, not speed; with models/all-MiniLM-L6-v2.weights there, also the hashes of golden vectors.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/cross_build_packages.txt
bash scripts/cross_sysroot.sh arm64

cmake --preset aarch64 >/dev/null
cmake --build build/aarch64 -j "$(nproc)" --target \
  kernels_test products_test same_bytes_test encoder_test model_test golden_test
ctest --test-dir build/aarch64 -j "$(nproc)" --output-on-failure --no-tests=error \
  -R 'KernelsTest|ProductsTest|Int8Test|SameBytesTest|PortableKernels|ChooseKernels|EncoderTest|ModelTest|ModelOpen|FewTextsHaveTheHash|isa_symbols'
