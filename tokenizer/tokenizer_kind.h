#pragma once

#include <cstdint>

namespace embd {

/// How a model's texts become tokens. Each kind has a folder of its own and a class that is a
/// Tokenizer; what differs between kinds besides is in token_template.cc.
enum class TokenizerKind : std::uint8_t { wordpiece, unigram };

}  // namespace embd
