#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/embd/embd_tensors.h"
#include "formats/weights/embd/embd_writer.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/unigram/unigram_tokenizer.h"

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

class WeightFile;

/// Finds the merges of a file: pairs of ids, one behind the other. Refers to the file. Fails with
/// the errors of find_tokenizer_table(), and with tensor_wrong_shape if they are no pairs.
Result<std::span<const std::uint32_t>> find_merges(const TensorIndex& index,
                                                   std::uint64_t index_at);

/// Makes the tokenizer of a file with a BPE vocabulary. The file must outlive the tokenizer. Fails
/// with the errors of BpeTokenizer::create().
Result<std::unique_ptr<const BpeTokenizer>> make_bpe_tokenizer(const WeightFile& file);

/// Checks that the tokenizer can be made. Fails with the errors of make_bpe_tokenizer().
Result<void> check_bpe(const WeightFile& file);

/// Returns the tensor of the merges, to be written. Copies them.
TensorSource merges_tensor(std::span<const std::uint32_t> merges);

}  // namespace embd
