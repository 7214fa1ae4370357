#!/usr/bin/env bash
# Builds embd with each of its parts left out, then with all of them left out, and runs the tests of each build. What find_package() says of
# the installed library must be true. Then builds the wheel for Python without the parts of the library, and prints its size. At the end
# builds the smallest library, prints the processor time that this takes, runs its tests, and a program that is linked with it.
#
#   check_parts.sh [PART...]     PART: analysis, svs, stemmer, c, cli, server, python; without any, all of them, one after the other
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
parts=(analysis svs stemmer c cli server python)
checked=("$@")
[ $# -gt 0 ] || checked=("${parts[@]}" "${parts[*]}")

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt

# Configures a build folder with the parts in $2 left out.
configure() {
  local flags=()
  for part in "${parts[@]}"; do
    case " $2 " in *" $part "*) flags+=("-DEMBD_${part^^}=OFF") ;; *) flags+=("-DEMBD_${part^^}=ON") ;; esac
  done
  cmake --preset release -B "$1" "${flags[@]}" "${@:3}" >/dev/null
}

# Whether find_package() finds the part $2 in the installation $1.
is_found() {
  mkdir -p "$1/ask"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(ask LANGUAGES C CXX)' \
    "find_package(embd REQUIRED COMPONENTS $2)" >"$1/ask/CMakeLists.txt"
  cmake -S "$1/ask" -B "$1/ask/$2" -DCMAKE_PREFIX_PATH="$1" >"$1/ask/$2.txt" 2>&1
}

for left_out in "${checked[@]}"; do
  echo "== without $left_out"
  configure build/parts "$left_out" -DEMBD_TESTS=ON
  cmake --build build/parts -j "$jobs"
  ctest --test-dir build/parts -j "$jobs" --output-on-failure
  prefix=$PWD/build/parts/prefix
  rm -rf "$prefix"
  cmake --install build/parts --prefix "$prefix" >/dev/null
  for part in analysis svs stemmer c; do
    case " $left_out " in
      *" $part "*) ! is_found "$prefix" "$part" || { echo "find_package() finds $part, which was left out" >&2; exit 1; } ;;
      *) is_found "$prefix" "$part" || { cat "$prefix/ask/$part.txt" >&2; exit 1; } ;;
    esac
  done
done

echo "== the smallest wheel"
python=$PWD/build/python-venv/bin/python
bash scripts/make_venv.sh build/python-venv scripts/python_requirements.txt
rm -rf build/parts-wheel
"$python" -m pip wheel -q --no-deps --no-build-isolation -w build/parts-wheel -C build-dir=build/parts-wheel/cmake \
  -C cmake.define.EMBD_ANALYSIS=OFF -C cmake.define.EMBD_SVS=OFF -C cmake.define.EMBD_STEMMER=OFF .
wheel=$(ls build/parts-wheel/libembd-*.whl)
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes"
"$python" -m zipfile -e "$wheel" build/parts-wheel/package
model=$PWD/tests/data/embd/plain.weights
(cd build/parts-wheel && PYTHONPATH=package "$python" - "$model") <<'PYTHON'
import sys
import embd

rows = embd.Model(sys.argv[1]).encode(["a text", "another one"])
embd.write_vectors("rows.npy", rows)
try:
    embd.cluster(rows, k=1)
    sys.exit("embd.cluster() works, but analysis was left out")
except embd.Error as error:
    assert "this build of embd has no analysis" in str(error), error
PYTHON

echo "== the smallest library"
rm -rf build/smallest
cmake --preset release -B build/smallest -DEMBD_MINIMAL=ON -DEMBD_TESTS=OFF >/dev/null
TIMEFORMAT='built in %U s + %S s of processor time'
time cmake --build build/smallest -j "$jobs" >/dev/null
prefix=$PWD/build/smallest/prefix
cmake --install build/smallest --prefix "$prefix" >/dev/null
cat >build/smallest/app.cc <<'CPP'
#include <embd/embd.h>

#include <iostream>

int main(int, char** argv) {
  const auto model = embd::Model::open(argv[1]);
  if (!model) return std::cout << model.error().message() << '\n', 1;
  const std::vector<std::string_view> texts = {"a text", "another one"};
  const auto written = embd::write_vectors(argv[2], model->encode(texts).value());
  if (!written) return std::cout << written.error().message() << '\n', 1;
}
CPP
# shellcheck disable=SC2046
c++ -std=c++23 build/smallest/app.cc -o build/smallest/app \
  $(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name embd.pc)") pkg-config --cflags --libs --static embd)
build/smallest/app "$model" build/smallest/rows.npy
cmp build/smallest/rows.npy build/parts-wheel/rows.npy
{ ! build/smallest/app "$(dirname "$model")" rows.npy; } | grep 'this build of embd reads only weight files'
{ ! build/smallest/app "$model" build/smallest/rows.cvc; } | grep 'end it in one of .npy'
cmake --preset release -B build/smallest -DEMBD_TESTS=ON >/dev/null
cmake --build build/smallest -j "$jobs"
ctest --test-dir build/smallest -j "$jobs" --output-on-failure
