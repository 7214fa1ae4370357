#!/usr/bin/env bash
# Builds the wheels for x86-64 and aarch64: one for CPython 3.10, one for 3.11, and one for 3.12 and all that come after it (the stable
# ABI). scripts/release.sh calls it.
#
#   wheels.sh WORK FOLDER
#
# It needs the commands python3.10, python3.11 and python3.12.
set -euo pipefail
work=$(realpath "$1")
folder=$2

missing=()
for python in python3.10 python3.11 python3.12; do
  "$python" -c 'import venv' 2>/dev/null || missing+=("$python")
done
[ ${#missing[@]} -eq 0 ] || { echo "the wheels need these commands, which are missing or do not run: ${missing[*]}" >&2 && exit 1; }

# Runs a command, and prints what it said only if it fails.
quietly() { "$@" >"$work/wheels.log" 2>&1 || { tail -50 "$work/wheels.log" && exit 1; }; }

PYTHON=python3.12 bash scripts/make_venv.sh "$work/tools" scripts/release_python_requirements.txt
export PATH=$work/tools/bin:$PATH

# The first wheel is built as pip builds it. The others differ from it in the module and in the tag.
wheels=$work/wheels
rm -rf "$wheels"
quietly python -m build --wheel --no-isolation -C "build-dir=$work/wheel-amd64" --outdir "$wheels" .
first=$(echo "$wheels"/*.whl)
quietly auditwheel -v repair -z 9 --wheel-dir "$folder" "$first"

# The definitions that pyproject.toml gives to CMake.
mapfile -t defines < <(python -c '
import tomllib
with open("pyproject.toml", "rb") as file:
    for name, value in tomllib.load(file)["tool"]["scikit-build"]["cmake"]["define"].items():
        print(f"-D{name}={value}")')

# other_wheel VERSION amd64|arm64: builds the module for another version of Python or for aarch64, and packs the wheel with it.
other_wheel() {
  local build=$work/wheel-$2 content=$wheels/content machine=x86_64 strip=strip toolchain=() abi=abi3 tag=cp312-abi3 interpreter
  if [ "$2" = arm64 ]; then
    machine=aarch64 strip=aarch64-linux-gnu-strip toolchain=(--toolchain cmake/aarch64-linux-gnu.cmake)
  fi
  if [ "$1" != 3.12 ]; then
    abi=cpython-${1/./}-$machine-linux-gnu tag=cp${1/./}-cp${1/./}
  fi
  interpreter=$("python$1" -c 'import sys; print(sys.executable)')
  # One folder for all versions: only the sources of the module are compiled again. SKBUILD_SOABI names the module, as
  # in a build by scikit-build.
  quietly cmake -S . -B "$build" -G Ninja "${toolchain[@]}" -DCMAKE_BUILD_TYPE=Release "${defines[@]}" -DPython_EXECUTABLE="$interpreter" \
    -DPython_INCLUDE_DIR="$("$interpreter" -c 'import sysconfig; print(sysconfig.get_path("include"))')" -DSKBUILD_SOABI="$abi" \
    -Dnanobind_DIR="$(python -m nanobind --cmake_dir)"
  quietly cmake --build "$build" --target embd_python

  rm -rf "$content"
  quietly python -m wheel unpack --dest "$content" "$first"
  rm "$content"/*/embd/_native*.so
  "$strip" -o "$(echo "$content"/*/embd)/_native.$abi.so" "$build/python/_native.$abi.so"
  sed -i "s/^Tag: .*/Tag: $tag-linux_$machine/" "$content"/*/*.dist-info/WHEEL
  quietly python -m wheel pack --dest-dir "$wheels" "$content"/*
  quietly auditwheel -v repair -z 9 --wheel-dir "$folder" "$wheels"/*"$tag-linux_$machine.whl"
}
for wheel in 3.12:arm64 3.11:amd64 3.11:arm64 3.10:amd64 3.10:arm64; do
  other_wheel "${wheel%:*}" "${wheel#*:}"
done
