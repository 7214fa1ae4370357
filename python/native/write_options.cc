#include "native/write_options.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>

#include <string>

#include "formats/recipe_json.h"
#include "native/element_types.h"
#include "native/error.h"

namespace nb = nanobind;

namespace embd::python {

WriteOptions write_options(const nb::dict& given) {
  WriteOptions options;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto text = [&] { return nb::cast<std::string>(value); };
    const auto number = [&] { return nb::cast<std::uint32_t>(value); };
    if (name == "format") {
      options.format = text();
    } else if (name == "dtype") {
      options.element_type = element_type_from_name(text());
    } else if (name == "recipe") {
      options.recipe = value_of(recipe_from_json(text()));
    } else if (name == "compression") {
      options.cvc_compression = text();
    } else if (name == "chunk_rows") {
      options.chunk_rows = number();
    } else if (name == "column") {
      options.column = text();
    } else if (name == "layout") {
      options.svs_layout = text();
    } else if (name == "quantize") {
      options.quantize = text();
    } else if (name == "bits") {
      options.bits = number();
    } else if (name == "subquantizers") {
      options.subquantizers = number();
    } else if (name == "metadata") {
      options.metadata = text();
    } else if (name == "metric") {
      const auto metric = metric_from_name(text());
      if (!metric) raise_invalid(fmt::format("no metric is called \"{}\"", text()));
      options.index.metric = *metric;
    } else if (name == "connectivity") {
      options.index.connectivity = number();
    } else if (name == "expansion_add") {
      options.index.expansion_add = number();
    } else if (name == "threads") {
      options.index.threads = nb::cast<int>(value);
    } else {
      throw nb::type_error(("no option of writing vectors is called '" + name + "'").c_str());
    }
  }
  return options;
}

}  // namespace embd::python
