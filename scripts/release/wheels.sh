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
versions=(3.10 3.11 3.12)

missing=()
for version in "${versions[@]}"; do
  "python$version" -c 'import venv' 2>/dev/null || missing+=("python$version")
done
[ ${#missing[@]} -eq 0 ] || { echo "the wheels need these commands, which are missing or do not run: ${missing[*]}" >&2 && exit 1; }

# Runs a command, and prints what it said only if it fails.
quietly() { "$@" >"$work/wheels.log" 2>&1 || { tail -50 "$work/wheels.log" && exit 1; }; }

# What pyproject.toml defines for CMake.
mapfile -t defines < <(python3.12 -c '
import tomllib
with open("pyproject.toml", "rb") as file:
    for name, value in tomllib.load(file)["tool"]["scikit-build"]["cmake"]["define"].items():
        print(f"-D{name}={value}")')

rm -rf "$work/wheels"
for version in "${versions[@]}"; do
  venv=$work/python$version
  PYTHON=python$version bash scripts/make_venv.sh "$venv" scripts/release_python_requirements.txt
  export PATH=$venv/bin:$PATH
  python=$venv/bin/python

  # As pip builds it, but all versions in one folder: there only the binding is compiled again.
  wheels=$work/wheels/$version
  quietly python -m build --wheel --no-isolation -C "build-dir=$work/wheel-amd64" --outdir "$wheels" .
  quietly auditwheel -v repair --wheel-dir "$folder" "$wheels"/*.whl

  # The wheel for aarch64 is the same but for the module.
  build=$work/wheel-arm64
  quietly cmake -S . -B "$build" -G Ninja --toolchain cmake/aarch64-linux-gnu.cmake -DCMAKE_BUILD_TYPE=Release "${defines[@]}" \
    -DPython_EXECUTABLE="$python" -DPython_INCLUDE_DIR="$(python -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
    -Dnanobind_DIR="$(python -m nanobind --cmake_dir)"
  quietly cmake --build "$build" --target embd_python
  quietly python -m wheel unpack --dest "$wheels" "$wheels"/*.whl
  content=$(echo "$wheels"/libembd-*/)
  module=$(echo "$content"embd/_native*.so)
  rm "$module"
  aarch64-linux-gnu-strip -o "${module/x86_64/aarch64}" "$(ls -t "$build"/python/_native*.so | head -n 1)"
  sed -i 's/linux_x86_64/linux_aarch64/' "$content"/*.dist-info/WHEEL
  quietly python -m wheel pack --dest-dir "$wheels" "$content"
  quietly auditwheel -v repair --wheel-dir "$folder" "$wheels"/*aarch64.whl
done
