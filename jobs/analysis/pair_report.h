#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "analysis/near_pairs.h"
#include "base/spill_file.h"
#include "embd/vectors.h"
#include "jobs/analysis/row_table.h"

namespace embd {

/// Pairs that wait on the disk until it is known what to say of them.
class WaitingPairs {
 public:
  /// `report`: the file that they are for.
  explicit WaitingPairs(const std::filesystem::path& report) : spill_(SpillFile::beside(report)) {}
  Result<void> add(std::span<const NearPair> pairs) { return spill_.write(std::as_bytes(pairs)); }
  /// Calls function(pairs) for some pairs at a time, in the order in which they were added.
  Result<void> for_each(const std::function<Result<void>(std::span<const NearPair>)>& function);

 private:
  SpillFile spill_;
};

/// How the pairs of one set belong together; of two sets, nothing of it is there.
struct PairGroups {
  std::span<const std::uint64_t> groups = {};           ///< [rows], by their numbers
  std::span<const std::uint64_t> representatives = {};  ///< [rows]
};

/// Writes a table of pairs: both rows' ids, their similarity and, in one set, the number of their
/// group and the id of the row that is kept. The file is whole, and not in place yet.
Result<std::unique_ptr<RowTable>> write_pairs(const std::filesystem::path& path,
                                              WaitingPairs& pairs, const Ids& ids,
                                              const Ids& other_ids, const PairGroups& groups);

}  // namespace embd
