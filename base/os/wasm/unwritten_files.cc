// Replaces the functions that write files. A module writes no files, so none of these is ever
// called.

#include "base/os/entries.h"
#include "base/os/file_descriptor.h"
#include "base/os/process.h"
#include "base/os/wasm/memory_files.h"
#include "base/system_error.h"

namespace embd {

Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory) {
  return result_of("create", directory, os::Outcome<FileDescriptor>(os::no_system()));
}

os::Outcome<FileDescriptor> create_file_in_memory(const char* /*name*/) noexcept {
  return os::no_system();
}

namespace os {

std::int64_t process_number() noexcept {
  return 0;
}
std::uint32_t user_number() noexcept {
  return 0;
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
