// Replaces the functions that only Linux has, for the other systems.

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/open_files.h"

namespace embd {

// A new file has the owner and the permissions of its folder. Those of the file that it replaces
// are not taken.
void take_attributes(const FileDescriptor& /*file*/, const FileStatus& /*replaced*/) {}
void take_attributes(const std::filesystem::path& /*path*/,
                     const std::filesystem::path& /*replaced*/) {}

std::optional<std::string> stamp_of(const FileDescriptor& /*file*/) {
  return std::nullopt;
}
bool is_at_rest(const FileDescriptor& /*file*/) {
  return false;
}

namespace os {

std::uint64_t copy_some(const FileDescriptor& /*source*/, std::uint64_t /*offset*/,
                        std::uint64_t /*count*/, const FileDescriptor& /*target*/) noexcept {
  return 0;
}
void start_writeback(const FileDescriptor& /*file*/, std::uint64_t /*offset*/,
                     std::uint64_t /*count*/) noexcept {}

// The open files of a process have no names.
bool lists_open_files(const std::filesystem::path& /*folder*/) {
  return false;
}
std::optional<int> open_file_number(const std::filesystem::path& /*folder*/,
                                    const std::filesystem::path& /*name*/) {
  return std::nullopt;
}
bool is_name_of_standard_output(const std::filesystem::path& /*path*/) {
  return false;
}
bool is_name_of_open_file(const std::filesystem::path& /*path*/) {
  return false;
}

}  // namespace os

}  // namespace embd
