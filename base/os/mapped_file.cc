#include "base/os/mapped_file.h"

#include <cstdint>

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
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
  if (file.size_ > 0) file.data_ = EMBD_TRY(result_of("map", path, map(opened, file.size_)));
  return file;
}

Bytes MappedFile::whole_pages(Bytes part, std::size_t page_size) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = (first + page_size - 1) / page_size * page_size;
  const std::uintptr_t end = (first + part.size()) / page_size * page_size;
  if (begin >= end) return {};
  return {reinterpret_cast<const std::byte*>(begin), end - begin};
}

}  // namespace embd
