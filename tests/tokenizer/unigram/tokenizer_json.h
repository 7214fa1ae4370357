#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/unigram/unigram_tokenizer.h"

namespace embd::testing {

/// A parsed tokenizer.json, with all data that a UnigramTokenizer refers to. It reads every option
/// that the tokenizer has and ignores unknown steps. It is for valid files only and throws for
/// others.
class TokenizerJson {
 public:
  explicit TokenizerJson(const nlohmann::json& json);
  /// Reads a file; `path` may end in .gz.
  static TokenizerJson read(const std::string& path);
  TokenizerJson(const TokenizerJson&) = delete;
  TokenizerJson& operator=(const TokenizerJson&) = delete;

  unigram::PieceTables tables() const noexcept;
  unigram::PieceOptions piece_options() const noexcept { return piece_options_; }
  /// Returns the tokens by id: the pieces, and the tokens that are added behind them.
  std::span<const std::string_view> tokens() const noexcept { return texts_; }
  /// Returns the score of each piece.
  const std::vector<double>& scores() const noexcept { return scores_; }
  const std::vector<AddedToken>& added_tokens() const noexcept { return added_tokens_; }
  std::string_view character_map() const noexcept { return character_map_; }
  bool has_character_map() const noexcept { return !character_map_.empty(); }
  const unigram::WordOptions& word_options() const noexcept { return word_options_; }

  /// Makes the tokenizer with the options of the file or with others.
  std::unique_ptr<const UnigramTokenizer> tokenizer() const { return tokenizer(word_options_); }
  std::unique_ptr<const UnigramTokenizer> tokenizer(const unigram::WordOptions& options) const;

 private:
  void read_pieces(const nlohmann::json& model);
  void read_normalizer(const nlohmann::json& step);
  void read_pre_tokenizer(const nlohmann::json& step);

  std::vector<std::string> bytes_;
  std::vector<std::string_view> texts_;
  std::vector<double> scores_;
  std::vector<float> floats_;  ///< The same scores; empty if they need float64.
  std::vector<std::uint32_t> trie_;
  unigram::PieceOptions piece_options_;
  std::vector<AddedToken> added_tokens_;
  std::string character_map_;
  unigram::WordOptions word_options_;
};

/// Returns the vocabulary of the golden tests, with the word layout `words`. Lives as long as the
/// program.
const TokenizerJson& golden_tokenizer_json();

}  // namespace embd::testing
