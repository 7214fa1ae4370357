// Cohere's /v2/embed, and /v1/embed for its older clients.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json_text.h"
#include "base/try.h"
#include "faces/server/json_answer.h"
#include "faces/server/json_request.h"
#include "faces/server/service.h"
#include "faces/server/text_options.h"
#include "faces/server/texts_work.h"

namespace embd::server {
namespace {

struct EmbedRequest {
  std::optional<std::string> model;
  std::optional<Inputs> texts;
  std::optional<std::vector<std::string>> inputs;  ///< the text of each input
  std::optional<std::string> input_type;
  std::optional<std::vector<std::string>> embedding_types;
  std::optional<std::string> truncate;
  std::optional<std::uint64_t> output_dimension;
  std::optional<std::uint64_t> max_tokens;
  std::optional<std::uint64_t> priority;
};

/// The value of "type" for a part of a content that is a text.
constexpr std::string_view text_type = "text";

/// Reads the field "inputs": [{"content":[{"type":"text","text":"…"}]}]. Each item of the list is
/// one text.
class InputsReader {
 public:
  explicit InputsReader(std::optional<std::vector<std::string>>& texts) : texts_(texts) {}
  Objects field() {
    return {.fields = input_fields_, .take = [this] { return take_input(); }};
  }

 private:
  Answerable<void> take_part() {
    const auto type = std::exchange(type_, std::nullopt);
    auto text = std::exchange(text_, std::nullopt);
    if ((type && *type != text_type) || !text)
      return refuse(Problem::invalid,
                    "each item of \"content\" must be {\"type\": \"text\", \"text\": \"…\"}");
    parts_.push_back(std::move(*text));
    return {};
  }
  Answerable<void> take_input() {
    const std::vector<std::string> parts = std::exchange(parts_, {});
    if (parts.size() != 1) {
      return refuse(
          Problem::invalid,
          fmt::format("\"content\" must contain one text, but has {} parts", parts.size()));
    }
    if (!texts_) texts_.emplace();
    texts_->push_back(parts.front());
    return {};
  }

  std::optional<std::vector<std::string>>& texts_;
  std::vector<std::string> parts_;  ///< the parts of the input that is being read
  std::optional<std::string> type_;
  std::optional<std::string> text_;
  const Field part_fields_[3] = {
      {"type", &type_},
      {"text", &text_},
      {"image_url", Refused{"names an image, but the models of this server embed texts only"}}};
  const Field input_fields_[1] = {
      {"content", Objects{.fields = part_fields_, .take = [this] { return take_part(); }}}};
};

Answerable<EmbedRequest> read_embed(const Service& service, const Exchange& call) {
  EmbedRequest asked;
  InputsReader inputs(asked.inputs);
  const Field fields[] = {
      {"model", &asked.model},
      {"texts", &asked.texts},
      {"inputs", inputs.field()},
      {"images", Refused{"cannot be embedded, because the models of this server embed texts only"}},
      {"input_type", &asked.input_type},
      {"embedding_types", &asked.embedding_types},
      {"truncate", &asked.truncate},
      {"output_dimension", &asked.output_dimension},
      {"max_tokens", &asked.max_tokens},
      {"priority", &asked.priority}};
  EMBD_TRY(read_json_request(call.request.body, fields, service.limits().inputs));
  if (asked.priority.value_or(0) != 0)
    return refuse_field("priority", "must be 0, because requests take turns");
  return asked;
}

Answerable<std::vector<std::string>> texts_of(EmbedRequest& asked) {
  if (asked.texts && asked.inputs) {
    return refuse(Problem::invalid,
                  "\"texts\" and \"inputs\" were both given, expected one of them", "inputs");
  }
  if (asked.texts && !asked.texts->ids.empty())
    return refuse_field("texts", "must be a list of texts");
  std::vector<std::string> texts;
  if (asked.texts) texts = std::move(asked.texts->texts);
  if (asked.inputs) texts = std::move(*asked.inputs);
  if (texts.empty())
    return refuse_field("texts", "must contain at least one text", Problem::empty_input);
  return texts;
}

/// A form of vectors that a request asks for: numbers of a type, or the bytes of the floats in
/// base64.
struct EmbeddingType {
  std::string_view name;
  ValueType values;
  bool base64 = false;

