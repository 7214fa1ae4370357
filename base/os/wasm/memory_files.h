#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"

// The files of a module of WebAssembly: names for bytes in its memory, which whoever runs it gave
// it. Paths are such names; '/' parts folders, which are there as long as a file is in them. One
// thread.
namespace embd::os {

/// A file's bytes, which stay as long as anybody has this.
class MemoryFile {
 public:
  MemoryFile(std::size_t size, std::uint64_t number) : size_(size), number_(number) {}
  /// Takes over the bytes, which std::free() frees.
  void take(std::byte* data) noexcept { data_.reset(data); }

  Bytes bytes() const noexcept { return {data_.get(), size_}; }
  /// No other file of the process has or had it.
  std::uint64_t number() const noexcept { return number_; }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_;
  std::uint64_t number_;
};

/// Gives bytes a name. Takes over `data`, which std::free() frees, unless it fails. Error:
/// invalid_argument for an empty name and for one that there is.
Result<void> add_memory_file(std::string_view name, std::byte* data, std::size_t size);
/// Takes a name away; those who have the file keep its bytes. Error: not_found.
Result<void> remove_memory_file(std::string_view name);

/// Null if there is none of that name.
std::shared_ptr<const MemoryFile> find_memory_file(std::string_view name) noexcept;
bool is_memory_folder(std::string_view name) noexcept;
/// The names that are directly in a folder.
std::vector<std::string> memory_files_in(std::string_view folder);

/// Open files have numbers, as they have everywhere. Keeps the file under the number given back.
int open_memory_file(std::shared_ptr<const MemoryFile> file);
/// Null if there is none of that number.
std::shared_ptr<const MemoryFile> opened_memory_file(int number) noexcept;
void close_memory_file(int number) noexcept;

}  // namespace embd::os
