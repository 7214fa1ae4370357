#include "base/os/mapped_file.h"

#include <cstdint>

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/windows/windows.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  return of(EMBD_TRY(FileDescriptor::open(path)), path);
}

Result<MappedFile> MappedFile::of(const FileDescriptor& opened, const std::filesystem::path& path) {
  const FileStatus status = EMBD_TRY(result_of("stat", path, os::status_of(opened)));
  if (status.kind != FileKind::file)
    return fail_in(
        path, ErrorCode::io_failed,
        "the path does not name a regular file: name a file, not a directory, device or pipe");
  MappedFile file;
  file.path_ = path;
  file.size_ = static_cast<std::size_t>(status.size);
  if (file.size_ == 0) return file;
  const HANDLE mapping =
      ::CreateFileMappingW(os::handle_of(opened.get()), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) return std::unexpected(system_error("map", path, os::last_error()));
  // The bytes stay mapped after the mapping is closed.
  const os::Handle closed_behind(mapping);
  const void* data = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, file.size_);
  if (data == nullptr) return std::unexpected(system_error("map", path, os::last_error()));
  file.data_ = static_cast<const std::byte*>(data);
  return file;
}

void MappedFile::release(Bytes part) noexcept {
  SYSTEM_INFO system = {};
  ::GetSystemInfo(&system);
  const std::uintptr_t page = system.dwPageSize;
  const auto first = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = (first + page - 1) / page * page;
  const std::uintptr_t end = (first + part.size()) / page * page;
  if (begin >= end) return;
  // Unlocking pages that are not locked fails, and takes them out of the memory of the process.
  ::VirtualUnlock(reinterpret_cast<void*>(begin), end - begin);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::UnmapViewOfFile(data_);
}

}  // namespace embd
