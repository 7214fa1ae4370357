#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "tokenizer/added_token.h"
#include "tokenizer/bpe/options.h"
#include "tokenizer/special_token_ids.h"
#include "tokenizer/token_template.h"
#include "tokenizer/unigram/options.h"

namespace embd::huggingface {

/// The tokenizer of a model folder: its vocabulary and its rules.
struct FolderTokenizer {
  TokenizerKind kind = TokenizerKind::wordpiece;
  std::vector<std::string> vocab;  ///< The tokens by id.
  SpecialTokenIds special;
  TruncationSide truncation_side = TruncationSide::right;
  PairTemplate pair_template = PairTemplate::bert;
  /// The added tokens, and special ones with rules of their own.
  std::vector<AddedToken> added_tokens;
  std::optional<double> model_max_length;  ///< The greatest number of tokens; some files say 1e30.

  // Only for WordPiece.
  bool lower_case = true;
  std::optional<bool> strip_accents;  ///< Set if it differs from lower_case.

  // Only for BPE.
  bpe::Rules bpe;
  std::vector<std::uint32_t> merges;  ///< The ids of the two tokens of each merge.

  // Only for Unigram.
  unigram::WordOptions words;
  std::optional<std::int32_t> unknown_piece;  ///< Set if it is not the unknown token.
  bool byte_fallback = false;
  bool mask_lstrip = true;
  std::vector<double>
      scores;  ///< The score of each piece, by id; tokens behind them are only added.
  std::string character_map;  ///< The bytes of a unigram::CharacterMap.
};

/// The class of a tokenizer that is taken from tokenizer.json as it is.
inline constexpr std::string_view as_it_is = "TokenizersBackend";

/// Reads tokenizer_config.json, tokenizer.json, vocab.txt, vocab.json, merges.txt,
/// special_tokens_map.json and added_tokens.json of `folder`. `class_by_encoder` is the class of
/// the tokenizer if tokenizer_config.json names none; with `as_it_is`, tokenizer.json is read
/// whatever class the folder names. Fails with the errors of read_wordpiece(),
/// read_unigram() and read_bpe().
Result<FolderTokenizer> read_folder_tokenizer(const std::filesystem::path& folder,
                                              std::string_view class_by_encoder);

/// Reads tokenizer.json of a static model as sentence-transformers does: as it is, except that
/// texts get no special tokens. model_max_length is the length of its truncation. Fails with the
/// errors of read_folder_tokenizer().
Result<FolderTokenizer> read_static_tokenizer(const std::filesystem::path& folder);

}  // namespace embd::huggingface
