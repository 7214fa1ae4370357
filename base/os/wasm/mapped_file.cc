#include "base/os/mapped_file.h"

#include <map>
#include <utility>

#include "base/os/file_descriptor.h"
#include "base/os/wasm/memory_files.h"
#include "base/try.h"

namespace embd {
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

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  return of(EMBD_TRY(FileDescriptor::open(path)), path);
}

Result<MappedFile> MappedFile::of(const FileDescriptor& opened, const std::filesystem::path& path) {
  auto memory = os::opened_memory_file(opened.get());
  if (memory == nullptr)
    return fail_in(
        path, ErrorCode::io_failed,
        "the path does not name a regular file: name a file, not a directory, device or pipe");
  MappedFile file;
  file.path_ = path;
  file.size_ = memory->bytes().size();
  Mapped& mapped = mapped_files()[memory->bytes().data()];
  file.data_ = memory->bytes().data();
  mapped.file = std::move(memory);
  ++mapped.users;
  return file;
}

/// Does nothing, because the bytes are not in any other place.
void MappedFile::release(Bytes /*part*/) noexcept {}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  const auto found = mapped_files().find(data_);
  if (found != mapped_files().end() && --found->second.users == 0) mapped_files().erase(found);
}

}  // namespace embd
