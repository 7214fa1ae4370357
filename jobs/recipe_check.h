#pragma once

#include <string>
#include <string_view>

#include "embd/model.h"
#include "embd/searcher.h"

namespace embd {

/// Returns the options that encode texts as `recipe` says: its values where `given` has none of its
/// own, as far as this model goes.
EncodeOptions options_of(const Recipe& recipe, const EncodeOptions& given, const Model& model);

/// The arithmetic that a recipe names; nothing if it names none that there is.
std::optional<Compute> compute_of(const Recipe& recipe);

/// A sentence that says so where vectors of `recipe` were made in another arithmetic than the
/// model's; empty where they were not, or the recipe names none.
std::string compute_difference(const Recipe& recipe, const Model& model, std::string_view file);

/// Fails unless vectors that this model makes with these options, filled in by options_of(), can be
/// compared with those of `recipe`. Error: recipe_mismatch, naming `file` and the fields. With
/// `force` it never fails.
Result<void> check_recipe(const Recipe& recipe, const Model& model, const EncodeOptions& options,
                          std::string_view file, bool force);

/// Returns the options that encode queries for rows of `recipe`, of which nothing is known where
/// there is none: those of the rows but for windows and the prompt, since a query is one vector
/// with a prompt of its own. Errors: those of check_recipe().
Result<EncodeOptions> options_of_queries(const std::optional<Recipe>& recipe,
                                         const QueryOptions& query, const Model& model,
                                         std::string_view file);

/// Compares two recipes. `other` names the second one in the error message.
Result<void> check_recipes(const Recipe& recipe, const Recipe& theirs, std::string_view file,
                           std::string_view other, bool force);

}  // namespace embd
