#include "faces/server/search_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_text.h"
#include "base/try.h"
#include "faces/server/json_answer.h"
#include "faces/server/text_options.h"

namespace embd::server {

Answerable<const ServedIndex*> find_index(const Service& service,
                                          const std::optional<std::string>& name) {
  const auto& indexes = service.indexes();
  if (indexes.empty())
    return refuse(Problem::unknown_model,
                  "no index is served here: start the server with --index NAME=PATH");
  if (!name && indexes.size() == 1) return indexes.front().get();
  std::string names;
  for (const auto& index : indexes) {
    if (name && index->name() == *name) return index.get();
    names += (names.empty() ? "" : ", ") + index->name();
  }
  return refuse(name ? Problem::unknown_model : Problem::invalid,
                fmt::format("\"index\" must be one of {}", names), "index");
}

Answerable<void> check_query_texts(const Inputs& texts) {
  if (texts.size() == 0 || std::ranges::any_of(texts.texts, &std::string::empty))
    return refuse_field("texts", "must contain at least one text and no empty text",
                        Problem::empty_input);
  if (!texts.ids.empty()) return refuse_field("texts", "must be a text or a list of texts");
  return {};
}

Answerable<void> set_query_texts(const ServedIndex& index, QueryTexts&& asked,
                                 TextsRequest& request) {
  EMBD_TRY(check_query_texts(asked.texts));
  if (index.model() == nullptr) {
    return refuse(Problem::invalid,
                  fmt::format("no model that is served makes vectors of {} values, as the rows of "
                              "{} have: search with \"vectors\" instead of \"texts\"",
                              index.searcher().query_dim(), index.name()),
                  "texts");
  }
  request.model = index.model();
  const Model& model = request.model->model;
  const std::string prompt_name = EMBD_TRY(checked_prompt_name(model, asked.prompt_name));
  auto options = index.searcher().encode_options(model, {.prompt_name = prompt_name});
  if (!options) return refuse(Problem::invalid, options.error().what(), "texts");
  request.options = std::move(*options);
  request.texts = std::move(asked.texts.texts);
  request.truncate = asked.truncate.value_or(true);
  return {};
}

void append_hit(const ServedIndex& index, const AnsweredHit& hit, const QueryTerms* terms,
                std::string& out) {
  const auto& [row, score, distance, term_score] = hit.row;
  out += fmt::format(R"({{"id":{})", index.id_json(row));
  if (hit.ranked) {
    out += fmt::format(R"(,"score":{},"logit":{})", hit.ranked->score, hit.ranked->logit);
    if (hit.ranked->truncated) out += R"(,"truncated":true)";
  } else if (score) {
    out += fmt::format(R"(,"score":{})", *score);
  }
  if (distance) {
    if (const auto similarity = similarity_of(index.searcher().metric(), *distance))
      out += fmt::format(R"(,"similarity":{})", *similarity);
    out += std::isfinite(*distance) ? fmt::format(R"(,"distance":{})", *distance)
                                    : R"(,"distance":null)";
  }
  if (term_score) out += fmt::format(R"(,"term_score":{})", *term_score);
  if (terms != nullptr && index.has_texts()) {
    const auto places = terms->places_in(index.text(row));
    if (places && places->line) out += fmt::format(R"(,"line":{})", *places->line);
  }
  if (const auto columns = index.columns_json(row); !columns.empty())
    out += ",\"columns\":" + columns;
  if (index.has_texts()) out += ",\"text\":" + json_string(index.text(row));
  out += '}';
}

Response search_answer(const std::string& index, std::vector<std::string> results,
                       const QueryUsage& usage) {
  Response response;
  response.body.push_back(fmt::format(R"({{"index":{},"results":[)", json_string(index)));
  for (auto& part : results) response.body.push_back(std::move(part));
  std::string end =
      fmt::format(R"(],"usage":{{"prompt_tokens":{0},"total_tokens":{0}}})", usage.tokens);
  if (!usage.truncated.empty()) {
    end += ",\"truncated\":";
    append_json_numbers(usage.truncated, end);
  }
  response.body.push_back(end + "}");
  return response;
}

}  // namespace embd::server
