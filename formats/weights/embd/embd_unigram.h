#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_index.h"
#include "formats/weights/embd/embd_writer.h"
#include "tokenizer/unigram/unigram_tokenizer.h"

namespace embd {

class WeightFile;

/// The tables of a Unigram tokenizer in a file. Refers to the file.
struct UnigramTables {
  std::span<const float> scores;  ///< The score of each token, by id.
  const Tensor* trie = nullptr;   ///< The trie: u32 at an address that is a multiple of 4.
  const Tensor* character_map = nullptr;
};

/// Finds the tables of a file with `vocab_size` tokens without reading their values. `index_at` is
/// the place of the index, for the error about a missing table. Fails with tensor_missing,
/// tensor_wrong_type or tensor_wrong_shape, and with tensor_misaligned if a table does not begin at
/// a multiple of 4 bytes.
Result<UnigramTables> find_unigram_tables(const TensorIndex& index, std::uint32_t vocab_size,
                                          std::uint64_t index_at);

/// Makes the tokenizer of a file with a Unigram vocabulary. The file must outlive the tokenizer.
/// Scores and character map are read once; the trie is used as it is in the file. Fails with the
/// errors of UnigramTokenizer::create() and unigram::CharacterMap::create().
Result<std::unique_ptr<const UnigramTokenizer>> make_unigram_tokenizer(const WeightFile& file);

/// Checks that the tokenizer can be made, and that the trie has exactly the tokens of the
/// vocabulary. Fails with the errors of make_unigram_tokenizer(), and with bad_value if the trie
/// has other tokens.
Result<void> check_unigram(const WeightFile& file);

/// Returns the tensors of a Unigram tokenizer, to be written. This call computes their bytes: the
/// trie of 250,000 tokens takes a quarter of a second. Fails with the errors of
/// unigram::build_double_array().
Result<std::vector<TensorSource>> unigram_tensors(std::span<const std::string> tokens,
                                                  std::span<const float> scores,
                                                  std::string_view character_map);

}  // namespace embd
