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

/// The tables of a Unigram tokenizer where they lie in a file. Views.
struct UnigramTables {
  std::span<const float> scores;  ///< by id
  const Tensor* trie = nullptr;   ///< u32 at an address that is a multiple of 4
  const Tensor* character_map = nullptr;
};

/// Finds the tables of a file with `vocab_size` tokens, and reads none of their values. `index_at`:
/// the index's offset, named for a missing one. Errors: tensor_missing, tensor_wrong_type,
/// tensor_wrong_shape; tensor_misaligned for a table that does not begin at a multiple of 4 bytes.
Result<UnigramTables> find_unigram_tables(const TensorIndex& index, std::uint32_t vocab_size,
                                          std::uint64_t index_at);

/// Makes the tokenizer of a file with a Unigram vocabulary, which must outlive it. Reads scores and
/// character map once; builds nothing, and takes the trie as it is. Errors: those of
/// UnigramTokenizer::create() and unigram::CharacterMap::create().
Result<std::unique_ptr<const UnigramTokenizer>> make_unigram_tokenizer(const WeightFile& file);

/// Proves that the tokenizer can be made, and that the trie holds exactly the tokens of the
/// vocabulary. Errors: those of make_unigram_tokenizer(); bad_value for a trie that does not.
Result<void> check_unigram(const WeightFile& file);

/// Returns the tensors of a Unigram tokenizer, to be written. Their bytes are made here: the trie
/// of 250,000 tokens in a quarter of a second. Errors: those of unigram::build_double_array().
Result<std::vector<TensorSource>> unigram_tensors(std::span<const std::string> tokens,
                                                  std::span<const float> scores,
                                                  std::string_view character_map);

}  // namespace embd
