#pragma once

#include <toml++/toml.h>
#include <optional>
#include <string>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd {

/// A document as JSON text; no TOML value is lost on the way but dates, which become strings.
std::string toml_as_json(const toml::table& document);

/// Sets the document's table `embd`, where files whose format is or has TOML keep the recipe.
void set_recipe(toml::table& document, const Recipe& recipe);

/// The recipe in the document's table `embd`; nullopt without such a table. Error: bad_value.
Result<std::optional<Recipe>> recipe_in(const toml::table& document);

}  // namespace embd
