#include <fmt/format.h>

#include "base/guard.h"
#include "base/try.h"
#include "embd/rerank.h"

namespace embd {
namespace {

Result<std::vector<std::string_view>> texts_of(const std::vector<RowHit>& hits,
                                               const RowTexts& texts) {
  std::vector<std::string_view> found;
  found.reserve(hits.size());
  for (const RowHit& hit : hits) {
    const auto text = texts.find(hit.row);
    if (text == texts.end())
      return fail(ErrorCode::missing, fmt::format("row {} has no text to be ranked by", hit.row));
    found.emplace_back(text->second);
  }
  return found;
}

}  // namespace

Result<RankedRows> rank_hits(const Reranker& model, std::span<const std::string_view> queries,
                             const RowHits& hits, const RowTexts& texts, std::size_t k,
                             const ScoreOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<RankedRows> {
    if (queries.size() != hits.size()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} queries for {} lists of hits", queries.size(), hits.size()));
    }
    RankedRows ranked(hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const auto documents = EMBD_TRY(texts_of(hits[i], texts));
      const auto ranking = EMBD_TRY(model.rank(queries[i], documents, k, options, stop));
      for (const auto& [index, score, logit, truncated] : ranking)
        ranked[i].push_back({hits[i][index].row, hits[i][index].distance, score, logit, truncated});
    }
    return ranked;
  });
}

}  // namespace embd
