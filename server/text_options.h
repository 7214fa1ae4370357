#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/texts_work.h"

namespace embd::server {

/// How many components are kept, for EncodeOptions.truncate_dim; 0 if it was not asked.
Answerable<std::uint32_t> checked_dimensions(const Service& service,
                                             std::optional<std::uint64_t> asked,
                                             const std::string& param);

/// The name of a prompt, for EncodeOptions.prompt_name, if the model's configuration has it; empty
/// if none was asked.
Answerable<std::string> checked_prompt_name(const Service& service,
                                            const std::optional<std::string>& asked);

/// Which end of a text that is too long is cut off, as TEI names it: "Left" or "Right".
Answerable<std::optional<TruncationSide>> checked_side(const std::optional<std::string>& asked);

/// The prompt for what Cohere calls input_type: "search_query" and "search_document" have one where
/// the model does, the others none.
Answerable<void> use_task(const std::optional<std::string>& input_type, TextsRequest& request);

}  // namespace embd::server
