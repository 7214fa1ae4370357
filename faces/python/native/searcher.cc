#include <fmt/core.h>
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

#include "base/os/cpu.h"
#include "base/try.h"
#include "embd/searcher.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "formats/recipe_json.h"
#include "formats/vectors/ids.h"
#include "index/check_rows.h"
#include "index/distances/distance.h"
#include "index/exact.h"
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

/// Returns one number of each hit as an array [n, k], filled up with `rest`.
template <class Hit, class Number>
nb::object array_of_hits(const std::vector<std::vector<Hit>>& found, std::size_t k,
                         Number Hit::* member, Number rest) {
  auto array = new_array<Number>(found.size(), k);
  std::ranges::fill(array.values(), rest);
  for (std::size_t q = 0; q < found.size(); ++q)
    for (std::size_t i = 0; i < found[q].size(); ++i)
      array.values()[q * k + i] = found[q][i].*member;
  return array.release();
}

/// Returns hits as arrays: the number of hits of each query [n], rows [n, k], and the numbers
/// `members` of each hit [n, k].
template <class Hit, class... Members>
nb::object as_arrays(const std::vector<std::vector<Hit>>& found, std::size_t k,
                     Members... members) {
  std::vector<std::uint64_t> counts;
  for (const std::vector<Hit>& of_query : found) counts.push_back(of_query.size());
  constexpr std::uint64_t no_row = std::numeric_limits<std::uint64_t>::max();
  return nb::make_tuple(
      array_of(std::move(counts)), array_of_hits(found, k, &Hit::row, no_row),
      array_of_hits(found, k, members, std::numeric_limits<float>::infinity())...);
}

/// Searches as `match`, a name of the enum Match, says. Returns as_arrays(), with distances, with
/// term scores, or with scores, distances and term scores.
nb::object search_rows(const Searcher& searcher, const Queries& queries, std::size_t k,
                       const RowFilter* allowed, const std::string& match, const nb::dict& given) {
  const auto known = value_named(match, match_names);
  if (!known) raise_invalid(fmt::format("match is {:?}, expected vectors, terms or both", match));
  SearchOptions options;
  set_options(given, options);
  const std::size_t most = std::min<std::uint64_t>(k, searcher.info().num_rows);
  if (*known == Match::vectors) {
    const auto found = run_long([&](std::stop_token stop) {
      return searcher.search(queries, k, options, allowed, std::move(stop));
    });
    return as_arrays(found, most, &RowHit::distance);
  }
  if (*known == Match::terms) {
    const auto found = run_long([&](std::stop_token stop) {
      return searcher.search_terms(queries, k, allowed, std::move(stop));
    });
    return as_arrays(found, most, &TermHit::score);
  }
  const auto found = run_long([&](std::stop_token stop) {
    return searcher.search_both(queries, k, options, allowed, std::move(stop));
  });
  return as_arrays(found, most, &FusedRow::score, &FusedRow::distance, &FusedRow::term_score);
}

Queries term_queries(const Searcher& searcher, nb::handle texts, const Model* model) {
  const Texts batch(texts);
  return run_short([&] { return searcher.term_queries(batch.views(), model); });
}

void add_terms(const Searcher& searcher, nb::handle texts, const Model* model, Queries& queries) {
  const Texts batch(texts);
  run_short([&] { return searcher.add_terms(batch.views(), model, queries); });
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
      .def("has_terms", [](const Searcher& searcher) { return searcher.terms() != nullptr; })
      .def("term_queries", &term_queries, "texts"_a, "model"_a.none())
      .def("add_terms", &add_terms, "texts"_a, "model"_a.none(), "queries"_a)
      .def("search", &search_rows, "queries"_a, "count"_a, "filter"_a.none(), "match"_a,
           "options"_a,
           nb::sig("def search(self, queries: Queries, count: int, filter: RowFilter | None, "
                   "match: str, options: dict[str, object]) -> tuple[typing.Any, ...]"));
  module.def("open_searcher", &open_searcher, "paths"_a, "options"_a);
}

namespace {

StoredRows stored(MatrixView rows) {
  return {.data = reinterpret_cast<const std::byte*>(rows.data()),
          .stride = rows.cols() * sizeof(float)};
}

/// Finds the rows nearest to each query by comparing it with all rows. Returns places [n, k] and
/// distances [n, k]. k is reduced to the number of rows. A place is −1 if a distance was not a
/// finite number. Raises the errors of check_rows().
nb::object nearest(const RowsArgument& queries, const RowsArgument& rows, std::size_t k,
                   const std::string& metric_word, int threads) {
  const Metric metric = metric_of(metric_word);
  if (queries.shape(1) != rows.shape(1)) {
    raise_invalid(fmt::format(
        "the queries have {} values, but the rows have {}, expected vectors of one model",
        queries.shape(1), rows.shape(1)));
  }
  const std::size_t most = std::min<std::size_t>(k, rows.shape(0));
  auto places = new_array<std::int64_t>(queries.shape(0), most);
  auto distances = new_array<float>(queries.shape(0), most);
  std::ranges::fill(places.values(), -1);
  std::ranges::fill(distances.values(), std::numeric_limits<float>::infinity());
  if (most == 0 || queries.shape(0) == 0) {
    return nb::make_tuple(places.release(), distances.release());
  }
  value_of(check_rows(view_of(queries), metric));
  value_of(check_rows(view_of(rows), metric));
  const Distance distance = value_of(Distance::create(metric, ElementType::f32, rows.shape(1)));
  const auto found =
      run_long([&](std::stop_token stop) -> Result<std::vector<std::vector<FoundRow>>> {
        auto hits = exact_search({distance, stored(view_of(rows)), rows.shape(0)},
                                 stored(view_of(queries)), queries.shape(0), most,
                                 threads == 0 ? available_threads() : threads, stop);
        if (stop.stop_requested()) return fail_stopped();
        return hits;
      });
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (std::size_t i = 0; i < found[q].size(); ++i) {
      places.values()[q * most + i] = found[q][i].slot;
      distances.values()[q * most + i] = found[q][i].distance;
    }
  }
  return nb::make_tuple(places.release(), distances.release());
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def("nearest", &nearest, "queries"_a, "rows"_a, "k"_a, "metric"_a, "threads"_a = 0,
             nb::sig("def nearest(queries: numpy.typing.NDArray[numpy.float32], rows: "
                     "numpy.typing.NDArray[numpy.float32], k: int, metric: str, threads: int = 0) "
                     "-> tuple[numpy.typing.NDArray[numpy.int64], "
                     "numpy.typing.NDArray[numpy.float32]]"));
}

}  // namespace embd::python
