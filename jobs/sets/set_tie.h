#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "embd/error.h"

namespace embd {

/// The hashes that tie the files beside a vector set to it and to each other: the member "files" of
/// OUT.recipe.json. docs/decisions/032-sets-of-files.md explains why.
struct SetTie {
  std::string vectors;  ///< fingerprint() of the vectors
  std::string ids;      ///< SHA-256 of OUT.ids.jsonl; empty if there is none
  std::string ranges;   ///< SHA-256 of OUT.ranges.npy; empty if there is none
};

/// The name of the member of OUT.recipe.json that holds the digest of the rows.
inline constexpr const char* digest_member = "digest";

/// Stores a tie in the object of OUT.recipe.json.
void set_tie(nlohmann::json& recipe, const SetTie& tie);

/// Reads the tie in the text of OUT.recipe.json. Returns nullopt if there is none, as in files of
/// other programs and of older versions, and if the text is no JSON object.
std::optional<SetTie> tie_in(const std::string& recipe);

/// Returns the SHA-256 of a file.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace embd
