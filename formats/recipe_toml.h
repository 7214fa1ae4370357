#pragma once

#include <toml++/toml.h>
#include <optional>
#include <string>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd {

/// A document as JSON text; no TOML value is lost on the way but dates, which become strings.
std::string toml_as_json(const toml::table& document);

/// A document as TOML. toml++ writes some strings so that it reads them otherwise (''' or a line
/// feed in a literal string); a document that would not read back is written with every string
/// escaped. That helps no key that toml++ takes for a bare one and is none: a word with ', a tab or
/// a line feed in it.
std::string toml_text(const toml::table& document);

/// True if `text` is read as `document`.
bool reads_back(const std::string& text, const toml::table& document);

/// Sets the document's table `embd`, where files whose format is or has TOML keep the recipe.
void set_recipe(toml::table& document, const Recipe& recipe);

/// The recipe in the document's table `embd`; nullopt without such a table. Error: bad_value.
Result<std::optional<Recipe>> recipe_in(const toml::table& document);

}  // namespace embd
