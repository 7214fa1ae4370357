#!/usr/bin/env bash
# Builds the program without shared libraries, and checks that it needs none. Runs the tests of the command line with it. If build/dev
# has a program, compares the bytes that the two compute. If podman is installed, builds the container image of
# docs/server/Containerfile and asks the server in it.
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
  python3 "tests/faces/cli/${test}_test.py" "$embd" tests/data
done
python3 tests/faces/server/serve_test.py "$embd" tests/data

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

if ! command -v podman >/dev/null; then
  echo "container: left out, podman is not installed"
  exit 0
fi
bash scripts/get_model.sh "$embd"
image=embd-check
container=embd-check-$$
# At the end, removes the container and the image, as far as they exist by then.
trap '{ podman rm -f "$container"; podman rmi -f "$image"; } >/dev/null 2>&1 || true' EXIT
podman build -q -f docs/server/Containerfile -t "$image" .
port=$(python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
podman run -d --name "$container" --read-only --network host -e EMBD_API_KEY=secret "$image" --port "$port" >/dev/null
ask() { curl -sf --retry 20 --retry-connrefused -H "Authorization: Bearer $1" -H 'Content-Type: application/json' -d '{"inputs": "A cat sits."}' "http://127.0.0.1:$port/embed"; }
ask secret | python3 -c 'import json, sys; assert len(json.load(sys.stdin)[0]) == 384'
if ask other; then
  echo "container: another key opened it"
  exit 1
fi
podman stop "$container" >/dev/null
[ "$(podman inspect -f '{{.State.ExitCode}}' "$container")" = 0 ]
echo "container: served, refused a wrong key, drained"
