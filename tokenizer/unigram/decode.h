#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tokenizer/unigram/options.h"

namespace embd::unigram {

/// Returns the text that pieces stand for, as the Metaspace decoder of `tokenizers` makes it: each
/// word mark is a space, but for those of the first piece, which were put before the text unless
/// the scheme is `never`.
std::string decode(std::span<const std::string_view> pieces, PrependScheme scheme);

}  // namespace embd::unigram
