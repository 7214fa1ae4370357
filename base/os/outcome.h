#pragma once

#include <expected>
#include <system_error>

// The interface to the operating system. Each header in this folder has one subject and includes no
// header of the system. The folder linux/ implements them for Linux and includes the system's
// headers; another platform has a folder of its own and omits what it does not have.
namespace embd::os {

/// A value, or the system's reason for a failure. base/system_error.h makes a Result of it.
template <class T>
using Outcome = std::expected<T, std::errc>;

}  // namespace embd::os
