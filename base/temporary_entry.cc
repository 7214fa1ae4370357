#include "base/temporary_entry.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_identity.h"
#include "base/system_error.h"

namespace embd {
namespace {

/// False if another process has the lock. A file system without locks has nobody to respect them.
bool lock(const FileDescriptor& descriptor) {
  return ::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// Removes what is there if nobody is at work on it; false if it stays.
bool remove_abandoned(const std::filesystem::path& path) {
  const FileDescriptor found(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!found.is_open() || ::flock(found.get(), LOCK_EX | LOCK_NB) != 0 || !names(path, found))
    return false;
  std::error_code error;
  return std::filesystem::remove_all(path, error) > 0 && !error;
}

/// `make` creates what must not be there yet and returns it open, or not open and errno.
template <class Make>
Result<TemporaryEntry> create(const std::filesystem::path& path, Make make) {
  for (unsigned number = 0;;) {
    TemporaryEntry entry;
    entry.path = path;
    entry.path += fmt::format(".embd-{}.tmp", number);
    entry.descriptor = make(entry.path);
    if (entry.descriptor.is_open()) {
      // Between opening and locking it may have been taken for abandoned.
      if (lock(entry.descriptor) && names(entry.path, entry.descriptor)) return entry;
    } else if (errno != EEXIST) {
      return std::unexpected(system_error("create", path));
    }
    if (!remove_abandoned(entry.path)) ++number;
  }
}

}  // namespace

bool names(const std::filesystem::path& path, const FileDescriptor& descriptor) {
  const auto named = identity_of_name(path);
  return named && named == identity_of(descriptor);
}

Result<TemporaryEntry> create_temporary_file(const std::filesystem::path& path) {
  return create(path, [](const std::filesystem::path& name) {
    return FileDescriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  });
}

Result<TemporaryEntry> create_temporary_directory(const std::filesystem::path& path,
                                                  unsigned mode) {
  return create(path, [mode](const std::filesystem::path& name) {
    if (::mkdir(name.c_str(), mode) != 0) return FileDescriptor();
    FileDescriptor directory(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.is_open()) return directory;
    const int reason = errno;
    ::rmdir(name.c_str());
    // Taken for abandoned before it could be locked: as if the name were taken.
    errno = reason == ENOENT ? EEXIST : reason;
    return directory;
  });
}

}  // namespace embd
