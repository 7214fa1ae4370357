# Writes a C++ source that contains the text of a file:
#
#   cmake -DFILE=… -DFOLDERS=… -DNAMESPACE=… -DNAME=… -DOUT=… -P embed_file.cmake
#
# A mark /*@include NAME@*/ in the file is replaced by the text of the file NAME, which lies in the same folder or in one of FOLDERS.
cmake_minimum_required(VERSION 3.25)
get_filename_component(own ${FILE} DIRECTORY)
file(READ ${FILE} text)
while(text MATCHES "/\\*@include ([a-z_.]+)@\\*/")
  set(mark "${CMAKE_MATCH_0}")
  set(part ${CMAKE_MATCH_1})
  find_file(found ${part} PATHS ${own} ${FOLDERS} NO_DEFAULT_PATH NO_CACHE REQUIRED)
  file(READ ${found} included)
  string(REPLACE "${mark}" "${included}" text "${text}")
  unset(found)
endwhile()
string(HEX "${text}" hex)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include <string_view>\n\nnamespace ${NAMESPACE} {\n\n"
  "static constexpr unsigned char bytes[] = {\n${bytes}};\n\n"
  "std::string_view ${NAME}() noexcept;\n"
  "std::string_view ${NAME}() noexcept {\n"
  "  return {reinterpret_cast<const char*>(bytes), sizeof bytes};\n}\n\n}  // namespace ${NAMESPACE}\n")
