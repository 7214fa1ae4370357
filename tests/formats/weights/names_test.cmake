# The names of tensors stand in formats/weights/model_tensors.cc and the keys of an EMBD file's metadata in
# formats/weights/embd/embd_spec.cc, and in no other source.
#
#   cmake -DSOURCE=<tree> -P names_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/cmake/EmbdFolders.cmake)

# Sets `out` to what `regex` captures in `file`, as alternatives of a regular expression.
function(find_names file regex least out)
  file(READ ${SOURCE}/${file} text)
  string(REGEX MATCHALL "${regex}" rows "${text}")
  set(names "")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "\"([^\"]+)\"" matched "${row}")
    string(REPLACE "." "\\." name "${CMAKE_MATCH_1}")
    if(NOT name MATCHES "[._]")
      string(APPEND name "\\.[bw][a-z]+")  # A word that may stand elsewhere, too.
    endif()
    list(APPEND names "${name}")
  endforeach()
  list(LENGTH names count)
  if(count LESS least)
    message(FATAL_ERROR "only ${count} names found in ${file}: nothing was checked")
  endif()
  list(JOIN names "|" names)
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# The names in an EMBD file, and those in the checkpoints of other families.
find_names(formats/weights/model_tensors.cc "in_[a-z]+,[ \n]*\"[^\"]+\"|\\{\"[^\"]+\"\\}" 25 tensors)
find_names(formats/weights/embd/embd_spec.cc "\"[a-z_0-9.]+\",[ \n]*Presence::" 20 keys)

set(wrong "")
function(look_for what regex files)
  foreach(file IN LISTS ${files})
    file(STRINGS ${file} lines REGEX "${regex}")
    foreach(line IN LISTS lines)
      string(STRIP "${line}" line)
      list(APPEND wrong "${file}: ${what}: ${line}")
    endforeach()
  endforeach()
  set(wrong "${wrong}" PARENT_SCOPE)
endfunction()

set(sources "")
foreach(folder IN LISTS EMBD_FOLDERS ITEMS faces)
  file(GLOB_RECURSE files ${SOURCE}/${folder}/*.h ${SOURCE}/${folder}/*.cc ${SOURCE}/${folder}/*.inc)
  list(APPEND sources ${files})
endforeach()
list(REMOVE_ITEM sources ${SOURCE}/formats/weights/model_tensors.cc)
# A key of config.json, such as qkv_proj_bias, goes on with an underscore.
look_for("the name of a tensor" "\"[^\"]*(${tensors})([^_\"][^\"]*)?\"" sources)

# Options, recipes and the files of Hugging Face have some of these words for their own: only what reads and
# writes EMBD files is searched, without embd_layout.h, which names the fields of their header.
set(readers ${sources})
list(FILTER readers INCLUDE REGEX "^${SOURCE}/(tokenizer|engine|formats/weights)/")
list(FILTER readers EXCLUDE REGEX "/(embd_spec\\.cc|embd_layout\\.h)$")
list(FILTER readers EXCLUDE REGEX "/huggingface/")
list(APPEND readers ${SOURCE}/formats/weights/huggingface/convert_folder.cc)
look_for("a key of the metadata" "\"(${keys}|prompt\\.)\"" readers)

if(wrong)
  list(JOIN wrong "\n" wrong)
  message(FATAL_ERROR "names that belong into one table:\n${wrong}")
endif()
