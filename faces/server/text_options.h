#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "embd/model.h"
#include "faces/server/failure.h"

namespace embd::server {

/// Returns the number of components to keep of each vector, for EncodeOptions.truncate_dim; 0 if
/// the request does not give it. Refuses a number that is 0 or above the model's dimension. `param`
/// is the name of the field in the request.
Answerable<std::uint32_t> checked_dimensions(const Model& model, std::optional<std::uint64_t> asked,
                                             const std::string& param);

/// Returns the name of the prompt that a request asks for, for EncodeOptions.prompt_name; an empty
/// string if it asks for none. Refuses a name that is not among the model's prompts.
Answerable<std::string> checked_prompt_name(const Model& model,
                                            const std::optional<std::string>& asked);

/// Returns the end at which a text that is too long is cut. TEI's clients send it as "Left" or
/// "Right". Returns nothing if the request does not give it, and refuses other values.
Answerable<std::optional<TruncationSide>> checked_side(const std::optional<std::string>& asked);

/// Returns the name of the prompt for a use of embeddings, such as "search_query" or "clustering".
/// Requests give the use in the field `param`: "input_type" of Cohere and Voyage, "task" of Jina.
/// If the model has a prompt with the name of the use, that is returned. Otherwise uses for queries
/// and documents select the prompts "query" and "document", if the model has them. All other known
/// uses have no prompt, an empty string. Refuses an unknown use.
Answerable<std::string> prompt_for(const Model& model, const std::optional<std::string>& use,
                                   const std::string& param);

/// Returns the number of tokens that texts are cut to, for EncodeOptions.max_length: the number
/// that the request gives in the field `param`, but at most the model's default. Returns nothing if
/// the request does not give it, and refuses a number below 3.
Answerable<std::optional<std::uint32_t>> checked_length(const Model& model,
                                                        std::optional<std::uint64_t> asked,
                                                        const std::string& param);

/// Returns the value of a field that has two names, because clients of different APIs name it
/// differently. Refuses the request with invalid if both names are present with different values.
template <class Value>
Answerable<std::optional<Value>> either(const std::optional<Value>& first, const char* first_name,
                                        const std::optional<Value>& second,
                                        const char* second_name) {
  if (first && second && *first != *second) {
    return refuse(Problem::invalid,
                  fmt::format("\"{}\" and \"{}\" are two names of one field, but have different "
                              "values: give only one",
                              first_name, second_name),
                  second_name);
  }
  return first ? first : second;
}

}  // namespace embd::server
