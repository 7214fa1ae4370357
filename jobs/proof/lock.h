#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd {

/// The file that `embd lock` writes and `embd check` reads: probe texts, and the SHA-256 of the
/// vector of each (its float32 values, little-endian) in each arithmetic.
struct LockFile {
  std::filesystem::path model;  ///< relative to the folder of the lock file
  Recipe recipe;                ///< without fields that depend on a machine or a run
  std::vector<std::string> probes;
  std::map<std::string, std::vector<std::string>> sha256;  ///< a hash for each probe, by arithmetic
  /// True for version 1, whose hashes are by set of kernels, because each set had bytes of its own
  /// then.
  bool by_kernels = false;

  /// Returns the file as a JSON object with one member on each line, so that differences are easy
  /// to see.
  std::string text() const;
  /// Reads a lock file. Fails with bad_json, bad_value, bad_count or unsupported_version, and with
  /// the errors of reading files.
  static Result<LockFile> read(const std::filesystem::path& path);
};

}  // namespace embd
