// Ollama's routes for embeddings and what its clients look up.
#include <fmt/format.h>

#include "base/try.h"
#include "embd/version.h"
#include "server/json_answer.h"
#include "server/json_request.h"
#include "server/service.h"
#include "server/text_options.h"
#include "server/texts_work.h"

namespace embd::server {
namespace {

long long nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// {"model":…,"embeddings":[…],…}
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

Answerable<void> embed(Service& service, const Call& call) {
  std::optional<Inputs> input;
  std::optional<std::string> model;
  std::optional<bool> truncate;
  std::optional<std::uint64_t> dimensions;
  const Field fields[] = {
      {"model", &model}, {"input", &input}, {"truncate", &truncate}, {"dimensions", &dimensions}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  if (!model) return refuse(Problem::invalid, "model is required");
  EMBD_TRY(service.check_model(model));
  if (input && !input->ids.empty())
    return refuse(Problem::invalid, "input must be a text or a list of texts");
  const Clock::time_point arrived = call->arrived;
  // Ollama answers a request without input as one with an empty input.
  const bool is_empty =
      !input || input->texts.empty() || (input->single && input->texts.front().empty());
  if (is_empty) {
    call->answer(embed_answer(*model, arrived, {}));
    return {};
  }
  TextsRequest request = {.texts = std::move(input->texts), .truncate = truncate.value_or(true)};
  request.options.truncate_dim = EMBD_TRY(checked_dimensions(service, dimensions, "dimensions"));
  request.row_bytes = dimensions.value_or(service.model().dim()) * json_float_bytes + 2;
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

/// The older route, one text a request.
Answerable<void> embeddings(Service& service, const Call& call) {
  std::optional<std::string> model;
  std::optional<std::string> prompt;
  const Field fields[] = {{"model", &model}, {"prompt", &prompt}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  if (!model) return refuse(Problem::invalid, "model is required");
  EMBD_TRY(service.check_model(model));
  if (!prompt || prompt->empty()) {
    Response response;
    response.body.emplace_back(R"({"embedding":[]})");
    call->answer(std::move(response));
    return {};
  }
  TextsRequest request;
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

Answerable<void> tags(Service& service, const Call& call) {
  const auto recipe = service.has_model() ? service.model().recipe() : service.reranker()->recipe();
  if (!recipe) return std::unexpected(failure_of(recipe.error()));
  std::string list = R"({"models":[)";
  for (const std::string& name : service.served_names()) {
    if (!list.ends_with('[')) list += ',';
    list += fmt::format(
        R"({{"name":{0},"model":{0},"modified_at":"2021-08-30T00:00:00Z","size":{1},"digest":"{2}",)"
        R"("details":{{"parent_model":"","format":"embd","family":"bert","families":["bert"],)"
        R"("parameter_size":"","quantization_level":"{3}"}}}})",
        json_string(name), 0, recipe->model_sha256, recipe->compute);
  }
  Response response;
  response.body.push_back(list + "]}");
  call->answer(std::move(response));
  return {};
}

Answerable<void> program_version(Service&, const Call& call) {
  Response response;
  response.body.push_back(fmt::format(R"({{"version":"{}"}})", version()));
  call->answer(std::move(response));
  return {};
}

constexpr Route routes[] = {
    {.method = "POST",
     .path = "/api/embed",
     .api = Api::ollama,
     .handler = embed,
     .any_media_type = true,
     .needs_model = true},
    {.method = "POST",
     .path = "/api/embeddings",
     .api = Api::ollama,
     .handler = embeddings,
     .any_media_type = true,
     .needs_model = true},
    {.method = "GET", .path = "/api/tags", .api = Api::ollama, .handler = tags, .takes_long = true},
    {.method = "GET", .path = "/api/version", .api = Api::ollama, .handler = program_version},
};

}  // namespace

std::span<const Route> ollama_routes() {
  return routes;
}

}  // namespace embd::server
