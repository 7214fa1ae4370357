#pragma once

// Functions of POSIX that tests call and MinGW lacks. Every test for Windows is compiled with them.
#include <cstdlib>

inline int setenv(const char* name, const char* value, int /*overwrite*/) {
  return ::_putenv_s(name, value);
}
inline int unsetenv(const char* name) {
  return ::_putenv_s(name, "");
}
