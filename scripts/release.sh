#!/usr/bin/env bash
# Makes the files of a release out of the commit that is checked out: the source archive; the static program as an archive, a Debian
# package and a container image; a bill of materials and the checksums. The same commit and the same packages of the distribution give
# the same bytes. It runs on Debian 12 for x86-64.
#
#   release.sh [--into FOLDER] [source] [program]
#
# Without `source` and `program` it makes both. FOLDER is build/release-files if none is given. Files that an earlier call made there of
# the same commit stay; those of another commit are removed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/release-files
parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --into) folder=$2 && shift ;;
    source | program) parts+=("$1") ;;
    *) echo "$1: expected --into, source or program" >&2 && exit 2 ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(source program)
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

[ "$(cat "$folder/.commit" 2>/dev/null)" = "$commit" ] || rm -rf "$folder"
work=build/release-work
mkdir -p "$folder" "$work"
folder=$(realpath "$folder")
echo "$commit" >"$folder/.commit"

if asked source; then
  git archive --format=tar --prefix="embd-$EMBD_VERSION/" HEAD | gzip -9n >"$folder/embd-$EMBD_VERSION.tar.gz"
fi
if asked program; then
  echo "== program"
  bash scripts/release/program.sh "$work/amd64" "$folder"
fi

echo "== bill of materials, checksums"
rm -f "$folder"/*.cdx.json "$folder/SHA256SUMS"
python3 scripts/release/materials.py bill "$folder" >"$work/bill.json"
mv "$work/bill.json" "$folder/embd-$EMBD_VERSION.cdx.json"
(cd "$folder" && sha256sum -- *) >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$folder"
ls -l "$folder"
