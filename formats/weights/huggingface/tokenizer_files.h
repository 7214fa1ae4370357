#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "embd/truncation_side.h"
#include "formats/weights/huggingface/json_file.h"
#include "tokenizer/special_token_ids.h"

// Shared by the readers of both kinds of tokenizers.
namespace embd::huggingface {

/// Everything in a folder that says how texts become ids. Those that are there.
struct TokenizerFiles {
  std::filesystem::path folder;
  std::optional<JsonFile> config;       ///< tokenizer_config.json
  std::optional<JsonFile> tokenizer;    ///< tokenizer.json
  std::optional<JsonFile> special_map;  ///< special_tokens_map.json
  std::optional<JsonFile> added;        ///< added_tokens.json

  static Result<TokenizerFiles> read(const std::filesystem::path& folder);

  /// Returns the tokenizer's class, "BertTokenizer" for BertTokenizerFast; `by_encoder` where
  /// tokenizer_config.json names none. Errors: unsupported for settings that replace it.
  Result<std::string> class_name(std::string_view by_encoder) const;
  Result<TruncationSide> truncation_side() const;
  /// Tokens; some files say 1e30.
  Result<std::optional<double>> model_max_length() const;
};

/// The five tokens that are cut out of a text wherever they stand in it.
struct SpecialNames {
  explicit SpecialNames(TokenizerKind kind);

  std::string pad;
  std::string unk;
  std::string cls;
  std::string sep;
  std::string mask;

  std::array<std::pair<std::string_view, std::string*>, 5> by_key();
  std::set<std::string> all() const { return {pad, unk, cls, sep, mask}; }
};

/// Reads the names that the files give the special tokens under keys such as "cls_token". Error:
/// bad_type.
Result<void> read_names(const TokenizerFiles& files, SpecialNames& names);

/// Checks every added token that the files list as transformers reads them: none but the five is
/// there, and each is cut out of the text as it came. The mask may swallow white space before it if
/// `mask_may_strip`. Errors: bad_type, unsupported.
Result<void> check_added_tokens(const TokenizerFiles& files, const SpecialNames& names,
                                bool mask_may_strip = false);

/// Checks that each of the five names is listed: a tokenizer that is taken from tokenizer.json as
/// it is cuts out nothing else. Error: unsupported.
Result<void> check_all_listed(const TokenizerFiles& files, const SpecialNames& names);

/// Checks that tokens are UTF-8 and distinct. Errors: invalid_utf8, duplicate_token.
Result<void> check_vocab(const std::vector<std::string>& vocab, const std::filesystem::path& path);

/// Returns the ids of the five. Error: missing.
Result<SpecialTokenIds> find_special(const std::vector<std::string>& vocab,
                                     const SpecialNames& names, const std::filesystem::path& path);

/// Returns a member of an object, or null.
const nlohmann::json& member(const nlohmann::json& object, const char* key);
/// Returns a member that is true or false; nothing for anything else.
std::optional<bool> flag_of(const nlohmann::json& object, const char* key);
/// Returns a token that is a string, or an object with its content; nothing for anything else.
std::optional<std::string> token_content(const nlohmann::json& token);

}  // namespace embd::huggingface
