#!/usr/bin/env bash
# Builds the kernels and the engine for aarch64 on Debian for x86-64, and runs their tests under emulation. Three processors are
# emulated: one with every instruction that a set of kernels uses, one with the instruction for dot products only, and one without
# both. The tests check values, not speed. If models/all-MiniLM-L6-v2.weights exists, they also check the hashes of golden vectors.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/cross_build_packages.txt
bash scripts/cross_sysroot.sh arm64

cmake --preset aarch64 >/dev/null
cmake --build build/aarch64 -j "$(nproc)" --target engine_tests

# Each entry has the emulator's name of a processor, and the best kernels that it can run. Tests of better kernels are skipped. The
# portable and the reference kernels use the same instructions on every processor, so they are tested on the first processor only.
not_again=()
for processor in max:neon_i8mm neoverse-n1:neon_dot cortex-a57:neon; do
  export QEMU_CPU=${processor%:*}
  kernels=${processor#*:}
  echo "$QEMU_CPU, which runs $kernels"
  ran=$(qemu-aarch64-static -L build/sysroot-arm64 build/aarch64/tests/engine/engine_tests \
    --gtest_filter="Tables/KernelsTest.*/$kernels")
  [[ $ran != *"PASSED  ] 0 tests"* ]] || { echo "expected $QEMU_CPU to run $kernels; it has no such instructions"; exit 1; }
  ctest --test-dir build/aarch64 -j "$(nproc)" --output-on-failure --no-tests=error "${not_again[@]}" \
    -R 'KernelsTest|ProductsTest|Int8Test|SameBytesTest|PortableKernels|ChooseKernels|EncoderTest|ModelTest|ModelOpen|FewTextsHaveTheHash|isa_symbols'
  not_again=(-E '/(portable|reference)')
done
