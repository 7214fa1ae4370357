# Writes a source that has a file's bytes in it:  cmake -DFILE=… -DNAME=… -DOUT=… -P embed.cmake
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"server/page/files.h\"\n\nnamespace embd::server {\n\n"
  "static constexpr unsigned char bytes[] = {\n${bytes}};\n\n"
  "std::string_view ${NAME}() noexcept {\n"
  "  return {reinterpret_cast<const char*>(bytes), sizeof bytes};\n}\n\n}  // namespace embd::server\n")