  void append(std::span<const float> vector, std::string& out) const {
    if (!base64) return append_json_values(values, vector, out);
    out += '"';
    append_base64_values(values, vector, out);
    out += '"';
  }
};

Answerable<EmbeddingType> type_named(const std::string& name) {
  if (name == "base64") return EmbeddingType{"base64", ValueType::floats, true};
  for (const auto& [word, values] : value_type_names)
    if (word == name) return EmbeddingType{word, values};
  return refuse_field("embedding_types",
                      fmt::format("contains \"{}\", expected float, int8, uint8, "
                                  "binary, ubinary or base64",
                                  name));
}

Answerable<std::vector<EmbeddingType>> types_of(const EmbedRequest& asked) {
  if (!asked.embedding_types) return std::vector{EmbeddingType{"float", ValueType::floats}};
  if (asked.embedding_types->empty())
    return refuse_field("embedding_types", "must name at least one type");
  std::vector<EmbeddingType> types;
  for (const auto& name : *asked.embedding_types) {
    const EmbeddingType type = EMBD_TRY(type_named(name));
    if (std::ranges::find(types, type.name, &EmbeddingType::name) == types.end())
      types.push_back(type);
  }
  return types;
}

Answerable<void> read_truncate(const EmbedRequest& asked, TextsRequest& request) {
  const std::string how = asked.truncate.value_or("END");
  if (how != "NONE" && how != "START" && how != "END") {
    return refuse_field("truncate", "must be \"NONE\", \"START\" or \"END\"");
  }
  request.truncate = how != "NONE";
  if (how == "START") request.options.truncation_side = TruncationSide::left;
  return {};
}

void append_rows(const EmbeddingType& type, MatrixView rows, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (i != 0) out += ',';
    type.append(rows.row(i), out);
  }
  out += ']';
}

/// Returns the answer. `plain` selects its older form, for requests that name no form of vectors.
Response embed_answer(const std::string& id, std::span<const EmbeddingType> types,
                      const std::vector<std::string>& texts, bool plain, int api_version,
                      const Embedded& embedded) {
  Response response;
  std::string& out =
      response.body.emplace_back(fmt::format(R"({{"id":{},"embeddings":)", json_string(id)));
  if (plain) {
    append_rows(types.front(), embedded.rows, out);
  } else {
    out += '{';
    for (const EmbeddingType& type : types) {
      if (!out.ends_with('{')) out += ',';
      out += fmt::format("\"{}\":", type.name);
      append_rows(type, embedded.rows, out);
    }
    out += '}';
  }
  out += ",\"texts\":[";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i != 0) out += ',';
    out += json_string(texts[i]);
  }
  out +=
      fmt::format(R"(],"response_type":"{}","meta":{{"api_version":{{"version":"{}"}},)"
                  R"("billed_units":{{"input_tokens":{}}}}})",
                  plain ? "embeddings_floats" : "embeddings_by_type", api_version, embedded.tokens);
  if (!embedded.truncated.empty()) {
    out += ",\"truncated\":";
    append_json_numbers(embedded.truncated, out);
  }
  out += '}';
  return response;
}

Answerable<void> embed(Service& service, const Call& call, int api_version) {
  EmbedRequest asked = EMBD_TRY(read_embed(service, *call));
  const ServedModel& served = *EMBD_TRY(service.models().find(asked.model));
  auto texts = EMBD_TRY(texts_of(asked));
  TextsRequest request = {.model = &served, .texts = texts};
  EMBD_TRY(read_truncate(asked, request));
  request.options.prompt_name = EMBD_TRY(prompt_for(served.model, asked.input_type, "input_type"));
  request.options.max_length =
      EMBD_TRY(checked_length(served.model, asked.max_tokens, "max_tokens"));
  const auto types = EMBD_TRY(types_of(asked));
  request.options.truncate_dim =
      EMBD_TRY(checked_dimensions(served.model, asked.output_dimension, "output_dimension"));
  request.row_bytes = types.size() * json_bytes(ValueType::floats, served.model.dim());
  request.finish = [id = call->request.id, types, texts = std::move(texts),
                    plain = api_version == 1 && !asked.embedding_types,
                    api_version](const Embedded& embedded) {
    return embed_answer(id, types, texts, plain, api_version, embedded);
  };
  return embed_texts(service, call, std::move(request));
}

Answerable<void> embed_v1(Service& service, const Call& call) {
  return embed(service, call, 1);
}
Answerable<void> embed_v2(Service& service, const Call& call) {
  return embed(service, call, 2);
}

}  // namespace

std::span<const Route> cohere_routes() {
  static constexpr Route routes[] = {
      Route::post(Api::cohere, "/v1/embed", embed_v1, "The same as /v2/embed, for older clients",
                  "CohereRequest", "CohereEmbeddings")
          .with(&Route::needs_model),
      Route::post(Api::cohere, "/v2/embed", embed_v2, "Embed texts, as Cohere", "CohereRequest",
                  "CohereEmbeddings")
          .with(&Route::needs_model),
  };
  return routes;
}

}  // namespace embd::server
