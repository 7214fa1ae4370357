#include "server/recipe_answer.h"

#include <fmt/format.h>

#include "formats/recipe_json.h"
#include "server/json_answer.h"

namespace embd::server {

std::string recipe_answer(const Service& service, const Recipe& recipe) {
  std::string indexes;
  for (const auto& index : service.indexes()) {
    const Searcher& searcher = index->searcher();
    if (!indexes.empty()) indexes += ',';
    indexes += fmt::format(
        R"({{"name":{},"format":"{}","metric":"{}","shards":{},"rows":{},"dim":{},"texts":{},)"
        R"("recipe":{}}})",
        json_string(index->name()), searcher.info().format, metric_name(searcher.metric()),
        searcher.shard_rows().size(), index->num_rows(), searcher.query_dim(), index->has_texts(),
        searcher.recipe() ? recipe_to_json(*searcher.recipe()) : "null");
  }
  return fmt::format(R"({{"dim":{},"recipe":{},"indexes":[{}]}})", service.model().dim(),
                     recipe_to_json(recipe), indexes);
}

}  // namespace embd::server
