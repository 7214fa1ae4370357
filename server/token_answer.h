#pragma once

#include <string>
#include <string_view>

#include "embd/model.h"

namespace embd::server {

/// Appends [{"id":…,"text":…,"special":…,"start":…,"stop":…}, …]: a token's bytes in the text, or
/// null where it is none of the text's.
void append_tokens(const Model& model, std::string_view text, const Tokens& tokens,
                   bool with_special, std::string& out);

}  // namespace embd::server
