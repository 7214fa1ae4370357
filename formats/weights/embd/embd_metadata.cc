#include "formats/weights/embd/embd_metadata.h"

#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "base/json.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {

namespace layout = embd_layout;

namespace {

class MetadataParser : private EmbdParser {
 public:
  MetadataParser(Bytes file, const EmbdSection& section) : EmbdParser(file), section_(section) {}

  Result<std::vector<MetadataEntry>> parse() {
    EMBD_TRY(read_entries());
    EMBD_TRY(check_keys_distinct());
    return std::move(entries_);
  }

 private:
  Result<void> read_entries();
  Result<std::uint64_t> read_entry(std::uint64_t at, std::uint32_t i);
  Result<void> check_keys_distinct() const;

  const EmbdSection section_;
  std::vector<MetadataEntry> entries_;
};

Result<void> MetadataParser::read_entries() {
  namespace m = layout::metadata;
  if (section_.size < layout::metadata_header_bytes) {
    return fail_at(ErrorCode::metadata_size, 0, layout::header::metadata_size,
                   "the section has {} bytes, but its header alone takes {}", section_.size,
                   layout::metadata_header_bytes);
  }
  const std::uint64_t start = section_.start;
  const auto count = field<std::uint32_t>(start, m::entry_count);
  const auto total = field<std::uint32_t>(start, m::total_size);
  const std::uint64_t entries_bytes = section_.size - layout::metadata_header_bytes;
  if (total != entries_bytes) {
    return fail_at(ErrorCode::metadata_size, start, m::total_size,
                   "{}, but the section has room for {}", total, entries_bytes);
  }
  if (count > total / layout::metadata_entry_header_bytes) {
    return fail_at(ErrorCode::metadata_size, start, m::entry_count,
                   "{} entries do not fit in {} bytes", count, total);
  }
  entries_.reserve(count);
  std::uint64_t at = start + layout::metadata_header_bytes;
  for (std::uint32_t i = 0; i < count; ++i) at = EMBD_TRY(read_entry(at, i));
  if (at != section_.end()) {
    return fail_at(ErrorCode::metadata_size, start, m::entry_count,
                   "after {} entries, {} bytes are left, expected none", count,
                   section_.end() - at);
  }
  return {};
}

Result<void> MetadataParser::check_keys_distinct() const {
  const auto key = [this](std::uint32_t i) { return entries_[i].key; };
  if (const auto repeated = find_repeated(sorted_by_name(entries_.size(), key), key)) {
    const MetadataEntry& entry = entries_[repeated->first];
    return fail_at(entry.value_at - entry.key.size(), ErrorCode::metadata_duplicate_key,
                   "key: '{}'", printable(entry.key));
  }
  return {};
}

/// Reads an entry and returns where the next one begins.
Result<std::uint64_t> MetadataParser::read_entry(std::uint64_t at, std::uint32_t i) {
  namespace e = layout::metadata_entry;
  std::uint64_t left = section_.end() - at;
  if (left < layout::metadata_entry_header_bytes) {
    return fail_at(ErrorCode::metadata_size, section_.start, layout::metadata::entry_count,
                   "the section ends before entry {}", i);
  }
  left -= layout::metadata_entry_header_bytes;
  const std::uint64_t key_size = field<std::uint16_t>(at, e::key_length);
  const std::uint64_t value_size = field<std::uint16_t>(at, e::value_length);
  if (key_size > left) {
    return fail_at(ErrorCode::metadata_entry_out_of_bounds, at, e::key_length,
                   "{} bytes in entry {}, {} remain", key_size, i, left);
  }
  if (value_size > left - key_size) {
    return fail_at(ErrorCode::metadata_entry_out_of_bounds, at, e::value_length,
                   "{} bytes in entry {}, {} remain", value_size, i, left - key_size);
  }
  const std::uint64_t key_at = at + layout::metadata_entry_header_bytes;
  const std::uint64_t value_at = key_at + key_size;
  const MetadataEntry entry{text(key_at, key_size), text(value_at, value_size), value_at};
  for (const auto& [what, part, start] :
       {std::tuple("key", entry.key, key_at), std::tuple("value", entry.value, value_at)}) {
    if (const auto bad = find_invalid_utf8(part)) {
      return fail_at(start, ErrorCode::invalid_utf8, "{} of metadata entry {} from its byte {} on",
                     what, i, *bad);
    }
  }
  entries_.push_back(entry);
  return value_at + value_size;
}

}  // namespace

Result<std::vector<MetadataEntry>> read_metadata(Bytes file, const EmbdSection& section) {
  return MetadataParser(file, section).parse();
}

}  // namespace embd

