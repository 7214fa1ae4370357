#include "base/os/file_status.h"

// Functions that take a file's attributes in the same way on every system that has them.
namespace embd {
namespace {

std::optional<FileIdentity> identity_in(const os::Outcome<FileStatus>& status) {
  if (!status) return std::nullopt;
  return status->identity;
}

}  // namespace

namespace os {

bool exists(const std::filesystem::path& path) noexcept {
  return status_of(path).has_value();
}

bool is_file(const std::filesystem::path& path) noexcept {
  const auto status = status_of(path);
  return status && status->kind == FileKind::file;
}

bool is_folder(const std::filesystem::path& path) noexcept {
  const auto status = status_of(path);
  return status && status->kind == FileKind::folder;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  return files;
}

}  // namespace os

std::optional<FileIdentity> identity_of(const std::filesystem::path& path) {
  return identity_in(os::status_of(path));
}

std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path) {
  return identity_in(os::status_of_name(path));
}

std::optional<FileIdentity> identity_of(const FileDescriptor& file) {
  return identity_in(os::status_of(file));
}

}  // namespace embd
