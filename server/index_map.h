#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "embd/map.h"
#include "embd/searcher.h"

namespace embd::server {

/// A row on a map that a query is near.
struct NearPoint {
  std::uint32_t point = 0;
  std::optional<float> similarity;  ///< nothing for metrics that have none
};

/// The place of a query on a map.
struct QueryPlace {
  float x = 0;
  float y = 0;
  std::vector<NearPoint> near;  ///< the nearest first
};

/// The map of up to 4,000 rows of an index, spread evenly over it, in groups that are named by
/// their texts. Immutable: any number of threads may ask at once.
class IndexMap {
 public:
  /// Makes the map, which takes a second or so. `texts`: of all rows, or none. The searcher must
  /// outlive the map. Errors: those of map_rows() and of reading rows.
  static Result<IndexMap> create(const Searcher& searcher, const RowTexts& texts);

  const RowMap& map() const noexcept { return map_; }
  /// The row of the index that a point stands for.
  std::uint64_t row(std::size_t point) const noexcept { return rows_[point]; }
  /// Places a query between the points nearest to it: where the sum of its distances to them is
  /// least, each with the weight of how near it is. `vector`: [searcher.query_dim()]. Errors: those
  /// of a search.
  Result<QueryPlace> place(std::span<const float> vector) const;

 private:
  explicit IndexMap(const Searcher& searcher) : searcher_(&searcher) {}

  const Searcher* searcher_;
  RowMap map_;
  std::vector<std::uint64_t> rows_;                          // of the points
  std::unordered_map<std::uint64_t, std::uint32_t> points_;  // by row
  std::optional<RowFilter> filter_;                          // the rows of the map
};

}  // namespace embd::server
