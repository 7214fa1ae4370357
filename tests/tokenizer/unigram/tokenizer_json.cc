#include "tests/tokenizer/unigram/tokenizer_json.h"

#include <algorithm>

#include "base/base64.h"
#include "tests/support/gzip.h"
#include "tokenizer/double_array.h"

namespace embd::testing {
namespace {

/// The steps of a Sequence, or the step alone.
std::vector<nlohmann::json> steps(const nlohmann::json& step, const char* member) {
  if (step.is_null()) return {};
  if (step.at("type") != "Sequence") return {step};
  return step.at(member).get<std::vector<nlohmann::json>>();
}

}  // namespace

TokenizerJson TokenizerJson::read(const std::string& path) {
  return TokenizerJson(nlohmann::json::parse(read_gzip(path)));
}

TokenizerJson::TokenizerJson(const nlohmann::json& json) {
  read_pieces(json.at("model"));
  for (const auto& token : json.at("added_tokens")) {
    added_tokens_.push_back({.id = token.at("id"),
                             .normalized = token.at("normalized"),
                             .lstrip = token.at("lstrip"),
                             .rstrip = token.at("rstrip"),
                             .single_word = token.at("single_word")});
    if (token.at("id") == bytes_.size()) bytes_.push_back(token.at("content"));
  }
  texts_.assign(bytes_.begin(), bytes_.end());
  trie_ = build_double_array(tables().texts).value();
  word_options_.strip_right = word_options_.merge_spaces = false;
  for (const auto& step : steps(json.at("normalizer"), "normalizers")) read_normalizer(step);
  word_options_.layout = unigram::Layout::spaces;
  for (const auto& step : steps(json.at("pre_tokenizer"), "pretokenizers")) {
    read_pre_tokenizer(step);
  }
}

void TokenizerJson::read_pieces(const nlohmann::json& model) {
  if (!model.at("unk_id").is_null()) piece_options_.unk = model.at("unk_id").get<std::int32_t>();
  piece_options_.byte_fallback = model.value("byte_fallback", false);
  for (const auto& piece : model.at("vocab")) {
    bytes_.push_back(piece.at(0));
    scores_.push_back(piece.at(1).get<double>());
  }
  floats_.assign(scores_.begin(), scores_.end());
  if (!std::ranges::equal(floats_, scores_)) floats_.clear();
}

void TokenizerJson::read_normalizer(const nlohmann::json& step) {
  const std::string type = step.at("type");
  if (type == "Precompiled") {
    character_map_ = decode_base64(step.at("precompiled_charsmap").get<std::string>()).value();
  } else if (type == "Strip") {
    word_options_.strip_right = step.at("strip_right");
  } else if (type == "Replace") {
    word_options_.merge_spaces = true;
  }
}

void TokenizerJson::read_pre_tokenizer(const nlohmann::json& step) {
  if (step.at("type") == "WhitespaceSplit") {
    word_options_.layout = unigram::Layout::words;
    return;
  }
  const std::string scheme = step.at("prepend_scheme");
  word_options_.prepend_scheme = scheme == "always"  ? unigram::PrependScheme::always
                                 : scheme == "first" ? unigram::PrependScheme::first
                                                     : unigram::PrependScheme::never;
  word_options_.split = step.at("split");
}

unigram::PieceTables TokenizerJson::tables() const noexcept {
  return {.texts = std::span(texts_).first(scores_.size()),
          .scores = floats_.empty() ? unigram::Scores(scores_) : unigram::Scores(floats_),
          .trie = std::as_bytes(std::span(trie_))};
}

std::unique_ptr<const UnigramTokenizer> TokenizerJson::tokenizer(
    const unigram::WordOptions& options) const {
  return UnigramTokenizer::create(
             {.pieces = tables(),
              .tokens = texts_,
              .characters = has_character_map()
                                ? unigram::CharacterMap::create(as_bytes(character_map_)).value()
                                : unigram::CharacterMap(),
              .special = {.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 4},
              .added = added_tokens_},
             {.words = options, .pieces = piece_options_})
      .value();
}

const TokenizerJson& golden_tokenizer_json() {
  static const TokenizerJson json =
      TokenizerJson::read(EMBD_TEST_DATA "/unigram/tokenizer_words.json.gz");
  return json;
}

}  // namespace embd::testing
