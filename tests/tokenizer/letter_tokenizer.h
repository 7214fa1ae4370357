#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"

namespace embd::test {

/// A simple tokenizer, for tests of what holds for every kind of tokenizer. Each byte except spaces
/// is a token whose id is the byte; a byte 0 is an error. By default it has the special tokens of
/// XLM-R, `<s> A </s>` and `<s> A </s> </s> B </s>`, with the ids 1000 and 1001. All token types
/// are 0.
class LetterTokenizer final : public Tokenizer {
 public:
  explicit LetterTokenizer(TokenTemplate special = {.before = {1000},
                                                    .between = {1001, 1001},
                                                    .after = {1001},
                                                    .second_type = 0})
      : Tokenizer(std::move(special)) {}

  std::unique_ptr<TextTokenizer> make_text_tokenizer() const override {
    return std::make_unique<Letters>(num_texts_);
  }
  std::string_view token(std::int32_t) const noexcept override { return {}; }
  std::string decode(std::span<const std::int32_t>, bool) const override { return {}; }
  std::string hash() const override { return "letters"; }
  /// Returns the number of texts that were tokenized. Correct only if one thread tokenizes.
  std::size_t num_texts() const noexcept { return num_texts_; }

 private:
  struct Letters final : TextTokenizer {
    explicit Letters(std::size_t& counter) : num_texts(counter) {}
    Result<void> tokenize(std::string_view text, TokenSink& sink) override {
      ++num_texts;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\0') return std::unexpected(Error(ErrorCode::unsupported, "a byte 0"));
        if (text[i] == ' ') continue;
        sink.add(static_cast<std::uint8_t>(text[i]));
        if (sink.wants_ranges()) sink.add_range(text.substr(i, 1));
      }
      return {};
    }
    std::size_t& num_texts;
  };
  mutable std::size_t num_texts_ = 0;
};

}  // namespace embd::test
