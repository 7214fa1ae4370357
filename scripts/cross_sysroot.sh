#!/usr/bin/env bash
# Unpacks Debian's libraries for another architecture into build/sysroot-ARCHITECTURE, for the toolchain files in cmake/. It installs
# nothing, so the packages of this machine may be newer or older than these, whose versions are in the file `versions` there.
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
# While a mirror is updated, one of its lists may be missing. So a failure is ignored here; the download below fails if it must.
apt update || true
mapfile -t packages < <(grep -v '^#' "$list")
(cd "$state/packages" && apt download "${packages[@]}")
for package in "$state"/packages/*.deb; do
  dpkg-deb -x "$package" "$sysroot"
  dpkg-deb -W --showformat='${Package} ${Version}\n' "$package"
done >"$sysroot/versions"
# Absolute links would lead to files of this machine, so they are changed to links inside of the sysroot.
find "$sysroot" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
  ln -sfrT "$sysroot$target" "$link"
done
rm -rf "$state"
cp "$list" "$sysroot/complete"
