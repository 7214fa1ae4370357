#include "engine/model_cache.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/path_text.h"

namespace embd {

using Path = std::filesystem::path;

namespace {

constexpr const char* home_variable = Path::preferred_separator == '/' ? "HOME" : "USERPROFILE";

}  // namespace

Path home_folder() {
  const char* home = std::getenv(home_variable);
  return home == nullptr ? Path() : path_of_text(home);
}

Path path_from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return {};
  const std::string_view path = value;
  const Path home = home_folder();
  if (home.empty() || !(path == "~" || path.starts_with("~/"))) return path_of_text(path);
  return home / path_of_text(path.substr(std::min<std::size_t>(2, path.size())));
}

Path folder_of_user(const char* variable, const char* below_home) {
  if (Path folder = path_from_environment(variable); !folder.empty()) return folder;
  const Path home = home_folder();
  return home.empty() ? Path() : home / below_home;
}

Path hub_home() {
  if (Path home = path_from_environment("HF_HOME"); !home.empty()) return home;
  const Path cache = folder_of_user("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? cache : cache / "huggingface";
}

Path hub_cache() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (Path folder = path_from_environment(name); !folder.empty()) return folder;
  const Path home = hub_home();
  return home.empty() ? home : home / "hub";
}

std::string full_model_name(const std::string& name) {
  return name.contains('/') ? name : "sentence-transformers/" + name;
}

std::string cached_model_folder(const std::string& name) {
  std::string folder = "models--";
  for (const char c : full_model_name(name)) folder += c == '/' ? "--" : std::string(1, c);
  return folder;
}

}  // namespace embd
