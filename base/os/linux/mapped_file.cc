#include "base/os/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/os/file_descriptor.h"
#include "base/os/linux/last_error.h"

namespace embd {

os::Outcome<const std::byte*> MappedFile::map(const FileDescriptor& opened, std::size_t size) {
  const void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, opened.get(), 0);
  if (data == MAP_FAILED) return std::unexpected(os::last_error());
  return static_cast<const std::byte*>(data);
}

void MappedFile::release(Bytes part) noexcept {
  const Bytes pages = whole_pages(part, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  if (pages.empty()) return;
  ::madvise(const_cast<std::byte*>(pages.data()), pages.size(), MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace embd
