#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "embd/error.h"

namespace embd {

/// Ties the files beside a vector set to it and to each other: the member "files" of
/// OUT.recipe.json. docs/decisions/032-sets-of-files.md says why.
struct SetTie {
  std::string vectors;  ///< fingerprint() of the vectors
  std::string ids;      ///< SHA-256 of OUT.ids.jsonl; empty: there was none
  std::string ranges;   ///< SHA-256 of OUT.ranges.npy; empty: there was none
};

/// The member of OUT.recipe.json that is the digest of the rows.
inline constexpr const char* digest_member = "digest";

/// Puts it into the object of OUT.recipe.json.
void set_tie(nlohmann::json& recipe, const SetTie& tie);

/// The tie in the text of OUT.recipe.json; nullopt where it has none, as files of other makers and
/// of older versions do, and where it is no JSON object.
std::optional<SetTie> tie_in(const std::string& recipe);

/// SHA-256 of a file.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace embd
