#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "embd/error.h"
#include "embd/index_options.h"
#include "embd/recipe.h"
#include "formats/vectors/svs/uuid.h"

namespace embd::svs {

/// Returns the text of svs_config.toml with the fields `object` in its table [object].
std::string envelope(std::string_view object, const std::optional<Recipe>& recipe = std::nullopt);

/// Returns the recipe as a TOML table after an empty line; empty without a recipe. The SVS library
/// ignores this table.
std::string recipe_text(const std::optional<Recipe>& recipe);

/// Returns the metric of an index as a TOML table after an empty line; empty without a metric.
std::string metric_text(std::optional<Metric> metric);

/// Returns the fields of a plain data set in the binary file `file`.
std::string uncompressed_fields(std::string_view file, std::uint64_t rows, std::uint64_t dim,
                                std::string_view eltype, const Uuid& uuid);

}  // namespace embd::svs
