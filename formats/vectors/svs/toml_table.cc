#include "formats/vectors/svs/toml_table.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/toml.h"

namespace embd::svs {
namespace {

const toml::table& as_table(const void* node) {
  return *static_cast<const toml::table*>(node);
}

/// Returns the value of `key` in `table`, whose node is `node`, as T, which messages call `type`.
template <class T>
Result<const T*> find(const TomlTable& table, const void* node, std::string_view key,
                      std::string_view type) {
  const toml::node* child = as_table(node).get(key);
  if (child == nullptr) return table.fail(ErrorCode::missing, key, "expected a {}", type);
  const T* value = child->as<T>();
  if (value == nullptr) return table.fail(ErrorCode::bad_type, key, "expected a {}", type);
  return value;
}

}  // namespace

struct TomlTable::Document {
  std::filesystem::path path;
  toml::table root;
};

Result<TomlTable> TomlTable::read(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  EMBD_TRY(in_file(path, check_toml_depth(as_text(file.bytes()))));
  auto document = std::make_shared<Document>();
  document->path = path;
  try {
    document->root = toml::parse(as_text(file.bytes()));
  } catch (const toml::parse_error& error) {
    return std::unexpected(Error(ErrorCode::bad_toml, std::string(error.description()))
                               .at_line(error.source().begin.line)
                               .in_file(text_of_path(path)));
  }
  const void* root = &document->root;
  return TomlTable(std::move(document), root);
}

std::unexpected<Error> TomlTable::fail(ErrorCode code, std::string_view key,
                                       std::string_view what) const {
  const toml::node* node = as_table(node_).get(key);
  const auto line = (node != nullptr ? node->source() : as_table(node_).source()).begin.line;
  Error error(code, fmt::format("{}: {}", key, what));
  if (line != 0) error = std::move(error).at_line(line);
  return std::unexpected(std::move(error).in_file(text_of_path(document_->path)));
}

bool TomlTable::has(std::string_view key) const {
  return as_table(node_).contains(key);
}

Result<std::string> TomlTable::string(std::string_view key) const {
  return EMBD_TRY(find<toml::value<std::string>>(*this, node_, key, "string"))->get();
}

Result<double> TomlTable::floating(std::string_view key) const {
  return EMBD_TRY(find<toml::value<double>>(*this, node_, key, "float"))->get();
}

Result<bool> TomlTable::boolean(std::string_view key) const {
  return EMBD_TRY(find<toml::value<bool>>(*this, node_, key, "boolean"))->get();
}

Result<std::uint64_t> TomlTable::count(std::string_view key) const {
  const std::int64_t value =
      EMBD_TRY(find<toml::value<std::int64_t>>(*this, node_, key, "integer"))->get();
  if (value < 0) return fail(ErrorCode::bad_value, key, "{}, expected 0 or more", value);
  return static_cast<std::uint64_t>(value);
}

Result<std::vector<float>> TomlTable::floats(std::string_view key) const {
  std::vector<float> values;
  for (const toml::node& node :
       *EMBD_TRY(find<toml::array>(*this, node_, key, "array of floats"))) {
    const auto* value = node.as<double>();
    if (value == nullptr) return fail(ErrorCode::bad_type, key, "expected an array of floats");
    values.push_back(static_cast<float>(value->get()));
  }
  return values;
}

Result<TomlTable> TomlTable::table(std::string_view key) const {
  return TomlTable(document_, EMBD_TRY(find<toml::table>(*this, node_, key, "table")));
}

Result<std::vector<TomlTable>> TomlTable::tables(std::string_view key) const {
  std::vector<TomlTable> tables;
  for (const toml::node& node :
       *EMBD_TRY(find<toml::array>(*this, node_, key, "array of tables"))) {
    const auto* child = node.as_table();
    if (child == nullptr) return fail(ErrorCode::bad_type, key, "expected an array of tables");
    tables.push_back(TomlTable(document_, child));
  }
  return tables;
}

std::optional<TomlTable> TomlTable::root_table(std::string_view key) const {
  const toml::table* table = document_->root[key].as_table();
  if (table == nullptr) return std::nullopt;
  return TomlTable(document_, table);
}

Result<std::optional<Recipe>> TomlTable::recipe() const {
  return in_file(document_->path, recipe_in(document_->root));
}

}  // namespace embd::svs
