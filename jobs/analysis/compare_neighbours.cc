#include "base/try.h"
#include "embd/neighbours.h"
#include "embd/searcher.h"
#include "index/check_rows.h"
#include "jobs/search/search_shard.h"
#include "jobs/stored_codes.h"

namespace embd {
namespace {

/// The rows of a set, in its mapped file or in memory.
class SetRows {
 public:
  static Result<SetRows> open(const std::filesystem::path& path, const ReadOptions& read) {
    SetRows rows;
    rows.set_ = EMBD_TRY(open_vectors(path, read));
    const PlainRowSource* plain = rows.set_->plain_rows();
    if (const auto mapped = plain != nullptr ? plain->view() : std::nullopt) {
      rows.view_ = *mapped;
      return rows;
    }
    rows.copy_ = EMBD_TRY(all_rows(*rows.set_));
    rows.view_ = rows.copy_;
    return rows;
  }
  const VectorReader& set() const noexcept { return *set_; }
  MatrixView view() const noexcept { return view_; }

 private:
  std::shared_ptr<const VectorReader> set_;
  Matrix copy_;
  MatrixView view_;
};

/// Checks that rows are vectors, not packed bits, which have no angle between them.
Result<void> check_rows_are_values(const std::filesystem::path& path, const VectorReader& set) {
  if (EMBD_TRY(stored_codes(set)).type != OutputType::binary) return {};
  return fail_in(path, ErrorCode::unsupported,
                 "the rows are binary codes, expected vectors, because no angles can be computed "
                 "between codes");
}

Result<void> check_ids(const VectorReader& a, const VectorReader& b) {
  const Ids ids_a = EMBD_TRY(a.ids());
  const Ids ids_b = EMBD_TRY(b.ids());
  if (a.info().num_rows != b.info().num_rows) return {};  // compare_neighbours() reports that
  for (std::uint64_t row = 0; row < a.info().num_rows; ++row) {
    const std::string id_a = id_text(ids_a, row);
    const std::string id_b = id_text(ids_b, row);
    if (id_a != id_b)
      return fail(ErrorCode::invalid_argument,
                  "row {} has the id {:?} in one set and {:?} in the other, expected two sets of "
                  "vectors of the same texts in the same order",
                  row, id_a, id_b);
  }
  return {};
}

}  // namespace

Result<NeighbourAgreement> compare_neighbours_of(const std::filesystem::path& a,
                                                 const std::filesystem::path& b,
                                                 const ReadOptions& read,
                                                 const AgreementOptions& options,
                                                 std::stop_token stop) {
  return guarded([&]() -> Result<NeighbourAgreement> {
    const SetRows rows_a = EMBD_TRY(SetRows::open(a, read));
    const SetRows rows_b = EMBD_TRY(SetRows::open(b, read));
    EMBD_TRY(check_rows_are_values(a, rows_a.set()));
    EMBD_TRY(check_rows_are_values(b, rows_b.set()));
    EMBD_TRY(check_ids(rows_a.set(), rows_b.set()));
    EMBD_TRY(in_file(a, check_rows(rows_a.view(), Metric::cos)));
    EMBD_TRY(in_file(b, check_rows(rows_b.view(), Metric::cos)));
    return compare_neighbours(rows_a.view(), rows_b.view(), options, std::move(stop));
  });
}

}  // namespace embd
