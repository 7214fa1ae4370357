#include "base/path_names.h"

namespace embd {

std::filesystem::path without_trailing_slash(const std::filesystem::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

std::filesystem::path path_beside(const std::filesystem::path& path, std::string_view suffix) {
  std::filesystem::path beside = without_trailing_slash(path);
  return beside += suffix;
}

}  // namespace embd
