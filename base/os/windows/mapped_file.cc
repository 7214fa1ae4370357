#include "base/os/mapped_file.h"

#include "base/os/file_descriptor.h"
#include "base/os/windows/windows.h"

namespace embd {

os::Outcome<const std::byte*> MappedFile::map(const FileDescriptor& opened, std::size_t size) {
  const HANDLE mapping =
      ::CreateFileMappingW(os::handle_of(opened.get()), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) return std::unexpected(os::last_error());
  // The bytes stay mapped after the mapping is closed.
  const os::Handle closed_behind(mapping);
  const void* data = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  if (data == nullptr) return std::unexpected(os::last_error());
  return static_cast<const std::byte*>(data);
}

void MappedFile::release(Bytes part) noexcept {
  SYSTEM_INFO system = {};
  ::GetSystemInfo(&system);
  const Bytes pages = whole_pages(part, system.dwPageSize);
  if (pages.empty()) return;
  // Unlocking pages that are not locked fails, and takes them out of the memory of the process.
  ::VirtualUnlock(const_cast<std::byte*>(pages.data()), pages.size());
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::UnmapViewOfFile(data_);
}

}  // namespace embd
