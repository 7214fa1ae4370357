#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/recipe.h"

namespace embd {

/// A recipe as a JSON object, a member a field, for the formats and sidecar files that keep it as
/// text.
std::string recipe_to_json(const Recipe& recipe);

/// The fields on which a float32 vector depends, as members of an object: not the names of things,
/// the instruction set, how vectors are stored, or of what texts.
nlohmann::json deciding_fields(const Recipe& recipe);

/// Error: invalid_utf8 for a text in it that no file could keep.
Result<void> check_recipe(const Recipe& recipe);

/// Absent members keep their defaults, unknown ones are ignored. Errors: bad_json; bad_value for a
/// member of the wrong type.
Result<Recipe> recipe_from_json(std::string_view text);
/// The same of a value that is parsed already.
Result<Recipe> recipe_of_members(const nlohmann::json& json);

}  // namespace embd
