#include "faces/server/recipe_answer.h"

#include <fmt/format.h>

#include "base/try.h"
#include "faces/server/json_answer.h"
#include "formats/recipe_json.h"

namespace embd::server {

namespace {

Result<std::string> models_json(const Models& models) {
  std::string list = "[";
  for (const auto& served : models.all()) {
    const Recipe recipe = EMBD_TRY(served->model.recipe());
    if (!list.ends_with('[')) list += ',';
    list += fmt::format(R"({{"name":{},"dim":{},"max_length":{},"recipe":{}}})",
                        json_string(served->name), served->model.dim(), served->model.max_length(),
                        recipe_to_json(recipe));
  }
  return list + "]";
}

Result<std::string> reranker_json(const Reranker* model) {
  if (model == nullptr) return "null";
  const Recipe recipe = EMBD_TRY(model->recipe());
  return fmt::format(R"({{"name":{},"labels":{},"activation":"{}","max_length":{},"recipe":{}}})",
                     json_string(model->name()), model->labels().size(),
                     name_of(model->activation(), score_activation_names), model->max_length(),
                     recipe_to_json(recipe));
}

std::string index_json(const ServedIndex& index) {
  const Searcher& searcher = index.searcher();
  return fmt::format(
      R"({{"name":{},"format":"{}","metric":"{}","shards":{},"rows":{},"dim":{},"texts":{},)"
      R"("model":{},"recipe":{}}})",
      json_string(index.name()), searcher.info().format, metric_name(searcher.metric()),
      searcher.shard_rows().size(), index.num_rows(), searcher.query_dim(), index.has_texts(),
      index.model() != nullptr ? json_string(index.model()->name) : "null",
      searcher.recipe() ? recipe_to_json(*searcher.recipe()) : "null");
}

}  // namespace

Result<std::string> recipe_answer(const Service& service) {
  const Models& models = service.models();
  std::string indexes;
  for (const auto& index : service.indexes())
    indexes += (indexes.empty() ? "" : ",") + index_json(*index);
  std::string dim = "null";
  std::string recipe = "null";
  if (!models.empty()) {
    dim = fmt::to_string(models.first().model.dim());
    recipe = recipe_to_json(EMBD_TRY(models.first().model.recipe()));
  }
  return fmt::format(R"({{"dim":{},"recipe":{},"models":{},"reranker":{},"indexes":[{}]}})", dim,
                     recipe, EMBD_TRY(models_json(models)),
                     EMBD_TRY(reranker_json(models.reranker())), indexes);
}

}  // namespace embd::server
