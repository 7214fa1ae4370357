#include <fmt/core.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "base/path_text.h"
#include "base/try.h"
#include "embd/find_model.h"
#include "embd/model.h"
#include "engine/embed.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "formats/recipe_json.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

/// The number of values of the last layer up to which encoding is short. A slow core computes them
/// in 50 ms. It is 128 tokens for a model with 384 components.
constexpr std::uint64_t short_values = 128 * 384;
/// The number of bytes of text that the tokenizer reads in a millisecond.
constexpr std::uint64_t short_bytes = 16384;
/// The special tokens of a text, [CLS] and [SEP].
constexpr std::uint64_t num_special_tokens = 2;

std::string_view prompt_of(const Model& model, const EncodeOptions& options) {
  if (options.prompt) return *options.prompt;
  const std::string& name =
      options.prompt_name.empty() ? model.default_prompt_name() : options.prompt_name;
  const auto prompt = std::ranges::find(model.prompts(), name, &Prompt::name);
  return prompt == model.prompts().end() ? std::string_view() : prompt->text;
}

/// Returns the number of tokens that a longer text is cut to.
std::uint64_t limit_of(const Model& model, const EncodeOptions& options) {
  const std::uint32_t limit = options.max_length.value_or(model.max_length());
  return limit == 0 ? std::numeric_limits<std::uint64_t>::max() : limit;
}

/// Returns true if encoding or tokenizing the texts takes at most about 50 ms on a slow core. This
/// is estimated from the largest possible number of tokens of the texts with prompt and special
/// tokens, and from the size of the model.
bool is_short(const Model& model, std::span<const std::string_view> texts,
              const EncodeOptions& options) {
  const std::size_t prompt_bytes = prompt_of(model, options).size();
  const std::uint64_t limit = limit_of(model, options);
  std::uint64_t bytes = 0;
  std::uint64_t tokens = 0;
  for (const std::string_view text : texts) {
    const std::uint64_t text_bytes = prompt_bytes + text.size();
    const std::uint64_t most = text_bytes + num_special_tokens;  // a token has at least one byte
    if (most > limit && options.windows != Windows::none) return false;
    bytes += text_bytes;
    tokens += std::min(most, limit);
    if (bytes > short_bytes || tokens * model.dim() > short_values) return false;
  }
  return true;
}

Model open_model(const std::filesystem::path& path, const nb::dict& given) {
  const LoadOptions options = load_options(given);
  return run_long([&](std::stop_token) { return Model::open(path, options); });
}

std::size_t row_dim(const Model& model, const EncodeOptions& options) {
  return options.truncate_dim == 0 ? model.dim() : options.truncate_dim;
}

/// Copies rows into memory that has room for all of them, and counts them. Another thread may read
/// the count at any time.
class CountedRows final : public RowSink {
 public:
  explicit CountedRows(std::span<float> rows) : rows_(rows) {}
  Result<void> write(MatrixView rows, std::span<const RowReport> /*reports*/) override {
    std::ranges::copy(rows.values(), rows_.begin());
    rows_ = rows_.subspan(rows.values().size());
    count_ += rows.rows();
    return {};
  }
  std::size_t count() const noexcept { return count_; }

 private:
  std::span<float> rows_;
  std::atomic<std::size_t> count_ = 0;
};

/// Collects the rows of windows, whose number is not known beforehand, and the text of each window.
class WindowRows final : public RowSink {
 public:
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    values.insert(values.end(), rows.values().begin(), rows.values().end());
    for (const RowReport& report : reports) {
      if (report.window == 0) ++num_texts_;
      text_of_row.push_back(num_texts_ - 1);
    }
    return {};
  }

  std::vector<float> values;
  std::vector<std::int64_t> text_of_row;

 private:
  std::int64_t num_texts_ = 0;
};

