#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

// The files of a WebAssembly module. A file is a name for bytes in the module's memory that the
// host program has given to it. Paths are such names. '/' separates folders, and a folder exists as
// long as it contains a file. Not thread-safe.
namespace embd::os {

/// The bytes of a file. They are valid as long as this object.
class MemoryFile {
 public:
  MemoryFile(std::size_t size, std::uint64_t number) : size_(size), number_(number) {}
  /// Takes ownership of the bytes, which are freed with free_aligned().
  void take(std::byte* data) noexcept { data_.reset(data); }

  Bytes bytes() const noexcept { return {data_.get(), size_}; }
  /// Returns a number that no other file of the process has or has ever had.
  std::uint64_t number() const noexcept { return number_; }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_;
  std::uint64_t number_;
};

/// Makes a file of `size` bytes. Takes ownership of `data`, which is freed with free_aligned(),
/// unless it fails. Fails with invalid_argument if the name is empty or a file has it already.
Result<void> add_memory_file(std::string_view name, std::byte* data, std::size_t size);
/// Removes the name of a file. Its bytes stay valid as long as somebody has the file open. Fails
/// with not_found.
Result<void> remove_memory_file(std::string_view name);

/// Returns the file with this name; null if there is none.
std::shared_ptr<const MemoryFile> find_memory_file(std::string_view name) noexcept;
bool is_memory_folder(std::string_view name) noexcept;
/// Returns the names of the files that are directly in a folder.
std::vector<std::string> memory_files_in(std::string_view folder);

/// Opens a file, which stays open until close_memory_file(). Returns the number of the open file.
int open_memory_file(std::shared_ptr<const MemoryFile> file);
/// Returns the open file with this number; null if there is none.
std::shared_ptr<const MemoryFile> opened_memory_file(int number) noexcept;
void close_memory_file(int number) noexcept;

/// Returns the error for an operation that needs an operating system, such as writing a file, which
/// a WebAssembly module does not have.
inline std::unexpected<std::errc> no_system() noexcept {
  return std::unexpected(std::errc::function_not_supported);
}

}  // namespace embd::os
