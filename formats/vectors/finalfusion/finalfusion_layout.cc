#include "formats/vectors/finalfusion/finalfusion_layout.h"

#include <toml++/toml.h>

#include "base/try.h"
#include "base/utf8.h"
#include "formats/toml.h"

namespace embd::finalfusion {
namespace {

Result<toml::table> parse(std::string_view text) {
  if (const auto bad = find_invalid_utf8(text))
    return fail(ErrorCode::invalid_utf8,
                "byte {} of the metadata is not part of a character in UTF-8", *bad);
  EMBD_TRY(check_toml_depth(text));
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    return std::unexpected(Error(ErrorCode::bad_toml, std::string(error.description()))
                               .at_line(error.source().begin.line));
  }
}

}  // namespace

Result<void> check_metadata(std::string_view toml) {
  const auto parsed = parse(toml);
  return parsed ? Result<void>() : std::unexpected(parsed.error());
}

Result<std::string> metadata_as_json(std::string_view toml) {
  return toml_as_json(EMBD_TRY(parse(toml)));
}

Result<std::optional<Recipe>> recipe_in(std::string_view toml) {
  return embd::recipe_in(EMBD_TRY(parse(toml)));
}

Result<std::string> compose_metadata(std::string_view toml, const std::optional<Recipe>& recipe) {
  toml::table table = EMBD_TRY(parse(toml));
  if (!recipe || EMBD_TRY(recipe_in(toml)) == recipe) return std::string(toml);
  set_recipe(table, *recipe);
  std::string text = toml_text(table) + '\n';
  if (reads_back(text, table)) return text;
  return fail(ErrorCode::unsupported,
              "the metadata has a key that cannot be written again together with the recipe, "
              "because it contains an apostrophe, a tab or a line feed");
}

}  // namespace embd::finalfusion
