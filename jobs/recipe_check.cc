#include "jobs/recipe_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/path_text.h"
#include "base/try.h"

namespace embd {

EncodeOptions options_of(const Recipe& recipe, const EncodeOptions& given, const Model& model) {
  EncodeOptions options = given;
  if (!given.max_length) options.max_length = std::min(recipe.max_length, model.max_positions());
  if (!given.pooling) options.pooling = recipe.pooling;
  if (!given.normalize) options.normalize = recipe.normalize;
  const bool is_cut = recipe.truncate_dim != model.dim() && recipe.truncate_dim <= model.full_dim();
  if (given.truncate_dim == 0 && is_cut) options.truncate_dim = recipe.truncate_dim;
  if (!given.prompt && given.prompt_name.empty()) options.prompt = recipe.prompt;
  if (given.windows == Windows::none) {
    options.windows = recipe.windows;
    options.stride = recipe.stride;
  }
  if (!given.truncation_side && options.windows == Windows::none)
    options.truncation_side = recipe.truncation_side;
  return options;
}

std::optional<Compute> compute_of(const Recipe& recipe) {
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8})
    if (recipe.compute == compute_name(compute) || recipe.compute == recipe_name(compute))
      return compute;
  return std::nullopt;
}

std::string compute_difference(const Recipe& recipe, const Model& model, std::string_view file) {
  const std::string_view ours = recipe_name(model.compute());
  if (recipe.compute.empty() || recipe.compute == ours) return {};
  return fmt::format(
      "{} was made with the arithmetic {} and is compared with vectors of the arithmetic {}, which "
      "differ slightly",
      file, recipe.compute, ours);
}

Result<void> check_recipes(const Recipe& recipe, const Recipe& theirs, std::string_view file,
                           std::string_view other, bool force) {
  const auto differences = fatal_differences(recipe, theirs);
  if (differences.empty() || force) return {};
  const bool is_older = differences.back() == "compute";
  return fail_in(path_of_text(file), ErrorCode::recipe_mismatch,
                 "the recipe differs from {} in {}{}", other, fmt::join(differences, ", "),
                 is_older ? fmt::format(", which is {} and {}: older builds computed "
                                        "int8 in another way",
                                        recipe.compute, theirs.compute)
                          : "");
}

Result<void> check_recipe(const Recipe& recipe, const Model& model, const EncodeOptions& options,
                          std::string_view file, bool force) {
  // model.recipe(options) might fail, because a wrong model may not accept the options.
  Recipe ours = EMBD_TRY(model.recipe());
  ours.max_length = options.max_length.value_or(ours.max_length);
  ours.pooling = options.pooling.value_or(ours.pooling);
  ours.normalize = options.normalize.value_or(ours.normalize);
  if (options.truncate_dim != 0) ours.truncate_dim = options.truncate_dim;
  return check_recipes(recipe, ours, file, "this model and these options", force);
}

Result<EncodeOptions> options_of_queries(const std::optional<Recipe>& recipe,
                                         const QueryOptions& query, const Model& model,
                                         std::string_view file) {
  EncodeOptions options;
  options.threads = query.threads;
  if (recipe) {
    options = options_of(*recipe, options, model);
    options.windows = Windows::none;
    options.stride = 0;
  }
  options.prompt = query.prompt;
  options.prompt_name = query.prompt_name;
  if (!options.prompt && options.prompt_name.empty()) options.prompt_name = "query";
  if (recipe) EMBD_TRY(check_recipe(*recipe, model, options, file, query.force));
  return options;
}

}  // namespace embd
