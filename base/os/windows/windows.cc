#include "base/os/windows/windows.h"

#include <array>

#include "base/path_text.h"

namespace embd::os {
namespace {

struct Reason {
  DWORD error;
  std::errc reason;
};

constexpr std::array reasons = {
    Reason{ERROR_FILE_NOT_FOUND, std::errc::no_such_file_or_directory},
    Reason{ERROR_PATH_NOT_FOUND, std::errc::no_such_file_or_directory},
    // No file can have such a name.
    Reason{ERROR_INVALID_NAME, std::errc::no_such_file_or_directory},
    Reason{ERROR_BAD_PATHNAME, std::errc::no_such_file_or_directory},
    Reason{ERROR_BAD_NETPATH, std::errc::no_such_file_or_directory},
    Reason{ERROR_INVALID_DRIVE, std::errc::no_such_file_or_directory},
    Reason{ERROR_FILENAME_EXCED_RANGE, std::errc::filename_too_long},
    Reason{ERROR_DIRECTORY, std::errc::not_a_directory},
    Reason{ERROR_ACCESS_DENIED, std::errc::permission_denied},
    Reason{ERROR_PRIVILEGE_NOT_HELD, std::errc::operation_not_permitted},
    Reason{ERROR_WRITE_PROTECT, std::errc::read_only_file_system},
    Reason{ERROR_SHARING_VIOLATION, std::errc::device_or_resource_busy},
    Reason{ERROR_USER_MAPPED_FILE, std::errc::device_or_resource_busy},
    Reason{ERROR_BUSY, std::errc::device_or_resource_busy},
    Reason{ERROR_LOCK_VIOLATION, std::errc::operation_would_block},
    Reason{ERROR_FILE_EXISTS, std::errc::file_exists},
    Reason{ERROR_ALREADY_EXISTS, std::errc::file_exists},
    Reason{ERROR_DIR_NOT_EMPTY, std::errc::directory_not_empty},
    Reason{ERROR_NOT_SAME_DEVICE, std::errc::cross_device_link},
    Reason{ERROR_DISK_FULL, std::errc::no_space_on_device},
    Reason{ERROR_HANDLE_DISK_FULL, std::errc::no_space_on_device},
    Reason{ERROR_FILE_TOO_LARGE, std::errc::file_too_large},
    Reason{ERROR_NOT_ENOUGH_MEMORY, std::errc::not_enough_memory},
    Reason{ERROR_OUTOFMEMORY, std::errc::not_enough_memory},
    Reason{ERROR_COMMITMENT_LIMIT, std::errc::not_enough_memory},
    Reason{ERROR_TOO_MANY_OPEN_FILES, std::errc::too_many_files_open},
    Reason{ERROR_BROKEN_PIPE, std::errc::broken_pipe},
    Reason{ERROR_NO_DATA, std::errc::broken_pipe},
    Reason{ERROR_INVALID_HANDLE, std::errc::bad_file_descriptor},
    Reason{ERROR_INVALID_PARAMETER, std::errc::invalid_argument},
    Reason{ERROR_NOT_SUPPORTED, std::errc::not_supported},
    Reason{ERROR_CANT_RESOLVE_FILENAME, std::errc::too_many_symbolic_link_levels},
};

}  // namespace

std::errc reason_of(DWORD error) noexcept {
  for (const Reason& known : reasons)
    if (known.error == error) return known.reason;
  return std::errc::io_error;
}

std::string utf8_of(std::wstring_view text) {
  const int length = static_cast<int>(text.size());
  const int size =
      ::WideCharToMultiByte(CP_UTF8, 0, text.data(), length, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<std::size_t>(size), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), length, out.data(), size, nullptr, nullptr);
  return out;
}

std::wstring wide_of(std::string_view text) {
  return path_of_text(text).native();
}

}  // namespace embd::os
