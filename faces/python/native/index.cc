#include <fmt/core.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "base/try.h"
#include "embd/index.h"
#include "embd/terms.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/shared_index.h"
#include "faces/python/native/texts.h"
#include "formats/recipe_json.h"
#include "jobs/options/vector_lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

/// The number of rows that are added within milliseconds.
constexpr std::size_t short_add = 16;

std::uint64_t after_greatest(std::span<const std::uint64_t> keys) {
  return keys.empty() ? 0 : std::ranges::max(keys) + 1;
}

}  // namespace

/// Fills `keys` with the numbers after the greatest key so far. Called while no other thread uses
/// the index.
Result<void> SharedIndex::number(std::vector<std::uint64_t>& keys) {
  if (!next_key_) next_key_ = after_greatest(index_.ids());
  if (keys.size() > std::numeric_limits<std::uint64_t>::max() - *next_key_) {
    return fail(ErrorCode::invalid_argument,
                "no numbers are left for keys after the greatest key, {}: give the keys yourself",
                *next_key_ - 1);
  }
  std::iota(keys.begin(), keys.end(), *next_key_);
  return {};
}

std::vector<std::uint64_t> SharedIndex::add(MatrixView rows,
                                            std::optional<std::vector<std::uint64_t>> keys,
                                            int threads) {
  const bool numbered = !keys;
  std::vector<std::uint64_t> all = numbered ? std::vector<std::uint64_t>(rows.rows()) : *keys;
  if (all.size() != rows.rows())
    raise_invalid(fmt::format("{} keys were given for {} rows, expected one key for each row",
                              all.size(), rows.rows()));
  change(rows.rows() <= short_add, [&](Index& index, std::stop_token stop) -> Result<void> {
    if (numbered) EMBD_TRY(number(all));
    EMBD_TRY(index.add(rows, all, threads, std::move(stop)));
    if (next_key_) next_key_ = std::max(*next_key_, after_greatest(all));
    return {};
  });
  return all;
}

