// Private to jobs/sets
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include "embd/error.h"

namespace embd {

/// Returns 32 hex digits that identify the content of a file or an SVS directory. For a file over 1
/// MiB they cover its length and 64 blocks of 4 KiB, spread evenly from its first to its last byte,
/// so that a file of any size takes the same short time.
Result<std::string> fingerprint(const std::filesystem::path& path);

/// The hashes that tie the files beside a vector set to it and to each other: the member "files" of
/// OUT.recipe.json. docs/decisions/032-sets-of-files.md explains why.
struct SetTie {
  std::string vectors;  ///< fingerprint() of the vectors
  std::string ids;      ///< SHA-256 of OUT.ids.jsonl; empty if there is none
  std::string ranges;   ///< SHA-256 of OUT.ranges.npy; empty if there is none
};

/// The names of the members of OUT.recipe.json that hold the digest of the rows, and the
/// certificate of an index.
inline constexpr const char* digest_member = "digest";
inline constexpr const char* certificate_member = "certificate";

/// Stores a tie in the object of OUT.recipe.json.
void set_tie(nlohmann::json& recipe, const SetTie& tie);

/// Reads the tie in the text of OUT.recipe.json. Returns nullopt if there is none, as in files of
/// other programs and of older versions, and if the text is no JSON object.
std::optional<SetTie> tie_in(const std::string& recipe);

/// Returns the SHA-256 of a file.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace embd
