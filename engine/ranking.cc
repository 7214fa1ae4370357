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

std::vector<RankedDocument> best_of(std::vector<RankedDocument> documents, std::size_t k) {
  const auto kept = static_cast<std::ptrdiff_t>(std::min(k, documents.size()));
  std::ranges::partial_sort(documents, documents.begin() + kept, is_better);
  documents.resize(static_cast<std::size_t>(kept));
  return documents;
}

}  // namespace embd
