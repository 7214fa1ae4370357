// OpenAI's embeddings: /v1/embeddings and /v1/models, with and without the /v1.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "server/json_answer.h"
#include "server/json_request.h"
#include "server/service.h"
#include "server/text_options.h"
#include "server/texts_work.h"

namespace embd::server {
namespace {

struct EmbeddingsRequest {
  std::optional<Inputs> input;
  std::optional<std::string> model;
  std::optional<std::string> encoding_format;
  std::optional<std::uint64_t> dimensions;
  std::optional<bool> truncate;  ///< ours: false refuses texts that are too long
};

Answerable<EmbeddingsRequest> read_embeddings(const Service& service, const Exchange& call) {
  EmbeddingsRequest request;
  const Field fields[] = {{"input", &request.input},
                          {"model", &request.model},
                          {"encoding_format", &request.encoding_format},
                          {"dimensions", &request.dimensions},
                          {"truncate", &request.truncate}};
  EMBD_TRY(read_json_request(call.request.body, fields, service.limits().inputs));
  EMBD_TRY(service.check_model(request.model));
  if (!request.input || request.input->size() == 0)
    return refuse(Problem::empty_input, "\"input\" must hold at least one text", "input");
  const auto is_own = [&](const auto& ids) { return service.model().are_own_ids(ids); };
  if (!std::ranges::all_of(request.input->ids, is_own)) {
    return refuse(Problem::invalid,
                  "\"input\" holds token ids that are not this model's, with its special tokens "
                  "around each text: send text. In LangChain, set check_embedding_ctx_length=False",
                  "input");
  }
  if (std::ranges::any_of(request.input->texts, &std::string::empty))
    return refuse(Problem::empty_input, "\"input\" may not hold an empty text", "input");
  if (request.encoding_format && *request.encoding_format != "float" &&
      *request.encoding_format != "base64") {
    return refuse(Problem::invalid, "\"encoding_format\" must be \"float\" or \"base64\"",
                  "encoding_format");
  }
  return request;
}

Response embeddings_answer(const Service& service, Embedded&& embedded) {
  Response response;
  response.body.reserve(embedded.parts.size() + 2);
  response.body.emplace_back(R"({"object":"list","data":[)");
  for (auto& part : embedded.parts) response.body.push_back(std::move(part));
  std::string end =
      fmt::format(R"(],"model":{},"usage":{{"prompt_tokens":{},"total_tokens":{}}})",
                  json_string(service.model_name()), embedded.tokens, embedded.tokens);
  if (!embedded.truncated.empty()) {
    end += ",\"truncated\":";
    append_json_numbers(embedded.truncated, end);
  }
  response.body.push_back(end + "}");
  return response;
}

Answerable<void> embeddings(Service& service, const Call& call) {
  EmbeddingsRequest asked = EMBD_TRY(read_embeddings(service, *call));
  TextsRequest request = {.texts = std::move(asked.input->texts),
                          .ids = std::move(asked.input->ids),
                          .truncate = asked.truncate.value_or(true)};
  request.options.truncate_dim =
      EMBD_TRY(checked_dimensions(service, asked.dimensions, "dimensions"));
  const std::size_t dim = asked.dimensions.value_or(service.model().dim());
  const bool base64 = asked.encoding_format == "base64";
  constexpr std::size_t frame_bytes = 64;
  request.row_bytes = frame_bytes + (base64 ? dim * 16 / 3 : dim * json_float_bytes);
  request.write_row = [base64](std::size_t row, std::span<const float> vector,
                               std::string& out) -> Result<void> {
    fmt::format_to(std::back_inserter(out), R"({{"object":"embedding","index":{},"embedding":)",
                   row);
    if (base64) {
      out += '"';
      append_base64_floats(vector, out);
      out += '"';
    } else {
      append_json_floats(vector, out);
    }
    out += '}';
    return {};
  };
  request.finish = [&service](Embedded&& embedded) {
    return embeddings_answer(service, std::move(embedded));
  };
  return embed_texts(service, call, std::move(request));
}

std::string model_json(const std::string& name) {
  // "created" of the model, 2021-08-30, is as good a moment as any: clients want a number.
  return fmt::format(R"({{"id":{},"object":"model","created":1630281600,"owned_by":"embd"}})",
                     json_string(name));
}

Answerable<void> models(Service& service, const Call& call) {
  std::string list = R"({"object":"list","data":[)";
  for (const auto& name : service.served_names()) {
    if (!list.ends_with('[')) list += ',';
    list += model_json(name);
  }
  Response response;
  response.body.push_back(list + "]}");
  call->answer(std::move(response));
  return {};
}

Answerable<void> model(Service& service, const Call& call) {
  const std::string_view path = call->request.head.path;
  const std::string_view name = path.substr(path.find("/models/") + 8);
  const std::vector<std::string> names = service.served_names();
  if (std::ranges::find(names, name) == names.end()) {
    return refuse(Problem::unknown_model, fmt::format("the model \"{}\" is not served here", name),
                  "model");
  }
  Response response;
  response.body.push_back(model_json(std::string(name)));
  call->answer(std::move(response));
  return {};
}

constexpr Route routes[] = {
    {.method = "POST",
     .path = "/v1/embeddings",
     .api = Api::openai,
     .handler = embeddings,
     .needs_model = true},
    {.method = "POST",
     .path = "/embeddings",
     .api = Api::openai,
     .handler = embeddings,
     .needs_model = true},
    {"GET", "/v1/models", Api::openai, models},
    {"GET", "/models", Api::openai, models},
    {"GET", "/v1/models/*", Api::openai, model},
};

}  // namespace

std::span<const Route> openai_routes() {
  return routes;
}

}  // namespace embd::server
