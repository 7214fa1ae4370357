#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/os/file_descriptor.h"

namespace embd {

/// Which file a name leads to, whatever the name is: device and inode.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

enum class FileKind { file, folder, link, character_device, other };

/// A point in time, since 1970.
struct FileTime {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  bool operator==(const FileTime&) const = default;
};

/// The attributes of a file that the system tells without reading it.
struct FileStatus {
  FileKind kind = FileKind::other;
  FileIdentity identity;
  std::uint64_t size = 0;  ///< bytes
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  unsigned permissions = 0;  ///< such as 0644, with the bits for set-user, set-group and sticky
  FileTime modified;         ///< when its bytes changed last
  FileTime changed;          ///< when its bytes or its status changed last
};

namespace os {

/// Of what `path` leads to, symbolic links followed.
Outcome<FileStatus> status_of(const std::filesystem::path& path) noexcept;
/// Of what `path` itself names, be it a symbolic link.
Outcome<FileStatus> status_of_name(const std::filesystem::path& path) noexcept;
Outcome<FileStatus> status_of(const FileDescriptor& file) noexcept;
Outcome<FileStatus> status_of_standard_output() noexcept;

/// Whether anything is there; false also where the system does not say. Symbolic links are
/// followed by all three.
bool exists(const std::filesystem::path& path) noexcept;
bool is_file(const std::filesystem::path& path) noexcept;
bool is_folder(const std::filesystem::path& path) noexcept;
/// The regular files, and links to some, directly in `folder`, in no order; none if it cannot be
/// read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

}  // namespace os

/// The identity in what os::status_of() says; nullopt if nothing is there.
std::optional<FileIdentity> identity_of(const std::filesystem::path& path);
std::optional<FileIdentity> identity_of_name(const std::filesystem::path& path);
std::optional<FileIdentity> identity_of(const FileDescriptor& file);

}  // namespace embd
