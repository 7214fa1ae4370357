#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/recipe.h"

/// The metadata chunk is TOML of any content. The recipe is its table `embd`.
namespace embd::finalfusion {

/// Checks the text of the metadata chunk. Fails with invalid_utf8, or with bad_toml and the line
/// within the metadata.
Result<void> check_metadata(std::string_view toml);

/// Returns the metadata as a JSON object, with dates as strings. `toml` must have passed
/// check_metadata().
Result<std::string> metadata_as_json(std::string_view toml);

/// Reads the recipe from the table `embd` of the metadata. Returns nullopt if there is no such
/// table. Fails with bad_value if a field has the wrong type.
Result<std::optional<Recipe>> recipe_in(std::string_view toml);

/// Returns `toml` with the recipe as its table `embd`, which replaces an older one; keys are
/// sorted. Without a recipe, returns the text unchanged. Fails with unsupported if a key cannot be
/// written by toml++.
Result<std::string> compose_metadata(std::string_view toml, const std::optional<Recipe>& recipe);

}  // namespace embd::finalfusion