namespace embd::spec_values {
namespace {

/// The rules of an added token, in the order in which files name them. A file names "normalized"
/// always, and the others if they do not have the usual value.
constexpr auto token_rules = std::to_array<std::pair<const char*, bool AddedToken::*>>({
    {"normalized", &AddedToken::normalized},
    {"lstrip", &AddedToken::lstrip},
    {"rstrip", &AddedToken::rstrip},
    {"single_word", &AddedToken::single_word},
    {"special", &AddedToken::special},
    {"only_added", &AddedToken::only_added},
});

/// The largest number of added tokens. It limits the memory for what a file claims.
constexpr std::size_t max_added_tokens = std::size_t{1} << 20;

/// Adds added tokens: one or, with "count", several whose ids follow one another. Returns false if
/// the object is wrong.
bool add_tokens(const nlohmann::json& object, std::uint32_t vocab_size,
                std::vector<AddedToken>& tokens) {
  if (!object.is_object() || !object.contains("normalized")) return false;
  const auto number = [&](const char* name, std::uint64_t absent) -> std::uint64_t {
    const auto found = object.find(name);
    if (found == object.end()) return absent;
    return found->is_number_unsigned() ? found->get<std::uint64_t>() : ~std::uint64_t{0};
  };
  const std::uint64_t id = number("id", vocab_size);
  const std::uint64_t count = number("count", 1);
  if (id >= vocab_size || count == 0 || count > vocab_size - id ||
      count > max_added_tokens - tokens.size()) {
    return false;
  }
  AddedToken token = {.id = static_cast<std::int32_t>(id)};
  std::size_t known = object.contains("count") ? 2 : 1;
  for (const auto& [name, rule] : token_rules) {
    const auto value = object.find(name);
    if (value == object.end()) continue;
    if (!value->is_boolean()) return false;
    token.*rule = value->get<bool>();
    ++known;
  }
  if (known != object.size()) return false;
  for (std::uint64_t i = 0; i < count; ++i, ++token.id) tokens.push_back(token);
  return true;
}

/// Reads a vector module. LayerNorm and Normalize have the size of the vector before them.
std::optional<VectorModule> vector_module_of(const nlohmann::json& entry, std::uint32_t dim) {
  if (!entry.is_object() || !entry.contains("type") || !entry["type"].is_string()) return {};
  const auto kind = value_named(entry["type"].get_ref<const std::string&>(), vector_module_names);
  if (!kind) return {};
  VectorModule module = {.kind = *kind, .in = dim, .out = dim};
  if (module.kind != VectorModuleKind::dense)
    return entry.size() == 1 ? std::optional(module) : std::nullopt;
  const auto out = entry.find("out_features");
  const auto bias = entry.find("bias");
  const auto activation = entry.find("activation");
  if (entry.size() != 4 || out == entry.end() || !out->is_number_unsigned() || *out == 0 ||
      *out > UINT32_MAX || bias == entry.end() || !bias->is_boolean() ||
      activation == entry.end() || !activation->is_string()) {
    return {};
  }
  const auto function =
      value_named(activation->get_ref<const std::string&>(), dense_activation_names);
  if (!function) return {};
  module.out = out->get<std::uint32_t>();
  module.bias = bias->get<bool>();
  module.activation = *function;
  return module;
}

}  // namespace

Result<void> read_added_tokens(const MetadataEntry& entry, ModelSpec& spec) {
  const auto list = parse_json(entry.value, entry.value_at);
  bool is_right = list && list->is_array();
  for (std::size_t i = 0; is_right && i < list->size(); ++i)
    is_right = add_tokens((*list)[i], spec.vocab_size, spec.added_tokens);
  if (is_right) return {};
  return fail_at(ErrorCode::metadata_value, entry,
                 "'{}' is not a JSON array of tokens, each with \"id\", "
                 "\"normalized\" and perhaps other rules",
                 entry.value);
}

std::string text_of(const std::vector<AddedToken>& tokens) {
  auto list = nlohmann::json::array();
  for (std::size_t i = 0; i < tokens.size();) {
    const AddedToken token = tokens[i];
    nlohmann::json object = {{"id", token.id}};
    std::int32_t count = 0;
    for (AddedToken next = token; i < tokens.size() && tokens[i] == next; ++i, ++next.id) ++count;
    if (count > 1) object["count"] = count;
    for (const auto& [name, rule] : token_rules) {
      if (rule == &AddedToken::normalized || token.*rule != AddedToken().*rule)
        object[name] = token.*rule;
    }
    list.push_back(std::move(object));
  }
  return list.dump();
}

Result<void> read_modules(const MetadataEntry& entry, ModelSpec& spec) {
  const auto wrong = [&] {
    return fail_at(ErrorCode::metadata_value, entry,
                   "'{}' is not a JSON array of the modules Dense, with "
                   "\"out_features\", \"bias\" and \"activation\", LayerNorm and "
                   "Normalize",
                   entry.value);
  };
  const auto list = parse_json(entry.value, entry.value_at);
  if (!list || !list->is_array()) return wrong();
  for (const nlohmann::json& one : *list) {
    const auto module = vector_module_of(one, spec.full_dim());
    if (!module) return wrong();
    spec.modules.push_back(*module);
  }
  return {};
}

std::string text_of(const std::vector<VectorModule>& modules) {
  auto list = nlohmann::json::array();
  for (const VectorModule& module : modules) {
    nlohmann::json entry = {{"type", name_of(module.kind, vector_module_names)}};
    if (module.kind == VectorModuleKind::dense) {
      entry["out_features"] = module.out;
      entry["bias"] = module.bias;
      entry["activation"] = name_of(module.activation, dense_activation_names);
    }
    list.push_back(std::move(entry));
  }
  return list.dump();
}

}  // namespace embd::spec_values
