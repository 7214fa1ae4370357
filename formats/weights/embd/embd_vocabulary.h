#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_parser.h"
#include "tokenizer/special_token_ids.h"

namespace embd {

/// Tokens by id: UTF-8, and distinct where the tokenizer looks them up itself. Views.
struct EmbdVocabulary {
  std::vector<std::string_view> tokens;
  SpecialTokenIds special;
};

/// Reads the vocabulary section, which must have `expected` tokens. Those of a Unigram model may
/// repeat: its trie finds them, and opening a large file must not look at each. Errors:
/// vocabulary_size, vocabulary_count, vocabulary_entry_out_of_bounds, invalid_utf8,
/// duplicate_token, special_tokens_offset, special_token_id.
Result<EmbdVocabulary> read_vocabulary(Bytes file, const EmbdSection& section,
                                       std::uint32_t expected, TokenizerKind kind);

/// The vocabulary of tokens that were given for a file without them, which must outlive it. Its
/// special tokens have the names that are usual for `kind`. Errors name no place: duplicate_token,
/// special_token_id where one of the five is not there.
Result<EmbdVocabulary> given_vocabulary(std::span<const std::string> tokens, TokenizerKind kind);

}  // namespace embd
