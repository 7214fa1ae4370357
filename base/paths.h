#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/file_status.h"
#include "embd/error.h"

namespace embd {

/// Returns a path without a slash at its end: "out.svs/" becomes "out.svs".
std::filesystem::path without_trailing_slash(const std::filesystem::path& path);

/// Returns the path of a companion file, whose name is the name of `path` and `suffix`: "out.npy"
/// and ".ids.jsonl" make "out.npy.ids.jsonl", "out.svs/" makes "out.svs.ids.jsonl".
std::filesystem::path path_beside(const std::filesystem::path& path, std::string_view suffix);

/// Follows the symbolic links at `path` and returns where they end: a file, or a name where no file
/// is yet. If they lead to a file that a process has open, the result is its entry in the list of
/// open files, such as /proc/PID/fd/5.
std::filesystem::path follow_links(std::filesystem::path path);

/// Returns true if output to `path` must be written in place, because a rename cannot replace it: a
/// device, a pipe, or a file that the system opened for this process (/dev/stdout, /dev/fd/5),
/// wherever that leads.
bool is_written_in_place(const std::filesystem::path& path);

/// Returns the number of this process's open file that `path` names (/dev/stdout, /dev/fd/5,
/// /proc/self/fd/5); nullopt for every other path.
std::optional<int> open_file_number(const std::filesystem::path& path);

/// Returns the directory that contains the file or directory `path`.
std::filesystem::path directory_of(const std::filesystem::path& path);

/// Syncs the directory that contains `path` to the disk, so that a file that was just renamed keeps
/// its name if the power fails.
Result<void> sync_directory_of(const std::filesystem::path& path);

/// Renames the directory `from` to `to`. A file or directory that was at `to` is at `from`
/// afterwards; a directory may have been removed instead, on a file system that cannot exchange
/// names.
Result<void> exchange_directory(const std::filesystem::path& to, const std::filesystem::path& from);

/// Removes `path` and everything in it, as far as possible, without reporting errors: for
/// destructors.
void remove_if_possible(const std::filesystem::path& path) noexcept;

/// Collects the paths that a job reads and writes, each with a word that names its role to the
/// user, and checks that none is overwritten by mistake. Two paths are equal if they lead to the
/// same file, or to the same name in the same directory if no file is there yet, however they are
/// spelled, and through symbolic and hard links.
class PathRoles {
 public:
  /// Adds a path that is read. An empty path, and "-" for standard input, are ignored.
  void reads(const std::string& role, const std::filesystem::path& path);
  /// Adds a directory of which every file is read.
  void reads_folder(const std::string& role, const std::filesystem::path& path);
  /// Adds a path that is replaced or removed, a directory with everything in it. "-" stands for the
  /// file that standard output leads to. An empty path is ignored.
  void writes(const std::string& role, const std::filesystem::path& path);

  /// Fails with invalid_argument, naming both roles, if a path that is written also has another
  /// role, if a directory that is replaced contains another path, or if an existing file in a
  /// directory that is read is written.
  Result<void> check() const;

 private:
  enum class Use { read, read_folder, write };
  struct Place {
    FileIdentity file;  ///< the file; or the directory in which `name` is to be created
    std::string name;   ///< empty if the file exists
    bool operator==(const Place&) const = default;
  };
  struct Entry {
    std::string role;
    std::filesystem::path path;
    Use use;
    std::optional<Place> place;  ///< nullopt if it can equal no other path
    /// The directories that contain it, the nearest first.
    std::vector<FileIdentity> folders;
  };
  void add(const std::string& role, const std::filesystem::path& path, Use use);
  static std::optional<Place> place_of(const std::filesystem::path& path, Use use);
  static bool collide(const Entry& written, const Entry& other);

  std::vector<Entry> entries_;
};

}  // namespace embd
