#include "formats/sidecar_names.h"

#include <string_view>

namespace embd {
namespace {

std::filesystem::path beside(std::filesystem::path vectors, std::string_view extension) {
  // "out.svs/" is the directory "out.svs".
  if (!vectors.has_filename()) vectors = vectors.parent_path();
  vectors += extension;
  return vectors;
}

}  // namespace

std::filesystem::path ids_path(const std::filesystem::path& vectors) {
  return beside(vectors, ".ids.jsonl");
}

std::filesystem::path recipe_path(const std::filesystem::path& vectors) {
  return beside(vectors, ".recipe.json");
}

std::filesystem::path ranges_path(const std::filesystem::path& vectors) {
  return beside(vectors, ".ranges.npy");
}

std::vector<std::filesystem::path> sidecar_paths(const std::filesystem::path& vectors) {
  return {ids_path(vectors), recipe_path(vectors), ranges_path(vectors)};
}

}  // namespace embd
