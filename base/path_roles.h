#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/os/file_status.h"
#include "embd/error.h"

namespace embd {

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
