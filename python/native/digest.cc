#include "embd/digest.h"

#include <fmt/core.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "formats/recipe_json.h"
#include "native/bindings.h"
#include "native/error.h"
#include "native/ids.h"
#include "native/input_options.h"
#include "native/long_call.h"
#include "native/rows.h"
#include "native/texts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

void update(Digest& digest, const RowsArgument& rows, nb::handle ids, std::uint64_t first_row,
            nb::handle texts) {
  const Ids given = ids_of(ids);
  std::optional<Texts> batch;
  if (!texts.is_none()) batch.emplace(texts);
  const auto views = batch ? batch->views() : std::span<const std::string_view>();
  if (batch && views.size() != rows.shape(0)) {
    raise_invalid(fmt::format("{} rows and {} texts", rows.shape(0), views.size()));
  }
  run_short([&] { return digest.update(view_of(rows), given, first_row, views); });
}

}  // namespace

void bind_digest(nb::module_& module) {
  nb::class_<Digest>(module, "Digest")
      .def(
          "__init__",
          [](Digest* place, const std::optional<std::string>& recipe) {
            new (place) Digest(recipe ? value_of(recipe_from_json(*recipe)) : Recipe());
          },
          "recipe"_a = nb::none())
      .def("update", &update, "rows"_a, "ids"_a.none(), "first_row"_a, "texts"_a.none(),
           nb::sig("def update(self, rows: numpy.typing.NDArray[numpy.float32], ids: "
                   "numpy.typing.NDArray[numpy.uint64] | list[str] | None, first_row: int, "
                   "texts: object) -> None"))
      .def(
          "add", [](Digest& self, const Digest& other) { value_of(self.add(other)); }, "other"_a)
      .def("copy", [](const Digest& self) { return Digest(self); })
      .def(
          "equals", [](const Digest& self, const Digest& other) { return self == other; },
          "other"_a)
      .def_prop_ro("count", &Digest::count)
      .def_prop_ro("has_texts", &Digest::has_texts)
      .def("hex", &Digest::hex)
      .def("vectors_hex", &Digest::vectors_hex)
      .def("input_hex", &Digest::input_hex)
      .def("recipe_hex", &Digest::recipe_hex)
      .def("to_json", &Digest::to_json)
      .def_static(
          "from_json", [](const std::string& text) { return value_of(Digest::from_json(text)); },
          "text"_a);
  module.def(
      "digest_file",
      [](const std::filesystem::path& vectors, const std::optional<std::filesystem::path>& texts,
         const std::optional<std::string>& input_format, std::string text_field,
         std::string id_field, std::string token_ids_field, bool has_header) {
        const InputOptions input =
            input_options(input_format, std::move(text_field), std::move(id_field),
                          std::move(token_ids_field), has_header);
        return run_long([&](std::stop_token) { return digest_file(vectors, {}, texts, input); });
      },
      "vectors"_a, "texts"_a.none(), "input_format"_a.none(), "text_field"_a, "id_field"_a,
      "token_ids_field"_a, "has_header"_a);
}

}  // namespace embd::python