namespace {

/// The number of candidates, over all queries and indexes, up to which a search in graphs takes
/// milliseconds. Such a search needs no thread, because nobody can interrupt so short a call.
constexpr std::size_t short_walk = 4096;

std::unique_ptr<SharedIndex> build(const RowsArgument& rows, nb::handle ids,
                                   const nb::dict& given) {
  IndexOptions options;
  set_options(given, options);
  const std::vector<std::uint64_t> numbers =
      ids.is_none() ? std::vector<std::uint64_t>() : numbers_of(ids);
  if (!ids.is_none() && numbers.size() != rows.shape(0))
    raise_invalid(fmt::format("{} keys were given for {} rows, expected one key for each row",
                              numbers.size(), rows.shape(0)));
  return std::make_unique<SharedIndex>(run_long([&](std::stop_token stop) {
    return Index::build(view_of(rows), numbers, options, std::move(stop));
  }));
}

std::unique_ptr<SharedIndex> open_index(const std::filesystem::path& path, bool view,
                                        const std::optional<std::string>& metric,
                                        std::uint32_t expansion_add) {
  OpenOptions options;
  if (metric) options.metric = metric_of(*metric);
  options.expansion_add = expansion_add;
  return std::make_unique<SharedIndex>(run_long([&](std::stop_token) {
    return view ? Index::view(path, options) : Index::open(path, options);
  }));
}

/// Returns hits as arrays: ids [n, k], distances [n, k], and the number of hits of each query [n].
nb::object arrays_of(const std::vector<std::vector<Hit>>& found, std::size_t k) {
  auto ids = new_array<std::uint64_t>(found.size(), k);
  auto distances = new_array<float>(found.size(), k);
  std::ranges::fill(ids.values(), std::numeric_limits<std::uint64_t>::max());
  std::ranges::fill(distances.values(), std::numeric_limits<float>::infinity());
  std::vector<std::uint64_t> counts;
  counts.reserve(found.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    counts.push_back(found[q].size());
    for (std::size_t i = 0; i < found[q].size(); ++i) {
      ids.values()[q * k + i] = found[q][i].id;
      distances.values()[q * k + i] = found[q][i].distance;
    }
  }
  return nb::make_tuple(ids.release(), distances.release(), array_of(std::move(counts)));
}

/// Searches several different indexes as one. `Queries` are rows of float32 or of packed bits.
template <class Queries>
nb::object search_indexes(const std::vector<const SharedIndex*>& several, const Queries& queries,
                          std::size_t count, nb::handle filter, const nb::dict& given) {
  SearchOptions options;
  set_options(given, options);
  const bool filtered = !filter.is_none();
  const std::vector<std::uint64_t> allowed =
      filtered ? numbers_of(filter) : std::vector<std::uint64_t>();
  const auto rows = view_of(queries);
  std::size_t most = 0;
  const auto work = [&](std::stop_token stop) -> Result<std::vector<std::vector<Hit>>> {
    std::vector<IndexShard> shards;
    std::deque<IdFilter> filters;
    for (const SharedIndex* shared : several) {
      shards.push_back({.index = &shared->index()});
      most += shared->index().info().num_rows;
      if (!filtered) continue;
      filters.push_back(EMBD_TRY(shared->index().filter(allowed)));
      shards.back().filter = &filters.back();
    }
    most = std::min(most, count);
    return search_shards(shards, rows, count, options, std::move(stop));
  };
  const std::size_t looked_at =
      queries.shape(0) * several.size() * std::max(options.expansion, options.window);
  const bool is_short = !options.exact && !filtered && looked_at <= short_walk;
  const auto found = SharedIndex::read_all(several, is_short, work);
  return arrays_of(found, most);
}

nb::dict index_info(const SharedIndex& shared) {
  const IndexInfo info = shared.read(
      true,
      [](const Index& index, const std::stop_token&) -> Result<IndexInfo> { return index.info(); });
  nb::dict dict;
  dict["format"] = info.format;
  dict["kind"] = info.kind == IndexKind::hnsw ? "hnsw" : "vamana";
  dict["metric"] = metric_name(info.metric);
  dict["dtype"] = element_name(info.scalar);
  dict["dim"] = info.dim;
  dict["num_rows"] = info.num_rows;
  dict["num_removed"] = info.num_removed;
  dict["connectivity"] = info.connectivity;
  dict["multi"] = info.multi;
  dict["immutable"] = info.immutable;
  dict["recipe"] = info.recipe ? nb::cast(recipe_to_json(*info.recipe)) : nb::none();
  return dict;
}

nb::object add(SharedIndex& shared, const RowsArgument& rows, nb::handle keys, int threads) {
  std::optional<std::vector<std::uint64_t>> numbers;
  if (!keys.is_none()) numbers = numbers_of(keys);
  return array_of(shared.add(view_of(rows), std::move(numbers), threads));
}

/// Returns the rows of keys, [keys, dim]. Raises KeyError for a key that the index does not have.
nb::object get(const SharedIndex& shared, nb::handle keys) {
  const std::vector<std::uint64_t> wanted = numbers_of(keys);
  std::optional<std::uint64_t> missing;
  auto rows =
      shared.read(true, [&](const Index& index, const std::stop_token&) -> Result<NewArray<float>> {
        NewArray<float> found = new_array<float>(wanted.size(), index.info().dim);
        const std::vector<bool> there = EMBD_TRY(index.contains(wanted));
        const auto absent = std::ranges::find(there, false);
        if (absent == there.end()) {
          EMBD_TRY(index.read_rows_of(wanted, found.values()));
        } else {
          missing = wanted[static_cast<std::size_t>(absent - there.begin())];
        }
        return found;
      });
  if (!missing) return rows.release();
  PyErr_SetObject(PyExc_KeyError, nb::cast(*missing).ptr());
  throw nb::python_error();
}

/// Returns, for each key, true if the index has a row of this key, [keys].
nb::object contains(const SharedIndex& shared, nb::handle keys) {
  const std::vector<std::uint64_t> wanted = numbers_of(keys);
  const std::vector<bool> there = shared.read(
      true, [&](const Index& index, const std::stop_token&) { return index.contains(wanted); });
  auto found = new_array<bool>(1, there.size());
  std::ranges::copy(there, found.values().begin());
  return found.release()[0];
}

}  // namespace

