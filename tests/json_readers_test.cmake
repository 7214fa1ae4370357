# All JSON that embd reads passes read_json() in base/json_text.cc, the only source that calls a
# parser of nlohmann-json. No source gives a parser a callback, with which its time grows with the
# square of the text.
#
#   cmake -DSOURCE=<tree> -P json_readers_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/cmake/EmbdFolders.cmake)

set(num_sources 0)
set(calls "")
foreach(folder IN LISTS EMBD_FOLDERS ITEMS include faces)
  file(GLOB_RECURSE sources ${SOURCE}/${folder}/*.h ${SOURCE}/${folder}/*.cc ${SOURCE}/${folder}/*.inc)
  foreach(source IN LISTS sources)
    math(EXPR num_sources "${num_sources} + 1")
    file(STRINGS ${source} lines
      REGEX "[Jj]son(<[^>]*>)?::(parse|sax_parse|accept|from_[a-z]+)\\(|parser_callback|_json_pointer|\"_json|>> *json")
    foreach(line IN LISTS lines)
      string(REPLACE ";" "" line "${line}")
      list(APPEND calls "${source}: ${line}")
    endforeach()
  endforeach()
endforeach()

if(num_sources LESS 500)
  message(FATAL_ERROR "only ${num_sources} sources found: nothing was checked")
endif()
list(LENGTH calls num_calls)
if(NOT num_calls EQUAL 1 OR NOT calls MATCHES "/base/json_text.cc: .*sax_parse")
  list(JOIN calls "\n" calls)
  message(FATAL_ERROR "${num_calls} calls of a JSON parser, expected one, in base/json_text.cc:\n${calls}")
endif()
