# Libraries of a WebAssembly build: headers and one source that are in the sysroot
# (scripts/wasm_sysroot.sh). Of the other libraries there is none: nothing that the modules in js/native need uses them.
enable_language(C)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
# The linker compiles all but the kernels as one.
add_compile_options(-ffunction-sections -fdata-sections -flto -fvisibility=hidden)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> $<$<COMPILE_LANGUAGE:CXX>:-fno-threadsafe-statics>)
# For kernels, which are to be compiled as they stand; relaxed SIMD would spread to all that is compiled with it.
set(EMBD_NO_LTO -fno-lto)

add_library(embd_fmt STATIC cmake/fmt/fmt.cc)
target_compile_features(embd_fmt PUBLIC cxx_std_23)
# Numbers are written as in the C locale alone, so that the C++ library's locales are not linked.
target_compile_definitions(embd_fmt PUBLIC FMT_STATIC_THOUSANDS_SEPARATOR=',' FMT_USE_LONG_DOUBLE=0)
add_library(fmt::fmt ALIAS embd_fmt)

add_library(Eigen3::Eigen INTERFACE IMPORTED)
target_include_directories(Eigen3::Eigen SYSTEM INTERFACE ${EMBD_WASM_SYSROOT}/include/eigen3)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
add_library(PkgConfig::tomlplusplus INTERFACE IMPORTED)
target_compile_definitions(PkgConfig::tomlplusplus INTERFACE TOML_HEADER_ONLY=1 TOML_FLOAT_CHARCONV=1)  # else by streams

add_library(embd_utf8proc STATIC ${EMBD_WASM_SYSROOT}/utf8proc/utf8proc.c)
target_include_directories(embd_utf8proc SYSTEM PUBLIC ${EMBD_WASM_SYSROOT}/utf8proc)
target_compile_definitions(embd_utf8proc PUBLIC UTF8PROC_STATIC)
add_library(PkgConfig::utf8proc ALIAS embd_utf8proc)

foreach(absent ZLIB::ZLIB OpenSSL::Crypto PkgConfig::zstd flatbuffers_headers)
  add_library(${absent} INTERFACE IMPORTED)
endforeach()
