# The libraries of a WebAssembly build. They consist of headers and sources in the sysroot (scripts/wasm_sysroot.sh). The other
# libraries are replaced by empty targets, because the modules in faces/js/native do not need them.
enable_language(C)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
# Link-time optimization: the linker compiles the whole program, except the kernels, as one unit.
add_compile_options(-ffunction-sections -fdata-sections -flto -fvisibility=hidden)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> $<$<COMPILE_LANGUAGE:CXX>:-fno-threadsafe-statics>)
# The option for kernels, which are compiled alone. In one unit with other code, their relaxed SIMD would spread to that code.
set(EMBD_NO_LTO -fno-lto)

add_library(embd_fmt STATIC cmake/fmt/fmt.cc)
target_compile_features(embd_fmt PUBLIC cxx_std_23)
# Numbers are always written as in the C locale, so that the locales of the C++ library are not linked.
target_compile_definitions(embd_fmt PUBLIC FMT_STATIC_THOUSANDS_SEPARATOR=',' FMT_USE_LONG_DOUBLE=0)
add_library(fmt::fmt ALIAS embd_fmt)

add_library(Eigen3::Eigen INTERFACE IMPORTED)
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE ${EMBD_WASM_SYSROOT}/include/eigen3)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
add_library(PkgConfig::tomlplusplus INTERFACE IMPORTED)
target_compile_definitions(PkgConfig::tomlplusplus INTERFACE TOML_HEADER_ONLY=1 TOML_FLOAT_CHARCONV=1)  # without it, toml++ needs streams

add_library(embd_utf8proc STATIC ${EMBD_WASM_SYSROOT}/utf8proc/utf8proc.c)
target_include_directories(embd_utf8proc SYSTEM PUBLIC ${EMBD_WASM_SYSROOT}/utf8proc)
target_compile_definitions(embd_utf8proc PUBLIC UTF8PROC_STATIC)
add_library(PkgConfig::utf8proc ALIAS embd_utf8proc)

set(snowball ${EMBD_WASM_SYSROOT}/snowball)
add_library(embd_stemmer STATIC ${snowball}/libstemmer/libstemmer_utf8.c ${snowball}/src_c/stem_UTF_8_english.c
  ${snowball}/runtime/api.c ${snowball}/runtime/utilities.c)
target_include_directories(embd_stemmer SYSTEM PUBLIC ${snowball}/include)

foreach(absent ZLIB::ZLIB OpenSSL::Crypto PkgConfig::zstd flatbuffers_headers)
  add_library(${absent} INTERFACE IMPORTED)
endforeach()
