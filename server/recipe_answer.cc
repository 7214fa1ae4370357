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
  std::string reranker = "null";
  if (const Reranker* model = service.reranker()) {
    const auto made_with = model->recipe();
    reranker =
        fmt::format(R"({{"name":{},"labels":{},"activation":"{}","max_length":{},"recipe":{}}})",
                    json_string(model->name()), model->labels().size(),
                    name_of(model->activation(), score_activation_names), model->max_length(),
                    made_with ? recipe_to_json(*made_with) : "null");
  }
  return fmt::format(R"({{"dim":{},"recipe":{},"reranker":{},"indexes":[{}]}})",
                     service.has_model() ? fmt::to_string(service.model().dim()) : "null",
                     service.has_model() ? recipe_to_json(recipe) : "null", reranker, indexes);
}

}  // namespace embd::server
