# No source compares the name of a format of vectors: what is to be done for some formats alone is a
# field of Format (formats/vectors/format.h). Only formats/vectors and the table of formats,
# jobs/sets/vectors.cc, know names.
#
#   cmake -DSOURCE=<tree> -P format_names_test.cmake
cmake_minimum_required(VERSION 3.25)

# The names, from the rows of the table, and the extensions that are names without their dot.
set(names "")
file(GLOB_RECURSE formats ${SOURCE}/formats/vectors/*.cc ${SOURCE}/jobs/sets/*_format.cc)
foreach(format IN LISTS formats)
  file(STRINGS ${format} lines REGEX "^    {?\\.name = \"|constexpr Kind ")
  foreach(line IN LISTS lines)
    if(line MATCHES "\"\\.?([a-z0-9]+)\"")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()
list(LENGTH names num_names)
if(num_names LESS 18)
  message(FATAL_ERROR "only ${num_names} names of formats found: ${names}")
endif()
list(JOIN names "|" any_name)

set(name "\"(${any_name})\"")
set(comparisons
  "[!=]= *${name}"
  "${name}[a-z]* *[!=]="
  "\\.(starts_with|ends_with|compare|contains)\\(${name}"
  "format(\\(.*\\))?(\\.|->)name *[!=]="
  "[!=]= *[a-z_.>()-]*format(\\.|->)name"
  "(\\.|->)format *[!=]= *[a-z\"]")
list(JOIN comparisons "|" comparison)

set(num_sources 0)
set(wrong "")
foreach(folder IN ITEMS base tokenizer formats/text engine index analysis jobs faces)
  file(GLOB_RECURSE sources ${SOURCE}/${folder}/*.h ${SOURCE}/${folder}/*.cc ${SOURCE}/${folder}/*.py ${SOURCE}/${folder}/*.js)
  list(REMOVE_ITEM sources ${SOURCE}/jobs/sets/vectors.cc)
  foreach(source IN LISTS sources)
    math(EXPR num_sources "${num_sources} + 1")
    file(STRINGS ${source} lines REGEX "${comparison}")
    foreach(line IN LISTS lines)
      if(NOT line MATCHES "InputFormat::")  # the formats of texts, some of which are called alike
        list(APPEND wrong "${source}: ${line}")
      endif()
    endforeach()
  endforeach()
endforeach()

if(num_sources LESS 300)
  message(FATAL_ERROR "only ${num_sources} sources found: nothing was checked")
endif()
if(wrong)
  list(JOIN wrong "\n" wrong)
  message(FATAL_ERROR "the name of a format is compared; ask a field of Format:\n${wrong}")
endif()
