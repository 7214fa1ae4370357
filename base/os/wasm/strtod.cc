// The strtod of the C library computes with numbers of 128 bits, which takes much code, and
// std::from_chars is in a module anyway. The linker makes all calls of strtod call this function
// (--wrap in cmake/wasm32-wasi.cmake).

#include <charconv>
#include <cstring>

/// Reads a number that begins with the first character. The only caller is the parser of JSON. As
/// in C, a number that is too large becomes infinity.
extern "C" double __wrap_strtod(const char* text, char** end);

extern "C" double __wrap_strtod(const char* text, char** end) {
  double value = 0;
  const auto read = std::from_chars(text, text + std::strlen(text), value);
  if (end != nullptr) *end = const_cast<char*>(read.ptr);
  return value;
}
