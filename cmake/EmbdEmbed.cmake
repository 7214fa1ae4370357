# Makes a C++ source that contains the text of a file, and appends it to the list `sources`:
#
#   embd_embed_file(sources page/index.html index_html NAMESPACE embd::server PARTS map.js)
#
# The source defines the function index_html(), which returns the text. Its user declares it. PARTS are the paths of the
# files that the file includes (cmake/embed_file.cmake).
function(embd_embed_file sources file name)
  cmake_parse_arguments(arg "" "NAMESPACE" "PARTS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  set(folders "")
  foreach(part IN LISTS arg_PARTS)
    get_filename_component(folder ${part} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFILE=${CMAKE_CURRENT_SOURCE_DIR}/${file} "-DFOLDERS=${folders}" -DNAMESPACE=${arg_NAMESPACE}
            -DNAME=${name} -DOUT=${source} -P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${file} ${arg_PARTS} ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake VERBATIM)
  set(${sources} ${${sources}} ${source} PARENT_SCOPE)
endfunction()
