#include "base/os/entries.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/os/file_status.h"
#include "base/os/process.h"
#include "base/os/windows/windows.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace os {
namespace {

/// Opens the entry itself for `access`.
Handle open_entry(const std::filesystem::path& path, DWORD access) noexcept {
  return Handle(::CreateFileW(
      path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
}

// Arguments of SetFileInformationByHandle() since Windows 10 1709, which headers may not have.
constexpr auto rename_class = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);  // FileRenameInfoEx
constexpr auto disposition_class =
    static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);  // …DispositionInfoEx
constexpr DWORD rename_replaces = 0x1;
constexpr DWORD rename_as_posix = 0x2;
constexpr DWORD rename_over_readonly = 0x40;
constexpr DWORD removes = 0x1;
constexpr DWORD removes_as_posix = 0x2;
constexpr DWORD removes_readonly = 0x10;
struct RenameInfo {
  DWORD flags;
  HANDLE folder;
  DWORD name_bytes;
  WCHAR name[1];
};

/// Returns true if the system or the file system does not know an operation.
bool is_unknown(DWORD error) noexcept {
  return error == ERROR_INVALID_PARAMETER || error == ERROR_NOT_SUPPORTED ||
         error == ERROR_INVALID_FUNCTION;
}

/// Renames once. The file at `to` may be open or mapped, if the system can replace it then.
Outcome<void> try_rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  {
    const Handle entry = open_entry(from, DELETE | SYNCHRONIZE);
    if (!entry.is_open()) return std::unexpected(last_error());
    std::error_code error;
    const std::wstring name = std::filesystem::absolute(to, error).native();
    if (error) return std::unexpected(std::errc::no_such_file_or_directory);
    const std::size_t name_bytes = name.size() * sizeof(wchar_t);
    std::vector<std::byte> bytes(sizeof(RenameInfo) + name_bytes);
    RenameInfo info = {.flags = rename_replaces | rename_as_posix | rename_over_readonly,
                       .folder = nullptr,
                       .name_bytes = static_cast<DWORD>(name_bytes),
                       .name = {}};
    std::memcpy(bytes.data(), &info, sizeof info);
    std::memcpy(bytes.data() + offsetof(RenameInfo, name), name.data(), name_bytes);
    if (::SetFileInformationByHandle(entry.get(), rename_class, bytes.data(),
                                     static_cast<DWORD>(bytes.size())) != FALSE)
      return {};
    if (!is_unknown(::GetLastError())) return std::unexpected(last_error());
  }
  return outcome_of(
      ::MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
}

/// Returns true if another program may be in the way, such as one that looks for viruses, which
/// opens each new file for a moment.
bool may_pass(std::errc reason) noexcept {
  return reason == std::errc::device_or_resource_busy || reason == std::errc::permission_denied;
}

/// Calls an operation again for a second at most, while another program may be in the way.
template <class Operation>
Outcome<void> patiently(Operation operation) noexcept {
  constexpr int most_tries = 50;
  for (int i = 1;; ++i) {
    const Outcome<void> done = operation();
    if (done || !may_pass(done.error()) || i == most_tries) return done;
    ::Sleep(20);
  }
}

}  // namespace

Outcome<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  const auto moved = status_of_name(from);
  if (!moved) return std::unexpected(moved.error());
  if (const auto replaced = status_of_name(to);
      replaced && replaced->identity != moved->identity && replaced->kind == FileKind::folder) {
    if (moved->kind != FileKind::folder) return std::unexpected(std::errc::is_a_directory);
    // A folder replaces an empty one elsewhere; here that one goes first.
    if (const auto removed = remove_folder(to); !removed) return removed;
  }
  return patiently([&] { return try_rename(from, to); });
}

Outcome<void> exchange(const std::filesystem::path& a, const std::filesystem::path& b) noexcept {
  for (const std::filesystem::path* path : {&a, &b})
    if (const auto status = status_of_name(*path); !status) return std::unexpected(status.error());
  return std::unexpected(std::errc::not_supported);
}

