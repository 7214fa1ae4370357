// OpenAI's embeddings: /v1/embeddings and /v1/models, with and without the /v1, and as Azure has
// them. Jina's and Voyage's clients post to the same path.
#include <fmt/format.h>

#include <algorithm>

#include "base/checksum.h"
#include "base/json_text.h"
#include "base/try.h"
#include "faces/server/json_answer.h"
#include "faces/server/json_request.h"
#include "faces/server/service.h"
#include "faces/server/text_options.h"
#include "faces/server/texts_work.h"

namespace embd::server {
namespace {

constexpr std::string_view deployments = "/openai/deployments/";
constexpr std::string_view deployment_end = "/embeddings";
/// The only value of infinity's field "modality" that a model of texts can serve.
constexpr std::string_view text_modality = "text";

/// A request of the clients of OpenAI, Azure, Jina, Voyage and infinity to /v1/embeddings.
struct EmbeddingsRequest {
  std::optional<Inputs> input;
  std::optional<std::string> model;
  std::optional<std::string> encoding_format;
  std::optional<std::uint64_t> dimensions;
  std::optional<bool> truncate;  ///< of Jina; false refuses texts that are too long
  // Fields of Voyage.
  std::optional<bool> truncation;
  std::optional<std::uint64_t> output_dimension;
  std::optional<std::string> output_dtype;
  std::optional<std::string> input_type;
  // Fields of Jina.
  std::optional<std::string> task;
  std::optional<bool> normalized;
  std::optional<std::string> embedding_type;
  /// The list that Jina's clients may send as "embedding_type". It has one type.
  std::optional<std::vector<std::string>> embedding_types;
  std::optional<bool> late_chunking;
  std::optional<bool> return_multivector;
  // Fields of infinity.
  std::optional<std::string> modality;
};

Answerable<EmbeddingsRequest> read_embeddings(const Service& service, const Exchange& call) {
  EmbeddingsRequest request;
  const Field fields[] = {{"input", &request.input},
                          {"model", &request.model},
                          {"encoding_format", &request.encoding_format},
                          {"dimensions", &request.dimensions},
                          {"user", Unused{}},
                          {"truncate", &request.truncate},
                          {"truncation", &request.truncation},
                          {"output_dimension", &request.output_dimension},
                          {"output_dtype", &request.output_dtype},
                          {"input_type", &request.input_type},
                          {"task", &request.task},
                          {"normalized", &request.normalized},
                          {"embedding_type", &request.embedding_type},
                          {"embedding_type", &request.embedding_types},
                          {"late_chunking", &request.late_chunking},
                          {"return_multivector", &request.return_multivector},
                          {"modality", &request.modality}};
  EMBD_TRY(read_json_request(call.request.body, fields, service.limits().inputs));
  return request;
}

Answerable<void> check_input(const Model& model, const std::optional<Inputs>& input) {
  if (!input || input->size() == 0)
    return refuse_field("input", "must contain at least one text", Problem::empty_input);
  const auto is_own = [&](const auto& ids) { return model.are_own_ids(ids); };
  if (!std::ranges::all_of(input->ids, is_own)) {
    return refuse_field("input",
                        "contains token ids that this model did not make, because its special "
                        "tokens are not around each text: send texts instead. In LangChain, set "
                        "check_embedding_ctx_length=False");
  }
  if (std::ranges::any_of(input->texts, &std::string::empty))
    return refuse_field("input", "must not contain an empty text", Problem::empty_input);
  return {};
}

/// Refuses options that no model of this server can fulfil.
Answerable<void> check_abilities(const EmbeddingsRequest& asked) {
  if (asked.late_chunking.value_or(false))
    return refuse_field("late_chunking", "is not supported by this server");
  if (asked.return_multivector.value_or(false)) {
    return refuse_field("return_multivector",
                        "is not supported by this server: /embed_all gives a "
                        "vector for each token");
  }
  if (asked.modality && *asked.modality != text_modality)
    return refuse_field("modality", "must be \"text\"");
  return {};
}

/// The form in which the answer has the numbers of a vector.
struct ValueForm {
  ValueType type = ValueType::floats;
  bool base64 = false;
};

Answerable<ValueForm> form_of(EmbeddingsRequest& asked) {
  ValueForm form;
  if (asked.embedding_types) {
    if (asked.embedding_types->size() != 1) {
      return refuse_field("embedding_type", "must be one type, or a list with one type");
    }
    asked.embedding_type = asked.embedding_types->front();
  }
  if (asked.encoding_format && *asked.encoding_format != "float" &&
      *asked.encoding_format != "base64") {
    return refuse_field("encoding_format", "must be \"float\" or \"base64\"");
  }
  form.base64 = asked.encoding_format == "base64";
  if (asked.embedding_type == "base64") {
    form.base64 = true;
    asked.embedding_type = "float";
  }
  const auto name =
      EMBD_TRY(either(asked.output_dtype, "output_dtype", asked.embedding_type, "embedding_type"));
  if (!name) return form;
  const auto type = value_named(*name, value_type_names);
  if (!type) {
    const char* param = asked.output_dtype ? "output_dtype" : "embedding_type";
    return refuse_field(param,
                        fmt::format("must be float, int8, uint8, binary or ubinary{}, not \"{}\"",
                                    asked.output_dtype ? "" : ", or base64", *name));
  }
  form.type = *type;
  return form;
}

/// Returns the id of an answer, which Mistral's clients need. Equal answers have the same id.
std::string answer_id(std::string_view model, MatrixView rows) {
  Sha256 hash;
  hash.update(model);
  hash.update(std::as_bytes(rows.values()));
  return "embd-" + hash.hex().substr(0, 32);
}

Response embeddings_answer(const std::string& model, Embedded&& embedded) {
  Response response;
  response.body.reserve(embedded.parts.size() + 2);
  response.body.emplace_back(R"({"object":"list","data":[)");
  for (auto& part : embedded.parts) response.body.push_back(std::move(part));
  std::string end = fmt::format(
      R"(],"id":"{}","model":{},"usage":{{"prompt_tokens":{},"total_tokens":{}}})",
      answer_id(model, embedded.rows), json_string(model), embedded.tokens, embedded.tokens);
  if (!embedded.truncated.empty()) {
    end += ",\"truncated\":";
    append_json_numbers(embedded.truncated, end);
  }
  response.body.push_back(end + "}");
  return response;
}

/// Sets the functions of `request` that write each vector in a form.
void answer_with(const ValueForm& form, std::size_t dim, TextsRequest& request) {
  constexpr std::size_t frame_bytes = 64;
  request.row_bytes = frame_bytes + (form.base64 ? dim * 16 / 3 : json_bytes(form.type, dim));
  request.write_row = [form](std::size_t row, std::span<const float> vector,
                             std::string& out) -> Result<void> {
    fmt::format_to(std::back_inserter(out), R"({{"object":"embedding","index":{},"embedding":)",
                   row);
    if (form.base64) {
      out += '"';
      append_base64_values(form.type, vector, out);
      out += '"';
    } else {
      append_json_values(form.type, vector, out);
    }
    out += '}';
    return {};
  };
}

/// Answers with the vectors of the inputs. `deployment` is the name of the model in the path; if it
/// is not set, the body names the model.
Answerable<void> embed(Service& service, const Call& call,
                       const std::optional<std::string>& deployment) {
  EmbeddingsRequest asked = EMBD_TRY(read_embeddings(service, *call));
  const ServedModel& served =
      *EMBD_TRY(service.models().find(deployment ? deployment : asked.model));
  EMBD_TRY(check_input(served.model, asked.input));
  EMBD_TRY(check_abilities(asked));
  const ValueForm form = EMBD_TRY(form_of(asked));
  const auto dimensions =
      EMBD_TRY(either(asked.dimensions, "dimensions", asked.output_dimension, "output_dimension"));
  const auto truncate =
      EMBD_TRY(either(asked.truncate, "truncate", asked.truncation, "truncation"));
  TextsRequest request = {.model = &served,
                          .texts = std::move(asked.input->texts),
                          .ids = std::move(asked.input->ids),
                          .truncate = truncate.value_or(true)};
  request.options.truncate_dim = EMBD_TRY(checked_dimensions(
      served.model, dimensions, asked.dimensions ? "dimensions" : "output_dimension"));
  request.options.normalize = asked.normalized;
  const std::string by_task = EMBD_TRY(prompt_for(served.model, asked.task, "task"));
  const std::string by_type = EMBD_TRY(prompt_for(served.model, asked.input_type, "input_type"));
  request.options.prompt_name = asked.task ? by_task : by_type;
  answer_with(form, dimensions.value_or(served.model.dim()), request);
  request.finish = [&served](Embedded&& embedded) {
    return embeddings_answer(served.name, std::move(embedded));
  };
  return embed_texts(service, call, std::move(request));
}

Answerable<void> embeddings(Service& service, const Call& call) {
  return embed(service, call, std::nullopt);
}

/// Answers on Azure's route, whose path names the model.
Answerable<void> deployment_embeddings(Service& service, const Call& call) {
  std::string_view name = call->request.head.path;
  name.remove_prefix(deployments.size());
  name.remove_suffix(deployment_end.size());
  return embed(service, call, path_text(name));
}

std::string model_json(const std::string& name) {
  // Clients need a number for "created". All models have the same one, 2021-08-30.
  return fmt::format(R"({{"id":{},"object":"model","created":1630281600,"owned_by":"embd"}})",
                     json_string(name));
}

Answerable<void> models(Service& service, const Call& call) {
  std::string list = R"({"object":"list","data":[)";
  for (const Models::Name& served : service.models().names()) {
    if (!list.ends_with('[')) list += ',';
    list += model_json(served.name);
  }
  Response response;
  response.body.push_back(list + "]}");
  call->answer(std::move(response));
  return {};
}

Answerable<void> model(Service& service, const Call& call) {
  const std::string_view path = call->request.head.path;
  const std::string name = path_text(path.substr(path.find("/models/") + 8));
  const std::vector<Models::Name> names = service.models().names();
  if (std::ranges::find(names, name, &Models::Name::name) == names.end()) {
    return refuse(Problem::unknown_model, fmt::format("the model \"{}\" is not served here", name),
                  "model");
  }
  Response response;
  response.body.push_back(model_json(name));
  call->answer(std::move(response));
  return {};
}

}  // namespace

std::span<const Route> openai_routes() {
  static constexpr Route routes[] = {
      Route::post(Api::openai, "/v1/embeddings", embeddings, "Embed texts, as OpenAI's API",
                  "EmbeddingsRequest", "Embeddings")
          .with(&Route::needs_model),
      Route::post(Api::openai, "/embeddings", embeddings, "The same as /v1/embeddings",
                  "EmbeddingsRequest", "Embeddings")
          .with(&Route::needs_model),
      Route::post(Api::openai, "/openai/deployments/*/embeddings", deployment_embeddings,
                  "Embed texts, as Azure's API", "EmbeddingsRequest", "Embeddings")
          .naming("deployment", "api-version")
          .with(&Route::needs_model),
      Route::get(Api::openai, "/v1/models", models, "The models that are served", "Models"),
      Route::get(Api::openai, "/models", models, "The same as /v1/models", "Models"),
      Route::get(Api::openai, "/v1/models/*", model, "One model", "Model").naming("id"),
  };
  return routes;
}

}  // namespace embd::server