void bind_index(nb::module_& module) {
  nb::class_<SharedIndex>(module, "Index")
      .def(
          "add", &add, "rows"_a, "keys"_a.none(), "threads"_a = 0,
          "Adds rows and returns their keys, [rows]. Without `keys` they are the numbers after the "
          "greatest key so far.",
          nb::sig("def add(self, rows: numpy.typing.NDArray[numpy.float32], keys: object, "
                  "threads: int = 0) -> numpy.typing.NDArray[numpy.uint64]"))
      .def(
          "remove",
          [](SharedIndex& shared, nb::handle keys) {
            const auto numbers = numbers_of(keys);
            return shared.change(
                true, [&](Index& index, const std::stop_token&) { return index.remove(numbers); });
          },
          "keys"_a, nb::sig("def remove(self, keys: object) -> int"))
      .def("compact",
           [](SharedIndex& shared) {
             shared.change(false,
                           [](Index& index, const std::stop_token&) { return index.compact(); });
           })
      .def(
          "set_recipe",
          [](SharedIndex& shared, const std::string& json) {
            const Recipe recipe = value_of(recipe_from_json(json));
            shared.change(true, [&](Index& index, const std::stop_token&) -> Result<void> {
              index.set_recipe(recipe);
              return {};
            });
          },
          "json"_a)
      .def(
          "save",
          [](const SharedIndex& shared, const std::filesystem::path& path) {
            shared.read(false, [&](const Index& index, const std::stop_token&) {
              return index.save(path);
            });
          },
          "path"_a)
      .def(
          "ids",
          [](const SharedIndex& shared) {
            return array_of(
                shared.read(true,
                            [](const Index& index, const std::stop_token&)
                                -> Result<std::vector<std::uint64_t>> { return index.ids(); }));
          },
          nb::sig("def ids(self) -> numpy.typing.NDArray[numpy.uint64]"))
      .def("info", &index_info, nb::sig("def info(self) -> dict[str, typing.Any]"))
      .def("get", &get, "keys"_a,
           nb::sig("def get(self, keys: object) -> numpy.typing.NDArray[numpy.float32]"))
      .def("contains", &contains, "keys"_a,
           nb::sig("def contains(self, keys: object) -> numpy.typing.NDArray[numpy.bool_]"));
  module.def("build_index", &build, "rows"_a, "ids"_a.none(), "options"_a);
  module.def(
      "search_indexes", &search_indexes<RowsArgument>, "indexes"_a, "queries"_a, "count"_a,
      "filter"_a.none(), "options"_a,
      "Searches several different indexes as one. Returns ids [n, k], distances [n, k], and the "
      "number of hits of each query [n].",
      nb::sig("def search_indexes(indexes: collections.abc.Sequence[Index], queries: "
              "numpy.typing.NDArray[numpy.float32], count: int, "
              "filter: numpy.typing.NDArray[numpy.uint64] | None, "
              "options: dict[str, object]) -> tuple[numpy.typing.NDArray[numpy.uint64], "
              "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint64]]"));
  module.def(
      "search_indexes_by_bits", &search_indexes<BitsArgument>, "indexes"_a, "queries"_a, "count"_a,
      "filter"_a.none(), "options"_a,
      "Searches as search_indexes() does, with queries of packed bits, eight values in a byte.",
      nb::sig("def search_indexes_by_bits(indexes: collections.abc.Sequence[Index], queries: "
              "numpy.typing.NDArray[numpy.uint8], count: int, "
              "filter: numpy.typing.NDArray[numpy.uint64] | None, "
              "options: dict[str, object]) -> tuple[numpy.typing.NDArray[numpy.uint64], "
              "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint64]]"));
  module.def("open_index", &open_index, "path"_a, "view"_a, "metric"_a = nb::none(),
             "expansion_add"_a = 128);
}

