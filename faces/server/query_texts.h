#pragma once

#include <optional>
#include <string>

#include "faces/server/json_request.h"
#include "faces/server/served_index.h"
#include "faces/server/service.h"
#include "faces/server/texts_work.h"

namespace embd::server {

/// Returns the index that a request names. A request need not name one if there is only one.
Answerable<const ServedIndex*> find_index(const Service& service,
                                          const std::optional<std::string>& name);

/// The queries of a request that are texts, with the options for them.
struct QueryTexts {
  Inputs texts;
  std::optional<std::string> prompt_name;
  std::optional<bool> truncate;
};

/// Sets the texts, the model and the options of `request` so that it embeds the texts of `asked` as
/// queries of an index. Refuses empty texts, and all texts if no model of the server can make
/// queries for the index.
Answerable<void> set_query_texts(const ServedIndex& index, QueryTexts&& asked,
                                 TextsRequest& request);

}  // namespace embd::server
