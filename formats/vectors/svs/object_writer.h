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

/// The text of svs_config.toml around the fields of its [object].
std::string envelope(std::string_view object, const std::optional<Recipe>& recipe = std::nullopt);

/// The recipe as a table of its own, an empty line before it; the empty text without a recipe. The
/// library takes no notice of it.
std::string recipe_text(const std::optional<Recipe>& recipe);

/// The metric of an index as a table of its own, an empty line before it; the empty text for none.
std::string metric_text(std::optional<Metric> metric);

/// The fields of a plain data set in the binary file `file`.
std::string uncompressed_fields(std::string_view file, std::uint64_t rows, std::uint64_t dim,
                                std::string_view eltype, const Uuid& uuid);

/// A small text file, whole or not at all.
Result<void> write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace embd::svs
