#include "formats/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json.h"
#include "base/try.h"
#include "formats/recipe_json.h"

namespace embd {
namespace {

constexpr std::string_view recipe_table = "embd";

/// Returns the recipe as a table. Its members are strings, numbers ≥ 0 and flags.
toml::table as_table(const Recipe& recipe) {
  toml::table table;
  const nlohmann::json json = *parse_json(recipe_to_json(recipe));  // Our own text is JSON.
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

/// Returns a TOML value as JSON, if a member of a recipe can have it; null for other values. A
/// number that is not allowed is kept, so that the error can name it.
nlohmann::json as_json(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  const auto* number = node.as_integer();
  if (number == nullptr) return nullptr;
  // Recipes have no negative numbers, and JSON distinguishes unsigned from signed numbers.
  if (number->get() >= 0) return static_cast<std::uint64_t>(number->get());
  return number->get();
}

/// The largest number of dots of one key. toml++ itself allows 256 nested values, each with such a
/// key.
constexpr int max_dots = 32;

/// Returns the length of the string literal at the beginning of `text`. A literal of one line that
/// is not closed reaches to the end of the line.
std::size_t string_literal_size(std::string_view text) {
  const char quote = text[0];
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  const bool multiline = text.starts_with(triple);
  std::size_t i = multiline ? 3 : 1;
  for (; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (multiline && text.substr(i).starts_with(triple)) {
      i += 3;
      // The string itself may end in one or two quotes.
      for (int more = 0; more < 2 && i < text.size() && text[i] == quote; ++more) ++i;
      return i;
    } else if (!multiline && (text[i] == quote || text[i] == '\n')) {
      return i + (text[i] == quote ? 1 : 0);
    }
  }
  return text.size();
}

}  // namespace

std::string toml_as_json(const toml::table& document) {
  std::ostringstream json;
  json << toml::json_formatter(document, toml::json_formatter::default_flags &
                                             ~toml::format_flags::allow_multi_line_strings);
  return json.str();
}

bool reads_back(const std::string& text, const toml::table& document) {
  try {
    // Compared as JSON text, in which a NaN equals itself.
    return toml_as_json(toml::parse(text)) == toml_as_json(document);
  } catch (const toml::parse_error&) {
    return false;
  }
}

std::string toml_text(const toml::table& document) {
  const auto print = [&](toml::format_flags left_out) {
    std::ostringstream text;
    text << toml::toml_formatter(document, toml::toml_formatter::default_flags & ~left_out);
    return text.str();
  };
  std::string text = print(toml::format_flags::none);
  if (reads_back(text, document)) return text;
  return print(toml::format_flags::allow_literal_strings |
               toml::format_flags::allow_multi_line_strings);
}

void set_recipe(toml::table& document, const Recipe& recipe) {
  document.insert_or_assign(recipe_table, as_table(recipe));
}

Result<std::optional<Recipe>> recipe_in(const toml::table& document) {
  const toml::table* recipe = document[recipe_table].as_table();
  if (recipe == nullptr) return std::nullopt;
  nlohmann::json members = nlohmann::json::object();
  for (const auto& [name, value] : *recipe) members[std::string(name.str())] = as_json(value);
  return EMBD_TRY(recipe_of_members(members));
}

Result<void> check_toml_depth(std::string_view text) {
  int dots = 0;
  std::uint64_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t size = string_literal_size(text.substr(i));
      for (const char inside : text.substr(i, size)) line += inside == '\n' ? 1 : 0;
      i += size;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '.' && ++dots > max_dots) {
      return std::unexpected(
          Error(ErrorCode::bad_toml, fmt::format("a key has more than {} parts", max_dots))
              .at_line(line));
    }
    if (c == '\n') ++line;
    if (c == '\n' || c == '=' || c == ',') dots = 0;
    ++i;
  }
  return {};
}

}  // namespace embd
