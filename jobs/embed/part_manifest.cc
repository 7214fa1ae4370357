#include "jobs/embed/part_manifest.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/system_error.h"
#include "base/try.h"
#include "formats/recipe_json.h"

namespace embd {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The version of the manifest's format.
constexpr int version = 2;

/// The value of the member "kind" if rows are scores. A manifest of vectors has no such member.
constexpr std::string_view scores_kind = "scores";

OrderedJson id_json(const RecordId& id) {
  if (const auto* number = std::get_if<std::uint64_t>(&id)) return *number;
  if (const auto* string = std::get_if<std::string>(&id)) return *string;
  return nullptr;
}

/// Returns true if `name` is the name of an entry of a folder, not a path that leads elsewhere.
bool is_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         path_of_text(name).filename() == path_of_text(name);
}

class ManifestReader {
 public:
  explicit ManifestReader(const nlohmann::json& json) : json_(json) {}

  Result<std::uint64_t> number(const char* name) const {
    const nlohmann::json& value = EMBD_TRY(member(name)).get();
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    return wrong(name, value, "a whole number");
  }
  Result<bool> boolean(const char* name) const {
    const nlohmann::json& value = EMBD_TRY(member(name)).get();
    if (value.is_boolean()) return value.get<bool>();
    return wrong(name, value, "true or false");
  }
  Result<std::string> text(const char* name) const {
    const nlohmann::json& value = EMBD_TRY(member(name)).get();
    if (value.is_string()) return value.get<std::string>();
    return wrong(name, value, "a string");
  }
  Result<RecordId> id(const char* name) const {
    const nlohmann::json& value = EMBD_TRY(member(name)).get();
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_string()) return value.get<std::string>();
    if (value.is_null()) return RecordId{};
    return wrong(name, value, "a string, a whole number or null");
  }
  Result<std::string> hash(const char* name) const {
    std::string hex = EMBD_TRY(text(name));
    if (hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string::npos)
      return hex;
    return fail(ErrorCode::bad_value,
                "the member {:?} is {:?}, expected 64 lower-case hexadecimal digits", name, hex);
  }
  Result<std::string> object(const char* name) const {
    const nlohmann::json& value = EMBD_TRY(member(name)).get();
    if (value.is_object()) return value.dump();
    return wrong(name, value, "an object");
  }
  Result<RowKind> kind() const {
    if (!json_.contains("kind")) return RowKind::vector;
    const std::string kind = EMBD_TRY(text("kind"));
    if (kind == scores_kind) return RowKind::scores;
    return fail(ErrorCode::bad_value, "the member \"kind\" is {:?}, expected {:?}", kind,
                scores_kind);
  }
  /// Returns the members of the object `name`, each value as JSON.
  Result<std::map<std::string, std::string>> values(const char* name) const {
    const nlohmann::json& value = EMBD_TRY(member(name)).get();
    if (!value.is_object()) return wrong(name, value, "an object");
    std::map<std::string, std::string> values;
    for (const auto& [key, each] : value.items())
      values[key] = each.dump(-1, ' ', true, OrderedJson::error_handler_t::replace);
    return values;
  }

 private:
  Result<std::reference_wrapper<const nlohmann::json>> member(const char* name) const {
    const auto found = json_.find(name);
    if (found != json_.end()) return std::cref(*found);
    return fail(ErrorCode::missing, "the manifest of the part has no member {:?}", name);
  }
  static std::unexpected<Error> wrong(const char* name, const nlohmann::json& value,
                                      std::string_view expected) {
    return fail(ErrorCode::bad_type, "the member {:?} is of the JSON type {}, expected {}", name,
                value.type_name(), expected);
  }

  const nlohmann::json& json_;
};

