#!/usr/bin/env bash
# Shows that the vectors of an arithmetic, the indexes over them, and term indexes have the same SHA-256 with every set of kernels,
# compiler, level of optimization and processor. Prints a table with a line for each combination. Fails if a column of the table has two values.
#
#   check_same_bytes.sh EMBD...     compares these programs, with 12 texts
#   check_same_bytes.sh --all       compares programs that it builds: with GCC and with Clang, at -O2 and at -O3, and for aarch64 and
#                                   ppc64le, which run under QEMU; each also with the model of AMX. On this processor it uses all
#                                   golden texts.
#
# It needs models/all-MiniLM-L6-v2.weights (scripts/get_model.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
export EMBD_MODEL=$PWD/models/all-MiniLM-L6-v2.weights
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
golden=$PWD/tests/data/engine/embeddings.jsonl
head -n 12 "$golden" >"$folder/few.jsonl"
cp "$golden" "$folder/all.jsonl"
failed=0
declare -A column

# cell COLUMN FILE...: prints the hash of the files' bytes. Marks it, and notes a failure, if a line above has another hash.
cell() {
  local name=$1 sum
  shift
  sum=$(cat "$@" | sha256sum)
  sum=${sum:0:16}
  if [ "${column[$name]:=$sum}" != "$sum" ]; then
    failed=1
    sum+=" !"
  fi
  printf '  %-18s' "$sum"
}

# kernels_of COMMAND...: prints the names of the sets of kernels that must compute the same bytes.
kernels_of() {
  { EMBD_KERNELS=? "$@" tokenize </dev/null 2>&1 || true; } | sed -n 's/.*there are: //p' | tr -d ',' | sed 's/ *reference//; s/ *wasm_simd128//'
}

# lines LABEL TEXTS COMMAND...: prints a line for each set of kernels.
lines() {
  local label=$1 texts=$2
  shift 2
  local kernels compute there_are
  there_are=$(kernels_of "$@")
  if [ -z "$there_are" ]; then
    echo "$label: the program does not run"
    "$@" --version
    exit 1
  fi
  for kernels in $there_are; do
    export EMBD_KERNELS=$kernels
    # These kernels have no instruction for a fused multiply-add, so all texts would take minutes.
    local chosen=$texts
    case $kernels in portable | amx_model) chosen=few ;; esac
    printf '%-9s %-18s %-4s' "$kernels" "$label" "$chosen"
    for compute in f32 bf16 int8; do
      "$@" embed "$folder/$chosen.jsonl" -o "$folder/$compute.npy" --force --compute "$compute" --progress never \
        2>"$folder/messages" || { cat "$folder/messages" && exit 1; }
      cell "$chosen $compute" "$folder/$compute.npy"
    done
    rm -rf "$folder"/index.*
    # All indexes are built over the same vector set, because an index contains the recipe of its set.
    [ -e "$folder/rows.npy" ] || cp "$folder/f32.npy" "$folder/rows.npy"
    "$@" index "$folder/rows.npy" -o "$folder/index.usearch"
    cell hnsw "$folder/index.usearch"
    "$@" index "$folder/rows.npy" -o "$folder/index.svs" >/dev/null
    cell vamana $(find "$folder/index.svs" -type f | LC_ALL=C sort)
    # A term index, and other families of encoders, in small models, in all arithmetics.
    "$@" embed "$folder/few.jsonl" -m tests/data/embd/plain.weights -o "$folder/plain.npy" -o "$folder/index.terms" --progress never \
      2>"$folder/messages" || { cat "$folder/messages" && exit 1; }
    cell terms $(find "$folder/index.terms" -type f | LC_ALL=C sort)
    rm -f "$folder"/family-*
    for model in mpnet_mean distilbert_mean roberta_mean labse modernbert_new qwen3_last gemma3_mean static_st; do
      for compute in f32 bf16 int8; do
        "$@" embed "$folder/few.jsonl" -m "tests/data/families/$model" -o "$folder/family-$model-$compute.npy" --compute "$compute" \
          --progress never 2>"$folder/messages" || { cat "$folder/messages" && exit 1; }
      done
    done
    cell families "$folder"/family-*.npy
    echo
    unset EMBD_KERNELS
  done
}

printf '%-9s %-18s %-4s  %-18s  %-18s  %-18s  %-18s  %-18s  %-18s  %-18s\n' kernels build texts f32 bf16 int8 hnsw vamana terms families
if [ "${1:-}" != --all ]; then
  for program in "${@:?usage: $0 EMBD... or --all}"; do
    lines "$(basename "$(dirname "$(dirname "$program")")")" few "$program"
  done
else
  bash scripts/install_packages.sh scripts/packages.txt scripts/cross_build_packages.txt
  jobs=$(nproc)
  for compiler in g++ clang++-19; do
    for level in O2 O3; do
      build=build/same-bytes/$compiler-$level
      cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_CXX_FLAGS_RELEASE="-$level" -DEMBD_TESTS=OFF -DEMBD_AMX_MODEL=ON >/dev/null
      cmake --build "$build" -j "$jobs" --target embd_cli -- --quiet
      lines "$compiler -$level" all "$build/cli/embd"
    done
  done
  # The names of the emulated processors, each with Debian's name of its architecture.
  for processor in aarch64:arm64 ppc64le:ppc64el; do
    preset=${processor%:*}
    sysroot=build/sysroot-${processor#*:}
    bash scripts/cross_sysroot.sh "${processor#*:}"
    cmake --preset "$preset" >/dev/null
    cmake --build "build/$preset" -j "$jobs" --target embd_cli -- --quiet
    lines "$preset, QEMU" few "qemu-$preset-static" -L "$sysroot" "build/$preset/cli/embd"
  done
fi
[ "$failed" = 0 ] && echo "every column has one value" || { echo "DIFFERENT where marked with !"; exit 1; }