void encode_into(const Model& model, std::span<const std::string_view> texts, std::span<float> out,
                 const EncodeOptions& options, const nb::object& progress) {
  if (progress.is_none()) {
    run(is_short(model, texts, options), [&](std::stop_token stop) {
      return model.encode(texts, out, {}, options, std::move(stop));
    });
    return;
  }
  CountedRows sink(out);
  run_long(
      [&](std::stop_token stop) {
        SpanSource source(texts);
        return model.encode(source, sink, options, std::move(stop));
      },
      [&] { progress(sink.count()); });
  progress(sink.count());
}

/// Returns the memory of the array `out`. Raises ValueError unless it is writable and holds
/// rows × dim values of float32 in one piece.
std::span<float> memory_of(const nb::object& out, std::size_t rows, std::size_t dim) {
  using Out = nb::ndarray<float, nb::c_contig, nb::device::cpu>;
  Out array;
  if (!nb::try_cast<Out>(out, array, /*convert=*/false)) {
    raise_invalid("out has a wrong type, expected a writable, C-contiguous array of float32");
  }
  const bool fits = (array.ndim() == 2 && array.shape(0) == rows && array.shape(1) == dim) ||
                    (array.ndim() == 1 && rows == 1 && array.shape(0) == dim);
  if (!fits) raise_invalid(fmt::format("out has a wrong shape, expected [{}, {}]", rows, dim));
  return {array.data(), rows * dim};
}

nb::object encode(const Model& model, nb::handle texts, const EncodeOptions& options,
                  const nb::object& out, const nb::object& progress) {
  const Texts batch(texts);
  const std::size_t dim = row_dim(model, options);
  if (!out.is_none()) {
    encode_into(model, batch.views(), memory_of(out, batch.views().size(), dim), options, progress);
    return out;
  }
  auto rows = new_array<float>(batch.views().size(), dim);
  encode_into(model, batch.views(), rows.values(), options, progress);
  return rows.release();
}

nb::object encode_one(const Model& model, const nb::str& text, const EncodeOptions& options) {
  const std::string_view view = utf8_of(text);
  std::vector<float> row(row_dim(model, options));
  encode_into(model, {&view, 1}, row, options, nb::none());
  return array_of(std::move(row));
}

nb::object encode_windows(const Model& model, nb::handle texts, const EncodeOptions& options) {
  const Texts batch(texts);
  WindowRows sink;
  run(is_short(model, batch.views(), options), [&](std::stop_token stop) {
    SpanSource source(batch.views());
    return model.encode(source, sink, options, std::move(stop));
  });
  auto rows = new_array<float>(sink.text_of_row.size(), row_dim(model, options));
  std::ranges::copy(sink.values, rows.values().begin());
  return nb::make_tuple(rows.release(), array_of(std::move(sink.text_of_row)));
}

nb::object encode_tokens(const Model& model, const nb::str& text, const EncodeOptions& options) {
  const std::string_view view = utf8_of(text);
  const Matrix hidden = run(is_short(model, {&view, 1}, options), [&](std::stop_token stop) {
    return model.encode_tokens(view, options, std::move(stop));
  });
  auto rows = new_array<float>(hidden.rows(), hidden.cols());
  std::ranges::copy(hidden.values(), rows.values().begin());
  return rows.release();
}

std::vector<std::vector<std::int32_t>> tokenize_texts(const Model& model, nb::handle texts,
                                                      const EncodeOptions& options) {
  const Texts batch(texts);
  std::vector<std::vector<std::int32_t>> ids;
  ids.reserve(batch.views().size());
  run(is_short(model, batch.views(), options), [&](std::stop_token stop) -> Result<void> {
    for (const std::string_view text : batch.views()) {
      if (stop.stop_requested()) return fail_stopped();
      ids.push_back(EMBD_TRY(model.tokenize(text, options)).ids);
    }
    return {};
  });
  return ids;
}

using ModuleFacts =
    std::tuple<std::string_view, std::uint32_t, std::uint32_t, bool, std::string_view>;

