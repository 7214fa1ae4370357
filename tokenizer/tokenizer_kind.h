#pragma once

#include <cstdint>

namespace embd {

/// The kind of a tokenizer. Each kind has a folder of its own, with a class derived from Tokenizer.
enum class TokenizerKind : std::uint8_t { wordpiece, unigram, bpe };

}  // namespace embd
