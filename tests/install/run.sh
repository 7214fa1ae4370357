#!/usr/bin/env bash
# Installs a build tree into a folder of its own and builds the stranger's program against it, by find_package and by
# pkg-config.
#
#   run.sh BUILD_TREE CXX_FLAGS
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
flags=${2:-}
scratch=$(mktemp -d "$build/install-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/embd" --version

cmake -S "$here" -B "$scratch/by-cmake" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$scratch/by-cmake" >/dev/null
"$scratch/by-cmake/embd_user" | grep 'missing.weights: not found'

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name embd.pc)")
# shellcheck disable=SC2046,SC2086
c++ -std=c++23 $flags "$here/main.cc" -o "$scratch/by-pkg-config" $(pkg-config --cflags --libs --static embd)
"$scratch/by-pkg-config" | grep 'missing.weights: not found'
