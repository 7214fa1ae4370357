#include "jobs/sets/collection_record.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/bytes.h"
#include "base/json.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/enum_names.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view format_name = "embd collection";
constexpr std::uint64_t format_version = 1;

/// Reads members of collection.json.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  Result<std::string> text(const char* name) const {
    const Json& value = *EMBD_TRY(member(name));
    if (!value.is_string())
      return fail(ErrorCode::bad_type, "the member {:?} is no string, expected one", name);
    return value.get<std::string>();
  }
  Result<std::uint64_t> number(const char* name, std::uint64_t least, std::uint64_t most) const {
    const Json& value = *EMBD_TRY(member(name));
    if (!value.is_number_unsigned() || value < least || value > most)
      return fail(ErrorCode::bad_value,
                  "the member {:?} is no whole number from {} to {}, expected one", name, least,
                  most);
    return value.get<std::uint64_t>();
  }
  Result<const Json*> member(const char* name) const {
    const auto found = json_.is_object() ? json_.find(name) : json_.end();
    if (!json_.is_object() || found == json_.end())
      return fail(ErrorCode::missing, "the member {:?} is missing", name);
    return &*found;
  }

 private:
  const Json& json_;
};

Result<std::vector<CollectionRoot>> roots_of(const Json& json) {
  if (!json.is_array())
    return fail(ErrorCode::bad_type, "the member \"roots\" is no array, expected one");
  std::vector<CollectionRoot> roots;
  for (const Json& root : json) {
    const Members members(root);
    std::string name = EMBD_TRY(members.text("name"));
    const std::string path = EMBD_TRY(members.text("path"));
    roots.push_back({std::move(name), path_of_text(path)});
    if (!roots.back().path.is_absolute())
      return fail(ErrorCode::bad_value, "the path {} of a root is not absolute",
                  text_of_path(roots.back().path));
  }
  return roots;
}

Result<CollectionInfo> info_of(const Json& json) {
  const Members members(json);
  if (EMBD_TRY(members.text("format")) != format_name)
    return fail(ErrorCode::bad_magic, "the file is no record of a collection");
  if (const Json& version = *EMBD_TRY(members.member("version")); version != format_version)
    return fail(ErrorCode::unsupported_version, "the collection has version {}, expected {}",
                version.dump(), format_version);
  CollectionInfo info;
  info.generation =
      EMBD_TRY(members.number("generation", 1, std::numeric_limits<std::int64_t>::max()));
  info.roots = EMBD_TRY(roots_of(*EMBD_TRY(members.member("roots"))));
  info.model = path_of_text(EMBD_TRY(members.text("model")));
  info.max_tokens = static_cast<std::uint32_t>(
      EMBD_TRY(members.number("max_tokens", 1, std::numeric_limits<std::uint32_t>::max())));
  const std::string stemmer = EMBD_TRY(members.text("stemmer"));
  const auto known = value_named(stemmer, stemmer_names);
  if (!known) return fail(ErrorCode::bad_value, "the stemmer {:?} is unknown", stemmer);
  info.stemmer = *known;
  info.index_rows =
      EMBD_TRY(members.number("index_rows", 0, std::numeric_limits<std::uint64_t>::max()));
  return info;
}

}  // namespace

namespace collection {

fs::path generation_folder(const fs::path& folder, std::uint64_t generation) {
  return folder / std::to_string(generation);
}
fs::path passages_in(const fs::path& folder, std::uint64_t generation) {
  return generation_folder(folder, generation) / "passages.parquet";
}
fs::path terms_in(const fs::path& folder, std::uint64_t generation) {
  return generation_folder(folder, generation) / "terms";
}
fs::path index_in(const fs::path& folder, std::uint64_t generation) {
  return generation_folder(folder, generation) / "passages.usearch";
}
fs::path files_in(const fs::path& folder, std::uint64_t generation) {
  return generation_folder(folder, generation) / "files.parquet";
}

std::string to_json(const CollectionInfo& info) {
  nlohmann::ordered_json json = {{"format", format_name},
                                 {"version", format_version},
                                 {"generation", info.generation},
                                 {"roots", nlohmann::ordered_json::array()},
                                 {"model", text_of_path(info.model)},
                                 {"max_tokens", info.max_tokens},
                                 {"stemmer", name_of(info.stemmer, stemmer_names)},
                                 {"index_rows", info.index_rows}};
  for (const CollectionRoot& root : info.roots)
    json["roots"].push_back({{"name", root.name}, {"path", text_of_path(root.path)}});
  return json.dump(2) + "\n";
}

}  // namespace collection

bool is_collection(const fs::path& path) {
  return os::is_file(path / collection::record_name);
}

Result<CollectionInfo> collection_info(const fs::path& folder) {
  return guarded([&]() -> Result<CollectionInfo> {
    const fs::path path = folder / collection::record_name;
    const MappedFile file = EMBD_TRY(MappedFile::open(path));
    const Json json = EMBD_TRY(in_file(path, parse_json(as_text(file.bytes()))));
    return in_file(path, info_of(json));
  });
}

}  // namespace embd
