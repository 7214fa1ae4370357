#include "faces/server/ranked_search.h"

#include <fmt/format.h>

#include "base/try.h"
#include "engine/ranking.h"
#include "faces/server/pairs_work.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

/// The largest size of a hit in an answer, without its text and its id.
constexpr std::size_t hit_bytes = 160;

Response answer_of(const FoundRows& found, QueryUsage usage, const Scored& scored) {
  std::string out;
  std::size_t first = 0;
  for (const std::vector<RowHit>& hits : found.hits) {
    out += out.empty() ? R"({"hits":[)" : R"(,{"hits":[)";
    for (const RankedDocument& best : best_of(scored.pairs, first, hits.size(), found.k)) {
      if (!out.ends_with('[')) out += ',';
      append_hit(found.index, {hits[best.index], best}, out);
    }
    out += "]}";
    first += hits.size();
  }
  usage.tokens += scored.tokens;
  return search_answer(found.index.name(), {std::move(out)}, usage);
}

}  // namespace

Answerable<void> check_ranked_search(const Service& service, const Call& call,
                                     const FoundRows& found) {
  EMBD_TRY(ranker_of(service, call));
  if (found.queries.empty())
    return refuse(Problem::invalid, "\"rerank\" needs queries in \"texts\", not in \"vectors\"",
                  "rerank");
  if (!found.index.has_texts()) {
    return refuse(
        Problem::invalid,
        fmt::format(
            "\"rerank\" needs the texts of the rows of {}: start the server with --texts NAME=FILE",
            found.index.name()),
        "rerank");
  }
  for (const std::string& query : found.queries) EMBD_TRY(checked_pairs_of(query, {}));
  return {};
}

Answerable<void> rank_found(Service& service, const Call& call,
                            std::shared_ptr<const FoundRows> found, QueryUsage usage) {
  PairsRequest request;
  for (std::size_t query = 0; query < found->queries.size(); ++query) {
    for (const RowHit& hit : found->hits[query]) {
      const std::string_view text = found->index.text(hit.row);
      request.pairs.push_back({found->queries[query], text});
      request.answer_bytes += hit_bytes + text.size();
    }
  }
  if (request.pairs.empty()) {
    call->answer(answer_of(*found, std::move(usage), {}));
    return {};
  }
  request.finish = [found = std::move(found), usage = std::move(usage)](const Scored& scored) {
    return answer_of(*found, usage, scored);
  };
  return score_pairs(service, call, std::move(request));
}

}  // namespace embd::server
