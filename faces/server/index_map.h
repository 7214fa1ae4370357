#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "embd/map.h"
#include "embd/searcher.h"
#include "faces/server/exchange.h"

namespace embd::server {

/// A point of a map that is near a query.
struct NearPoint {
  std::uint32_t point = 0;          ///< the number of the point on the map
  std::optional<float> similarity;  ///< to the query; nothing if the metric has no similarity
};

/// The place of a query on a map.
struct QueryPlace {
  float x = 0;
  float y = 0;
  std::vector<NearPoint> points;  ///< the points nearest to the query, the nearest first
};

/// A two-dimensional map of the rows of an index. It shows at most 4,000 rows, which are taken at
/// equal distances from all rows. Similar rows form groups, which are named by words of their
/// texts. Immutable: any number of threads may call any member at once.
class IndexMap {
 public:
  /// Returns the number of points that the map of an index with `num_rows` rows has.
  static std::uint64_t num_points(std::uint64_t num_rows) noexcept;
  /// Makes the map on the calling thread, which takes about a second. `texts` has the texts of all
  /// rows, or is empty. The searcher must outlive the map. Fails with the errors of map_rows() and
  /// of reading rows.
  static Result<IndexMap> create(const Searcher& searcher, const RowTexts& texts);

  const RowMap& map() const noexcept { return map_; }
  /// Returns the row of the index that a point stands for.
  std::uint64_t row(std::size_t point) const noexcept { return rows_[point]; }
  /// Returns the place of a query on the map. It is the point with the least weighted sum of
  /// distances to the places of the rows nearest to the query; nearer rows weigh more. `vector` has
  /// searcher.query_dim() values. Fails with the errors of a search.
  Result<QueryPlace> place(std::span<const float> vector) const;

 private:
  explicit IndexMap(const Searcher& searcher) : searcher_(&searcher) {}

  const Searcher* searcher_;
  RowMap map_;
  std::vector<std::uint64_t> rows_;                          // the row of each point
  std::unordered_map<std::uint64_t, std::uint32_t> points_;  // the point of each row
  std::optional<RowFilter> filter_;                          // lets only rows of the map pass
};

class ServedIndex;
class Service;

/// A function that answers a call with the help of a map, at once or later on another thread.
using MapUser = std::function<Answerable<void>(const IndexMap&)>;

/// The map of an index, and the calls that wait for it.
struct SharedMap {
  struct Waiting {
    Call call;
    MapUser use;
  };

  std::mutex mutex;
  std::optional<IndexMap> map;   ///< does not change once it is set
  std::vector<Waiting> waiting;  ///< not empty while a worker makes the map
};

/// Calls `use` with the map of an index. The first call has a worker make the map. Calls that come
/// meanwhile wait without a thread. If the map cannot be made, all of them are answered with the
/// failure, and the next call tries again. Refuses the call with overloaded if the queue is full.
Answerable<void> with_map(Service& service, const ServedIndex& index, const Call& call,
                          const MapUser& use);

}  // namespace embd::server
