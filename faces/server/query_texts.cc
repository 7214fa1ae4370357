#include "faces/server/query_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
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

Answerable<void> set_query_texts(const ServedIndex& index, QueryTexts&& asked,
                                 TextsRequest& request) {
  if (asked.texts.size() == 0 || std::ranges::any_of(asked.texts.texts, &std::string::empty))
    return refuse(Problem::empty_input,
                  "\"texts\" must contain at least one text and no empty text", "texts");
  if (!asked.texts.ids.empty())
    return refuse(Problem::invalid, "\"texts\" must be a text or a list of texts", "texts");
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

}  // namespace embd::server
