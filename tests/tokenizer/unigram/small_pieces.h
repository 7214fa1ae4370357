#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/double_array.h"
#include "tokenizer/unigram/pieces.h"

namespace embd::testing {

/// The tables of a tokenizer with a few pieces, and their bytes.
class SmallPieces {
 public:
  explicit SmallPieces(const std::vector<std::pair<std::string, float>>& pieces) {
    for (const auto& [text, score] : pieces) {
      bytes_.push_back(text);
      scores_.push_back(score);
    }
    texts_.assign(bytes_.begin(), bytes_.end());
    trie_ = build_double_array(texts_).value();
  }
  SmallPieces(const SmallPieces&) = delete;
  SmallPieces& operator=(const SmallPieces&) = delete;

  unigram::PieceTables tables() const noexcept {
    return {.texts = texts_, .scores = scores_, .trie = std::as_bytes(std::span(trie_))};
  }

 private:
  std::vector<std::string> bytes_;
  std::vector<std::string_view> texts_;
  std::vector<float> scores_;
  std::vector<std::uint32_t> trie_;
};

}  // namespace embd::testing
