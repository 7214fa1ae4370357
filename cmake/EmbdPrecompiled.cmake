# Precompiles the headers of other libraries that most sources include. Parsing these headers in each source took longer than
# compiling the rest of the source. No header of embd is in the list, so a change to such a header recompiles only the sources that
# include it.
#
# A source must include everything that it uses, as if there were no precompiled headers. The presets `clang` and `tidy` build
# without them, and fail if an include is missing. nlohmann/json.hpp is not in the list. Its inline functions would make every source
# slower to compile, which costs more than parsing it in the few sources that use it.
set(EMBD_PRECOMPILED_HEADERS
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <expected> <filesystem> <functional>
  <limits> <map> <memory> <mutex> <numeric> <optional> <span> <stop_token> <string> <string_view> <unordered_map> <utility>
  <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

# Makes a target use the precompiled headers, such as embd_precompile_headers(embd_jobs library). The first target of a kind compiles
# the headers, and all other targets of this kind use the result, because they have the same flags. The kinds are `library` (-fPIC),
# `program` (-fPIE) and `test` (a program, with GoogleTest). GCC accepts precompiled headers only where all macros are defined that
# were defined on the command line when they were compiled. So the libraries share the headers of a target that defines only the
# macros of fmt.
function(embd_precompile_headers target kind)
  target_link_libraries(${target} PRIVATE fmt::fmt)
  # GCC 12 does not treat precompiled headers as system headers. So it would report false warnings of its optimizer in them.
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
