#!/usr/bin/env bash
# Makes build/windows-sysroot, for the toolchain file cmake/x86_64-windows.cmake: the libraries of a program for Windows. The compiler
# is Debian's MinGW GCC. Libraries that consist of headers are taken from this machine, and zlib is Debian's for MinGW. Of the others,
# Debian has no builds for Windows, so they are compiled here from Debian's source packages, and GoogleTest from its package of sources.
set -euo pipefail
cd "$(dirname "$0")/.."
sysroot=$PWD/build/windows-sysroot
cmp -s <(cat scripts/windows_packages.txt "$0") "$sysroot/complete" && exit 0

bash scripts/install_packages.sh scripts/packages.txt scripts/windows_packages.txt
triplet=x86_64-w64-mingw32
rm -rf "$sysroot"
mkdir -p "$sysroot"/{include,lib,apt/lists/partial,apt/sources}

for headers in boost eigen3 flatbuffers fmt nlohmann toml++; do
  ln -s "/usr/include/$headers" "$sysroot/include/$headers"
done

# The sources are fetched with package lists in the sysroot, so the lists of this machine do not change.
if [ -e /etc/apt/sources.list.d/debian.sources ]; then
  sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$sysroot/apt/sources/debian.sources"
else
  sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$sysroot/apt/sources/debian.list"
fi
own_lists=(-qq -o "Dir::Etc::SourceParts=$sysroot/apt/sources" -o Dir::Etc::SourceList=/dev/null
  -o "Dir::State::Lists=$sysroot/apt/lists" -o APT::Sandbox::User="$(id -un)")
apt-get "${own_lists[@]}" update
(cd "$sysroot/apt" && apt-get "${own_lists[@]}" source --download-only libzstd snowball utf8proc)
for library in libzstd snowball utf8proc; do
  mkdir "$sysroot/apt/$library"
  tar -xf "$sysroot"/apt/"$library"_*.orig.tar.?z -C "$sysroot/apt/$library" --strip-components=1
done

# make_library NAME FLAGS... -- SOURCES...: compiles the sources into lib/libNAME.a.
make_library() {
  local name=$1 flags=() objects=$sysroot/apt/objects-$1 compiler
  shift
  while [ "$1" != -- ]; do flags+=("$1") && shift; done
  shift
  mkdir "$objects"
  compiler="$triplet-gcc-posix"
  [[ $1 != *.cc ]] || compiler="$triplet-g++-posix"
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c \
    'out=$1; shift; exec "$@" -c {} -o "$out/$(basename {}).o"' _ "$objects" "$compiler" -O2 -w "${flags[@]}"
  "$triplet-ar" rcs "$sysroot/lib/lib$name.a" "$objects"/*.o
}

zstd=$sysroot/apt/libzstd/lib
make_library zstd -DZSTD_DISABLE_ASM -- "$zstd"/{common,compress,decompress}/*.c
cp "$zstd/zstd.h" "$zstd/zstd_errors.h" "$sysroot/include/"

make_library utf8proc -DUTF8PROC_STATIC -- "$sysroot/apt/utf8proc/utf8proc.c"
cp "$sysroot/apt/utf8proc/utf8proc.h" "$sysroot/include/"

# Snowball's compiler, which runs here, writes the sources of the stemmers.
make -s -C "$sysroot/apt/snowball" -j "$(nproc)" libstemmer.a >/dev/null
make_library stemmer "-I$sysroot/apt/snowball/include" -- \
  "$sysroot"/apt/snowball/{libstemmer/libstemmer.c,runtime/*.c,src_c/*.c}
cp "$sysroot/apt/snowball/include/libstemmer.h" "$sysroot/include/"

googletest=/usr/src/googletest/googletest
make_library gtest "-I$googletest/include" "-I$googletest" -- "$googletest/src/gtest-all.cc"
make_library gtest_main "-I$googletest/include" -- "$googletest/src/gtest_main.cc"
ln -s "$googletest/include/gtest" "$sysroot/include/gtest"

rm -rf "$sysroot/apt"
cat scripts/windows_packages.txt "$0" >"$sysroot/complete"
