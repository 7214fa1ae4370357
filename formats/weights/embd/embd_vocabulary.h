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

/// The tokens by id, in UTF-8, and the special tokens. The tokens of a WordPiece model are
/// distinct. Refers to the file or to the given tokens.
struct EmbdVocabulary {
  std::vector<std::string_view> tokens;
  SpecialTokenIds special;
};

/// Reads the vocabulary section, which must have `expected` tokens. Tokens of a Unigram model may
/// repeat. They are not compared, because its trie finds them and opening a large file should not
/// look at each token. Those of a BPE model are compared when its tokenizer is made. Fails with
/// vocabulary_size, vocabulary_count, vocabulary_entry_out_of_bounds, invalid_utf8,
/// duplicate_token, special_tokens_offset or special_token_id.
Result<EmbdVocabulary> read_vocabulary(Bytes file, const EmbdSection& section,
                                       std::uint32_t expected, TokenizerKind kind);

/// Makes the vocabulary of a file that has none from given tokens, which must outlive it. The
/// special tokens have the names that are usual for `kind`. Fails with duplicate_token, and with
/// special_token_id if one of the five special tokens is missing; the errors name no place.
Result<EmbdVocabulary> given_vocabulary(std::span<const std::string> tokens, TokenizerKind kind);

}  // namespace embd
