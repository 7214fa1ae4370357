#pragma once

#include <expected>
#include <system_error>

// The operating system: every header of this folder has one subject and includes none of the
// system's. posix/ implements them for Linux, and it alone includes the system's headers; another
// platform gives another folder, and leaves out what it has not.
namespace embd::os {

/// A value, or the reason that the system gives for not having it. base/system_error.h makes a
/// Result of it.
template <class T>
using Outcome = std::expected<T, std::errc>;

}  // namespace embd::os
