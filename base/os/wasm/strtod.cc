// The C library's own strtod reads numbers of 128 bits on the way, which is much code, and
// std::from_chars is in a module anyway. The linker gives this function to those who call strtod
// (--wrap in cmake/wasm32-wasi.cmake).

#include <charconv>
#include <cstring>

/// Reads a number that begins with the first character. The only caller is the parser of JSON. As
/// in C, the value is infinity for one that is too large.
extern "C" double __wrap_strtod(const char* text, char** end);

extern "C" double __wrap_strtod(const char* text, char** end) {
  double value = 0;
  const auto read = std::from_chars(text, text + std::strlen(text), value);
  if (end != nullptr) *end = const_cast<char*>(read.ptr);
  return value;
}
