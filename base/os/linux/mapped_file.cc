#include "base/os/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/linux/last_error.h"
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
  void* data = ::mmap(nullptr, file.size_, PROT_READ, MAP_SHARED, opened.get(), 0);
  if (data == MAP_FAILED) return std::unexpected(system_error("map", path, os::last_error()));
  file.data_ = static_cast<const std::byte*>(data);
  return file;
}

void MappedFile::release(Bytes part) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = (first + page - 1) / page * page;
  const std::uintptr_t end = (first + part.size()) / page * page;
  if (begin >= end) return;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace embd
