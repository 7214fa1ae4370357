#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "formats/weights/huggingface/json_file.h"
#include "tokenizer/special_tokens.h"

// Code that the readers of all kinds of tokenizers share.
namespace embd::huggingface {

/// The files of a model folder that describe its tokenizer. The member of a file that does not
/// exist is nullopt.
struct TokenizerFiles {
  std::filesystem::path folder;
  std::optional<JsonFile> config;       ///< The file tokenizer_config.json.
  std::optional<JsonFile> tokenizer;    ///< The file tokenizer.json.
  std::optional<JsonFile> special_map;  ///< The file special_tokens_map.json.
  std::optional<JsonFile> added;        ///< The file added_tokens.json.
  /// True if texts get no special tokens, as in a static model. All but the unknown token may then
  /// be missing, and tokenizer.json is the only file that counts.
  bool are_static = false;

  static Result<TokenizerFiles> read(const std::filesystem::path& folder);

  /// Returns the class of the tokenizer without the suffix "Fast", such as "BertTokenizer" for
  /// BertTokenizerFast. If tokenizer_config.json names no class, returns `by_encoder`. Fails with
  /// unsupported if a setting replaces the tokenizer by other code.
  Result<std::string> class_name(std::string_view by_encoder) const;
  Result<TruncationSide> truncation_side() const;
  /// Returns the greatest number of tokens; some files say 1e30.
  Result<std::optional<double>> model_max_length() const;
};

/// The texts of the five special tokens. They are recognized wherever they stand in a text.
struct SpecialNames {
  explicit SpecialNames(TokenizerKind kind);

  std::string pad;
  std::string unk;
  std::string cls;
  std::string sep;
  std::string mask;

  std::array<std::pair<std::string_view, std::string*>, 5> by_key();
  /// Lets names that are not among the added tokens of a tokenizer.json stand for the unknown
  /// token.
  void keep_listed(const JsonFile& tokenizer);
  std::set<std::string> all() const { return {pad, unk, cls, sep, mask}; }
};

/// Reads the texts of the special tokens from keys such as "cls_token". Fails with bad_type.
Result<void> read_names(const TokenizerFiles& files, SpecialNames& names);

/// The lists of added tokens that count if tokenizer_config.json has a list of its own.
enum class TokenLists : std::uint8_t {
  of_config,          ///< That list alone, for a class that makes the tokenizer anew.
  of_tokenizer_json,  ///< Also that of tokenizer.json, for a tokenizer that is taken from it.
};

/// Reads all tokens that the files of a folder add, as transformers 5 does, and returns them with
/// their ids. Tokens that are not in `vocab` are appended to it; they get the ids that
/// `tokenizers` gives them. Fails with bad_type, and with bad_value if a list states another id.
Result<std::vector<AddedToken>> add_tokens(const TokenizerFiles& files, const SpecialNames& names,
                                           TokenLists lists, std::vector<std::string>& vocab);

/// Removes special tokens without rules of their own. All tokenizers find these anyway.
std::vector<AddedToken> unusual_tokens(std::vector<AddedToken> added,
                                       const SpecialTokenIds& special);

/// Checks that all five special tokens are listed. A tokenizer that is taken from tokenizer.json as
/// it is recognizes no others. Fails with unsupported.
Result<void> check_all_listed(const TokenizerFiles& files, const SpecialNames& names);

/// Takes the names of the special tokens around a text from the template of a tokenizer.json:
/// `<bos> A <eos>`, or A `<|endoftext|>`. Changes nothing for another template.
void take_template_names(const JsonFile& file, SpecialNames& names);

/// Reads the template of tokenizer.json: `<s> A </s>` for a text and, for a pair, `<s> A </s> </s>
/// B
/// </s>`, all of token type 0, or `[CLS] A [SEP] B [SEP]`, the second text of type 1; or A `</s>`
/// for a text, whatever the template of a pair is. Fails with unsupported for another one.
///
/// With `reads_pairs` false, `<s> A </s>` is `roberta`, whatever the template of a pair is.
Result<PairTemplate> read_pair_template(const JsonFile& file, const SpecialNames& names,
                                        const SpecialTokenIds& ids, bool reads_pairs = true);

/// Reads a vocabulary that maps tokens to ids. Every id below their number must occur once. Fails
/// with bad_value.
Result<std::vector<std::string>> tokens_by_id(const JsonFile& file, const nlohmann::json& vocab);

/// Checks that tokens are UTF-8 and distinct. Fails with invalid_utf8 or duplicate_token.
Result<void> check_vocab(const std::vector<std::string>& vocab, const std::filesystem::path& path);

/// Returns the ids of the five special tokens. Fails with missing if the vocabulary does not have
/// one.
Result<SpecialTokenIds> find_special(const std::vector<std::string>& vocab,
                                     const SpecialNames& names, const std::filesystem::path& path);

/// Returns the error about a value that embd does not support.
std::unexpected<Error> refuse(const JsonFile& file, std::string_view key,
                              const nlohmann::json& found, std::string_view expected);

/// Returns a member of an object; a JSON null if there is none.
const nlohmann::json& member(const nlohmann::json& object, const char* key);
/// Returns a member that is true or false; nothing if it has another type or is absent.
std::optional<bool> flag_of(const nlohmann::json& object, const char* key);
/// Returns the text of a token, which is a string or an object with the member "content"; nothing
/// for any other value.
std::optional<std::string> token_content(const nlohmann::json& token);

}  // namespace embd::huggingface
