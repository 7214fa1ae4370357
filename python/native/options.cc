#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "embd/model.h"
#include "embd/reranker.h"
#include "native/bindings.h"
#include "native/enum_words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {

void bind_options(nb::module_& module) {
  nb::class_<EncodeOptions>(module, "EncodeOptions")
      .def(
          "__init__",
          [](EncodeOptions* place, std::optional<std::uint32_t> max_length,
             const std::optional<std::string>& pooling, std::optional<bool> normalize,
             std::uint32_t truncate_dim, std::optional<std::string> prompt,
             const std::string& windows, std::uint32_t stride, int threads,
             std::size_t batch_tokens) {
            EncodeOptions options = {.max_length = max_length,
                                     .normalize = normalize,
                                     .truncate_dim = truncate_dim,
                                     .prompt = std::move(prompt),
                                     .windows = value_of_word("windows", windows, windows_names),
                                     .stride = stride,
                                     .threads = threads,
                                     .batch_tokens = batch_tokens};
            if (pooling) options.pooling = value_of_word("pooling", *pooling, pooling_names);
            new (place) EncodeOptions(std::move(options));
          },
          nb::kw_only(), "max_length"_a = nb::none(), "pooling"_a = nb::none(),
          "normalize"_a = nb::none(), "truncate_dim"_a = 0, "prompt"_a = nb::none(),
          "windows"_a = "none", "stride"_a = 0, "threads"_a = 0, "batch_tokens"_a = 0)
      .def_ro("truncate_dim", &EncodeOptions::truncate_dim);
  nb::class_<ScoreOptions>(module, "ScoreOptions")
      .def(
          "__init__",
          [](ScoreOptions* place, std::optional<std::uint32_t> max_length,
             std::optional<std::string> prompt, const std::optional<std::string>& activation,
             int threads, std::size_t batch_tokens) {
            ScoreOptions options = {.max_length = max_length,
                                    .prompt = std::move(prompt),
                                    .threads = threads,
                                    .batch_tokens = batch_tokens};
            if (activation)
              options.activation = value_of_word("activation", *activation, score_activation_names);
            new (place) ScoreOptions(std::move(options));
          },
          nb::kw_only(), "max_length"_a = nb::none(), "prompt"_a = nb::none(),
          "activation"_a = nb::none(), "threads"_a = 0, "batch_tokens"_a = 0);
}

}  // namespace embd::python
