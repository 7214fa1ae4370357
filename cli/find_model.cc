#include "cli/find_model.h"

#include <cstdlib>
#include <vector>

#include "base/try.h"

namespace embd::cli {
namespace {

constexpr const char* default_model = "all-MiniLM-L6-v2.weights";

std::filesystem::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::filesystem::path> places() {
  std::vector<std::filesystem::path> folders;
  const auto data_home = from_environment("XDG_DATA_HOME");
  const auto home = from_environment("HOME");
  if (!data_home.empty()) {
    folders.push_back(data_home / "embd");
  } else if (!home.empty()) {
    folders.push_back(home / ".local/share/embd");
  }
  folders.emplace_back(EMBD_MODELS_FOLDER);
  return folders;
}

}  // namespace

Result<std::filesystem::path> find_model(const std::string& given) {
  if (!given.empty()) return given;
  std::string looked;
  for (const auto& folder : places()) {
    std::filesystem::path path = folder / default_model;
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path;
    looked += (looked.empty() ? "" : ", ") + folder.native();
  }
  return fail(ErrorCode::not_found, std::string("no model: name one with --model or EMBD_MODEL, or "
                                                "put ") +
                                        default_model + " into one of " + looked);
}

}  // namespace embd::cli
