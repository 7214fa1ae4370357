#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "formats/weights/huggingface/tokenizer_files.h"
#include "tokenizer/bpe/options.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/unigram/options.h"

namespace embd::huggingface {

struct TokenizerFiles;

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

/// Reads a WordPiece tokenizer as transformers 5 does. A BertTokenizer takes its vocabulary from
/// tokenizer.json, if there is one, and its rules from tokenizer_config.json. A general tokenizer
/// takes everything from tokenizer.json. `class_name` is the result of
/// TokenizerFiles::class_name(); empty means a BertTokenizer. Fails with unsupported for another
/// tokenizer and for a rule that embd does not have; the message names it. Fails with missing,
/// bad_value, bad_json, duplicate_token or invalid_utf8 for a bad file.
Result<FolderTokenizer> read_wordpiece(const TokenizerFiles& files, std::string_view class_name);

/// Reads a vocabulary, by id: the lines of a vocab.txt, or the "vocab" of a WordPiece
/// tokenizer.json.
Result<std::vector<std::string>> read_vocab(const std::filesystem::path& path);

/// Returns true if the tokenizer of a folder is Unigram, according to its tokenizer.json or, if
/// there is none, to the name of its class.
bool is_unigram(const TokenizerFiles& files, std::string_view class_name);

/// Reads a Unigram tokenizer as transformers 5 does. An XLMRobertaTokenizer or CamembertTokenizer
/// takes the vocabulary and the character map from tokenizer.json and always splits texts into
/// words in one fixed way. A general tokenizer takes all rules from the file. Fails with
/// unsupported for another class and for a step of tokenizer.json that embd does not have; the
/// message names it. Fails with missing, bad_type, bad_value,
/// duplicate_token or invalid_utf8 for a bad file.
Result<FolderTokenizer> read_unigram(const TokenizerFiles& files, std::string_view class_name);

/// Returns true if the tokenizer of a folder is BPE, according to its tokenizer.json or, if there
/// is none, to the name of its class.
bool is_bpe(const TokenizerFiles& files, std::string_view class_name);

/// Reads a byte-level BPE tokenizer as transformers 5 does. A RobertaTokenizer takes vocabulary and
/// merges from tokenizer.json or, if there is none, from vocab.json and merges.txt; its other rules
/// are those of the class and `add_prefix_space` of tokenizer_config.json. A general tokenizer
/// takes everything from tokenizer.json. Fails with unsupported for another class and for a step or
/// setting that embd does not have; the message names it. Fails with missing, bad_type, bad_value,
/// bad_json, duplicate_token or invalid_utf8 for a bad file.
Result<FolderTokenizer> read_bpe(const TokenizerFiles& files, std::string_view class_name);

}  // namespace embd::huggingface
