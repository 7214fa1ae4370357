#include "base/os/file_status.h"

#include "base/os/wasm/memory_files.h"

namespace embd {
namespace os {

Outcome<FileStatus> status_of(const std::filesystem::path& path) noexcept {
  if (const auto file = find_memory_file(path.native()))
    return FileStatus{.kind = FileKind::file,
                      .identity = {.device = 0, .inode = file->number()},
                      .size = file->bytes().size()};
  if (is_memory_folder(path.native())) return FileStatus{.kind = FileKind::folder};
  return std::unexpected(std::errc::no_such_file_or_directory);
}

Outcome<FileStatus> status_of_name(const std::filesystem::path& path) noexcept {
  return status_of(path);
}

Outcome<FileStatus> status_of(const FileDescriptor& file) noexcept {
  const auto opened = opened_memory_file(file.get());
  if (opened == nullptr) return std::unexpected(std::errc::bad_file_descriptor);
  return FileStatus{.kind = FileKind::file,
                    .identity = {.device = 0, .inode = opened->number()},
                    .size = opened->bytes().size()};
}

bool exists(const std::filesystem::path& path) noexcept {
  return is_file(path) || is_folder(path);
}

bool is_file(const std::filesystem::path& path) noexcept {
  return find_memory_file(path.native()) != nullptr;
}

bool is_folder(const std::filesystem::path& path) noexcept {
  return is_memory_folder(path.native());
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  const std::vector<std::string> names = memory_files_in(folder.native());
  return {names.begin(), names.end()};
}

}  // namespace os

std::optional<FileIdentity> identity_of(const std::filesystem::path& path) {
  // A folder has no identity of its own. It exists if the name of a file begins with it.
  const auto status = os::status_of(path);
  if (!status || status->kind != FileKind::file) return std::nullopt;
  return status->identity;
}

std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path) {
  return identity_of(path);
}

std::optional<FileIdentity> identity_of(const FileDescriptor& file) {
  const auto status = os::status_of(file);
  if (!status) return std::nullopt;
  return status->identity;
}

}  // namespace embd
