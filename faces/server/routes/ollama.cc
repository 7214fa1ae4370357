// Ollama's routes for embeddings and for information about models.
#include <fmt/format.h>

#include "base/json_text.h"
#include "base/try.h"
#include "embd/version.h"
#include "faces/server/json_answer.h"
#include "faces/server/json_request.h"
#include "faces/server/service.h"
#include "faces/server/text_options.h"
#include "faces/server/texts_work.h"

namespace embd::server {
namespace {

long long nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Returns the answer with the vectors: {"model":…,"embeddings":[…],…}.
Response embed_answer(const std::string& model, Clock::time_point arrived, Embedded&& embedded) {
  Response response;
  response.body.push_back(fmt::format(R"({{"model":{},"embeddings":[)", json_string(model)));
  for (auto& part : embedded.parts) response.body.push_back(std::move(part));
  std::string end = fmt::format(R"(],"total_duration":{},"load_duration":0,"prompt_eval_count":{})",
                                nanoseconds_since(arrived), embedded.tokens);
  if (!embedded.truncated.empty()) {
    end += ",\"truncated\":";
    append_json_numbers(embedded.truncated, end);
  }
  response.body.push_back(end + "}");
  return response;
}

/// The settings of Ollama's runtime in a request. Only the length of the context affects vectors.
/// The others, such as keep_alive, are accepted and ignored.
struct Runtime {
  std::optional<std::uint64_t> num_ctx;
  const Field option_fields[1] = {{"num_ctx", &num_ctx}};

