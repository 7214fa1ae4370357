#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "embd/model.h"

namespace embd::server {

/// Appends [{"id":…,"text":…,"special":…,"start":…,"stop":…}, …]: a token's bytes in the text, or
/// null where it is none of the text's.
void append_tokens(const Model& model, std::string_view text, const Tokens& tokens,
                   bool with_special, std::string& out);

/// The text that ids stand for, as Hugging Face's WordPiece decoder writes it: continuations joined
/// to their words, no space before punctuation. Errors: invalid_argument for an id that is not in
/// the vocabulary.
Result<std::string> decode_tokens(const Model& model, std::span<const std::int32_t> ids,
                                  bool skip_special);

}  // namespace embd::server
