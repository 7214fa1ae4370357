#include "formats/finalfusion/metadata.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/toml_depth.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/recipe_json.h"

namespace embd::finalfusion {
namespace {

constexpr std::string_view recipe_table = "embd";

Result<toml::table> parse(std::string_view text) {
  if (const auto bad = find_invalid_utf8(text))
    return fail(ErrorCode::invalid_utf8, fmt::format("byte {} of the metadata", *bad));
  EMBD_TRY(check_toml_depth(text));
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    return std::unexpected(Error(ErrorCode::bad_toml, std::string(error.description()))
                               .at_line(error.source().begin.line));
  }
}

std::string as_json(const toml::table& table) {
  std::ostringstream json;
  json << toml::json_formatter(
      table, toml::json_formatter::default_flags & ~toml::format_flags::allow_multi_line_strings);
  return json.str();
}

/// A recipe's members are strings, numbers ≥ 0 and flags.
toml::table as_table(const Recipe& recipe) {
  toml::table table;
  const auto json = nlohmann::json::parse(recipe_to_json(recipe));
  for (const auto& [name, value] : json.items()) {
    if (value.is_boolean()) {
      table.insert(name, value.get<bool>());
    } else if (value.is_number()) {
      table.insert(name, value.get<std::int64_t>());
    } else {
      table.insert(name, value.get<std::string>());
    }
  }
  return table;
}

}  // namespace

Result<void> check_metadata(std::string_view toml) {
  EMBD_TRY(parse(toml));
  return {};
}

Result<std::string> metadata_as_json(std::string_view toml) {
  return as_json(EMBD_TRY(parse(toml)));
}

Result<std::optional<Recipe>> recipe_in(std::string_view toml) {
  const toml::table table = EMBD_TRY(parse(toml));
  const toml::table* recipe = table[recipe_table].as_table();
  if (recipe == nullptr) return std::nullopt;
  return EMBD_TRY(recipe_from_json(as_json(*recipe)));
}

Result<std::string> compose_metadata(std::string_view toml, const std::optional<Recipe>& recipe) {
  toml::table table = EMBD_TRY(parse(toml));
  if (!recipe || EMBD_TRY(recipe_in(toml)) == recipe) return std::string(toml);
  table.insert_or_assign(recipe_table, as_table(*recipe));
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

}  // namespace embd::finalfusion
