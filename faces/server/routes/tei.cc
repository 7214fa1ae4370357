// The routes of text-embeddings-inference (TEI): /embed and others that its clients use.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/try.h"
#include "embd/model.h"
#include "embd/recipe.h"
#include "embd/version.h"
#include "faces/server/call_work.h"
#include "faces/server/json_answer.h"
#include "faces/server/json_request.h"
#include "faces/server/service.h"
#include "faces/server/text_options.h"
#include "faces/server/texts_work.h"
#include "formats/recipe_json.h"

namespace embd::server {
namespace {

/// Appends the tokens of a text as a JSON array [{"id":…,"text":…,"special":…,"start":…,"stop":…},
/// …]. "start" and "stop" are the offsets of the token's bytes in the text; they are null for
/// special tokens. Special tokens are left out unless `with_special` is true.
void append_tokens(const Model& model, std::string_view text, const Tokens& tokens,
                   bool with_special, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    const bool special = tokens.is_special(i);
    if (special && !with_special) continue;
    if (!out.ends_with('[')) out += ',';
    const auto [begin, end] = tokens.ranges[i];
    const std::string_view shown =
        begin < end ? text.substr(begin, end - begin) : model.token(tokens.ids[i]);
    fmt::format_to(std::back_inserter(out), R"({{"id":{},"text":{},"special":{},)", tokens.ids[i],
                   json_string(shown), special);
    if (special) {
      out += R"("start":null,"stop":null})";
    } else {
      fmt::format_to(std::back_inserter(out), R"("start":{},"stop":{}}})", begin, end);
    }
  }
  out += ']';
}

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
      R"({{"name":{},"format":"{}","metric":"{}","shards":{},"rows":{},"dim":{},"texts":{},"terms":{},)"
      R"("model":{},"recipe":{}}})",
      json_string(index.name()), searcher.info().format, metric_name(searcher.metric()),
      searcher.shard_rows().size(), index.num_rows(), searcher.query_dim(), index.has_texts(),
      index.has_terms(), index.model() != nullptr ? json_string(index.model()->name) : "null",
      searcher.recipe() ? recipe_to_json(*searcher.recipe()) : "null");
}

/// Returns a JSON object that describes the server: dimension and recipe of the first model, all
/// models, the reranker, and the indexes that can be searched. Fails with the errors of
/// Model::recipe().
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

/// Fields that several routes have.
struct TextFields {
  std::optional<bool> truncate;
  std::optional<std::string> truncation_direction;
  std::optional<std::string> prompt_name;
  std::optional<std::string> model;  ///< embd's own: selects one of several models
};

Answerable<void> check_inputs(const std::optional<Inputs>& inputs) {
  if (!inputs || inputs->size() == 0 || std::ranges::any_of(inputs->texts, &std::string::empty) ||
      std::ranges::any_of(inputs->ids, &std::vector<std::int32_t>::empty))
    return refuse(Problem::empty_input, "`inputs` cannot be empty", "inputs");
  return {};
}

/// Sets the model and the options of `request` from the fields.
Answerable<void> apply(const Service& service, const TextFields& fields, TextsRequest& request) {
  request.model = EMBD_TRY(service.models().find(fields.model));
  request.truncate = fields.truncate.value_or(true);
  request.options.truncation_side = EMBD_TRY(checked_side(fields.truncation_direction));
  request.options.prompt_name =
      EMBD_TRY(checked_prompt_name(request.model->model, fields.prompt_name));
  return {};
}

Response array_answer(Embedded&& embedded) {
  Response response;
  response.body.emplace_back("[");
  for (auto& part : embedded.parts) response.body.push_back(std::move(part));
  response.body.emplace_back("]");
  return response;
}

struct Similarity {
  bool given = false;
  std::optional<std::string> source_sentence;
  std::optional<Inputs> sentences;
};

