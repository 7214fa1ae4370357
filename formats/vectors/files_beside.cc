#include "formats/vectors/files_beside.h"

#include <algorithm>

#include "base/os/file_status.h"
#include "base/paths.h"
#include "formats/vectors/sidecar_names.h"

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

std::vector<std::filesystem::path> files_beside(const std::filesystem::path& vectors) {
  return {ids_path(vectors), recipe_path(vectors), ranges_path(vectors)};
}

std::filesystem::path place_of_files(const std::filesystem::path& vectors) {
  const std::filesystem::path last = follow_links(without_trailing_slash(vectors));
  return std::ranges::any_of(files_beside(last), os::is_file) ? last : vectors;
}

bool are_int8_codes(const std::filesystem::path& vectors) {
  return os::is_file(ranges_path(place_of_files(vectors)));
}

}  // namespace embd
