#include <fmt/core.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "base/os/cpu.h"
#include "base/try.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "index/check_rows.h"
#include "index/distances/distance.h"
#include "index/exact.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
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
