#include "base/os/unnamed_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/os/posix/last_error.h"
#include "base/system_error.h"

namespace embd {

Result<FileDescriptor> create_unnamed_file(const std::filesystem::path& directory) {
  FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  // A file system without O_TMPFILE: a name that nobody can guess, removed at once.
  std::string name = (directory / ".embd-XXXXXX").native();
  file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open())
    return std::unexpected(system_error("create a temporary file in", directory, os::last_error()));
  ::unlink(name.c_str());
  return file;
}

os::Outcome<FileDescriptor> create_file_in_memory(const char* name) noexcept {
  FileDescriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (!file.is_open()) return std::unexpected(os::last_error());
  return file;
}

}  // namespace embd
