#include "embd/searcher.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "formats/recipe_json.h"
#include "formats/vectors/ids.h"
#include "jobs/options/vector_lists.h"
#include "jobs/row_ids.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

std::unique_ptr<Searcher> open_searcher(const std::vector<std::filesystem::path>& paths,
                                        const nb::dict& given) {
  SearcherOptions options;
  set_options(given, options);
  return std::make_unique<Searcher>(
      run_long([&](std::stop_token) { return Searcher::open(paths, options); }));
}

Queries encode_queries(const Searcher& searcher, const Model& model, nb::handle texts,
                       const nb::dict& given) {
  const Texts batch(texts);
  QueryOptions options;
  set_options(given, options);
  return run_long([&](std::stop_token stop) {
    return searcher.encode_queries(model, batch.views(), options, std::move(stop));
  });
}

template <class Argument>
Queries code_queries(const Searcher& searcher, const Argument& queries) {
  return run_short([&] { return searcher.code_queries(view_of(queries)); });
}

Queries read_queries(const Searcher& searcher, const std::filesystem::path& path, bool force) {
  return run_long([&](std::stop_token) { return searcher.read_queries(path, force); });
}

/// The name, the relation and the values of each condition.
using Conditions = std::vector<std::tuple<std::string, std::string, std::vector<std::string>>>;

RowFilter filter(const Searcher& searcher, nb::handle ids, const Conditions& columns) {
  RowConditions conditions;
  const Ids wanted = ids_of(ids);
  if (const auto count = count_ids(wanted)) conditions.ids = id_strings(wanted, *count);
  for (const auto& [name, relation, values] : columns) {
    const auto known = value_named(relation, relation_names);
    if (!known)
      raise_invalid(
          fmt::format("the column {:?} has the relation {:?}, expected eq, ne, lt, lte, gt or gte",
                      name, relation));
    conditions.columns.push_back({name, values, *known});
  }
  return run_long([&](std::stop_token) { return searcher.filter(conditions); });
}

std::string columns_json(const Searcher& searcher, std::uint64_t row) {
  return run_short([&] { return searcher.columns_json(row); });
}

/// Returns hits as arrays: rows [n, k], distances [n, k], and the number of hits of each query [n].
nb::object search_rows(const Searcher& searcher, const Queries& queries, std::size_t k,
                       const RowFilter* allowed, const nb::dict& given) {
  SearchOptions options;
  set_options(given, options);
  const RowHits found = run_long([&](std::stop_token stop) {
    return searcher.search(queries, k, options, allowed, std::move(stop));
  });
  const std::size_t most = std::min<std::uint64_t>(k, searcher.info().num_rows);
  auto rows = new_array<std::uint64_t>(found.size(), most);
  auto distances = new_array<float>(found.size(), most);
  std::ranges::fill(rows.values(), std::numeric_limits<std::uint64_t>::max());
  std::ranges::fill(distances.values(), std::numeric_limits<float>::infinity());
  std::vector<std::uint64_t> counts;
  for (std::size_t q = 0; q < found.size(); ++q) {
    counts.push_back(found[q].size());
    for (std::size_t i = 0; i < found[q].size(); ++i) {
      rows.values()[q * most + i] = found[q][i].row;
      distances.values()[q * most + i] = found[q][i].distance;
    }
  }
  return nb::make_tuple(rows.release(), distances.release(), array_of(std::move(counts)));
}

nb::dict searcher_info(const Searcher& searcher) {
  nb::dict dict;
  dict["format"] = searcher.info().format;
  dict["metric"] = metric_name(searcher.metric());
  dict["has_index"] = searcher.has_index();
  dict["num_rows"] = searcher.info().num_rows;
  dict["dim"] = searcher.query_dim();
  const auto& recipe = searcher.recipe();
  dict["recipe"] = recipe ? nb::cast(recipe_to_json(*recipe)) : nb::none();
  return dict;
}

}  // namespace

void bind_searcher(nb::module_& module) {
  nb::class_<Queries>(module, "Queries").def("__len__", &Queries::size);
  nb::class_<RowFilter>(module, "RowFilter").def("__len__", &RowFilter::size);
  nb::class_<Searcher>(module, "Searcher")
      .def("info", &searcher_info, nb::sig("def info(self) -> dict[str, typing.Any]"))
      .def(
          "ids", [](const Searcher& searcher) { return from_ids(searcher.ids()); },
          nb::sig("def ids(self) -> numpy.typing.NDArray[numpy.uint64] | list[str] | None"))
      .def("compute_note", &Searcher::compute_note, "model"_a)
      .def("length_note", &Searcher::length_note)
      .def("encode_queries", &encode_queries, "model"_a, "texts"_a, "options"_a)
      .def("code_queries", &code_queries<RowsArgument>, "vectors"_a)
      .def("code_bits", &code_queries<BitsArgument>, "bits"_a)
      .def("read_queries", &read_queries, "path"_a, "force"_a)
      .def("filter", &filter, "ids"_a.none(), "columns"_a)
      .def("columns", &Searcher::columns)
      .def("columns_json", &columns_json, "row"_a)
      .def("search", &search_rows, "queries"_a, "count"_a, "filter"_a.none(), "options"_a,
           nb::sig("def search(self, queries: Queries, count: int, "
                   "filter: RowFilter | None, options: dict[str, object]) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint64], "
                   "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint64]]"));
  module.def("open_searcher", &open_searcher, "paths"_a, "options"_a);
}

}  // namespace embd::python
