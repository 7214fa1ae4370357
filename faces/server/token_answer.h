#pragma once

#include <string>
#include <string_view>

#include "embd/model.h"

namespace embd::server {

/// Appends the tokens of a text as a JSON array [{"id":…,"text":…,"special":…,"start":…,"stop":…},
/// …]. "start" and "stop" are the offsets of the token's bytes in the text; they are null for
/// special tokens. Special tokens are left out unless `with_special` is true.
void append_tokens(const Model& model, std::string_view text, const Tokens& tokens,
                   bool with_special, std::string& out);

}  // namespace embd::server
