#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/recipe.h"

/// The metadata chunk: TOML of any content. The recipe is its table `embd`.
namespace embd::finalfusion {

/// Errors: invalid_utf8; bad_toml with the line inside the metadata.
Result<void> check_metadata(std::string_view toml);

/// The metadata as a JSON object, dates as strings. `toml` was checked.
Result<std::string> metadata_as_json(std::string_view toml);

/// nullopt if there is no table `embd`. Errors: bad_value for a field of the wrong type.
Result<std::optional<Recipe>> recipe_in(std::string_view toml);

/// `toml` with the recipe as its table `embd`, instead of one that was there; keys sorted. Without
/// a recipe the text itself. Error: unsupported for keys that toml++ cannot write.
Result<std::string> compose_metadata(std::string_view toml, const std::optional<Recipe>& recipe);

}  // namespace embd::finalfusion