Result<PartManifest> parse(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') {
    return fail(ErrorCode::bad_type,
                "the file is not the manifest of a part, a JSON object beside its vectors whose "
                "name is NAME.part.json");
  }
  const auto json = EMBD_TRY(parse_json(text));
  const ManifestReader in(json);
  const std::uint64_t found = EMBD_TRY(in.number("embd_part"));
  if (found != version) {
    return fail(ErrorCode::unsupported,
                "the manifest of the part has version {}, expected version {}: make the part "
                "again, or join the parts with the release of embd that made them",
                found, version);
  }
  PartManifest manifest;
  manifest.part.index = EMBD_TRY(in.number("part"));
  manifest.part.count = EMBD_TRY(in.number("parts"));
  if (manifest.part.index >= manifest.part.count)
    return fail(ErrorCode::bad_value,
                "the manifest says part {} of {}, expected a part number from 0 that is less than "
                "the number of parts",
                manifest.part.index, manifest.part.count);
  manifest.kind = EMBD_TRY(in.kind());
  manifest.vectors = EMBD_TRY(in.text("vectors"));
  if (!is_name(manifest.vectors))
    return fail(ErrorCode::bad_value,
                "the member \"vectors\" is {:?}, expected the name of a file in the same folder",
                manifest.vectors);
  manifest.rows = EMBD_TRY(in.number("rows"));
  manifest.first_text = EMBD_TRY(in.number("first_text"));
  manifest.texts = EMBD_TRY(in.number("texts"));
  manifest.has_ids = EMBD_TRY(in.boolean("has_ids"));
  manifest.first_id = EMBD_TRY(in.id("first_id"));
  manifest.last_id = EMBD_TRY(in.id("last_id"));
  manifest.input_bytes = EMBD_TRY(in.number("input_bytes"));
  manifest.input_sha256_before = EMBD_TRY(in.hash("input_sha256_before"));
  manifest.input_sha256_after = EMBD_TRY(in.hash("input_sha256_after"));
  manifest.conditions = EMBD_TRY(in.values("conditions"));
  manifest.digest = EMBD_TRY(Digest::from_json(EMBD_TRY(in.object("digest"))));
  manifest.stored_digest = EMBD_TRY(in.text("stored_digest"));
  manifest.recipe = EMBD_TRY(recipe_from_json(EMBD_TRY(in.object("recipe"))));
  return manifest;
}

}  // namespace

std::filesystem::path part_manifest_path(const std::filesystem::path& vectors) {
  return path_beside(vectors, ".part.json");
}

Result<PartManifest> read_part_manifest(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  return in_file(path, parse(as_text(file.bytes())));
}

Result<void> write_part_manifest(const PartManifest& manifest,
                                 const std::filesystem::path& vectors) {
  OrderedJson conditions = OrderedJson::object();
  for (const auto& [name, value] : manifest.conditions)
    conditions[name] = EMBD_TRY(parse_ordered_json(value));
  OrderedJson json = {
      {"embd_part", version},
      {"part", manifest.part.index},
      {"parts", manifest.part.count},
      {"vectors", manifest.vectors},
      {"rows", manifest.rows},
      {"first_text", manifest.first_text},
      {"texts", manifest.texts},
      {"has_ids", manifest.has_ids},
      {"first_id", id_json(manifest.first_id)},
      {"last_id", id_json(manifest.last_id)},
      {"input_bytes", manifest.input_bytes},
      {"input_sha256_before", manifest.input_sha256_before},
      {"input_sha256_after", manifest.input_sha256_after},
      {"conditions", conditions},
      {"digest", parse_ordered_json(manifest.digest.to_json()).value()},
      {"stored_digest", manifest.stored_digest},
      {"recipe", parse_json(recipe_to_json(manifest.recipe)).value()},
  };
  if (manifest.kind == RowKind::scores) json["kind"] = scores_kind;
  return write_text_file(part_manifest_path(vectors),
                         json.dump(2, ' ', true, OrderedJson::error_handler_t::replace) + "\n");
}

Result<void> check_part_manifest(InputPart part, const std::filesystem::path& vectors) {
  const std::filesystem::path path = part_manifest_path(vectors);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  const auto found = read_part_manifest(path);
  if (!found || found->part.count != part.count || found->part == part) return {};
  return fail_in(path, ErrorCode::invalid_argument,
                 "the file {} holds part {} of {} already, but part {} was to be written: choose "
                 "another name for each part",
                 text_of_path(vectors), found->part.index, part.count, part.index);
}

Result<void> remove_part_manifest(const std::filesystem::path& vectors) {
  const std::filesystem::path path = part_manifest_path(vectors);
  std::error_code error;
  if (std::filesystem::remove(path, error) || !error) return {};
  return fail_in(path, ErrorCode::io_failed, error.message());
}

}  // namespace embd
