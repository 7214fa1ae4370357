#include "jobs/proof/lock_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/recipe_json.h"

namespace embd {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int version = 2;
constexpr int version_by_kernels = 1;

/// Returns the array of strings `json[name]`.
Result<std::vector<std::string>> strings_of(const Json& json, const std::string& name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array())
    return fail(ErrorCode::bad_value,
                fmt::format("the member \"{}\" is not an array of strings", name));
  std::vector<std::string> strings;
  for (const Json& value : *found) {
    if (!value.is_string())
      return fail(ErrorCode::bad_value,
                  fmt::format("the member \"{}\" is not an array of strings", name));
    strings.push_back(value.get<std::string>());
  }
  return strings;
}

Result<LockFile> parse(std::string_view text) {
  const Json json = EMBD_TRY(parse_json(text));
  if (!json.is_object() || !json.contains("embd_lock"))
    return fail(ErrorCode::bad_json,
                "the file is not a lock file, a JSON object with the member embd_lock");
  const Json& found_version = json["embd_lock"];
  if (found_version != version && found_version != version_by_kernels) {
    return fail(ErrorCode::unsupported_version,
                fmt::format("the lock file has version {}, expected {} or {}", found_version.dump(),
                            version, version_by_kernels));
  }
  LockFile lock;
  lock.by_kernels = found_version == version_by_kernels;
  const auto model = json.find("model");
  const auto recipe = json.find("recipe");
  const auto sha256 = json.find("sha256");
  if (model == json.end() || !model->is_string() || recipe == json.end() || sha256 == json.end() ||
      !sha256->is_object())
    return fail(ErrorCode::bad_value,
                "the lock file lacks a member or has one of a wrong type, expected the members "
                "model, recipe, probes and sha256");
  lock.model = path_of_text(model->get<std::string>());
  lock.recipe = EMBD_TRY(recipe_of_members(*recipe));
  lock.probes = EMBD_TRY(strings_of(json, "probes"));
  for (const auto& [name, ignored] : sha256->items()) {
    auto& hashes = lock.sha256[name] = EMBD_TRY(strings_of(*sha256, name));
    if (hashes.size() != lock.probes.size()) {
      return fail(
          ErrorCode::bad_count,
          fmt::format(
              "the lock file has {} hashes for {} and {} probes, expected one hash for each probe",
              hashes.size(), name, lock.probes.size()));
    }
  }
  return lock;
}

}  // namespace

std::string LockFile::text() const {
  const OrderedJson json = {{"embd_lock", version},
                            {"model", generic_text_of_path(model)},
                            {"recipe", parse_json(recipe_to_json(recipe)).value()},
                            {"probes", probes},
                            {"sha256", sha256}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<LockFile> LockFile::read(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return in_file(path, parse(as_text(file.bytes())));
}

}  // namespace embd
