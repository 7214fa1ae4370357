#include "embd/map.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/output_file.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "jobs/analysis/color_values.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

ProjectOptions project_options(std::uint32_t neighbours, std::uint32_t epochs, int threads) {
  return {.neighbours = neighbours, .epochs = epochs, .threads = threads};
}

nb::object array_of_places(const Matrix& places) {
  auto array = new_array<float>(places.rows(), 2);
  std::ranges::copy(places.values(), array.values().begin());
  return array.release();
}

nb::object project_rows(const RowsArgument& rows, std::uint32_t neighbours, std::uint32_t epochs,
                        int threads) {
  return array_of_places(run_long([&](std::stop_token stop) {
    return project(view_of(rows), project_options(neighbours, epochs, threads), std::move(stop));
  }));
}

/// Returns values of Python as values of a field: None, numbers, and the str() of everything else.
std::vector<FieldValue> field_values(const nb::list& values) {
  std::vector<FieldValue> fields;
  for (const nb::handle value : values) {
    if (value.is_none()) {
      fields.emplace_back();
    } else if (nb::isinstance<nb::float_>(value) ||
               (nb::isinstance<nb::int_>(value) && !nb::isinstance<nb::bool_>(value))) {
      fields.emplace_back(nb::cast<double>(value));
    } else {
      fields.emplace_back(std::string(utf8_of(nb::str(value))));
    }
  }
  return fields;
}

/// Makes a map of rows, without texts, ids and groups.
RowMap map_of(const RowsArgument& rows, std::uint32_t neighbours, std::uint32_t epochs,
              std::uint32_t nearest, int threads) {
  const MapOptions options = {.project = project_options(neighbours, epochs, threads),
                              .nearest = nearest};
  return run_long([&](std::stop_token stop) { return map_rows(view_of(rows), options, stop); });
}

std::vector<std::string> strings_of(nb::handle given) {
  const Texts all(given);
  return {all.views().begin(), all.views().end()};
}

/// Groups rows by `values`, of which there is one for each row. `name` is their name.
void color_by(RowMap& map, const nb::list& values, const std::string& name) {
  color_by_values(field_values(values), name, map);
}

/// Finds `groups` groups of the rows, or the usual number of groups.
void find_groups(RowMap& map, const RowsArgument& rows, std::optional<std::uint32_t> groups,
                 int threads) {
  const std::uint32_t k = groups.value_or(usual_groups(map.num_rows()));
  if (k == 0) return;
  run_long([&](std::stop_token stop) {
    return group_map(map, view_of(rows), {.k = k, .threads = threads}, stop);
  });
}

nb::object labels_of(const RowMap& map) {
  std::vector<std::int32_t> labels = map.groups;
  labels.resize(map.num_rows(), no_group);
  return array_of(std::move(labels));
}

std::string page_of(const RowMap& map, std::uint32_t text_bytes) {
  return run_long([&](std::stop_token) { return map_page(map, {.text_bytes = text_bytes}); });
}

std::string picture_of(const RowMap& map, std::uint32_t width, std::uint32_t height, bool dark) {
  return run_long([&](std::stop_token) {
    return map_picture(map, {.width = width, .height = height, .dark = dark});
  });
}

/// Writes a text to a file, which appears whole or not at all.
void write_file(const std::string& path, const std::string& text) {
  run_long([&](std::stop_token) { return write_text_file(path, text); });
}

}  // namespace

void bind_map(nb::module_& module) {
  module.def("project", project_rows, "rows"_a, "neighbours"_a, "epochs"_a, "threads"_a,
             nb::sig("def project(rows: numpy.typing.NDArray[numpy.float32], neighbours: int, "
                     "epochs: int, threads: int) -> numpy.typing.NDArray[numpy.float32]"));
  nb::class_<RowMap>(module, "RowMap")
      .def_prop_ro(
          "places", [](const RowMap& map) { return array_of_places(map.places); },
          nb::sig("def places(self) -> numpy.typing.NDArray[numpy.float32]"))
      .def_prop_ro("labels", labels_of,
                   nb::sig("def labels(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro("names", [](const RowMap& map) { return map.group_names; })
      .def_rw("title", &RowMap::title)
      .def(
          "set_texts", [](RowMap& map, nb::handle texts) { map.texts = strings_of(texts); },
          "texts"_a)
      .def(
          "set_ids", [](RowMap& map, nb::handle ids) { map.ids = strings_of(ids); }, "ids"_a)
      .def("color_by", color_by, "values"_a, "name"_a)
      .def("find_groups", find_groups, "rows"_a, "groups"_a.none(), "threads"_a)
      .def("page", page_of, "text_bytes"_a)
      .def("picture", picture_of, "width"_a, "height"_a, "dark"_a);
  module.def("write_file", write_file, "path"_a, "text"_a);
  module.def("map_rows", map_of, "rows"_a, "neighbours"_a, "epochs"_a, "nearest"_a, "threads"_a);
}

}  // namespace embd::python
