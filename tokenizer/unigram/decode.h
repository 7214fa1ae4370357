#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tokenizer/unigram/options.h"

namespace embd::unigram {

/// Returns the text that pieces stand for, as the Metaspace decoder of `tokenizers` does. Each word
/// mark becomes a space. The word marks of the first piece are removed, because they were put
/// before the text, unless the scheme is `never`.
std::string decode(std::span<const std::string_view> pieces, PrependScheme scheme);

}  // namespace embd::unigram