/// Answers with the cosine similarities between one sentence and others.
Answerable<void> compare(Service& service, const Call& call, Similarity asked,
                         const TextFields& fields) {
  if (!asked.source_sentence || !asked.sentences || asked.sentences->size() == 0)
    return refuse(Problem::empty_input, "`inputs` wants `source_sentence` and `sentences`",
                  "inputs");
  if (!asked.sentences->ids.empty())
    return refuse(Problem::invalid, "`sentences` must be texts", "inputs");
  TextsRequest request;
  request.texts.push_back(std::move(*asked.source_sentence));
  for (auto& text : asked.sentences->texts) request.texts.push_back(std::move(text));
  if (std::ranges::any_of(request.texts, &std::string::empty))
    return refuse(Problem::empty_input, "`inputs` cannot hold an empty sentence", "inputs");
  EMBD_TRY(apply(service, fields, request));
  request.options.normalize = true;
  request.finish = [](Embedded&& embedded) {
    std::vector<float> cosines;
    const auto source = embedded.rows.row(0);
    for (std::size_t i = 1; i < embedded.rows.rows(); ++i) {
      const auto row = embedded.rows.row(i);
      cosines.push_back(
          static_cast<float>(std::inner_product(row.begin(), row.end(), source.begin(), 0.0)));
    }
    Response response;
    append_json_floats(cosines, response.body.emplace_back());
    return response;
  };
  return embed_texts(service, call, std::move(request));
}