std::vector<ModuleFacts> modules_of(const Model& model) {
  std::vector<ModuleFacts> modules;
  for (const VectorModule& module : model.modules()) {
    modules.emplace_back(name_of(module.kind, vector_module_names), module.in, module.out,
                         module.bias, name_of(module.activation, dense_activation_names));
  }
  return modules;
}

std::string recipe(const Model& model, const EncodeOptions& options) {
  return recipe_to_json(run_short([&] { return model.recipe(options); }));
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def_prop_ro("name", &Model::name)
      .def_prop_ro("dim", &Model::dim)
      .def_prop_ro("full_dim", &Model::full_dim)
      .def_prop_ro("hidden", &Model::hidden)
      .def_prop_ro("poolings",
                   [](const Model& model) {
                     std::vector<std::string_view> names;
                     for (const Pooling pooling : model.poolings())
                       names.push_back(name_of(pooling, pooling_names));
                     return names;
                   })
      .def_prop_ro("is_static", [](const Model& model) { return model.size().layers == 0; })
      .def_prop_ro(
          "modules", &modules_of,
          "Returns (kind, components before, components after, bias, activation) of each module.")
      .def_prop_ro("max_length", &Model::max_length)
      .def_prop_ro("max_positions", &Model::max_positions)
      .def_prop_ro("vocab_size", &Model::vocab_size)
      .def_prop_ro("compute", [](const Model& model) { return compute_name(model.compute()); })
      .def_prop_ro("instruction_set", &Model::instruction_set)
      .def_prop_ro(
          "prompts", [](const Model& model) { return dict_of(model.prompts()); },
          nb::sig("def prompts(self) -> dict[str, str]"))
      .def_prop_ro("default_prompt_name", &Model::default_prompt_name)
      .def_prop_ro("similarity", &Model::similarity)
      .def_prop_ro("notes", [](const Model& model) { return pairs_of(model.notes()); })
      .def("recipe", &recipe, "options"_a, "Returns the recipe as a JSON object.")
      .def("encode", &encode, "texts"_a, "options"_a, "out"_a = nb::none(),
           "progress"_a = nb::none(), "Returns the vectors of texts, float32 [n, dim].",
           nb::sig("def encode(self, texts: object, options: EncodeOptions, out: object = None, "
                   "progress: object = None) -> numpy.typing.NDArray[numpy.float32]"))
      .def("encode_one", &encode_one, "text"_a, "options"_a,
           "Returns the vector of a text, float32 [dim].",
           nb::sig("def encode_one(self, text: str, options: EncodeOptions) -> "
                   "numpy.typing.NDArray[numpy.float32]"))
      .def("encode_windows", &encode_windows, "texts"_a, "options"_a,
           "Returns the vectors of all windows, float32 [m, dim], and the number of each window's "
           "text, int64 [m].",
           nb::sig("def encode_windows(self, texts: object, options: EncodeOptions) -> "
                   "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]"))
      .def("encode_tokens", &encode_tokens, "text"_a, "options"_a,
           "Returns the last layer's row for each token, float32 [tokens, hidden].",
           nb::sig("def encode_tokens(self, text: str, options: EncodeOptions) -> "
                   "numpy.typing.NDArray[numpy.float32]"))
      .def("tokenize", &tokenize_texts, "texts"_a, "options"_a,
           "Returns a list of token ids for each text.")
      .def("token", &Model::token, "id"_a,
           "Returns the token of an id in the vocabulary, or \"\" if there is none.");
  module.def(
      "find_model",
      [](const std::filesystem::path& name, std::vector<std::filesystem::path> folders,
         std::filesystem::path cache_folder) {
        return value_of(
            find_model(text_of_path(name), {std::move(folders), std::move(cache_folder)}));
      },
      "name"_a, "folders"_a, "cache_folder"_a);
  module.def("open_model", &open_model, "path"_a, "options"_a);
}

}  // namespace embd::python
