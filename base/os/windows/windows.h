#pragma once

// The header of Windows, in the one form in which base/os/windows includes it.
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/os/outcome.h"

namespace embd::os {

/// Returns the portable reason for a failure that GetLastError() tells; io_error for one without.
std::errc reason_of(DWORD error) noexcept;

/// Returns the reason for the failure of the system call before.
inline std::errc last_error() noexcept {
  return reason_of(::GetLastError());
}

/// Returns the outcome of a system call that has returned FALSE if it failed.
inline Outcome<void> outcome_of(BOOL succeeded) noexcept {
  if (succeeded == FALSE) return std::unexpected(last_error());
  return {};
}

/// A handle has 32 bits that count, so a FileDescriptor keeps it as its number.
inline int number_of(HANDLE handle) noexcept {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
}
inline HANDLE handle_of(int number) noexcept {
  return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(number));
}

/// An open handle, which is closed when this object is destroyed.
class Handle {
 public:
  explicit Handle(HANDLE handle) noexcept : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (is_open()) ::CloseHandle(handle_);
  }
  HANDLE get() const noexcept { return handle_; }
  bool is_open() const noexcept { return handle_ != INVALID_HANDLE_VALUE; }

 private:
  HANDLE handle_;
};

/// Converts a text of the system to UTF-8. What is no UTF-16 becomes U+FFFD.
std::string utf8_of(std::wstring_view text);
/// Converts UTF-8 to a text of the system.
std::wstring wide_of(std::string_view text);

/// Splits an offset in a file into the halves that the system takes.
inline DWORD low_half(std::uint64_t number) noexcept {
  return static_cast<DWORD>(number & 0xFFFFFFFFU);
}
inline DWORD high_half(std::uint64_t number) noexcept {
  return static_cast<DWORD>(number >> 32U);
}

}  // namespace embd::os
