#include "jobs/recorded_digest.h"

#include "base/try.h"
#include "formats/vectors/ids.h"

namespace embd {

Result<std::optional<Digest>> recorded_digest(const VectorReader& vectors,
                                              const ReadOptions& read) {
  const bool is_whole =
      read.column.empty() && read.section.empty() && !read.all_rows && !read.unnormalize;
  if (!is_whole) return std::nullopt;
  const std::string json = EMBD_TRY(vectors.digest());
  if (json.empty()) return std::nullopt;
  return EMBD_TRY(Digest::from_json(json));
}

Result<std::optional<Digest>> joined_digest(const Readers& sets, const ReadOptions& read,
                                            const Ids& ids) {
  if (sets.size() > 1 && !count_ids(ids)) return std::nullopt;  // Rows get new numbers as ids.
  std::optional<Digest> sum;
  for (const OpenSet& set : sets) {
    if (sets.size() > 1 && EMBD_TRY(set->ids()).index() != ids.index()) return std::nullopt;
    const auto digest = EMBD_TRY(recorded_digest(*set, read));
    if (!digest) return std::nullopt;
    if (!sum) {
      sum = digest;
    } else if (!sum->add(*digest)) {
      return std::nullopt;  // The recipes differ.
    }
  }
  return sum;
}

bool keeps_ids(const Format& format, const Ids& ids) {
  return !format.needs_ids || std::holds_alternative<std::vector<std::string>>(ids);
}

}  // namespace embd
