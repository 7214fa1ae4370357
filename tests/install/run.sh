#!/usr/bin/env bash
# Installs a build tree into a folder of its own, builds the examples against it, by find_package and by pkg-config, runs
# them, and compiles the blocks of C++ in pages.
#
#   run.sh BUILD_TREE MODEL FLAGS
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
model=$2
flags=${3:-}
scratch=$(mktemp -d "$build/install-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/embd" --version

cmake -S examples -B "$scratch/by-cmake" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$scratch/by-cmake" >/dev/null

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name embd.pc)")
mkdir "$scratch/by-pkg-config"
# shellcheck disable=SC2046,SC2086
c++ -std=c++23 $flags examples/embed.cc -o "$scratch/by-pkg-config/embed" $(pkg-config --cflags --libs --static embd)
# shellcheck disable=SC2046,SC2086
cc $flags examples/embed.c -o "$scratch/by-pkg-config/embed_c" $(pkg-config --cflags --libs embd_c)

# The blocks of C++ in pages, each as a function of its own. The README's block is the first. Where its model is there, it is run and has to
# print what the README shows under it.
{
  printf '#include <%s>\n' embd/embd.h iostream string_view vector
  awk '/^```cpp$/ { print "int block_" ++blocks "() {"; inside = 1; next }
    inside && /^```$/ { print "return 0;\n}"; inside = 0 }
    inside
    END { print "int main() { return block_1(); }" }' README.md docs/*.md docs/*/*.md
} >"$scratch/pages.cc"
grep -q '^int block_1()' "$scratch/pages.cc"
if [ -e models/all-MiniLM-L6-v2.weights ]; then
  # shellcheck disable=SC2046,SC2086
  c++ -std=c++23 $flags "$scratch/pages.cc" -o "$scratch/pages" $(pkg-config --cflags --libs --static embd)
  awk '/^```cpp$/ { fences = 1; next } fences && /^```$/ { fences++; next } fences == 3' README.md >"$scratch/shown.txt"
  (cd models && "$scratch/pages") | diff "$scratch/shown.txt" -
else
  # shellcheck disable=SC2046,SC2086
  c++ -std=c++23 $flags -fsyntax-only "$scratch/pages.cc" $(pkg-config --cflags embd)
fi

export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$scratch/prefix" -name libembd_c.so)")
for folder in by-cmake by-pkg-config; do
  "$scratch/$folder/embed" "$model" "A cat sits." "A cat sits." | grep -x '1\|0.99999[0-9]*'
  "$scratch/$folder/embed_c" "$model" "A cat sits." | grep ' components$'
  { ! "$scratch/$folder/embed_c" missing.weights "A cat sits."; } 2>&1 | grep '^missing.weights: not found'
done
"$scratch/by-cmake/search" "$model" models/example.txt "How is bread made?" | grep -c . | grep -x 3
for job in job job_c; do
  "$scratch/by-cmake/$job" "$model" models/example.txt "$scratch/$job.npy" "How is bread made?" 2>/dev/null >"$scratch/$job.txt"
  grep -c . "$scratch/$job.txt" | grep -x 3
done
cmp "$scratch/job.npy" "$scratch/job_c.npy"
