#include "base/temporary_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/entries.h"
#include "base/os/file_status.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

/// Locks a file. Returns false if another process has the lock. Returns true on a file system
/// without locks, because no process can have one there.
bool lock(const FileDescriptor& descriptor) {
  const auto locked = descriptor.try_lock();
  return locked || locked.error() != std::errc::operation_would_block;
}

/// Removes the entry at `path` if no process works on it. Returns false if the entry stays.
bool remove_abandoned(const std::filesystem::path& path) {
  const auto found = FileDescriptor::try_open(path, Opening::read_entry);
  if (!found || !found->try_lock() || !names(path, *found)) return false;
  return os::remove_tree(path).has_value();
}

/// Creates a temporary entry with make(path), which creates a file or folder that must not exist
/// yet, and returns it open.
template <class Make>
Result<TemporaryEntry> create_entry(const std::filesystem::path& path, Make make) {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "no output path was given");
  for (unsigned number = 0;;) {
    TemporaryEntry entry;
    entry.path = path;
    entry.path += path_of_text(fmt::format(".embd-{}.tmp", number));
    if (auto made = make(entry.path)) {
      entry.descriptor = *std::move(made);
      // Before it was locked, another process may have removed it as abandoned.
      if (lock(entry.descriptor) && names(entry.path, entry.descriptor)) return entry;
    } else if (made.error() != std::errc::file_exists) {
      return std::unexpected(system_error("create", path, made.error()));
    }
    if (!remove_abandoned(entry.path)) ++number;
  }
}

constexpr std::size_t spilled_at_once = 1 << 20;

}  // namespace

bool names(const std::filesystem::path& path, const FileDescriptor& descriptor) {
  const auto named = identity_of_name(path);
  return named && named == identity_of(descriptor);
}

Result<FileDescriptor> open_locked(const std::filesystem::path& path, Opening how,
                                   const char* taken) {
  while (true) {
    FileDescriptor file = EMBD_TRY(FileDescriptor::open(path, how));
    if (!file.try_lock()) return fail_in(path, ErrorCode::io_failed, taken);
    if (identity_of(path) == identity_of(file)) return file;
  }
}

TemporaryPath::~TemporaryPath() {
  if (!path_.empty()) (void)os::remove_file(path_);
}

Result<TemporaryEntry> create_temporary_file(const std::filesystem::path& path) {
  return create_entry(path, [](const std::filesystem::path& name) {
    return FileDescriptor::try_open(name, Opening::create);
  });
}

Result<TemporaryFolder> TemporaryFolder::create(const std::filesystem::path& path, unsigned mode) {
  const auto make = [mode](const std::filesystem::path& name) -> os::Outcome<FileDescriptor> {
    if (const auto made = os::make_folder(name, mode); !made) return std::unexpected(made.error());
    auto directory = FileDescriptor::try_open(name, Opening::read_folder);
    if (directory) return directory;
    // Another process has removed it as abandoned. This is treated as if the name were taken.
    if (directory.error() == std::errc::no_such_file_or_directory)
      return std::unexpected(std::errc::file_exists);
    (void)os::remove_folder(name);
    return directory;
  };
  TemporaryEntry entry = EMBD_TRY(create_entry(path, make));
  TemporaryFolder folder;
  folder.path_ = std::move(entry.path);
  folder.lock_ = std::move(entry.descriptor);
  return folder;
}

TemporaryFolder::~TemporaryFolder() {
  // The folder is locked while it is removed. Otherwise another process could remove it as
  // abandoned and create its own under the same name, which would be removed here.
  if (path_.empty() || os::remove_tree(path_)) return;
  (void)lock_.close();  // This process may need the descriptor to remove the folder.
  (void)os::remove_tree(path_);
}

SpillFile SpillFile::beside(const std::filesystem::path& output) {
  SpillFile file;
  std::error_code ignored;
  if (is_written_in_place(output)) {
    file.directory_ = std::filesystem::temp_directory_path(ignored);
  } else {
    // A directory "out.svs/" may not be there yet.
    file.directory_ = directory_of(without_trailing_slash(output));
  }
  return file;
}

Result<void> SpillFile::create() {
  file_ = EMBD_TRY(create_unnamed_file(directory_));
  return {};
}

Result<void> SpillFile::flush() {
  EMBD_TRY(file_.write(buffer_, directory_));
  buffer_.clear();
  return {};
}

Result<void> SpillFile::write(Bytes bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > spilled_at_once) {
    if (!file_.is_open()) EMBD_TRY(create());
    EMBD_TRY(flush());
    if (bytes.size() >= spilled_at_once) return file_.write(bytes, directory_);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> SpillFile::read(std::uint64_t offset, std::span<std::byte> out) {
  if (!file_.is_open()) {
    std::ranges::copy(Bytes(buffer_).subspan(offset, out.size()), out.begin());
    return {};
  }
  EMBD_TRY(flush());
  return file_.read_at(offset, out, directory_);
}

Result<void> SpillFile::copy_to(OutputFile& out, std::uint64_t offset, std::uint64_t count) {
  if (!file_.is_open()) return out.write(Bytes(buffer_).subspan(offset, count));
  EMBD_TRY(flush());
  return out.append_from(file_, offset, count);
}

}  // namespace embd
