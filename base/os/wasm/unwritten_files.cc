// Replaces the functions that write files. A module writes no files, so none of these is ever
// called.

#include "base/os/entries.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/open_files.h"
#include "base/os/process.h"
#include "base/os/wasm/memory_files.h"
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

namespace os {

bool lists_open_files(const std::filesystem::path& /*folder*/) {
  return false;
}
std::optional<int> open_file_number(const std::filesystem::path& /*folder*/,
                                    const std::filesystem::path& /*name*/) {
  return std::nullopt;
}

Outcome<void> rename(const std::filesystem::path& /*from*/,
                     const std::filesystem::path& /*to*/) noexcept {
  return no_system();
}
Outcome<void> exchange(const std::filesystem::path& /*a*/,
                       const std::filesystem::path& /*b*/) noexcept {
  return no_system();
}
Outcome<void> remove_file(const std::filesystem::path& /*path*/) noexcept {
  return no_system();
}
Outcome<void> remove_folder(const std::filesystem::path& /*path*/) noexcept {
  return no_system();
}
Outcome<void> remove_tree(const std::filesystem::path& /*path*/) noexcept {
  return no_system();
}
Outcome<void> make_folder(const std::filesystem::path& /*path*/,
                          unsigned /*permissions*/) noexcept {
  return no_system();
}
Outcome<std::filesystem::path> make_private_folder(const std::filesystem::path& /*prefix*/) {
  return no_system();
}
Outcome<void> make_link(const std::string& /*target*/,
                        const std::filesystem::path& /*link*/) noexcept {
  return no_system();
}
bool is_permitted(const std::filesystem::path& /*path*/, Access /*access*/) noexcept {
  return true;
}

}  // namespace os

Result<void> check_rename_to(const std::filesystem::path& target, bool /*may_be_directory*/) {
  return result_of("create", target, os::Outcome<void>(os::no_system()));
}

}  // namespace embd
