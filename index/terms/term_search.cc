#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>

#include "base/messages.h"
#include "base/try.h"
#include "engine/functions.h"
#include "index/terms/term_index_impl.h"

namespace embd {

Bm25::Bm25(double k1, double b, std::span<const std::uint32_t> lengths) noexcept
    : num_rows_(static_cast<double>(lengths.size())), short_(k1 * (1 - b)) {
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  if (total == 0) return;
  average_length_ = static_cast<double>(total) / num_rows_;
  long_ = k1 * b / average_length_;
}

double Bm25::idf(std::uint64_t df) const noexcept {
  const auto rows = static_cast<double>(df);
  return log_of(1 + (num_rows_ - rows + 0.5) / (rows + 0.5));
}

namespace {

/// The rows whose scores are summed at a time: their sums stay in the processor's cache.
constexpr std::size_t window_rows = 16384;

/// The best hits so far, at most k.
class BestHits {
 public:
  explicit BestHits(std::size_t k) : k_(k) {}

  /// Takes a row, unless there are k better ones. Rows must ascend.
  void take(std::uint64_t row, float score) {
    if (score <= least_) return;
    if (hits_.size() == k_) {
      std::ranges::pop_heap(hits_, is_better);
      hits_.pop_back();
    }
    hits_.push_back({row, score});
    std::ranges::push_heap(hits_, is_better);
    if (hits_.size() == k_) least_ = hits_.front().score;
  }
  /// Returns the score that a further row must exceed.
  float least() const noexcept { return least_; }
  std::vector<TermHit> sorted() && {
    std::ranges::sort_heap(hits_, is_better);
    return std::move(hits_);
  }

 private:
  static bool is_better(const TermHit& a, const TermHit& b) noexcept {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  }

  std::size_t k_;
  float least_ = 0;
  std::vector<TermHit> hits_;  // a heap whose front is the worst
};

/// Takes the rows of a window, from `first` on, whose sums are large enough. Sums are not negative,
/// so they are compared as the integers of their bits, several at a time.
void take_window(std::span<const float> sums, std::uint64_t first, BestHits& best) {
  constexpr std::size_t block = 64;
  for (std::size_t begin = 0; begin < sums.size(); begin += block) {
    const std::size_t end = std::min(begin + block, sums.size());
    const auto least = std::bit_cast<std::int32_t>(best.least());
    std::int32_t exceeds = 0;
    for (std::size_t i = begin; i < end; ++i)
      exceeds |= std::bit_cast<std::int32_t>(sums[i]) > least ? 1 : 0;
    if (exceeds == 0) continue;
    for (std::size_t i = begin; i < end; ++i) best.take(first + i, sums[i]);
  }
}

Result<void> check_rows(std::span<const std::uint64_t> rows, std::uint64_t num_rows) {
  for (const std::uint64_t row : rows) {
    if (row >= num_rows)
      return fail(ErrorCode::invalid_argument, "there is no row {}: the term index has {}", row,
                  counted(num_rows, "row"));
  }
  return {};
}

}  // namespace

std::vector<TermIndex::Impl::Cursor> TermIndex::Impl::cursors_of(
    std::span<const std::string> query_terms) const {
  std::vector<Cursor> cursors;
  for (const std::string& term : query_terms) {
    if (const auto column = vocabulary_.find(term)) {
      cursors.push_back({static_cast<std::size_t>(postings_.starts[*column]),
                         static_cast<std::size_t>(postings_.starts[*column + 1])});
    }
  }
  return cursors;
}

/// Adds the scores of the rows [first, first + sums.size()) to `sums`, term by term. The cursors
/// move behind these rows.
void TermIndex::Impl::add_window(std::vector<Cursor>& cursors, std::uint64_t first,
                                 std::span<float> sums) const noexcept {
  const std::uint64_t behind = first + sums.size();
  const std::uint32_t* const rows = postings_.rows.data();
  const float* const scores = postings_.scores.data();
  for (Cursor& cursor : cursors) {
    std::size_t at = cursor.at;
    for (; at < cursor.end && rows[at] < behind; ++at) sums[rows[at] - first] += scores[at];
    cursor.at = at;
  }
}

Result<std::vector<TermHit>> TermIndex::Impl::search(std::span<const std::string> query_terms,
                                                     std::size_t k,
                                                     const TermSearchOptions& options) const {
  if (k == 0) return fail(ErrorCode::invalid_argument, "k is 0, expected at least 1");
  const std::uint64_t num_rows = postings_.lengths.size();
  std::span<const std::uint64_t> allowed;
  if (options.rows) {
    allowed = *options.rows;
    EMBD_TRY(check_rows(allowed, num_rows));
    if (std::ranges::adjacent_find(allowed, std::greater_equal()) != allowed.end())
      return fail(ErrorCode::invalid_argument, "the rows that may be found do not ascend");
  }
  std::vector<Cursor> cursors = cursors_of(query_terms);
  BestHits best(k);
  std::array<float, window_rows> window;
  for (std::uint64_t first = 0; first < num_rows && !cursors.empty(); first += window_rows) {
    if (options.rows) {
      // Windows without an allowed row are skipped.
      if (allowed.empty()) break;
      first = allowed.front() / window_rows * window_rows;
      for (Cursor& cursor : cursors) {
        const auto rest = postings_.rows.subspan(cursor.at, cursor.end - cursor.at);
        cursor.at += static_cast<std::size_t>(std::ranges::lower_bound(rest, first) - rest.begin());
      }
    }
    const std::span<float> sums =
        std::span(window).first(std::min<std::uint64_t>(window_rows, num_rows - first));
    std::ranges::fill(sums, 0.0F);
    add_window(cursors, first, sums);
    if (!options.rows) {
      take_window(sums, first, best);
      continue;
    }
    for (; !allowed.empty() && allowed.front() < first + sums.size(); allowed = allowed.subspan(1))
      best.take(allowed.front(), sums[allowed.front() - first]);
  }
  return std::move(best).sorted();
}

Result<std::vector<float>> TermIndex::Impl::scores(std::span<const std::string> query_terms,
                                                   std::span<const std::uint64_t> rows) const {
  EMBD_TRY(check_rows(rows, postings_.lengths.size()));
  std::vector<float> sums(rows.size());
  for (const Cursor& cursor : cursors_of(query_terms)) {
    const auto of_term = postings_.rows.subspan(cursor.at, cursor.end - cursor.at);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto found = std::ranges::lower_bound(of_term, rows[i]);
      if (found == of_term.end() || *found != rows[i]) continue;
      sums[i] += postings_.scores[cursor.at + static_cast<std::size_t>(found - of_term.begin())];
    }
  }
  return sums;
}

}  // namespace embd
