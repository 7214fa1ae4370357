#include "engine/model_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/find_model.h"

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

namespace {

constexpr std::string_view default_organization = "sentence-transformers/";

/// Returns true if `name` can only be a path: it begins like one, has folders or an extension.
bool is_path(const std::string& name) {
  return std::ranges::count(name, '/') > 1 || std::string_view("/.~").contains(name.front()) ||
         name.ends_with(".weights");
}

std::vector<Path> weight_files(const std::string& name, const ModelPlaces& places) {
  std::string_view short_name = name;
  if (short_name.starts_with(default_organization))
    short_name.remove_prefix(default_organization.size());
  if (short_name.contains('/')) return {};
  std::vector<Path> files;
  const auto add = [&](const Path& folder) {
    files.push_back(folder / path_of_text(fmt::format("{}.weights", short_name)));
  };
  const Path data = folder_of_user("XDG_DATA_HOME", ".local/share");
  if (!data.empty()) add(data / "embd");
  std::ranges::for_each(places.folders, add);
  add("/usr/share/embd");
  return files;
}

/// Returns the folders of the model's repository in each cache.
std::vector<Path> repositories(const std::string& name, const ModelPlaces& places) {
  std::vector<Path> caches = {places.cache_folder.empty()
                                  ? path_from_environment("SENTENCE_TRANSFORMERS_HOME")
                                  : places.cache_folder,
                              hub_cache()};
  std::erase(caches, Path());
  for (Path& cache : caches) cache /= path_of_text(cached_model_folder(name));
  return caches;
}

/// Returns the folder of the commit that refs/main names, if it holds a whole model.
std::optional<Path> snapshot(const Path& repository) {
  std::ifstream main(repository / "refs" / "main");
  std::string commit;
  if (!(main >> commit)) return std::nullopt;
  const Path folder = repository / "snapshots" / path_of_text(commit);
  const bool has_vocabulary =
      os::exists(folder / "vocab.txt") || os::exists(folder / "tokenizer.json");
  const bool has_weights = os::exists(folder / "model.safetensors") ||
                           os::exists(folder / "model.safetensors.index.json");
  const bool is_whole = has_vocabulary && has_weights && os::exists(folder / "config.json");
  return is_whole ? std::optional(folder) : std::nullopt;
}

}  // namespace

Result<std::filesystem::path> find_model(const std::string& name, const ModelPlaces& places) {
  if (name.empty())
    return fail(ErrorCode::not_found,
                "the name of the model is empty, expected the path or the name of a model");
  if (const Path path = path_of_text(name); os::exists(path)) return path;
  if (is_path(name))
    return fail_in(path_of_text(name), ErrorCode::not_found, "no file or folder has this path");
  std::vector<std::string> looked = {name};
  for (const Path& file : weight_files(name, places)) {
    if (os::exists(file)) return file;
    looked.push_back(text_of_path(file));
  }
  for (const Path& repository : repositories(name, places)) {
    if (const auto folder = snapshot(repository)) return *folder;
    looked.push_back(text_of_path(repository));
  }
  return fail(ErrorCode::not_found,
              "no model named {:?} was found in these places: {}. Give the path of a model, or "
              "download one first",
              name, fmt::join(looked, ", "));
}

}  // namespace embd
