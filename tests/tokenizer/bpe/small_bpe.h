#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/gzip.h"
#include "tokenizer/bpe/bpe_tokenizer.h"

namespace embd::testing {

/// The vocabulary of a tokenizer.json of tests/data/bpe, with its bytes. It is for valid files
/// only.
class BpeJson {
 public:
  explicit BpeJson(const std::string& name) {
    const auto json =
        nlohmann::json::parse(read_gzip(EMBD_TEST_DATA "/bpe/tokenizer_" + name + ".json.gz"));
    const nlohmann::json& model = json.at("model");
    std::map<std::string, std::uint32_t> ids;
    bytes_.resize(model.at("vocab").size());
    for (const auto& [token, id] : model.at("vocab").items()) {
      ids[token] = id;
      bytes_[id.get<std::size_t>()] = token;
    }
    for (const nlohmann::json& merge : model.at("merges")) {
      const auto [left, right] = pair_of(merge);
      merges_.push_back(ids.at(left));
      merges_.push_back(ids.at(right));
    }
    for (const auto& token : json.at("added_tokens")) {
      const std::size_t id = token.at("id");
      if (id == bytes_.size()) bytes_.push_back(token.at("content"));
      if (token.at("content") == "[CLS]") special_.cls = token.at("id");
      if (token.at("content") == "[SEP]") special_.sep = token.at("id");
      if (name == "qwen2" && special_.sep == 2) special_.sep = token.at("id");
      added_.push_back({.id = token.at("id"),
                        .normalized = token.at("normalized"),
                        .lstrip = token.at("lstrip"),
                        .rstrip = token.at("rstrip"),
                        .single_word = token.at("single_word")});
    }
    const nlohmann::json& normalizer = json.at("normalizer");
    rules_.composes = normalizer.is_object() && normalizer.at("type") == "NFC";
    rules_.ignore_merges = model.value("ignore_merges", false);
    if (name == "gemma") {
      rules_.pattern = bpe::WordPattern::sentencepiece;
      special_ = {.pad = 0, .unk = 3, .cls = 2, .sep = 1, .mask = 4};
    }
    if (name == "qwen2") {
      rules_.pattern = bpe::WordPattern::qwen2;
      pair_template_ = PairTemplate::behind;
    }
    texts_.assign(bytes_.begin(), bytes_.end());
  }
  BpeJson(const BpeJson&) = delete;
  BpeJson& operator=(const BpeJson&) = delete;

  bpe::Tables tables() const noexcept { return {.tokens = texts_, .merges = merges_}; }
  const bpe::Rules& rules() const noexcept { return rules_; }
  BpeVocabulary vocabulary() const {
    return {.tables = tables(), .special = special_, .added = added_};
  }
  std::unique_ptr<const BpeTokenizer> tokenizer() const { return tokenizer(rules_); }
  std::unique_ptr<const BpeTokenizer> tokenizer(const bpe::Rules& rules) const {
    return BpeTokenizer::create(vocabulary(), {.rules = rules, .pair_template = pair_template_})
        .value();
  }

 private:
  /// Reads a merge: "a b" in older files, ["a", "b"] in newer ones.
  static std::pair<std::string, std::string> pair_of(const nlohmann::json& merge) {
    if (merge.is_array()) return merge;
    const std::string text = merge;
    return {text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1)};
  }

  std::vector<std::string> bytes_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> merges_;
  std::vector<AddedToken> added_;
  SpecialTokenIds special_ = {.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 3};
  bpe::Rules rules_;
  PairTemplate pair_template_ = PairTemplate::roberta;
};

}  // namespace embd::testing
