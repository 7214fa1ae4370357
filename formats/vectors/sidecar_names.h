#pragma once

#include <filesystem>
#include <vector>

// Files beside a vector set for what its format has no room for: OUT.ids.jsonl, one JSON string or
// number a line; OUT.recipe.json, which also says to which vectors the files belong; and
// OUT.ranges.npy, the ranges of int8 codes.
namespace embd {

std::filesystem::path ids_path(const std::filesystem::path& vectors);
std::filesystem::path recipe_path(const std::filesystem::path& vectors);
std::filesystem::path ranges_path(const std::filesystem::path& vectors);
/// All three.
std::vector<std::filesystem::path> sidecar_paths(const std::filesystem::path& vectors);

}  // namespace embd
