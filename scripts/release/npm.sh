#!/usr/bin/env bash
# Makes the npm package of faces/js with the WebAssembly modules of a folder. The same files give the same bytes.
#
#   npm.sh MODULES FOLDER      puts FOLDER/embd-VERSION.tgz there
set -euo pipefail
modules=$1
folder=$(realpath "$2")
package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
mkdir "$package/wasm"
cp -r faces/js/package.json faces/js/README.md faces/js/src LICENSE "$package"
for module in embd embd_relaxed embd_lean embd_lean_relaxed; do cp "$modules/$module.wasm" "$package/wasm"; done
cd "$package"
npm pack --silent --pack-destination "$folder" >/dev/null