Outcome<void> remove_file(const std::filesystem::path& path) noexcept {
  return patiently([&]() -> Outcome<void> {
    {
      const Handle entry = open_entry(path, DELETE | FILE_READ_ATTRIBUTES);
      if (!entry.is_open()) return std::unexpected(last_error());
      BY_HANDLE_FILE_INFORMATION info = {};
      if (::GetFileInformationByHandle(entry.get(), &info) != FALSE &&
          (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 &&
          (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0)
        return std::unexpected(std::errc::is_a_directory);
      DWORD flags = removes | removes_as_posix | removes_readonly;
      if (::SetFileInformationByHandle(entry.get(), disposition_class, &flags, sizeof flags) !=
          FALSE)
        return {};
      if (!is_unknown(::GetLastError())) return std::unexpected(last_error());
    }
    return outcome_of(::DeleteFileW(path.c_str()));
  });
}

Outcome<void> remove_folder(const std::filesystem::path& path) noexcept {
  return outcome_of(::RemoveDirectoryW(path.c_str()));
}

// std::filesystem::remove_all() of GCC 12 tries without end to remove a folder with a file that is
// mapped.
Outcome<void> remove_tree(const std::filesystem::path& path) noexcept {
  try {
    const auto status = status_of_name(path);
    if (!status) return std::unexpected(status.error());
    if (status->kind != FileKind::folder) return remove_file(path);
    std::error_code error;
    std::vector<std::filesystem::path> inside;
    for (std::filesystem::directory_iterator entry(path, error), end; entry != end && !error;
         entry.increment(error))
      inside.push_back(entry->path());
    if (error) return std::unexpected(std::errc::io_error);
    for (const std::filesystem::path& entry : inside) {
      const auto removed = remove_tree(entry);
      if (!removed && removed.error() != std::errc::no_such_file_or_directory) return removed;
    }
    return remove_folder(path);
  } catch (const std::bad_alloc&) {
    return std::unexpected(std::errc::not_enough_memory);
  }
}

Outcome<void> make_folder(const std::filesystem::path& path, unsigned /*permissions*/) noexcept {
  return outcome_of(::CreateDirectoryW(path.c_str(), nullptr));
}

Outcome<std::filesystem::path> make_private_folder(const std::filesystem::path& prefix) {
  while (true) {
    std::string letters(6, 'a');
    std::uint64_t number = random_number();
    for (char& letter : letters) {
      letter = static_cast<char>('a' + number % 26);
      number /= 26;
    }
    std::filesystem::path path = prefix;
    path += path_of_text(letters);
    const auto made = make_folder(path, 0700);
    if (made) return path;
    if (made.error() != std::errc::file_exists) return std::unexpected(made.error());
  }
}

Outcome<void> make_link(const std::string& target, const std::filesystem::path& link) noexcept {
  const std::filesystem::path to = path_of_text(target);
  constexpr DWORD without_privilege = 0x2;  // in developer mode
  DWORD flags = without_privilege;
  if (is_folder(link.parent_path() / to)) flags |= SYMBOLIC_LINK_FLAG_DIRECTORY;
  if (::CreateSymbolicLinkW(link.c_str(), to.c_str(), flags) == 0)
    return std::unexpected(last_error());
  // Wine says that it has made the link, and has made none.
  const auto made = status_of_name(link);
  if (!made) return std::unexpected(std::errc::not_supported);
  return {};
}

bool is_permitted(const std::filesystem::path& path, Access access) noexcept {
  const DWORD wanted = access == Access::read ? GENERIC_READ : FILE_LIST_DIRECTORY;
  return Handle(::CreateFileW(path.c_str(), wanted,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                              OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr))
      .is_open();
}

}  // namespace os

Result<void> check_rename_to(const std::filesystem::path& target, bool may_be_directory) {
  const std::filesystem::path folder = directory_of(target);
  const auto around = os::status_of(folder);
  if (!around) return std::unexpected(system_error("create", target, around.error()));
  if (around->kind != FileKind::folder)
    return std::unexpected(system_error("create", target, std::errc::not_a_directory));
  const os::Handle opened(::CreateFileW(
      folder.c_str(), FILE_ADD_FILE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (!opened.is_open()) return std::unexpected(system_error("create", target, os::last_error()));
  const auto found = os::status_of_name(target);
  if (!found && found.error() == std::errc::no_such_file_or_directory) return {};
  if (!found) return std::unexpected(system_error("create", target, found.error()));
  if (found->kind == FileKind::folder && !may_be_directory)
    return fail_in(target, ErrorCode::io_failed, "the path names a directory, expected a file");
  return {};
}

}  // namespace embd
