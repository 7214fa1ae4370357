# Clang for WebAssembly, with what scripts/wasm_sysroot.sh puts into build/wasm-sysroot.
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
# Binaryen's optimizer: the features that the compiler is told (scripts/wasm_sysroot.sh), and relaxed SIMD, which it does not bring in
# by itself. The passes are those that leave the kernels' loops as they are: with -Oz a text took 8 % longer.
set(EMBD_WASM_FEATURES --mvp-features --enable-simd --enable-relaxed-simd --enable-bulk-memory --enable-nontrapping-float-to-int
  --enable-sign-ext --enable-mutable-globals --enable-exception-handling)
set(EMBD_WASM_PASSES --duplicate-function-elimination --remove-unused-module-elements --dce --precompute --optimize-instructions
  --remove-unused-brs --remove-unused-names --merge-blocks --vacuum --simplify-locals-notee-nostructure --vacuum --reorder-locals
  --duplicate-function-elimination --memory-packing --reorder-functions)
list(JOIN EMBD_WASM_FEATURES " " features)
list(JOIN EMBD_WASM_PASSES " " passes)
set(CMAKE_CXX_LINK_EXECUTABLE
    "${EMBD_WASM_SYSROOT}/bin/wasm-ld --gc-sections --strip-all --stack-first -z stack-size=1048576 --entry _initialize --export-memory ${EMBD_WASM_SYSROOT}/lib/crt1-reactor.o <OBJECTS> -o <TARGET> <LINK_LIBRARIES> -L${EMBD_WASM_SYSROOT}/lib -lc++ -lc -lzigc -lcompiler_rt"
    "${EMBD_WASM_SYSROOT}/bin/wasm-opt ${features} ${passes} <TARGET> -o <TARGET>")
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)
