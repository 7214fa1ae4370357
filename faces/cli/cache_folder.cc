#include "faces/cli/cache_folder.h"

#include <cstdlib>

namespace embd::cli {

std::filesystem::path cache_folder() {
  // A relative path is ignored, because it would name a different folder in each working directory.
  const auto absolute = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '/' ? value : "";
  };
  if (const auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) return cache / "embd";
  if (const auto home = absolute("HOME"); !home.empty()) return home / ".cache/embd";
  return {};
}

}  // namespace embd::cli
