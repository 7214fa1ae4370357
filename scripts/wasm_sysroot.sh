#!/usr/bin/env bash
# Makes build/wasm-sysroot, for the toolchain file cmake/wasm32-wasi.cmake. It holds Clang, the linker, a C library and a C++ library
# for WebAssembly, and Binaryen's optimizer.
#
# Clang, the linker and the C library come from the Python package ziglang. The C++ library is compiled here from the sources in this
# package. It is compiled with exceptions, which all engines of WebAssembly support, so that a lack of memory is an exception, too. It
# uses the threads of the C library, although there is only one thread, so that std::mutex and std::stop_token exist. Libraries that
# consist of headers are taken from this machine. The sources of utf8proc and of the stemmer come from Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
sysroot=$PWD/build/wasm-sysroot
cmp -s <(cat scripts/wasm_requirements.txt "$0") "$sysroot/complete" && exit 0

bash scripts/install_packages.sh scripts/packages.txt scripts/wasm_packages.txt
bash scripts/make_venv.sh build/wasm-venv scripts/wasm_requirements.txt
zig=$(echo "$PWD"/build/wasm-venv/lib/python3*/site-packages/ziglang)
rm -rf "$sysroot"
mkdir -p "$sysroot"/{bin,lib,include,objects,cache}
export ZIG_GLOBAL_CACHE_DIR=$sysroot/cache ZIG_LOCAL_CACHE_DIR=$sysroot/cache

# The features that every engine has had since 2021, and the older form of exceptions, which all engines read.
features=(-mcpu=generic -msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext -mmutable-globals -fwasm-exceptions
  -mllvm -wasm-use-legacy-eh=true)
config=(ABI_VERSION=1 ABI_NAMESPACE=__1 HAS_THREADS=1 HAS_THREAD_API_PTHREAD=1 HAS_MONOTONIC_CLOCK=1 HAS_TERMINAL=0
  HAS_MUSL_LIBC=1 DISABLE_VISIBILITY_ANNOTATIONS HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 HAS_FILESYSTEM=1
  HAS_RANDOM_DEVICE=0 HAS_LOCALIZATION=1 HAS_UNICODE=1 HAS_WIDE_CHARACTERS=1 HAS_TIME_ZONE_DATABASE=0
  PSTL_BACKEND_SERIAL HARDENING_MODE_DEFAULT=_LIBCPP_HARDENING_MODE_NONE
  HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE)
printf '%s\n' --target=wasm32-wasip1 -nostdinc -nostdinc++ "${features[@]}" -D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS \
  "${config[@]/#/-D_LIBCPP_}" "-isystem $zig/lib/libcxx/include" "-isystem $zig/lib/libcxxabi/include" \
  "-isystem $zig/lib/include" "-isystem $zig/lib/libc/include/wasm-wasi-musl" \
  "-isystem $zig/lib/libc/include/generic-musl" "-isystem $sysroot/include" >"$sysroot/flags"

