# Toolchain for WebAssembly: Clang and the libraries that scripts/wasm_sysroot.sh puts into build/wasm-sysroot.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(EMBD_WASM ON)
get_filename_component(EMBD_WASM_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/wasm-sysroot ABSOLUTE)
set(CMAKE_C_COMPILER ${EMBD_WASM_SYSROOT}/bin/clang)
set(CMAKE_CXX_COMPILER ${EMBD_WASM_SYSROOT}/bin/clang++)
set(CMAKE_AR ${EMBD_WASM_SYSROOT}/bin/ar)
set(CMAKE_RANLIB ${EMBD_WASM_SYSROOT}/bin/ranlib)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH ${EMBD_WASM_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The features of WebAssembly that Binaryen's optimizer may use: the features of the compiler (scripts/wasm_sysroot.sh), and relaxed
# SIMD, because the kernels have it. The optimizer adds no relaxed SIMD to other code.
set(EMBD_WASM_FEATURES --mvp-features --enable-simd --enable-relaxed-simd --enable-bulk-memory --enable-nontrapping-float-to-int
  --enable-sign-ext --enable-mutable-globals --enable-exception-handling)
# The linker compiles the code of the whole program. It must handle exceptions as the compiler does (scripts/wasm_sysroot.sh).
set(EMBD_WASM_LTO --lto-O2 --lto-CGO2 -mllvm -wasm-enable-eh -mllvm -wasm-use-legacy-eh=true -mllvm -exception-model=wasm)
list(JOIN EMBD_WASM_LTO " " lto)
list(JOIN EMBD_WASM_FEATURES " " features)
set(CMAKE_CXX_LINK_EXECUTABLE
    "${EMBD_WASM_SYSROOT}/bin/wasm-ld ${lto} --gc-sections --strip-all --wrap=strtod --stack-first -z stack-size=1048576 --entry _initialize --export-memory ${EMBD_WASM_SYSROOT}/lib/crt1-reactor.o <OBJECTS> -o <TARGET> <LINK_LIBRARIES> -L${EMBD_WASM_SYSROOT}/lib -lc++ -lc -lzigc -lcompiler_rt"
    "${EMBD_WASM_SYSROOT}/bin/wasm-opt ${features} -Oz <TARGET> -o <TARGET>")
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)
