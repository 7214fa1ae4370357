// Replaces the functions that write files. A module writes no files, so none of these is ever
// called.

#include "base/os/file_attributes.h"
#include "base/os/file_copy.h"
#include "base/os/file_stamp.h"
#include "base/os/process.h"
#include "base/os/unnamed_file.h"
#include "base/os/wasm/no_system.h"
#include "base/system_error.h"

namespace embd {

void take_attributes(const FileDescriptor& /*file*/, const FileStatus& /*replaced*/) {}
void take_attributes(const std::filesystem::path& /*path*/,
                     const std::filesystem::path& /*replaced*/) {}

Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory) {
  return result_of("create", directory, os::Outcome<FileDescriptor>(os::no_system()));
}

os::Outcome<FileDescriptor> create_file_in_memory(const char* /*name*/) noexcept {
  return os::no_system();
}

std::optional<std::string> stamp_of(const FileDescriptor& /*file*/) {
  return std::nullopt;
}
bool is_at_rest(const FileDescriptor& /*file*/) {
  return false;
}

namespace os {

std::int64_t process_number() noexcept {
  return 0;
}
std::uint32_t user_number() noexcept {
  return 0;
}

std::uint64_t copy_some(const FileDescriptor& /*source*/, std::uint64_t /*offset*/,
                        std::uint64_t /*count*/, const FileDescriptor& /*target*/) noexcept {
  return 0;
}
void start_writeback(const FileDescriptor& /*file*/, std::uint64_t /*offset*/,
                     std::uint64_t /*count*/) noexcept {}

}  // namespace os
}  // namespace embd
