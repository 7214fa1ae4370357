#!/usr/bin/env bash
# Checks the npm package: its tests in Node, the table of questions that every face is asked, the golden vectors in Deno and Bun, its
# types, and the site of the documentation in real browsers, with a network and without one. It needs the WebAssembly modules
# (scripts/check_wasm.sh), the program, and the model (scripts/get_model.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
embd=$(realpath "${EMBD:-build/dev/cli/embd}")
modules=$(realpath "${WASM:-build/wasm/js}")
model=${MODEL:-models/all-MiniLM-L6-v2.weights}
bash scripts/install_packages.sh <(printf '%s\n' chromium firefox-esr webkit2gtk-driver xvfb xauth)
work=$PWD/build/js-check
mkdir -p "$work" faces/js/wasm
cp "$modules"/*.wasm faces/js/wasm/

int8=$work/models/int8.weights
mkdir -p "$work/models"
ln -sf "$(realpath "$model")" "$work/models/all-MiniLM-L6-v2.weights"
rm -f "$int8" # an older program may have made it
"$embd" model convert models/cache/all-MiniLM-L6-v2 "$int8" --dtype int8 --name all-MiniLM-L6-v2

echo "== Node"
(cd faces/js && EMBD=$embd EMBD_MODELS=$work/models node --test test/)

echo "== the table of questions"
python3 tests/matrix/matrix_test.py "$embd" tests/data/embd/no_checksums.weights tests/matrix/driver.mjs

echo "== golden vectors in Deno and Bun"
engines=$work/engines
[ -x "$engines/node_modules/.bin/bun" ] ||
  (mkdir -p "$engines" && cd "$engines" && npm init -y >/dev/null && npm install --silent deno@2.9.6 bun@1.4.5)
export EMBD_MODELS=$work/models
(cd faces/js && "$engines/node_modules/.bin/deno" test -A --no-check test/golden.test.js)
(cd faces/js && "$engines/node_modules/.bin/bun" test --timeout 600000 test/golden.test.js)

echo "== types and what npm would publish"
[ -d "$work/types/node_modules/typescript" ] ||
  (mkdir -p "$work/types" && cd "$work/types" && npm init -y >/dev/null && npm install --silent typescript@5.9.3 @types/node@20)
cp faces/js/test/types.ts "$work/types/"
mkdir -p "$work/types/node_modules/embd"
bash scripts/release/npm.sh "$modules" "$work"
tar xzf "$work"/embd-*.tgz -C "$work/types/node_modules/embd" --strip-components=1
(cd "$work/types" && npx tsc --noEmit --strict --module nodenext --target es2022 --lib es2023,dom,esnext.disposable types.ts)

echo "== a site that searches itself"
(cd examples/static_search && npm install --silent)
node examples/static_search/build.mjs docs -o "$work/site" --model "$int8" --title embd --embd "$embd"
"$embd" embed tests/data/engine/embeddings.jsonl -m "$int8" --compute int8 -o "$work/golden.npy" --force
python3 - "$work" <<'PYTHON'
import hashlib, json, pathlib, sys
work = pathlib.Path(sys.argv[1])
npy = (work / "golden.npy").read_bytes()
values = npy[10 + int.from_bytes(npy[8:10], "little"):]
texts = [json.loads(line)["text"] for line in open("tests/data/engine/embeddings.jsonl")]
(work / "golden.txt").write_text(hashlib.sha256(values).hexdigest() + "\n" + json.dumps(texts))
PYTHON
tools=${TOOLS_VENV:-$work/tools}
[ -n "${TOOLS_VENV:-}" ] || bash scripts/make_venv.sh "$tools" tests/faces/server/tools_requirements.txt
"$tools/bin/python" faces/js/test/browser/site_check.py "$work/site" "$work/golden.txt" "$work/pictures" "${CHROMIUM:-/usr/bin/chromium}"

echo "== golden vectors in browsers"
python3 faces/js/test/browser/golden_check.py "$work/site" "$work/golden.txt" "${CHROMIUM:-/usr/bin/chromium}" --headless --no-sandbox \
  --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync \
  "--user-data-dir={profile}"
python3 faces/js/test/browser/golden_check.py "$work/site" "$work/golden.txt" "${FIREFOX:-/usr/bin/firefox-esr}" --headless --no-remote \
  --profile "{profile}"
# The small browser of WebKit cannot run without a screen, so it gets a virtual one.
WEBKIT_DISABLE_COMPOSITING_MODE=1 xvfb-run -a python3 faces/js/test/browser/golden_check.py "$work/site" "$work/golden.txt" \
  "${WEBKIT:-$(echo /usr/lib/*/webkit2gtk-4.*/MiniBrowser)}"
echo "js: all good"
