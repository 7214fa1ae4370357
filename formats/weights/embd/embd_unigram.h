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
#include "formats/weights/model_spec.h"
#include "tokenizer/unigram/unigram_tokenizer.h"

namespace embd {

class WeightFile;

/// The tables of a Unigram tokenizer in a file. Refers to the file.
struct UnigramTables {
  /// The score of each piece, by id. Tokens with greater ids are only added.
  unigram::Scores scores;
  const Tensor* trie = nullptr;  ///< The trie: u32 at an address that is a multiple of 4.
  const Tensor* character_map = nullptr;
};

/// Finds a table of a tokenizer, of any kind, without reading its values. `index_at` is the place
/// of the index, for the error about a missing table. Fails with tensor_missing, tensor_wrong_type
/// or tensor_wrong_shape, and with tensor_misaligned if it does not begin at a multiple of its
/// values' size.
Result<const Tensor*> find_tokenizer_table(const TensorIndex& index, std::string_view name,
                                           ElementType type, unsigned rank, std::uint64_t index_at);
/// Finds a table of pairs, u32 [rows, 2], in the same way.
Result<const Tensor*> find_pairs(const TensorIndex& index, std::string_view name,
                                 std::uint64_t index_at);

/// Finds the tables of a file without reading their values. There must be a score for each token of
/// the vocabulary, except for added tokens at its end. `index_at` is
/// the place of the index, for the error about a missing table. Fails with tensor_missing,
/// tensor_wrong_type or tensor_wrong_shape, and with tensor_misaligned if a table does not begin at
/// a multiple of its values' size.
Result<UnigramTables> find_unigram_tables(const TensorIndex& index, const ModelSpec& spec,
                                          std::uint64_t index_at);

/// Makes the tokenizer of a file with a Unigram vocabulary. The file must outlive the tokenizer.
/// Scores and character map are read once; the trie is used as it is in the file. Fails with the
/// errors of UnigramTokenizer::create() and unigram::CharacterMap::create().
Result<std::unique_ptr<const UnigramTokenizer>> make_unigram_tokenizer(const WeightFile& file);

/// Checks that the tokenizer can be made, and that the trie has exactly the tokens of the
/// vocabulary. Fails with the errors of make_unigram_tokenizer(), and with bad_value if the trie
/// has other tokens.
Result<void> check_unigram(const WeightFile& file);

/// Returns the tensors of a Unigram tokenizer, to be written. The first tokens are its pieces, one
/// for each score. Scores are stored as float32 if that holds all of them exactly. This call
/// computes the bytes of the tensors: the trie of 250,000 tokens takes a quarter of a second. Fails
/// with the errors of build_double_array().
Result<std::vector<TensorSource>> unigram_tensors(std::span<const std::string> tokens,
                                                  std::span<const double> scores,
                                                  std::string_view character_map);

}  // namespace embd
