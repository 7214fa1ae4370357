#!/usr/bin/env bash
# Runs clang-tidy, with the checks of .clang-tidy, on the library, the program, the server, the C interface and the Python module.
# Fails if there is any finding.
#
#   check_tidy.sh [FOLDER...]     only the sources of these folders, such as server or python
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
bash scripts/make_venv.sh build/python-venv scripts/python_requirements.txt
cmake --preset tidy >/dev/null
# The Python module needs a configuration of its own. In this one, only the sources of the folder python are checked.
cmake --preset tidy -B build/tidy-python -DEMBD_WHEEL=ON -DPython_EXECUTABLE="$PWD/build/python-venv/bin/python" \
  -Dnanobind_DIR="$(build/python-venv/bin/python -m nanobind --cmake_dir)" >/dev/null

# objects TREE PREFIX: prints the objects that the build TREE compiles from the sources below PREFIX.
objects() { ninja -C "$1" -t targets all | grep -oE "^$2(/[^:]*)?/CMakeFiles/[^:]*\.o:" | tr -d :; }
if [ $# -eq 0 ]; then
  cmake --build build/tidy -j "$(nproc)"
  set -- python
fi
for folder in "$@"; do
  tree=build/tidy
  [ "$folder" != python ] || tree=build/tidy-python
  mapfile -t objects < <(objects "$tree" "$folder" | grep -v nanobind-static)
  [ ${#objects[@]} -gt 0 ] || { echo "$folder: no sources of it are built" && exit 1; }
  ninja -C "$tree" -j "$(nproc)" "${objects[@]}"
done
