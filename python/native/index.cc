#include "embd/index.h"

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
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "formats/recipe_json.h"
#include "native/bindings.h"
#include "native/element_types.h"
#include "native/error.h"
#include "native/ids.h"
#include "native/long_call.h"
#include "native/rows.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

/// A walk over a graph that keeps fewer candidates than this, over all queries and indexes, is a
/// matter of milliseconds, for which no thread is started: nobody can interrupt so short a call.
constexpr std::size_t short_walk = 4096;
/// So many rows are added in as short a time.
constexpr std::size_t short_add = 16;

Metric metric_of(const std::string& name) {
  const auto metric = metric_from_name(name);
  if (!metric) raise_invalid(fmt::format("no metric is called \"{}\"", name));
  return *metric;
}

/// An index that Python's threads share: searches run side by side, changes alone.
class SharedIndex {
 public:
  explicit SharedIndex(Index index) : index_(std::move(index)) {}

  /// work(index) while nobody changes the index; GIL released.
  template <class Work>
  auto read(Work&& work) const {
    return run_short([&] {
      const std::shared_lock lock(mutex_);
      return work(index_);
    });
  }
  /// Nobody changes the index while this is held.
  std::shared_lock<std::shared_mutex> lock() const { return std::shared_lock(mutex_); }
  /// While a lock() is held.
  const Index& index() const noexcept { return index_; }
  /// work(index, stop), which takes long, while nobody else uses the index; GIL released.
  template <class Work>
  auto change_long(Work&& work) {
    return run_long([&](std::stop_token stop) {
      const std::unique_lock lock(mutex_);
      return work(index_, std::move(stop));
    });
  }
  /// work(index) while nobody else uses the index; GIL released.
  template <class Work>
  auto change(Work&& work) {
    return run_short([&] {
      const std::unique_lock lock(mutex_);
      return work(index_);
    });
  }

 private:
  mutable std::shared_mutex mutex_;
  Index index_;
};

std::unique_ptr<SharedIndex> build(const RowsArgument& rows, nb::handle ids,
                                   const std::string& kind, const std::string& metric,
                                   const std::string& dtype, int threads,
                                   std::uint32_t connectivity, std::uint32_t expansion_add,
                                   bool multi, std::uint32_t degree, std::uint32_t window,
                                   float alpha) {
  if (kind != "hnsw" && kind != "vamana") {
    raise_invalid(fmt::format("kind \"{}\", expected hnsw or vamana", kind));
  }
  const IndexOptions options = {.kind = kind == "hnsw" ? IndexKind::hnsw : IndexKind::vamana,
                                .metric = metric_of(metric),
                                .scalar = element_type_from_name(dtype),
                                .threads = threads,
                                .connectivity = connectivity,
                                .expansion_add = expansion_add,
                                .multi = multi,
                                .degree = degree,
                                .window = window,
                                .alpha = alpha};
  const std::vector<std::uint64_t> numbers =
      ids.is_none() ? std::vector<std::uint64_t>() : numbers_of(ids);
  return std::make_unique<SharedIndex>(run_long([&](std::stop_token stop) {
    return Index::build(view_of(rows), numbers, options, std::move(stop));
  }));
}

std::unique_ptr<SharedIndex> open(const std::filesystem::path& path, bool view,
                                  const std::string& metric, std::uint32_t expansion_add) {
  const OpenOptions options = {.metric = metric_of(metric), .expansion_add = expansion_add};
  return std::make_unique<SharedIndex>(run_long([&](std::stop_token) {
    return view ? Index::view(path, options) : Index::open(path, options);
  }));
}

/// Hits as arrays: ids [n, k], distances [n, k], how many of a row are hits [n].
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

/// Of several indexes as of one; none of them twice.
nb::object search(const std::vector<const SharedIndex*>& several, const RowsArgument& queries,
                  std::size_t count, std::uint32_t expansion, std::uint32_t window,
                  std::uint32_t capacity, bool exact, nb::handle filter, int threads) {
  const bool filtered = !filter.is_none();
  const std::vector<std::uint64_t> allowed =
      filtered ? numbers_of(filter) : std::vector<std::uint64_t>();
  const MatrixView rows = view_of(queries);
  std::size_t most = 0;
  const auto work = [&](std::stop_token stop) -> Result<std::vector<std::vector<Hit>>> {
    std::vector<std::shared_lock<std::shared_mutex>> locks;
    std::vector<IndexShard> shards;
    std::deque<IdFilter> filters;
    for (const SharedIndex* shared : several) {
      locks.push_back(shared->lock());
      shards.push_back({.index = &shared->index()});
      most += shared->index().info().num_rows;
      if (!filtered) continue;
      auto passing = shared->index().filter(allowed);
      if (!passing) return std::unexpected(passing.error());
      shards.back().filter = &filters.emplace_back(std::move(*passing));
    }
    most = std::min(most, count);
    const SearchOptions options = {.expansion = expansion,
                                   .window = window,
                                   .capacity = capacity,
                                   .exact = exact,
                                   .threads = threads};
    return search_shards(shards, rows, count, options, std::move(stop));
  };
  const std::size_t looked_at = rows.rows() * several.size() * std::max(expansion, window);
  const bool is_short = !exact && looked_at <= short_walk;
  const auto found = is_short ? run_short([&] { return work({}); }) : run_long(work);
  return arrays_of(found, most);
}

