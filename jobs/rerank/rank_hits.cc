#include <fmt/format.h>

#include <algorithm>

#include "base/guard.h"
#include "base/try.h"
#include "embd/rerank.h"

namespace embd {
namespace {

std::vector<std::string_view> texts_of(const std::vector<RowHit>& hits, const RowTexts& texts) {
  std::vector<std::string_view> found;
  found.reserve(hits.size());
  for (const RowHit& hit : hits) found.push_back(texts[hit.row]);
  return found;
}

}  // namespace

Result<RankedRows> rank_hits(const Reranker& model, const HitTexts& found, std::size_t k,
                             const ScoreOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<RankedRows> {
    const auto& [queries, hits, texts] = found;
    if (queries.size() != hits.size()) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format(
              "{} queries and {} lists of hits were given, expected one list for each query",
              queries.size(), hits.size()));
    }
    if (texts.empty() && std::ranges::any_of(hits, [](const auto& list) { return !list.empty(); }))
      return fail(ErrorCode::missing,
                  "the vector set has no texts, which the reranker needs to rank the rows");
    RankedRows ranked(hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const auto documents = texts_of(hits[i], texts);
      const auto ranking = EMBD_TRY(model.rank(queries[i], documents, k, options, stop));
      for (const auto& [index, score, logit, truncated] : ranking)
        ranked[i].push_back({hits[i][index].row, hits[i][index].distance, score, logit, truncated});
    }
    return ranked;
  });
}

}  // namespace embd
