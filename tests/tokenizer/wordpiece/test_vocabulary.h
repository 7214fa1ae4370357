#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/gzip.h"
#include "tests/support/split.h"
#include "tokenizer/wordpiece/vocabulary.h"

namespace embd::testing {

/// Returns a real vocabulary of 30,522 tokens with its bytes, which live as long as the program.
inline const std::vector<std::string_view>& bert_tokens() {
  static const std::string text = read_gzip(EMBD_TEST_DATA "/tokenizer/vocab.txt.gz");
  static const std::vector<std::string_view> tokens = split(text, '\n');
  return tokens;
}

inline wordpiece::Vocabulary bert_vocabulary() {
  return wordpiece::Vocabulary::create(bert_tokens(), SpecialTokenIds{}).value();
}

}  // namespace embd::testing