namespace {

std::unique_ptr<TermIndex> open_terms(const std::filesystem::path& path) {
  return std::make_unique<TermIndex>(
      run_long([&](std::stop_token) { return TermIndex::open(path); }));
}

std::unique_ptr<TermIndex> build_terms(nb::handle texts, const Model* model,
                                       const nb::dict& given) {
  const Texts batch(texts);
  TermOptions options = {.model = model};
  set_options(given, options);
  return std::make_unique<TermIndex>(
      run_long([&](std::stop_token) { return TermIndex::build(batch.views(), options); }));
}

nb::dict info_of(const TermIndex& index) {
  const TermIndexInfo info = index.info();
  nb::dict dict;
  dict["num_rows"] = info.num_rows;
  dict["num_terms"] = info.num_terms;
  dict["num_postings"] = info.num_postings;
  dict["average_length"] = info.average_length;
  dict["term_kind"] = name_of(info.recipe.kind, term_kind_names);
  dict["stemmer"] = name_of(info.recipe.stemmer, stemmer_names);
  return dict;
}

std::vector<std::string> terms_of(const TermIndex& index, const std::string& text,
                                  const Model* model) {
  return run_short([&]() -> Result<std::vector<std::string>> {
    return EMBD_TRY(index.query(text, model)).texts;
  });
}

/// Returns the rows of the best hits [n], and their scores [n].
nb::object search_terms(const TermIndex& index, const std::vector<std::string>& terms,
                        std::size_t k, nb::handle allowed) {
  const std::vector<std::uint64_t> numbers =
      allowed.is_none() ? std::vector<std::uint64_t>() : numbers_of(allowed);
  TermSearchOptions options;
  if (!allowed.is_none()) options.rows = numbers;
  const std::vector<TermHit> found = run_short([&] { return index.search(terms, k, options); });
  std::vector<std::uint64_t> rows;
  std::vector<float> scores;
  for (const TermHit& hit : found) {
    rows.push_back(hit.row);
    scores.push_back(hit.score);
  }
  return nb::make_tuple(array_of(std::move(rows)), array_of(std::move(scores)));
}

nb::object scores_of(const TermIndex& index, const std::vector<std::string>& terms,
                     nb::handle rows) {
  const std::vector<std::uint64_t> numbers = numbers_of(rows);
  return array_of(run_short([&] { return index.scores(terms, numbers); }));
}

}  // namespace

void bind_terms(nb::module_& module) {
  nb::class_<TermIndex>(module, "TermIndex")
      .def("__len__", &TermIndex::num_rows)
      .def("info", &info_of, nb::sig("def info(self) -> dict[str, typing.Any]"))
      .def("terms", &terms_of, "text"_a, "model"_a.none())
      .def("weight", &TermIndex::weight, "term"_a)
      .def("search", &search_terms, "terms"_a, "count"_a, "rows"_a.none(),
           nb::sig("def search(self, terms: list[str], count: int, rows: typing.Any) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint64], "
                   "numpy.typing.NDArray[numpy.float32]]"))
      .def("scores", &scores_of, "terms"_a, "rows"_a,
           nb::sig("def scores(self, terms: list[str], rows: typing.Any) -> "
                   "numpy.typing.NDArray[numpy.float32]"))
      .def(
          "save",
          [](const TermIndex& index, const std::filesystem::path& path) {
            run_long([&](std::stop_token) { return index.save(path); });
          },
          "path"_a);
  module.def("open_terms", &open_terms, "path"_a);
  module.def("build_terms", &build_terms, "texts"_a, "model"_a.none(), "options"_a);
}

}  // namespace embd::python
