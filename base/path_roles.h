#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/os/file_status.h"
#include "embd/error.h"

namespace embd {

/// The paths that a verb reads and writes, each with the word that names it to the user. Two paths
/// are one if they lead to the same file, or to the same name in the same directory where no file
/// is yet: however they are spelled, through symbolic links or hard links.
class PathRoles {
 public:
  /// An empty path, and "-" for standard input, are nothing to check.
  void reads(const std::string& role, const std::filesystem::path& path);
  /// Everything in the directory.
  void reads_folder(const std::string& role, const std::filesystem::path& path);
  /// Replaced, or removed; a directory is with all that is in it. "-" is standard output.
  void writes(const std::string& role, const std::filesystem::path& path);

  /// Error: invalid_argument, naming both, if what is written has another role, too, is or lies in
  /// a directory that is replaced, or is one of the files in a folder that is read.
  Result<void> check() const;

 private:
  enum class Use { read, read_folder, write };
  struct Place {
    FileIdentity file;  ///< or the directory that `name` is to be in
    std::string name;   ///< empty: the file is there
    bool operator==(const Place&) const = default;
  };
  struct Entry {
    std::string role;
    std::filesystem::path path;
    Use use;
    std::optional<Place> place;         ///< nullopt: it can be no other path
    std::vector<FileIdentity> folders;  ///< that it lies in, the nearest first
  };
  void add(const std::string& role, const std::filesystem::path& path, Use use);
  static std::optional<Place> place_of(const std::filesystem::path& path, Use use);
  static bool collide(const Entry& written, const Entry& other);

  std::vector<Entry> entries_;
};

}  // namespace embd
