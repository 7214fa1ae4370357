// Private to jobs/sets
#pragma once

#include <filesystem>

// The names of the files beside a vector set OUT. OUT.ids.jsonl has the ids, one JSON string or
// number per line. OUT.recipe.json has the recipe and the hashes that tie the files to the vectors.
// OUT.ranges.npy has the ranges of int8 codes.
namespace embd {

std::filesystem::path ids_path(const std::filesystem::path& vectors);
std::filesystem::path recipe_path(const std::filesystem::path& vectors);
std::filesystem::path ranges_path(const std::filesystem::path& vectors);

}  // namespace embd
