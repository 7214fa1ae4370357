#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd {

/// Returns a recipe as the text of a JSON object with one member per field. Formats and files
/// beside vectors that store a recipe as text use it.
std::string recipe_to_json(const Recipe& recipe);

/// Returns the fields of a recipe on which float32 vectors depend, as members of an object. It
/// leaves out names, the instruction set, how vectors are stored, and the hash of the texts.
nlohmann::json deciding_fields(const Recipe& recipe);

/// Checks that all texts of a recipe can be stored. Fails with invalid_utf8 if one is not UTF-8.
Result<void> check_recipe(const Recipe& recipe);

/// Reads a recipe from the text of a JSON object. Missing members keep their defaults; unknown
/// members are ignored. Fails with bad_json, and with bad_value if a member has the wrong type.
Result<Recipe> recipe_from_json(std::string_view text);
/// Reads a recipe from a parsed JSON value, as recipe_from_json() does.
Result<Recipe> recipe_of_members(const nlohmann::json& json);

}  // namespace embd
