// Cohere's /v2/embed, and /v1/embed for its older clients.
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

struct EmbedRequest {
  std::optional<std::string> model;
  std::optional<Inputs> texts;
  std::optional<std::string> input_type;
  std::optional<std::vector<std::string>> embedding_types;
  std::optional<std::string> truncate;
  std::optional<std::uint64_t> output_dimension;
};

/// One bit a component, set where it is greater than 0, the first in the highest place; as signed
/// bytes or as unsigned ones.
void append_bits(std::span<const float> vector, bool is_signed, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < vector.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t bit = 0; bit < 8 && i + bit < vector.size(); ++bit)
      byte |= static_cast<unsigned>(vector[i + bit] > 0) << (7 - bit);
    if (i != 0) out += ',';
    out += fmt::to_string(is_signed ? static_cast<int>(byte) - 128 : static_cast<int>(byte));
  }
  out += ']';
}

struct EmbeddingType {
  std::string_view name;
  void (*append)(std::span<const float> vector, std::string& out);
};

constexpr EmbeddingType embedding_types[] = {
    {"float", append_json_floats},
    {"base64",
     [](std::span<const float> vector, std::string& out) {
       out += '"';
       append_base64_floats(vector, out);
       out += '"';
     }},
    {"binary",
     [](std::span<const float> vector, std::string& out) { append_bits(vector, true, out); }},
    {"ubinary",
     [](std::span<const float> vector, std::string& out) { append_bits(vector, false, out); }},
};

Answerable<void> read_truncate(const EmbedRequest& asked, TextsRequest& request) {
  const std::string how = asked.truncate.value_or("END");
  if (how != "NONE" && how != "START" && how != "END") {
    return refuse(Problem::invalid, "\"truncate\" must be \"NONE\", \"START\" or \"END\"",
                  "truncate");
  }
  request.truncate = how != "NONE";
  if (how == "START") request.options.truncation_side = TruncationSide::left;
  return {};
}

Answerable<std::vector<EmbeddingType>> types_of(const EmbedRequest& asked) {
  if (!asked.embedding_types) return std::vector{embedding_types[0]};
  if (asked.embedding_types->empty())
    return refuse(Problem::invalid, "\"embedding_types\" must name at least one type",
                  "embedding_types");
  std::vector<EmbeddingType> types;
  for (const auto& name : *asked.embedding_types) {
    const auto* type = std::ranges::find(embedding_types, name, &EmbeddingType::name);
    if (type == std::end(embedding_types)) {
      return refuse(Problem::invalid,
                    fmt::format("\"embedding_types\": there are float, base64, binary and "
                                "ubinary, but no \"{}\"",
                                name),
                    "embedding_types");
    }
    if (std::ranges::find(types, type->name, &EmbeddingType::name) == types.end())
      types.push_back(*type);
  }
  return types;
}

void append_rows(const EmbeddingType& type, MatrixView rows, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (i != 0) out += ',';
    type.append(rows.row(i), out);
  }
  out += ']';
}

/// `plain`: the older form, where only floats were asked for and no kind of them.
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
  EmbedRequest asked;
  const Field fields[] = {
      {"model", &asked.model},           {"texts", &asked.texts},
      {"input_type", &asked.input_type}, {"embedding_types", &asked.embedding_types},
      {"truncate", &asked.truncate},     {"output_dimension", &asked.output_dimension}};
  EMBD_TRY(read_json_request(call->request.body, fields, service.limits().inputs));
  EMBD_TRY(service.check_model(asked.model));
  if (!asked.texts || asked.texts->size() == 0)
    return refuse(Problem::empty_input, "\"texts\" must hold at least one text", "texts");
  if (!asked.texts->ids.empty())
    return refuse(Problem::invalid, "\"texts\" must be a list of texts", "texts");
  TextsRequest request = {.texts = asked.texts->texts};
  EMBD_TRY(read_truncate(asked, request));
  EMBD_TRY(use_task(asked.input_type, request));
  const auto types = EMBD_TRY(types_of(asked));
  request.options.truncate_dim =
      EMBD_TRY(checked_dimensions(service, asked.output_dimension, "output_dimension"));
  request.row_bytes = types.size() * (service.model().dim() * json_float_bytes + 2);
  request.finish = [id = call->request.id, types, texts = std::move(asked.texts->texts),
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

constexpr Route routes[] = {
    {.method = "POST",
     .path = "/v1/embed",
     .api = Api::cohere,
     .handler = embed_v1,
     .needs_model = true},
    {.method = "POST",
     .path = "/v2/embed",
     .api = Api::cohere,
     .handler = embed_v2,
     .needs_model = true},
};

}  // namespace

std::span<const Route> cohere_routes() {
  return routes;
}

}  // namespace embd::server
