#!/usr/bin/env bash
# Unpacks the libraries of another architecture of Debian into build/sysroot-ARCHITECTURE, for the toolchain files in cmake/.
# The machine itself stays as it is: its own packages may be newer or older than these, whose versions are in its file `versions`.
#
#   cross_sysroot.sh arm64|ppc64el
set -euo pipefail
cd "$(dirname "$0")/.."
architecture=${1:?usage: $0 arm64|ppc64el}
sysroot=$PWD/build/sysroot-$architecture
list=scripts/cross_packages.txt
cmp -s "$list" "$sysroot/complete" && exit 0

state=$sysroot.apt
rm -rf "$sysroot" "$state"
mkdir -p "$sysroot" "$state"/{lists/partial,cache/archives/partial,packages}
touch "$state/status"
apt() {
  apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State="$state" \
    -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
    -o APT::Sandbox::User="$(id -un)" "$@"
}
# A mirror that is being written may lack one of its lists; whether the packages are there shows below.
apt update || true
mapfile -t packages < <(grep -v '^#' "$list")
(cd "$state/packages" && apt download "${packages[@]}")
for package in "$state"/packages/*.deb; do
  dpkg-deb -x "$package" "$sysroot"
  dpkg-deb -W --showformat='${Package} ${Version}\n' "$package"
done >"$sysroot/versions"
# Links that begin at the root would lead to this machine's files.
find "$sysroot" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
  ln -sfrT "$sysroot$target" "$link"
done
rm -rf "$state"
cp "$list" "$sysroot/complete"
