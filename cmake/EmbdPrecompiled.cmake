# Precompiled headers: those of others that most sources include. Parsing them in each source took longer than compiling what the
# source itself says. None of ours is among them, so a change to a header of ours compiles no more than it did before.
#
# A source includes what it uses as if there were none; the presets `clang` and `tidy` build without them, and would fail.
# nlohmann/json.hpp is not in the list: its inline functions make each use of the list dearer than parsing it where it is used.
set(EMBD_PRECOMPILED_HEADERS
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <expected> <filesystem> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <span> <stop_token> <string> <string_view> <unordered_map> <utility>
  <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

# embd_precompile_headers(embd_jobs library): all targets of a kind use what one of them has compiled. A kind has one set of
# flags: `library` (-fPIC), `program` (-fPIE), `test` (a program, with GoogleTest). GCC wants every macro of the command line
# that was defined then, so libraries share the headers of a target that defines nothing but fmt's.
function(embd_precompile_headers target kind)
  target_link_libraries(${target} PRIVATE fmt::fmt)
  # In headers that are precompiled GCC 12 forgets that they are the system's, and reports what its optimizer wrongly sees there.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>)
  get_property(first GLOBAL PROPERTY EMBD_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY EMBD_PRECOMPILED_${kind} ${target})
  target_precompile_headers(${target} PRIVATE ${EMBD_PRECOMPILED_HEADERS})
  if(kind STREQUAL "test")
    target_precompile_headers(${target} PRIVATE <gtest/gtest.h>)
  endif()
endfunction()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "")
add_library(embd_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
target_link_libraries(embd_precompiled PRIVATE embd_options)
embd_precompile_headers(embd_precompiled library)
