#include "formats/vectors/sidecar_names.h"

#include "base/path_names.h"

namespace embd {

std::filesystem::path ids_path(const std::filesystem::path& vectors) {
  return path_beside(vectors, ".ids.jsonl");
}

std::filesystem::path recipe_path(const std::filesystem::path& vectors) {
  return path_beside(vectors, ".recipe.json");
}

std::filesystem::path ranges_path(const std::filesystem::path& vectors) {
  return path_beside(vectors, ".ranges.npy");
}

std::vector<std::filesystem::path> sidecar_paths(const std::filesystem::path& vectors) {
  return {ids_path(vectors), recipe_path(vectors), ranges_path(vectors)};
}

}  // namespace embd
