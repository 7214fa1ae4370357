#pragma once

#include <cstddef>
#include <cstdint>

// Facts about this process. All functions are thread-safe.
namespace embd::os {

/// Returns the number of this process, which is unique among running processes.
std::int64_t process_number() noexcept;
/// Returns the number of the user with whose rights this process runs.
std::uint32_t user_number() noexcept;

/// Returns true if this process is a child of fork() that has not started another program since;
/// true also if the system does not tell.
bool is_forked() noexcept;
/// Returns true if this process is limited to less memory than the machine has; true also if the
/// system does not tell.
bool is_memory_limited() noexcept;
/// Returns the number of threads of this process; 0 if it is unknown.
std::size_t num_threads() noexcept;
/// Returns the bytes of memory that this process currently occupies; 0 if that is unknown.
std::uint64_t resident_bytes() noexcept;
/// Raises the limit of open files of this process as far as the system permits.
void raise_file_limit() noexcept;

/// Returns a number that nobody outside this process can guess. Never waits. Thread-safe.
std::uint64_t random_number() noexcept;

/// Allocates `size` bytes, which must be a multiple of `alignment`, a power of two. Returns null if
/// there is no memory. Freed with free_aligned().
void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept;
/// Frees memory from allocate_aligned(); null is ignored.
void free_aligned(void* memory) noexcept;

/// Asks the system to use huge pages for this memory. It is a hint, which the system may ignore.
void prefer_huge_pages(void* memory, std::size_t size) noexcept;

}  // namespace embd::os
