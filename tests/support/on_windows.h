#pragma once

namespace embd::test {

/// True where the tests are built for Windows. There, the library of GCC makes no links, and a file
/// that is open or mapped cannot be replaced by every call that replaces it on Linux
/// (docs/windows.md).
#if defined(_WIN32)
inline constexpr bool on_windows = true;
#else
inline constexpr bool on_windows = false;
#endif

}  // namespace embd::test
