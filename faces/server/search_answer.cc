#include "faces/server/search_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "faces/server/json_answer.h"

namespace embd::server {

void append_hit(const ServedIndex& index, const AnsweredHit& hit, std::string& out) {
  const auto [row, distance] = hit.row;
  out += fmt::format(R"({{"id":{},)", index.id_json(row));
  if (hit.ranked) {
    out += fmt::format(R"("score":{},"logit":{},)", hit.ranked->score, hit.ranked->logit);
    if (hit.ranked->truncated) out += R"("truncated":true,)";
  }
  if (const auto similarity = similarity_of(index.searcher().metric(), distance))
    out += fmt::format(R"("similarity":{},)", *similarity);
  out += std::isfinite(distance) ? fmt::format(R"("distance":{})", distance) : R"("distance":null)";
  if (const auto columns = index.columns_json(row); !columns.empty())
    out += ",\"columns\":" + columns;
  if (index.has_texts()) out += ",\"text\":" + json_string(index.text(row));
  out += '}';
}

Response search_answer(const std::string& index, std::vector<std::string> results,
                       const QueryUsage& usage) {
  Response response;
  response.body.push_back(fmt::format(R"({{"index":{},"results":[)", json_string(index)));
  for (auto& part : results) response.body.push_back(std::move(part));
  std::string end =
      fmt::format(R"(],"usage":{{"prompt_tokens":{0},"total_tokens":{0}}})", usage.tokens);
  if (!usage.truncated.empty()) {
    end += ",\"truncated\":";
    append_json_numbers(usage.truncated, end);
  }
  response.body.push_back(end + "}");
  return response;
}

}  // namespace embd::server
