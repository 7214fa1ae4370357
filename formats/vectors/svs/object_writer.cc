#include "formats/vectors/svs/object_writer.h"

#include <fmt/format.h>

#include "formats/recipe_toml.h"
#include "formats/vectors/svs/svs_layout.h"

namespace embd::svs {

std::string envelope(std::string_view object, const std::optional<Recipe>& recipe) {
  return fmt::format("__version__ = '{}'\n\n[object]\n{}{}", envelope_version, object,
                     recipe_text(recipe));
}

std::string recipe_text(const std::optional<Recipe>& recipe) {
  if (!recipe) return {};
  toml::table document;
  set_recipe(document, *recipe);
  return '\n' + toml_text(document) + '\n';
}

std::string metric_text(std::optional<Metric> metric) {
  if (!metric) return {};
  return fmt::format("\n[{}]\n{} = '{}'\n", embd_table, metric_key, metric_name(*metric));
}

std::string uncompressed_fields(std::string_view file, std::uint64_t rows, std::uint64_t dim,
                                std::string_view eltype, const Uuid& uuid) {
  return fmt::format(
      "__schema__ = 'uncompressed_data'\n__version__ = 'v0.0.0'\nbinary_file = '{}'\ndims = "
      "{}\neltype = '{}'\nname = 'uncompressed'\n"
      "num_vectors = {}\nuuid = '{}'\n",
      file, dim, eltype, rows, uuid.text());
}

}  // namespace embd::svs
