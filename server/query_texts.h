#pragma once

#include <optional>
#include <string>

#include "server/json_request.h"
#include "server/served_index.h"
#include "server/service.h"
#include "server/texts_work.h"

namespace embd::server {

/// Finds the index that a request names, or the only one where it names none.
Answerable<const ServedIndex*> find_index(const Service& service,
                                          const std::optional<std::string>& name);

/// Texts that a request asks an index about.
struct QueryTexts {
  Inputs texts;
  std::optional<std::string> prompt_name;
  std::optional<bool> truncate;
};

/// Has a request embed texts as queries of an index. Refuses empty texts, and all texts for an
/// index that no served model makes vectors for.
Answerable<void> set_query_texts(const ServedIndex& index, QueryTexts&& asked,
                                 TextsRequest& request);

}  // namespace embd::server
