#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd {

/// The file that `embd lock` writes and `embd check` compares with: probe texts, and the SHA-256 of
/// each one's vector (its float32 values, little-endian) in each arithmetic.
struct LockFile {
  std::filesystem::path model;  ///< relative to the lock file's folder
  Recipe recipe;                ///< without what belongs to a machine or a run
  std::vector<std::string> probes;
  std::map<std::string, std::vector<std::string>> sha256;  ///< by arithmetic, one a probe
  /// Version 1: the hashes are by set of kernels, from when these had bytes of their own.
  bool by_kernels = false;

  /// A JSON object, a line a member, so that a difference is easy to see.
  std::string text() const;
  /// Errors: bad_json, bad_value, bad_count, unsupported_version, and what reading files gives.
  static Result<LockFile> read(const std::filesystem::path& path);
};

}  // namespace embd