Answerable<void> similarity(Service& service, const Call& call) {
  Similarity asked;
  TextFields texts;
  const Field inputs[] = {{"source_sentence", &asked.source_sentence},
                          {"sentences", &asked.sentences}};
  const Field parameters[] = {{"truncate", &texts.truncate},
                              {"truncation_direction", &texts.truncation_direction},
                              {"prompt_name", &texts.prompt_name}};
  const Field fields[] = {
      {"inputs", Object{inputs}}, {"parameters", Object{parameters}}, {"model", &texts.model}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  return compare(service, call, std::move(asked), texts);
}

/// Answers /embed, / and /invocations. If the field `inputs` is an object, it asks for similarities
/// instead of vectors. Hugging Face's client sends such requests to / and /invocations.
Answerable<void> tei_embed(Service& service, const Call& call) {
  std::optional<Inputs> inputs;
  Similarity pair;
  TextFields texts;
  std::optional<bool> normalize;
  std::optional<std::uint64_t> dimensions;
  const Field pair_fields[] = {{"source_sentence", &pair.source_sentence},
                               {"sentences", &pair.sentences}};
  const Field parameters[] = {{"truncate", &texts.truncate},
                              {"truncation_direction", &texts.truncation_direction},
                              {"prompt_name", &texts.prompt_name},
                              {"normalize", &normalize}};
  const Field fields[] = {{"inputs", &inputs},
                          {"inputs", Object{.fields = pair_fields, .given = &pair.given}},
                          {"parameters", Object{parameters}},
                          {"truncate", &texts.truncate},
                          {"truncation_direction", &texts.truncation_direction},
                          {"prompt_name", &texts.prompt_name},
                          {"normalize", &normalize},
                          {"dimensions", &dimensions},
                          {"model", &texts.model}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  if (pair.given) return compare(service, call, std::move(pair), texts);
  EMBD_TRY(check_inputs(inputs));
  TextsRequest request = {.texts = std::move(inputs->texts), .ids = std::move(inputs->ids)};
  EMBD_TRY(apply(service, texts, request));
  request.options.normalize = normalize.value_or(true);
  const Model& model = request.model->model;
  request.options.truncate_dim = EMBD_TRY(checked_dimensions(model, dimensions, "dimensions"));
  request.row_bytes = dimensions.value_or(model.dim()) * json_float_bytes + 2;
  request.write_row = [](std::size_t, std::span<const float> vector,
                         std::string& out) -> Result<void> {
    append_json_floats(vector, out);
    return {};
  };
  request.finish = array_answer;
  return embed_texts(service, call, std::move(request));
}

/// Answers with a vector for each token: the output of the last layer.
Answerable<void> embed_all(Service& service, const Call& call) {
  std::optional<Inputs> inputs;
  TextFields texts;
  const Field fields[] = {{"inputs", &inputs},
                          {"truncate", &texts.truncate},
                          {"truncation_direction", &texts.truncation_direction},
                          {"prompt_name", &texts.prompt_name},
                          {"model", &texts.model}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  EMBD_TRY(check_inputs(inputs));
  if (!inputs->ids.empty())
    return refuse(Problem::invalid, "/embed_all takes texts, not token ids", "inputs");
  TextsRequest request = {.texts = std::move(inputs->texts)};
  EMBD_TRY(apply(service, texts, request));
  request.each_token = true;
  request.row_bytes = request.model->model.hidden() * json_float_bytes + 2;  // for a token
  request.finish = array_answer;
  return embed_texts(service, call, std::move(request));
}

Answerable<void> tokenize(Service& service, const Call& call) {
  std::optional<Inputs> inputs;
  std::optional<bool> special;
  std::optional<std::string> prompt_name;
  std::optional<std::string> name;
  const Field fields[] = {{"inputs", &inputs},
                          {"add_special_tokens", &special},
                          {"prompt_name", &prompt_name},
                          {"model", &name}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  EMBD_TRY(check_inputs(inputs));
  if (!inputs->ids.empty()) return refuse(Problem::invalid, "`inputs` must be texts", "inputs");
  const Model& model = EMBD_TRY(service.models().find(name))->model;
  EncodeOptions options;
  options.max_length = 0;
  options.prompt_name = EMBD_TRY(checked_prompt_name(model, prompt_name));
  Response response;
  std::string& out = response.body.emplace_back("[");
  for (const std::string& text : inputs->texts) {
    const auto tokens = model.tokenize(text, options);
    if (!tokens) return std::unexpected(failure_of(tokens.error()));
    if (!out.ends_with('[')) out += ',';
    append_tokens(model, text, *tokens, special.value_or(true), out);
    if (out.size() > service.limits().answer_bytes)
      return refuse(Problem::answer_too_large,
                    "the answer would be longer than the server allows: send fewer texts");
  }
  out += ']';
  call->answer(std::move(response));
  return {};
}

Answerable<void> decode(Service& service, const Call& call) {
  std::optional<Inputs> ids;
  std::optional<bool> skip_special;
  std::optional<std::string> name;
  const Field fields[] = {{"ids", &ids}, {"skip_special_tokens", &skip_special}, {"model", &name}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  if (ids && !ids->texts.empty()) return refuse(Problem::invalid, "`ids` must be token ids", "ids");
  if (!ids || ids->ids.empty()) return refuse(Problem::empty_input, "`ids` cannot be empty", "ids");
  const Model& model = EMBD_TRY(service.models().find(name))->model;
  std::uint64_t count = 0;
  for (const auto& text : ids->ids) count += text.size();
  if (const std::uint64_t most = service.limits().request_tokens; count > most) {
    return refuse(
        Problem::too_many_tokens,
        fmt::format("the request contains {} token ids, expected at most {}", count, most), "ids");
  }
  Response response;
  std::string& out = response.body.emplace_back("[");
  for (const auto& text : ids->ids) {
    if (!out.ends_with('[')) out += ',';
    const auto decoded = model.decode(text, skip_special.value_or(true));
    if (!decoded) return refuse(Problem::invalid, decoded.error().message(), "ids");
    out += json_string(*decoded);
  }
  out += ']';
  call->answer(std::move(response));
  return {};
}

Answerable<void> not_this_model(Service& service, const Call& call) {
  return refuse(Problem::not_this_model,
                fmt::format("the model {} makes embeddings, but {} needs a model of another kind",
                            service.models().names().front().name, call->request.head.path));
}

/// Returns the value of "model_type" for a reranker,
/// {"reranker":{"id2label":{"0":"…"},"label2id":{"…":0}}}. A model with several labels has
/// "classifier" instead of "reranker".
std::string model_type_of(const Reranker& reranker) {
  std::string names;
  std::string places;
  for (std::size_t i = 0; i < reranker.labels().size(); ++i) {
    const std::string label = json_string(reranker.labels()[i]);
    names += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", i, label);
    places += fmt::format("{}{}:{}", i == 0 ? "" : ",", label, i);
  }
  return fmt::format(R"({{"{}":{{"id2label":{{{}}},"label2id":{{{}}}}}}})",
                     reranker.labels().size() == 1 ? "reranker" : "classifier", names, places);
}

Answerable<void> info(Service& service, const Call& call) {
  const Limits& limits = service.limits();
  const Models& models = service.models();
  const Reranker* reranker = models.reranker();
  const bool embeds = !models.empty();
  const auto recipe = embeds ? models.first().model.recipe() : reranker->recipe();
  if (!recipe) return std::unexpected(failure_of(recipe.error()));
  const std::string name = json_string(models.names().front().name);
  const auto served = recipe_answer(service);
  if (!served) return std::unexpected(failure_of(served.error()));
  Response response;
  response.body.push_back(fmt::format(
      R"({{"model_id":{0},"model_sha":"{1}","model_dtype":"{2}","served_model_name":{0},)"
      R"("model_type":{3},"max_concurrent_requests":{4},)"
      R"("max_input_length":{5},"max_batch_tokens":{10},"max_batch_requests":null,)"
      R"("max_client_batch_size":{6},"auto_truncate":true,"tokenization_workers":{7},)"
      R"("version":"{8}","sha":null,"docker_label":null,"embd":{9}}})",
      name, recipe->model_sha256,
      compute_name(embeds ? models.first().model.compute() : reranker->compute()),
      embeds ? fmt::format(R"({{"embedding":{{"pooling":"{}"}}}})",
                           name_of(recipe->pooling, pooling_names))
             : model_type_of(*reranker),
      limits.connections, embeds ? models.first().model.max_length() : reranker->max_length(),
      limits.inputs, service.scheduler().workers(), version(), *served, most_slice_tokens));
  call->answer(std::move(response));
  return {};
}

}  // namespace

std::span<const Route> tei_routes() {
  static constexpr Route routes[] = {
      Route::post(Api::tei, "/embed", tei_embed, "Embed texts, as text-embeddings-inference",
                  "TeiRequest", "Rows")
          .with(&Route::needs_model),
      Route::post(Api::tei, "/", tei_embed,
                  "The same as /embed, or /similarity if inputs is an object", "TeiAnyRequest",
                  "TeiAnyAnswer")
          .with(&Route::needs_model),
      Route::post(Api::tei, "/invocations", tei_embed, "The same as /, for SageMaker",
                  "TeiAnyRequest", "TeiAnyAnswer")
          .with(&Route::needs_model),
      Route::post(Api::tei, "/embed_all", embed_all, "A vector for each token", "TeiTextsRequest",
                  "TokenRows")
          .with(&Route::needs_model),
      Route::post(Api::tei, "/similarity", similarity, "Cosines between one sentence and others",
                  "SimilarityRequest", "Numbers")
          .with(&Route::needs_model),
      Route::post(Api::tei, "/tokenize", tokenize, "Tokens and their bytes in the text",
                  "TokenizeRequest", "TokenLists")
          .with(&Route::needs_model),
      Route::post(Api::tei, "/decode", decode, "The text of token ids", "DecodeRequest", "Texts")
          .with(&Route::needs_model),
      Route::post(Api::tei, "/embed_sparse", not_this_model,
                  "Sparse vectors, which no model of this server makes", "TeiTextsRequest", "Rows"),
      Route::get(Api::tei, "/info", info, "What is served, and its recipe", "Info")
          .with(&Route::takes_long),
  };
  return routes;
}

}  // namespace embd::server
