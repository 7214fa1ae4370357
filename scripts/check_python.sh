#!/usr/bin/env bash
# Checks the Python package: its source archive, the wheel that pip builds from the archive and that other machines can install, its
# types (with mypy and pyright), its tests, and its examples. scripts/check_python_integrations.sh tests it inside other packages.
#
#   check_python.sh [EMBD]     EMBD: the program with whose bytes the bytes of the package are compared
set -euo pipefail
program=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."
root=$PWD

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
venv=$root/build/python-venv
bash scripts/make_venv.sh "$venv" scripts/python_requirements.txt
export PATH=$venv/bin:$PATH

echo "== source archive, wheel"
rm -rf build/python-dist
python -m build -q --no-isolation --outdir build/python-dist >/dev/null
built=$(ls build/python-dist/libembd-*.whl)
auditwheel repair -z 9 --wheel-dir build/python-dist/manylinux "$built" 2>build/python-dist/auditwheel.log || { cat build/python-dist/auditwheel.log; exit 1; }
wheel=$(ls build/python-dist/manylinux/libembd-*manylinux*.whl)
size=$(stat -c %s "$wheel")
echo "$(basename "$wheel"): $size bytes"
# The wheel contains everything: files, indexes, groups, maps, and kernels for seven instruction sets. It had 2.8 MB before groups and
# maps were added.
[ "$size" -lt 3400000 ]
if python -m zipfile -l "$wheel" | grep -q 'libembd.libs'; then
  echo "the wheel brings shared libraries of this machine"
  exit 1
fi
case $wheel in *-abi3-*) abi3audit --strict "$wheel" ;; esac
pip install -q --no-deps --force-reinstall "$wheel"

# The tests run outside of the source tree, so that they import the installed package.
tests=$root/tests/faces/python
examples=$root/examples
cd "$venv"
import='import time; start = time.process_time(); import embd; embd.Model; print(f"{(time.process_time() - start) * 1e3:.1f}")'
echo "import of embd.Model, milliseconds of processor time: $(for _ in 1 2 3 4 5 6 7; do python -c "$import"; done | sort -n | sed -n 4p)"
echo "== types"
mypy --config-file "$root/pyproject.toml" -p embd
mypy --config-file "$root/pyproject.toml" "$tests" "$examples"/*.py
pyright --pythonpath "$venv/bin/python" "$tests" "$examples"/*.py
echo "== tests"
EMBD_ALL_PACKAGES=1 EMBD_PROGRAM=$program pytest -q -c "$root/pyproject.toml" --rootdir "$root" "$tests"
echo "== examples"
model=$root/tests/data/embd/plain.weights
cp "$root/models/example.txt" .
rm -f example.usearch
for time in first second; do
  python "$examples/semantic_search.py" "$model" example.txt "bread without yeast"
done
python "$examples/replace_sentence_transformers.py" "$model"
