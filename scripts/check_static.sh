#!/usr/bin/env bash
# Builds the program without shared libraries, checks that it needs none, drives it as the tests of the command line do, and
# compares its bytes with those of the dynamic one of build/dev, where there is one.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt
cmake --preset static >/dev/null
cmake --build build/static 2>&1 | grep -v 'statically linked applications\|in function'
embd=$PWD/build/static/embd
strip -o "$embd" build/static/cli/embd

if readelf -ldW "$embd" | grep -E 'INTERP|NEEDED'; then
  echo "$embd: not static"
  exit 1
fi
"$embd" --version
echo "$(stat -c %s "$embd") bytes, stripped"

for test in cli search vectors faults; do
  python3 "tests/cli/${test}_test.py" "$embd" tests/data
done
python3 tests/server/serve_test.py "$embd" tests/data

dynamic=build/dev/cli/embd
if [ -x "$dynamic" ]; then
  model=models/all-MiniLM-L6-v2.weights
  [ -s "$model" ] || model=tests/data/embd/plain.weights
  for compute in f32 bf16 int8; do
    hash_of() { "$1" embed models/example.txt -m "$model" --compute "$compute" --output-format npy | sha256sum; }
    [ "$(hash_of "$embd")" = "$(hash_of "$dynamic")" ] || { echo "$compute: other bytes than $dynamic" && exit 1; }
    echo "$compute: the bytes of $dynamic"
  done
fi
