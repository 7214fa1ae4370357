#include "engine/ranking.h"

#include <algorithm>
#include <cmath>

namespace embd {
namespace {

bool is_better(const RankedDocument& a, const RankedDocument& b) {
  const bool a_is_number = !std::isnan(a.logit);
  const bool b_is_number = !std::isnan(b.logit);
  if (a_is_number != b_is_number) return a_is_number;
  if (a_is_number && a.logit != b.logit) return a.logit > b.logit;
  return a.index < b.index;
}

}  // namespace

std::vector<TextPair> pairs_of(std::string_view query,
                               std::span<const std::string_view> documents) {
  std::vector<TextPair> pairs;
  pairs.reserve(documents.size());
  for (const std::string_view document : documents) pairs.push_back({query, document});
  return pairs;
}

std::vector<RankedDocument> best_of(const PairScores& scores, std::size_t first, std::size_t count,
                                    std::size_t k) {
  std::vector<RankedDocument> documents;
  documents.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pair = first + i;
    documents.push_back({i, scores.scores.row(pair)[0], scores.logits.row(pair)[0],
                         scores.reports[pair].truncated});
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(k, documents.size()));
  std::ranges::partial_sort(documents, documents.begin() + kept, is_better);
  documents.resize(static_cast<std::size_t>(kept));
  return documents;
}

}  // namespace embd