for tool in clang ar ranlib wasm-ld; do
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig/zig" "$tool" >"$sysroot/bin/$tool"
done
printf '#!/bin/sh\nexec "%s" clang "@%s" "$@"\n' "$zig/zig" "$sysroot/flags" >"$sysroot/bin/clang"
printf '#!/bin/sh\nexec "%s" clang --driver-mode=g++ "@%s" "$@"\n' "$zig/zig" "$sysroot/flags" >"$sysroot/bin/clang++"
chmod +x "$sysroot"/bin/*

# The C library. The package compiles it when a program is linked for the first time.
echo 'int main(void) { return 0; }' >"$sysroot/objects/empty.c"
"$zig/zig" cc -target wasm32-wasi -mexec-model=reactor -O2 \
  -mcpu=generic+simd128+bulk_memory+nontrapping_fptoint+sign_ext+mutable_globals \
  "$sysroot/objects/empty.c" -o "$sysroot/objects/empty.wasm"
for part in libc.a libzigc.a libcompiler_rt.a crt1-reactor.o; do
  cp "$(find "$sysroot/cache/o" -name "$part" | head -n 1)" "$sysroot/lib/"
done

# The C++ library. Its source operations.cpp is compiled as if the C library were unknown. It then copies a file by reading and writing.
compile() {
  local object standard=-std=c++23
  object=$objects/$(echo "${1#"$library"}" | tr / _).o
  [[ $1 != *.c ]] || standard=-std=c17
  "$clang" "@$sysroot/flags" -O2 -w -DNDEBUG -ffunction-sections -fdata-sections -fdeclspec "$standard" \
    -DLIBCXXABI_NON_DEMANGLING_TERMINATE -D_LIBCPP_BUILDING_LIBRARY -D_LIBCXXABI_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI \
    $([[ $1 != */filesystem/operations.cpp ]] || echo -D_LIBCPP_HAS_MUSL_LIBC=0) \
    -I"$library/libcxx/src" -I"$library/libcxx/libc" -I"$library/libcxxabi/src" -I"$library/libcxxabi/include" \
    -I"$library/libunwind/include" -I"$library/libunwind/src" -c "$1" -o "$object"
}
export -f compile
library=$zig/lib clang=$sysroot/bin/clang sysroot=$sysroot objects=$sysroot/objects
export library clang sysroot objects
find "$library/libcxx/src" "$library/libcxxabi/src" -name '*.cpp' |
  grep -vE 'support/|pstl/|/experimental/|random\.cpp|cxa_noexception|int128' |
  cat - <(echo "$library/libunwind/src/Unwind-wasm.c") |
  xargs -P "$(nproc)" -I{} bash -c 'compile {}'
# The tag of C++ exceptions. Other toolchains define it in a library of the compiler.
printf '%s\n' '.globl __cpp_exception' '.tagtype __cpp_exception i32' '__cpp_exception:' >"$sysroot/objects/exception_tag.s"
"$sysroot/bin/clang" -w -Qunused-arguments -c "$sysroot/objects/exception_tag.s" -o "$sysroot/objects/exception_tag.c.o"
"$sysroot/bin/ar" rcs "$sysroot/lib/libc++.a" "$sysroot"/objects/*.cpp.o "$sysroot"/objects/*.c.o

# Binaryen's optimizer, which makes a module smaller by a tenth.
npm install --silent --prefix "$sysroot/binaryen" binaryen@132.0.0
printf '#!/bin/sh\nexec node --stack-size=8000 "%s" "$@"\n' "$sysroot/binaryen/node_modules/.bin/wasm-opt" \
  >"$sysroot/bin/wasm-opt"
chmod +x "$sysroot/bin/wasm-opt"

for headers in eigen3 fmt nlohmann toml++; do
  ln -s "/usr/include/$headers" "$sysroot/include/$headers"
done

# utf8proc and Snowball: Debian's source packages. They are fetched with package lists in the sysroot, so the lists of this machine do
# not change.
mkdir -p "$sysroot"/apt/{lists/partial,sources}
sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$sysroot/apt/sources/debian.sources"
own_lists=(-qq -o "Dir::Etc::SourceParts=$sysroot/apt/sources" -o Dir::Etc::SourceList=/dev/null
  -o "Dir::State::Lists=$sysroot/apt/lists" -o APT::Sandbox::User="$(id -un)")
apt-get "${own_lists[@]}" update
(cd "$sysroot/apt" && apt-get "${own_lists[@]}" source --download-only utf8proc snowball)
for library in utf8proc snowball; do
  mkdir "$sysroot/$library"
  tar -xzf "$sysroot"/apt/"$library"_*.orig.tar.gz -C "$sysroot/$library" --strip-components=1
done
# Snowball's own compiler makes the C source of a stemmer. Only the stemmer for English is used.
echo 'english UTF_8 english' >"$sysroot/snowball/libstemmer/modules.txt"
make -s -C "$sysroot/snowball" CC=gcc libstemmer/libstemmer_utf8.c libstemmer/modules_utf8.h src_c/stem_UTF_8_english.c >/dev/null
rm -rf "$sysroot"/{apt,cache,objects}
cat scripts/wasm_requirements.txt "$0" >"$sysroot/complete"
