#!/usr/bin/env bash
# The Python package: built and installed by pip as a user would, its types checked by mypy and pyright, its tests and
# examples run. scripts/check_python_integrations.sh runs it inside other packages.
#
#   check_python.sh [EMBD]     EMBD: the program whose bytes it is compared with
set -euo pipefail
program=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
venv=build/python-venv
if ! cmp -s scripts/python_requirements.txt "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install -q -r scripts/python_requirements.txt
  cp scripts/python_requirements.txt "$venv/"
fi
"$venv/bin/pip" install -q --no-build-isolation --no-deps --force-reinstall .

# Away from the tree, so that it is the installed package that is checked.
tests=$PWD/tests/python
examples=$PWD/examples
python=$PWD/$venv/bin
cd "$venv"
echo "== types"
"$python/mypy" --config-file ../../pyproject.toml -p embd
"$python/mypy" --config-file ../../pyproject.toml "$tests" "$examples"/*.py
"$python/pyright" --pythonpath "$python/python" "$tests" "$examples"/*.py
echo "== tests"
EMBD_PROGRAM=$program "$python/pytest" -q -c ../../pyproject.toml --rootdir ../.. "$tests"
echo "== examples"
model=$tests/../data/embd/plain.weights
cp ../../models/example.txt .
rm -f example.usearch
for time in first second; do
  "$python/python" "$examples/semantic_search.py" "$model" example.txt "bread without yeast"
done
"$python/python" "$examples/replace_sentence_transformers.py" "$model"
