#!/usr/bin/env bash
# Makes a release once more, in a clone in another folder and without ccache, and compares every byte with the files of
# build/release-files, which scripts/release.sh has made of the commit that is checked out.
#
#   check_release_bytes.sh [source] [program] [npm]     parts, as release.sh takes them
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/build/release-files
other=$(mktemp -d)
trap 'rm -rf "$other"' EXIT

git clone -q . "$other/clone"
git -C "$other/clone" checkout -q "$(git rev-parse HEAD)"
CCACHE_DISABLE=1 bash "$other/clone/scripts/release.sh" --into "$other/files" "$@" >"$folder.again.log" 2>&1 ||
  { tail -50 "$folder.again.log" && exit 1; }

cd "$other/files"
# The bill of materials and the checksums list all files that are there: with parts, fewer.
[ $# -eq 0 ] || rm ./*.cdx.json SHA256SUMS
for file in *; do
  cmp "$file" "$folder/$file"
  echo "$file: the same bytes"
done
