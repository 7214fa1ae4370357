#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "analysis/near_pairs.h"
#include "base/spill_file.h"
#include "embd/vectors.h"
#include "jobs/analysis/row_table.h"

namespace embd {

/// Pairs that wait on the disk until everything that the report says about them is known.
class WaitingPairs {
 public:
  /// `report` is the file that the pairs are for.
  explicit WaitingPairs(const std::filesystem::path& report) : spill_(SpillFile::beside(report)) {}
  Result<void> add(std::span<const NearPair> pairs) { return spill_.write(std::as_bytes(pairs)); }
  /// Calls function(pairs) for all pairs, some at a time, in the order in which they were added.
  Result<void> for_each(const std::function<Result<void>(std::span<const NearPair>)>& function);

 private:
  SpillFile spill_;
};

/// The groups that pairs of one set belong to; empty for pairs of two sets.
struct PairGroups {
  std::span<const std::uint64_t> groups = {};           ///< the group number of each row, [rows]
  std::span<const std::uint64_t> representatives = {};  ///< [rows]
};

/// Writes a table of pairs: the ids of both rows, their similarity and, for pairs of one set, the
/// number of their group and the id of the row that is kept. The file is complete, but not yet in
/// place.
Result<std::unique_ptr<RowTable>> write_pairs(const std::filesystem::path& path,
                                              WaitingPairs& pairs, const Ids& ids,
                                              const Ids& other_ids, const PairGroups& groups);

}  // namespace embd
