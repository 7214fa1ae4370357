#include "native/write_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <vector>

#include "formats/recipe_json.h"
#include "native/element_types.h"
#include "native/enum_words.h"
#include "native/error.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

/// The same, where the empty word means what is meant where nobody asks.
template <class Enum, std::size_t Count>
Enum value_of_word_or_usual(std::string_view option, const std::string& word,
                            const EnumNames<Enum, Count>& names) {
  return word.empty() ? Enum() : value_of_word(option, word, names);
}

/// The quantizers of both formats that have some share no word.
void set_quantizer(const std::string& word, WriteOptions& options) {
  if (const auto quantizer = value_named(word, finalfusion_quantizer_names))
    options.finalfusion.quantizer = *quantizer;
  else
    options.svs.quantizer = value_of_word_or_usual("quantize", word, svs_quantizer_names);
}

}  // namespace

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
      options.cvc.compression = value_of_word_or_usual(name, text(), cvc_compression_names);
    } else if (name == "chunk_rows") {
      options.cvc.chunk_rows = number();
    } else if (name == "column") {
      options.cvc.column = text();
    } else if (name == "layout") {
      options.svs.layout = value_of_word_or_usual(name, text(), svs_layout_names);
    } else if (name == "quantize") {
      set_quantizer(text(), options);
    } else if (name == "bits") {
      options.finalfusion.bits = number();
    } else if (name == "subquantizers") {
      options.finalfusion.subquantizers = number();
    } else if (name == "metadata") {
      options.finalfusion.metadata = text();
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
