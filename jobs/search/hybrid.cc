#include "embd/hybrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/try.h"
#include "embd/searcher.h"

namespace embd {
namespace {

constexpr double weight_of_vectors = 0.6;
constexpr double weight_of_terms = 0.4;

/// Scales values linearly, so that the least of those that were added becomes 0, and the greatest
/// becomes 1.
class Scale {
 public:
  void add(float value) {
    if (!std::isfinite(value)) return;
    least_ = std::min(least_, double{value});
    greatest_ = std::max(greatest_, double{value});
  }
  double operator()(float value) const {
    if (!std::isfinite(value) || greatest_ <= least_) return 0;
    return (value - least_) / (greatest_ - least_);
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<FusedRow> fuse_rows(std::vector<FusedRow> rows, std::size_t k) {
  Scale vectors;
  Scale terms;
  for (const FusedRow& row : rows) {
    vectors.add(-row.distance);
    terms.add(row.term_score);
  }
  // The order is that of the exact scores: rounded ones could be equal where distances differ.
  std::vector<std::pair<double, FusedRow>> scored;
  for (const FusedRow& row : rows) {
    const double score =
        weight_of_vectors * vectors(-row.distance) + weight_of_terms * terms(row.term_score);
    scored.emplace_back(score, row);
  }
  std::ranges::sort(scored, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.row < b.second.row;
  });
  rows.resize(std::min(rows.size(), k));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = scored[i].second;
    rows[i].score = static_cast<float>(scored[i].first);
  }
  return rows;
}

Result<Queries::TermsOfEach> Searcher::terms_of(std::span<const std::string_view> texts,
                                                const Model* model) const {
  if (terms() == nullptr)
    return fail(ErrorCode::invalid_argument,
                "the searcher was opened without a term index, which terms are searched in");
  Queries::TermsOfEach all;
  for (const std::string_view text : texts)
    all.push_back(EMBD_TRY(terms()->query(text, model)).texts);
  return all;
}

Result<Queries> Searcher::term_queries(std::span<const std::string_view> texts,
                                       const Model* model) const {
  return guarded(
      [&]() -> Result<Queries> { return Queries(EMBD_TRY(terms_of(texts, model)), impl_); });
}

Result<void> Searcher::add_terms(std::span<const std::string_view> texts, const Model* model,
                                 Queries& queries) const {
  return guarded([&]() -> Result<void> {
    if (texts.size() != queries.size())
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} texts were given for {} queries, expected one for each",
                              texts.size(), queries.size()));
    queries.terms_ = EMBD_TRY(terms_of(texts, model));
    return {};
  });
}

Result<TermHits> Searcher::search_terms(const Queries& queries, std::size_t k,
                                        const RowFilter* filter, std::stop_token stop) const {
  return guarded([&]() -> Result<TermHits> {
    EMBD_TRY(check_call(queries, k, filter));
    if (!queries.have_terms())
      return fail(ErrorCode::invalid_argument,
                  "the queries have no terms, expected queries of texts");
    TermSearchOptions options;
    if (filter != nullptr) options.rows = filter->rows_;
    TermHits hits;
    for (const std::vector<std::string>& of_query : *queries.terms_) {
      if (stop.stop_requested()) return fail_stopped();
      hits.push_back(EMBD_TRY(terms()->search(of_query, k, options)));
    }
    return hits;
  });
}

/// Fuses the rows that were found for one of the queries by its vector and by its terms.
Result<std::vector<FusedRow>> Searcher::fuse(const Queries& queries, std::size_t query,
                                             const std::vector<RowHit>& nearest,
                                             const std::vector<TermHit>& best,
                                             std::size_t k) const {
  std::vector<FusedRow> rows;
  for (const RowHit& hit : nearest) rows.push_back({.row = hit.row, .distance = hit.distance});
  std::ranges::sort(rows, {}, &FusedRow::row);
  std::vector<FusedRow> others;  // that only the terms have found
  for (const TermHit& hit : best)
    if (!std::ranges::binary_search(rows, hit.row, {}, &FusedRow::row))
      others.push_back({.row = hit.row, .distance = std::numeric_limits<float>::infinity()});
  std::ranges::sort(others, {}, &FusedRow::row);
  EMBD_TRY(add_distances(queries, query, others));
  rows.insert(rows.end(), others.begin(), others.end());

  std::vector<std::uint64_t> numbers;
  for (const FusedRow& row : rows) numbers.push_back(row.row);
  const auto scores = EMBD_TRY(terms()->scores((*queries.terms_)[query], numbers));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].term_score = scores[i];
  return fuse_rows(std::move(rows), k);
}

Result<FusedRows> Searcher::search_both(const Queries& queries, std::size_t k,
                                        const SearchOptions& options, const RowFilter* filter,
                                        std::stop_token stop) const {
  return guarded([&]() -> Result<FusedRows> {
    EMBD_TRY(check_call(queries, k, filter));
    constexpr std::size_t least_candidates = 100;
    const std::size_t candidates = std::max(k, least_candidates);
    const TermHits best = EMBD_TRY(search_terms(queries, candidates, filter, stop));
    const RowHits nearest = EMBD_TRY(search(queries, candidates, options, filter, std::move(stop)));
    FusedRows fused;
    for (std::size_t query = 0; query < queries.size(); ++query)
      fused.push_back(EMBD_TRY(fuse(queries, query, nearest[query], best[query], k)));
    return fused;
  });
}

}  // namespace embd
