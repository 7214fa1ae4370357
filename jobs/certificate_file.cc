#include "jobs/certificate_file.h"

#include <algorithm>

#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/vectors/sidecar_names.h"
#include "jobs/sets/fingerprint.h"
#include "jobs/sets/set_tie.h"

namespace embd {
namespace {

using Json = nlohmann::json;

/// The member of OUT.recipe.json that holds the certificate.
constexpr const char* member = "certificate";

/// Reads the file of the recipe. Returns an empty object if there is no such file.
Result<Json> read_recipe_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Json::object();
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  Json json = EMBD_TRY(in_file(path, parse_json(as_text(file.bytes()))));
  if (json.is_object()) return json;
  return fail_in(path, ErrorCode::bad_json, "the recipe is not a JSON object");
}

}  // namespace

Result<void> store_certificate(const Certificate& certificate, IndexKind kind,
                               const std::filesystem::path& index) {
  const std::filesystem::path path = recipe_path(index);
  Json json = EMBD_TRY(read_recipe_file(path));
  // An index whose recipe is inside has had nothing beside it so far.
  if (!tie_in(json.dump())) {
    SetTie tie;
    tie.vectors = EMBD_TRY(fingerprint(index));
    set_tie(json, tie);
  }
  json[member] = {
      {"queries", certificate.queries},
      {"k", certificate.k},
      {kind == IndexKind::hnsw ? "expansion" : "window", certificate.expansion},
      {"recall", certificate.recall},
      {"unreached", certificate.unreached},
  };
  return write_text_file(path, json.dump() + "\n");
}

Result<Json> stored_certificate(const std::filesystem::path& index) {
  const std::filesystem::path path = recipe_path(index);
  const Json json = EMBD_TRY(read_recipe_file(path));
  const auto found = json.find(member);
  if (found == json.end()) return Json();
  if (found->is_object() && std::ranges::all_of(*found, &Json::is_number)) return *found;
  return fail_in(
      path, ErrorCode::bad_type,
      "the member \"certificate\" is not an object whose values are numbers, expected one");
}

}  // namespace embd
