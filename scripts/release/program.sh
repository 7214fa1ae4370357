#!/usr/bin/env bash
# Builds the static program for one architecture, and packs it three times: as an archive, a Debian package, a container image.
# scripts/release.sh calls it.
#
#   program.sh WORK FOLDER amd64|arm64
set -euo pipefail
work=$1
folder=$2
architecture=$3
case $architecture in
  amd64) machine=x86_64 toolchain=() ;;
  arm64) machine=aarch64 toolchain=(--toolchain cmake/aarch64-linux-gnu.cmake) ;;
esac

mkdir -p "$work"
python3 scripts/release/materials.py licenses >"$work/licenses-program.txt"
cmake --preset static -B "$work/static" "${toolchain[@]}" -DCMAKE_INSTALL_PREFIX=/usr \
  -DEMBD_LICENSES="$PWD/$work/licenses-program.txt" >/dev/null
cmake --build "$work/static" -j "$(nproc)" >"$work/static.log" 2>&1 || { tail -50 "$work/static.log" && exit 1; }

# The Debian package depends on nothing: the program needs the kernel alone.
rm -f "$work"/static/*.deb
(cd "$work/static" && cpack -G DEB >/dev/null)
cp "$work"/static/embd_*_"$architecture".deb "$folder"

# The archive has what the Debian package has under /usr, for every other Linux.
name=embd-$EMBD_VERSION-linux-$machine
rm -rf "$work/stage"
DESTDIR=$work/stage cmake --install "$work/static" --component program --strip >/dev/null
mv "$work/stage/usr" "$work/stage/$name"
tar -C "$work/stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" |
  gzip -9n >"$folder/$name.tar.gz"

python3 scripts/release/image.py "$work/stage/$name" "$architecture" "$folder/embd-$EMBD_VERSION-oci-$architecture.tar"
