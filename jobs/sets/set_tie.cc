#include "jobs/sets/set_tie.h"

#include "base/checksum.h"
#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/try.h"

namespace embd {
namespace {

using Json = nlohmann::json;

/// The member of OUT.recipe.json that holds the tie.
constexpr const char* member = "files";

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

void set_tie(Json& recipe, const SetTie& tie) {
  Json& files = recipe[member] = Json::object();
  files["vectors"] = tie.vectors;
  if (!tie.ids.empty()) files["ids"] = tie.ids;
  if (!tie.ranges.empty()) files["ranges"] = tie.ranges;
}

std::optional<SetTie> tie_in(const std::string& recipe) {
  const auto json = parse_json(recipe);
  if (!json || !json->is_object()) return std::nullopt;
  const auto files = json->find(member);
  if (files == json->end() || !files->is_object()) return std::nullopt;
  return SetTie{.vectors = text_of(*files, "vectors"),
                .ids = text_of(*files, "ids"),
                .ranges = text_of(*files, "ranges")};
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return sha256_hex(file.bytes());
}

}  // namespace embd