  Field options() const { return {"options", Object{.fields = option_fields}}; }
  static Field keep_alive() { return {"keep_alive", Unused{}}; }
};

Answerable<const ServedModel*> find_model(const Service& service,
                                          const std::optional<std::string>& name) {
  if (!name) return refuse(Problem::invalid, "model is required");
  return service.models().find(name);
}

Answerable<void> ollama_embed(Service& service, const Call& call) {
  std::optional<Inputs> input;
  std::optional<std::string> model;
  std::optional<bool> truncate;
  std::optional<std::uint64_t> dimensions;
  const Runtime runtime;
  const Field fields[] = {{"model", &model},           {"input", &input}, {"truncate", &truncate},
                          {"dimensions", &dimensions}, runtime.options(), Runtime::keep_alive()};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  const ServedModel& served = *EMBD_TRY(find_model(service, model));
  if (input && !input->ids.empty())
    return refuse(Problem::invalid, "input must be a text or a list of texts");
  const Clock::time_point arrived = call->arrived;
  TextsRequest request = {.model = &served, .truncate = truncate.value_or(true)};
  request.options.truncate_dim =
      EMBD_TRY(checked_dimensions(served.model, dimensions, "dimensions"));
  request.options.max_length = EMBD_TRY(checked_length(served.model, runtime.num_ctx, "num_ctx"));
  // Ollama answers a request without input like a request with an empty input.
  const bool is_empty =
      !input || input->texts.empty() || (input->single && input->texts.front().empty());
  if (is_empty) {
    call->answer(embed_answer(*model, arrived, {}));
    return {};
  }
  request.texts = std::move(input->texts);
  request.row_bytes = dimensions.value_or(served.model.dim()) * json_float_bytes + 2;
  request.write_row = [](std::size_t, std::span<const float> vector,
                         std::string& out) -> Result<void> {
    append_json_floats(vector, out);
    return {};
  };
  request.finish = [name = *model, arrived](Embedded&& embedded) {
    return embed_answer(name, arrived, std::move(embedded));
  };
  return embed_texts(service, call, std::move(request));
}

/// Answers on the older route, which takes one text in a request.
Answerable<void> ollama_embeddings(Service& service, const Call& call) {
  std::optional<std::string> model;
  std::optional<std::string> prompt;
  const Runtime runtime;
  const Field fields[] = {
      {"model", &model}, {"prompt", &prompt}, runtime.options(), Runtime::keep_alive()};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  const ServedModel& served = *EMBD_TRY(find_model(service, model));
  TextsRequest request = {.model = &served};
  request.options.max_length = EMBD_TRY(checked_length(served.model, runtime.num_ctx, "num_ctx"));
  if (!prompt || prompt->empty()) {
    Response response;
    response.body.emplace_back(R"({"embedding":[]})");
    call->answer(std::move(response));
    return {};
  }
  request.texts.push_back(std::move(*prompt));
  request.finish = [](Embedded&& embedded) {
    Response response;
    std::string& out = response.body.emplace_back(R"({"embedding":)");
    append_json_floats(embedded.rows.row(0), out);
    out += '}';
    return response;
  };
  return embed_texts(service, call, std::move(request));
}

/// Facts about a model of either class, Model or Reranker.
struct Described {
  Recipe recipe;
  Compute compute;
  ModelSize size;
  std::uint32_t max_length;
};

Answerable<Described> describe(const Service& service, const ServedModel* served) {
  const Reranker* reranker = service.models().reranker();
  const auto recipe = served != nullptr ? served->model.recipe() : reranker->recipe();
  if (!recipe) return std::unexpected(failure_of(recipe.error()));
  return Described{
      .recipe = *recipe,
      .compute = served != nullptr ? served->model.compute() : reranker->compute(),
      .size = served != nullptr ? served->model.size() : reranker->size(),
      .max_length = served != nullptr ? served->model.max_length() : reranker->max_length()};
}

/// The time of the last change of all models that is given to Ollama's clients, because they need
/// one.
constexpr std::string_view modified_at = "2021-08-30T00:00:00Z";
/// The time at which models leave the memory, which they never do. It is far in the future, but
/// within the range of Go, Python and JavaScript.
constexpr std::string_view expires_at = "2999-12-31T00:00:00Z";

/// Returns a number of parameters as a text such as "22.7M".
std::string parameters_text(std::uint64_t parameters) {
  constexpr double million = 1e6;
  constexpr double billion = 1e9;
  const auto count = static_cast<double>(parameters);
  if (count < million) return fmt::format("{:.2f}K", count / 1000);
  return count < billion ? fmt::format("{:.2f}M", count / million)
                         : fmt::format("{:.1f}B", count / billion);
}

std::string details_json(const Described& model) {
  return fmt::format(R"({{"parent_model":"","format":"embd","family":"bert","families":["bert"],)"
                     R"("parameter_size":"{}","quantization_level":"{}"}})",
                     parameters_text(model.size.parameters), compute_name(model.compute));
}

/// Returns a list of all models, {"models":[…]}. `more` adds members to each.
Answerable<Response> list_of_models(const Service& service,
                                    std::string (*more)(const Described& model)) {
  std::string list = R"({"models":[)";
  for (const auto& [name, served] : service.models().names()) {
    const Described model = EMBD_TRY(describe(service, served));
    if (!list.ends_with('[')) list += ',';
    list += fmt::format(R"({{"name":{0},"model":{0},"size":{1},"digest":"{2}","details":{3},{4}}})",
                        json_string(name), model.size.file_bytes, model.recipe.model_sha256,
                        details_json(model), more(model));
  }
  Response response;
  response.body.push_back(list + "]}");
  return response;
}

Answerable<void> tags(Service& service, const Call& call) {
  call->answer(EMBD_TRY(list_of_models(service, [](const Described&) {
    return fmt::format(R"("modified_at":"{}")", modified_at);
  })));
  return {};
}

/// Answers with the models that are in memory, which are all models.
Answerable<void> running(Service& service, const Call& call) {
  call->answer(EMBD_TRY(list_of_models(service, [](const Described& model) {
    return fmt::format(R"("expires_at":"{}","size_vram":0,"context_length":{})", expires_at,
                       model.max_length);
  })));
  return {};
}

/// Appends all tokens of a vocabulary as a JSON array.
void append_vocabulary(const Model& model, std::string& out) {
  out += '[';
  for (std::uint32_t id = 0; id < model.vocab_size(); ++id) {
    if (id != 0) out += ',';
    append_json_string(model.token(static_cast<std::int32_t>(id)), out);
  }
  out += ']';
}

Answerable<Models::Name> named_model(const Service& service,
                                     const std::optional<std::string>& model,
                                     const std::optional<std::string>& name) {
  if (!model && !name) return refuse(Problem::invalid, "model is required");
  return service.models().named(model ? *model : *name);
}

Answerable<void> show(Service& service, const Call& call) {
  std::optional<std::string> model;
  std::optional<std::string> name;  // older clients send this instead of "model"
  std::optional<bool> verbose;
  const Field fields[] = {{"model", &model}, {"name", &name}, {"verbose", &verbose}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  const Models::Name named = EMBD_TRY(named_model(service, model, name));
  const Described found = EMBD_TRY(describe(service, named.model));
  const bool embeds = named.model != nullptr;
  Response response;
  std::string& out = response.body.emplace_back(fmt::format(
      R"({{"modelfile":"","parameters":"","template":"","license":"","details":{},)"
      R"("modified_at":"{}","capabilities":[{}],"model_info":{{"general.architecture":"bert",)"
      R"("general.basename":{},"general.file_type":"{}","general.parameter_count":{},)"
      R"("bert.attention.causal":false,"bert.attention.head_count":{},"bert.block_count":{},)"
      R"("bert.context_length":{},"bert.embedding_length":{},"bert.feed_forward_length":{})",
      details_json(found), modified_at, embeds ? R"("embedding")" : "",
      json_string(found.recipe.model_name), compute_name(found.compute), found.size.parameters,
      found.size.heads, found.size.layers, found.max_length,
      embeds ? named.model->model.dim() : found.size.hidden, found.size.intermediate));
  if (embeds) {
    out += R"(,"tokenizer.ggml.tokens":)";
    if (verbose.value_or(false)) {
      append_vocabulary(named.model->model, out);
    } else {
      out += "null";
    }
  }
  out += "}}";
  call->answer(std::move(response));
  return {};
}

/// Answers a request to download a model. It succeeds for a model that is served, which is there
/// already, and fails for all others.
Answerable<void> pull(Service& service, const Call& call) {
  std::optional<std::string> model;
  std::optional<std::string> name;
  std::optional<bool> stream;
  const Field fields[] = {
      {"model", &model}, {"name", &name}, {"stream", &stream}, {"insecure", Unused{}}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  EMBD_TRY(named_model(service, model, name));
  Response response;
  if (stream.value_or(true)) {
    response.content_type = "application/x-ndjson";
    response.body.emplace_back("{\"status\":\"pulling manifest\"}\n{\"status\":\"success\"}\n");
  } else {
    response.body.emplace_back(R"({"status":"success"})");
  }
  call->answer(std::move(response));
  return {};
}

Answerable<void> program_version(Service&, const Call& call) {
  Response response;
  response.body.push_back(fmt::format(R"({{"version":"{}"}})", version()));
  call->answer(std::move(response));
  return {};
}

}  // namespace

std::span<const Route> ollama_routes() {
  static constexpr Route routes[] = {
      Route::post(Api::ollama, "/api/embed", ollama_embed, "Embed texts, as Ollama",
                  "OllamaRequest", "OllamaEmbeddings")
          .with(&Route::any_media_type)
          .with(&Route::needs_model),
      Route::post(Api::ollama, "/api/embeddings", ollama_embeddings,
                  "Embed one text, as older Ollama", "OllamaPrompt", "OllamaEmbedding")
          .with(&Route::any_media_type)
          .with(&Route::needs_model),
      Route::get(Api::ollama, "/api/tags", tags, "The models that are served", "OllamaModels")
          .with(&Route::takes_long),
      Route::get(Api::ollama, "/api/ps", running, "The models in memory, which all are",
                 "OllamaModels")
          .with(&Route::takes_long),
      Route::post(Api::ollama, "/api/show", show, "What a model is, as Ollama says it",
                  "OllamaModelRequest", "OllamaModel")
          .with(&Route::takes_long)
          .with(&Route::any_media_type),
      Route::post(Api::ollama, "/api/pull", pull, "A model that is served is there already",
                  "OllamaModelRequest", "OllamaStatus application/x-ndjson")
          .with(&Route::any_media_type),
      Route::get(Api::ollama, "/api/version", program_version, "embd's version", "OllamaVersion"),
  };
  return routes;
}

}  // namespace embd::server
