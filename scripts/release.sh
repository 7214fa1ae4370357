#!/usr/bin/env bash
# Makes the files of a release out of the commit that is checked out: the source archive; for x86-64 and aarch64 the static program as an
# archive, a Debian package and a container image, and the wheels; the npm package; a bill of materials and the checksums. The same
# commit and the same packages give the same bytes. It runs on Debian 12 for x86-64. The wheels need the commands python3.10, python3.11
# and python3.12.
#
#   release.sh [--into FOLDER] [source] [program] [wheels] [npm]
#
# Without `source`, `program`, `wheels` and `npm` it makes all four. FOLDER is build/release-files if none is given. Files that an earlier call
# made there of the same commit stay; those of another commit are removed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/release-files
parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --into) folder=$2 && shift ;;
    source | program | wheels | npm) parts+=("$1") ;;
    *) echo "$1: expected --into, source, program, wheels or npm" >&2 && exit 2 ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(source program wheels npm)
asked() { [[ " ${parts[*]} " == *" $1 "* ]]; }

# A release holds what somebody has who checks out the commit.
changed=$(git status --porcelain --untracked-files=no)
[ -z "$changed" ] || { printf 'a release is made of a commit; these files differ from it:\n%s\n' "$changed" >&2; exit 1; }
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
EMBD_VERSION=$(sed -n 's/^project(embd VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# Keeps the name of this folder out of the files.
CXXFLAGS="-ffile-prefix-map=$PWD=."
CFLAGS=$CXXFLAGS
export SOURCE_DATE_EPOCH EMBD_VERSION CXXFLAGS CFLAGS LC_ALL=C.UTF-8 TZ=UTC
umask 022

bash scripts/install_packages.sh scripts/packages.txt scripts/release_packages.txt
if asked program || asked wheels; then bash scripts/cross_sysroot.sh arm64; fi

[ "$(cat "$folder/.commit" 2>/dev/null)" = "$commit" ] || rm -rf "$folder"
work=build/release-work
mkdir -p "$folder" "$work"
folder=$(realpath "$folder")
echo "$commit" >"$folder/.commit"

if asked source; then
  git archive --format=tar --prefix="embd-$EMBD_VERSION/" HEAD | gzip -9n >"$folder/embd-$EMBD_VERSION.tar.gz"
fi
if asked wheels; then
  echo "== wheels"
  bash scripts/release/wheels.sh "$work" "$folder"
fi
if asked program; then
  for architecture in amd64 arm64; do
    echo "== program for $architecture"
    bash scripts/release/program.sh "$work/$architecture" "$folder" "$architecture"
  done
fi

if asked npm; then
  echo "== npm package"
  bash scripts/wasm_sysroot.sh
  cmake --preset wasm -B "$work/wasm" >/dev/null
  cmake --build "$work/wasm" --target embd_wasm embd_wasm_relaxed embd_wasm_lean embd_wasm_lean_relaxed >"$work/wasm.log" ||
    { tail -50 "$work/wasm.log" && exit 1; }
  bash scripts/release/npm.sh "$work/wasm/js" "$folder"
fi

echo "== bill of materials, checksums"
rm -f "$folder"/*.cdx.json "$folder/SHA256SUMS"
python3 scripts/release/materials.py bill "$folder" >"$work/bill.json"
mv "$work/bill.json" "$folder/embd-$EMBD_VERSION.cdx.json"
(cd "$folder" && sha256sum -- *) >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$folder"
ls -l "$folder"
