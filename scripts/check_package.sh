#!/usr/bin/env bash
# Builds the Debian packages, checks them with lintian, and unpacks them into a folder. Runs the program of this folder, and builds the
# examples with the libraries of this folder. It runs on Debian or Ubuntu. It installs only packages that the check itself needs.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/package_packages.txt
rm -f build/package/*.deb
cmake --workflow --preset package >build/package.log 2>&1 || { tail -50 build/package.log && exit 1; }
ls -l build/package/*.deb
# Two kinds of findings are left out. The address of the maintainer is missing, because the person who makes the packages gives it. And
# CPack makes a script that calls ldconfig, although there is a trigger for it.
lintian --allow-root --fail-on error,warning \
  --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,maintscript-calls-ldconfig build/package/*.deb

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
for package in build/package/*.deb; do
  dpkg-deb --field "$package" Package Depends
  dpkg-deb -x "$package" "$root"
done
folder=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for file in bin/embd share/man/man1/embd.1.gz share/bash-completion/completions/embd share/zsh/vendor-completions/_embd \
  share/fish/vendor_completions.d/embd.fish include/embd.h include/embd/embd.h "lib/$folder/libembd.a" \
  "lib/$folder/libembd_c.so" "lib/$folder/pkgconfig/embd.pc" "lib/$folder/cmake/embd/embd-config.cmake"; do
  [ -s "$root/usr/$file" ] || { echo "no $file" && exit 1; }
done
man --warnings=all -l "$root/usr/share/man/man1/embd.1.gz" >/dev/null

model=$PWD/tests/data/embd/plain.weights
"$root/usr/bin/embd" --version
"$root/usr/bin/embd" similarity -m "$model" "A cat sits." "A cat sits."
python3 tests/faces/server/serve_test.py "$root/usr/bin/embd" tests/data
if grep -qaF "$PWD" "$root/usr/bin/embd"; then echo "embd has this folder's name in it" && exit 1; fi

cmake -S examples -B "$root/examples" -DCMAKE_PREFIX_PATH="$root/usr" >/dev/null
cmake --build "$root/examples" >/dev/null
"$root/examples/embed" "$model" "A cat sits." "A cat sits."
LD_LIBRARY_PATH="$root/usr/lib/$folder" "$root/examples/embed_c" "$model" "A cat sits." | tail -1
