#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/os/file_descriptor.h"

namespace embd {

/// The identity of a file, whatever its name: its device and inode.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

enum class FileKind { file, folder, link, character_device, other };

/// A point in time, counted from the beginning of 1970.
struct FileTime {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  bool operator==(const FileTime&) const = default;
};

/// The attributes of a file, which can be had without reading it.
struct FileStatus {
  FileKind kind = FileKind::other;
  FileIdentity identity;
  std::uint64_t size = 0;  ///< in bytes
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  unsigned permissions = 0;  ///< such as 0644, including the set-user, set-group and sticky bits
  FileTime modified;         ///< time of the last change of its bytes
  FileTime changed;          ///< time of the last change of its bytes or its attributes
};

namespace os {

/// Returns the attributes of the file that `path` leads to, following symbolic links.
Outcome<FileStatus> status_of(const std::filesystem::path& path) noexcept;
/// Returns the attributes of the entry `path` itself, which may be a symbolic link.
Outcome<FileStatus> status_of_name(const std::filesystem::path& path) noexcept;
Outcome<FileStatus> status_of(const FileDescriptor& file) noexcept;
Outcome<FileStatus> status_of_standard_output() noexcept;

/// Return true if anything, a regular file or a folder is at `path`, following symbolic links;
/// false also if the system does not tell.
bool exists(const std::filesystem::path& path) noexcept;
bool is_file(const std::filesystem::path& path) noexcept;
bool is_folder(const std::filesystem::path& path) noexcept;
/// Returns the regular files directly in `folder`, and links to such files, in no particular order;
/// none if the folder cannot be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

}  // namespace os

/// Return the identity in the attributes that os::status_of() or os::status_of_name() returns;
/// nullopt if nothing is there.
std::optional<FileIdentity> identity_of(const std::filesystem::path& path);
std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path);
std::optional<FileIdentity> identity_of(const FileDescriptor& file);

/// Gives `file` the owner, the group and the permissions of the file that it is to replace, as far
/// as the system permits. If the group cannot be set, the file's own group gets only the
/// permissions that everybody has.
void take_attributes(const FileDescriptor& file, const FileStatus& replaced);

/// Gives the folder `path` the owner, the group and the permissions of the folder `replaced`, and
/// everything in it those of the entry with the same name in `replaced`, if there is one. Symbolic
/// links are not changed.
void take_attributes(const std::filesystem::path& path, const std::filesystem::path& replaced);

/// Returns one line of text that identifies the state of an open file without reading it: its
/// identity, its size and the time of its last change. If the file is at rest (see is_at_rest()),
/// equal stamps mean equal bytes. Returns nothing if the file system does not record every change;
/// ext2 to ext4, XFS and Btrfs on Linux 5.8 and later do. Thread-safe.
std::optional<std::string> stamp_of(const FileDescriptor& file);

/// Returns true if the last change is over: nobody has the file open or mapped for writing, and
/// enough time has passed that another change would give another stamp. `file` must be open for
/// reading. Returns false if the system does not tell; it tells only root about another user's
/// file. Thread-safe.
bool is_at_rest(const FileDescriptor& file);

}  // namespace embd