nb::dict info(const SharedIndex& shared) {
  const IndexInfo info =
      shared.read([](const Index& index) -> Result<IndexInfo> { return index.info(); });
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

nb::object rows(const SharedIndex& shared, std::uint64_t first, std::uint64_t count,
                std::uint64_t dim) {
  auto out = new_array<float>(count, dim);
  shared.read([&](const Index& index) { return index.read_rows(first, count, out.values()); });
  return out.release();
}

}  // namespace

void bind_index(nb::module_& module) {
  nb::class_<SharedIndex>(module, "Index")
      .def(
          "add",
          [](SharedIndex& shared, const RowsArgument& rows, nb::handle ids, int threads) {
            const auto numbers = numbers_of(ids);
            const MatrixView added = view_of(rows);
            if (added.rows() <= short_add) {
              shared.change([&](Index& index) { return index.add(added, numbers, threads); });
            } else {
              shared.change_long([&](Index& index, std::stop_token stop) {
                return index.add(added, numbers, threads, std::move(stop));
              });
            }
          },
          "rows"_a, "ids"_a, "threads"_a = 0)
      .def(
          "remove",
          [](SharedIndex& shared, nb::handle ids) {
            const auto numbers = numbers_of(ids);
            return shared.change([&](Index& index) { return index.remove(numbers); });
          },
          "ids"_a)
      .def("compact",
           [](SharedIndex& shared) {
             shared.change_long([](Index& index, std::stop_token) { return index.compact(); });
           })
      .def(
          "set_recipe",
          [](SharedIndex& shared, const std::string& json) {
            const Recipe recipe = value_of(recipe_from_json(json));
            shared.change([&](Index& index) -> Result<void> {
              index.set_recipe(recipe);
              return {};
            });
          },
          "json"_a)
      .def(
          "save",
          [](const SharedIndex& shared, const std::filesystem::path& path) {
            run_long([&](std::stop_token) {
              const auto held = shared.lock();
              return shared.index().save(path);
            });
          },
          "path"_a)
      .def(
          "ids",
          [](const SharedIndex& shared) {
            return array_of(
                shared.read([](const Index& index) -> Result<std::vector<std::uint64_t>> {
                  return index.ids();
                }));
          },
          nb::sig("def ids(self) -> numpy.typing.NDArray[numpy.uint64]"))
      .def("info", &info, nb::sig("def info(self) -> dict[str, typing.Any]"))
      .def("rows", &rows, "first"_a, "count"_a, "dim"_a,
           nb::sig("def rows(self, first: int, count: int, dim: int) -> "
                   "numpy.typing.NDArray[numpy.float32]"));
  module.def("build_index", &build, "rows"_a, "ids"_a.none(), "kind"_a, "metric"_a, "dtype"_a,
             "threads"_a, "connectivity"_a, "expansion_add"_a, "multi"_a, "degree"_a, "window"_a,
             "alpha"_a);
  module.def(
      "search_indexes", &search, "indexes"_a, "queries"_a, "count"_a, "expansion"_a, "window"_a,
      "capacity"_a, "exact"_a, "filter"_a.none(), "threads"_a,
      "Ids [n, k], distances [n, k], hits of each query [n]. Several indexes, none of them twice, "
      "are searched as one.",
      nb::sig("def search_indexes(indexes: collections.abc.Sequence[Index], queries: "
              "numpy.typing.NDArray[numpy.float32], count: int, expansion: int, window: int, "
              "capacity: int, exact: bool, filter: numpy.typing.NDArray[numpy.uint64] | "
              "None, threads: int) -> tuple[numpy.typing.NDArray[numpy.uint64], "
              "numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint64]]"));
  module.def("open_index", &open, "path"_a, "view"_a, "metric"_a, "expansion_add"_a);
}

}  // namespace embd::python
