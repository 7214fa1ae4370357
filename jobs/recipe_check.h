#pragma once

#include <string>
#include <string_view>

#include "embd/model.h"
#include "embd/searcher.h"

namespace embd {

/// Returns the options that encode texts as `recipe` says. Options that `given` sets are kept, and
/// options that this model cannot have are left out.
EncodeOptions options_of(const Recipe& recipe, const EncodeOptions& given, const Model& model);

/// Returns the arithmetic that a recipe names, by any definition of it; nothing if it names no
/// known one.
std::optional<Compute> compute_of(const Recipe& recipe);

/// Returns a sentence that warns that vectors of `recipe` were made in another arithmetic than the
/// model computes in; empty if they were not, or if the recipe names none.
std::string compute_difference(const Recipe& recipe, const Model& model, std::string_view file);

/// Checks that vectors that this model makes with these options, completed by options_of(), can be
/// compared with vectors of `recipe`. Fails with recipe_mismatch, naming `file` and the fields,
/// unless `force` is true.
Result<void> check_recipe(const Recipe& recipe, const Model& model, const EncodeOptions& options,
                          std::string_view file, bool force);

/// Returns the options for encoding queries for rows of `recipe`, which may be unknown. They are
/// the options of the rows, except that a query is not divided into windows and has its own prompt.
/// Fails as check_recipe() does.
Result<EncodeOptions> options_of_queries(const std::optional<Recipe>& recipe,
                                         const QueryOptions& query, const Model& model,
                                         std::string_view file);

/// Fails with recipe_mismatch if vectors of the two recipes cannot be compared, unless `force` is
/// true. `file` and `other` name them in the message.
Result<void> check_recipes(const Recipe& recipe, const Recipe& theirs, std::string_view file,
                           std::string_view other, bool force);

}  // namespace embd
