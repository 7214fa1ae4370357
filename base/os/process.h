#pragma once

#include <cstddef>
#include <cstdint>

// Facts about this process. All functions are thread-safe.
namespace embd::os {

/// The number of this process, of which no other that runs has the same.
std::int64_t process_number() noexcept;
/// The user as who this process may do things.
std::uint32_t user_number() noexcept;

/// Whether this is a child of fork() that has not run another program since; true also where the
/// system does not say.
bool is_forked() noexcept;
/// Whether the process may have less memory than the machine has; true where the system does not
/// say.
bool is_memory_limited() noexcept;
/// Threads of the process, 0 if unknown.
std::size_t num_threads() noexcept;
/// Bytes of memory that the process holds at this moment, 0 if unknown.
std::uint64_t resident_bytes() noexcept;
/// Lets the process have as many open files as the system allows it.
void raise_file_limit() noexcept;

}  // namespace embd::os
