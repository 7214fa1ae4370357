#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "embd/model.h"
#include "server/failure.h"

namespace embd::server {

/// How many components are kept, for EncodeOptions.truncate_dim; 0 if it was not asked.
Answerable<std::uint32_t> checked_dimensions(const Model& model, std::optional<std::uint64_t> asked,
                                             const std::string& param);

/// The name of a prompt, for EncodeOptions.prompt_name, if the model's configuration has it; empty
/// if none was asked.
Answerable<std::string> checked_prompt_name(const Model& model,
                                            const std::optional<std::string>& asked);

/// Which end of a text that is too long is cut off, as TEI names it: "Left" or "Right".
Answerable<std::optional<TruncationSide>> checked_side(const std::optional<std::string>& asked);

/// The name of the prompt for what a text is embedded for, as the field `param` says it: Cohere's
/// and Voyage's "input_type", Jina's "task". Queries and documents have the prompts of these names,
/// other uses one of their own name, where the model has it, or none.
Answerable<std::string> prompt_for(const Model& model, const std::optional<std::string>& use,
                                   const std::string& param);

/// How many tokens a text is cut to, for EncodeOptions.max_length: as many as the field `param`
/// asks for, and not more than the model takes.
Answerable<std::optional<std::uint32_t>> checked_length(const Model& model,
                                                        std::optional<std::uint64_t> asked,
                                                        const std::string& param);

}  // namespace embd::server
