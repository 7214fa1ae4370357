#include "base/os/wasm/memory_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/os/process.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd::os {
namespace {

struct Files {
  std::map<std::string, std::shared_ptr<const MemoryFile>, std::less<>> by_name;
  std::map<int, std::shared_ptr<const MemoryFile>> open;
  std::uint64_t last_number = 0;
  int last_opened = 0;
};

Files& files() {
  static Files all;
  return all;
}

std::string_view without_slash(std::string_view folder) noexcept {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return folder;
}

bool is_under(std::string_view name, std::string_view folder) noexcept {
  return name.size() > folder.size() + 1 && name.starts_with(folder) && name[folder.size()] == '/';
}

}  // namespace

void MemoryFile::Free::operator()(std::byte* data) const noexcept {
  os::free_aligned(data);
}

Result<void> add_memory_file(std::string_view name, std::byte* data, std::size_t size) {
  if (name.empty())
    return fail(ErrorCode::invalid_argument,
                "the name of the file is empty, expected at least one character");
  if (files().by_name.contains(name))
    return fail(ErrorCode::invalid_argument, "a file named {} exists already: choose another name",
                name);
  const auto file = std::make_shared<MemoryFile>(size, files().last_number + 1);
  files().by_name.emplace(name, file);
  ++files().last_number;
  file->take(data);  // Nothing can fail any more.
  return {};
}

Result<void> remove_memory_file(std::string_view name) {
  const auto found = files().by_name.find(name);
  if (found == files().by_name.end())
    return fail(ErrorCode::not_found, "no file is named {}", name);
  files().by_name.erase(found);
  return {};
}

std::shared_ptr<const MemoryFile> find_memory_file(std::string_view name) noexcept {
  const auto found = files().by_name.find(name);
  return found == files().by_name.end() ? nullptr : found->second;
}

bool is_memory_folder(std::string_view name) noexcept {
  name = without_slash(name);
  const auto next = files().by_name.lower_bound(name);
  for (auto file = next; file != files().by_name.end() && file->first.starts_with(name); ++file)
    if (is_under(file->first, name)) return true;
  return false;
}

std::vector<std::string> memory_files_in(std::string_view folder) {
  folder = without_slash(folder);
  std::vector<std::string> names;
  for (const auto& [name, file] : files().by_name) {
    if (is_under(name, folder) && name.find('/', folder.size() + 1) == std::string::npos)
      names.push_back(name);
  }
  return names;
}

int open_memory_file(std::shared_ptr<const MemoryFile> file) {
  files().open.emplace(files().last_opened + 1, std::move(file));
  return ++files().last_opened;
}

std::shared_ptr<const MemoryFile> opened_memory_file(int number) noexcept {
  const auto found = files().open.find(number);
  return found == files().open.end() ? nullptr : found->second;
}

void close_memory_file(int number) noexcept {
  files().open.erase(number);
}

}  // namespace embd::os

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

os::Outcome<FileDescriptor> FileDescriptor::try_open(const std::filesystem::path& path,
                                                     Opening how) noexcept {
  if (how != Opening::read && how != Opening::read_entry && how != Opening::identify)
    return os::no_system();
  auto file = os::find_memory_file(path.native());
  if (file == nullptr) return std::unexpected(std::errc::no_such_file_or_directory);
  return FileDescriptor(os::open_memory_file(std::move(file)));
}

os::Outcome<FileDescriptor> FileDescriptor::duplicate(int /*number*/) noexcept {
  return os::no_system();
}

os::Outcome<void> FileDescriptor::close() noexcept {
  os::close_memory_file(std::exchange(fd_, -1));
  return {};
}

Result<void> FileDescriptor::write(Bytes /*bytes*/, const std::filesystem::path& path) const {
  return result_of("write", path, os::Outcome<void>(os::no_system()));
}

Result<void> FileDescriptor::write_at(std::uint64_t /*offset*/, Bytes bytes,
                                      const std::filesystem::path& path) const {
  return write(bytes, path);
}

Result<void> FileDescriptor::read_at(std::uint64_t offset, std::span<std::byte> out,
                                     const std::filesystem::path& path) const {
  const auto file = os::opened_memory_file(fd_);
  if (file == nullptr || offset > file->bytes().size() ||
      out.size() > file->bytes().size() - offset)
    return fail_in(path, ErrorCode::io_failed,
                   "the file ends before the last byte that was to be read");
  std::ranges::copy(file->bytes().subspan(static_cast<std::size_t>(offset), out.size()),
                    out.begin());
  return {};
}

Result<std::size_t> FileDescriptor::read_some(std::span<std::byte> /*out*/,
                                              const std::filesystem::path& path) const {
  return result_of("read", path, os::Outcome<std::size_t>(os::no_system()));
}

os::Outcome<void> FileDescriptor::resize(std::uint64_t /*size*/) const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::sync() const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::set_permissions(unsigned /*permissions*/) const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::lock() const noexcept {
  return os::no_system();
}
os::Outcome<void> FileDescriptor::try_lock() const noexcept {
  return os::no_system();
}

namespace {

/// A file that is mapped, and the number of its mappings.
struct Mapped {
  std::shared_ptr<const os::MemoryFile> file;
  int users = 0;
};
std::map<const std::byte*, Mapped>& mapped_files() {
  static std::map<const std::byte*, Mapped> all;
  return all;
}

}  // namespace

os::Outcome<const std::byte*> MappedFile::map(const FileDescriptor& opened, std::size_t /*size*/) {
  auto memory = os::opened_memory_file(opened.get());
  if (memory == nullptr) return std::unexpected(std::errc::bad_file_descriptor);
  const std::byte* data = memory->bytes().data();
  Mapped& mapped = mapped_files()[data];
  mapped.file = std::move(memory);
  ++mapped.users;
  return data;
}

/// Does nothing, because the bytes are not in any other place.
void MappedFile::release(Bytes /*part*/) noexcept {}

MappedFile::~MappedFile() {
  const auto found = mapped_files().find(data_);
  if (found != mapped_files().end() && --found->second.users == 0) mapped_files().erase(found);
}

}  // namespace embd
