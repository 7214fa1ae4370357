#include "tokenizer/wordpiece/short_word.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace embd::wordpiece {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// The same, a byte at a time.
std::string plain_word(std::string_view text, bool lower_case) {
  std::string word;
  for (const char c : text.substr(0, ShortWord::max_size)) {
    if (!is_letter_or_digit(c)) break;
    word.push_back(lower_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  return word;
}

void check(const std::string& text) {
  for (const bool lower_case : {true, false}) {
    const std::string expected = plain_word(text, lower_case);
    const AsciiWord found = read_ascii_word(text.data(), text.size(), lower_case);
    EXPECT_EQ(found.size, expected.size()) << ::testing::PrintToString(text);
    EXPECT_EQ(found.word, short_word(expected)) << ::testing::PrintToString(text);
  }
}

TEST(ShortWord, EveryByteAtEveryPlaceEndsTheWordOrNot) {
  for (std::size_t place = 0; place < 20; ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = "aZ09mMxQ7bAz5yYkPp3L";
      text[place] = static_cast<char>(byte);
      check(text);
    }
  }
}

TEST(ShortWord, ReadsNoFurtherThanTheEnd) {
  for (std::size_t size = 1; size <= 18; ++size) {
    // On the heap without spare room, so that a sanitizer sees a byte too much.
    const std::vector<char> exact(size, 'W');
    EXPECT_EQ(read_ascii_word(exact.data(), size, true).size, std::min(size, ShortWord::max_size));
  }
}

TEST(ShortWord, AgreesWithAPlainLoopOnRandomBytes) {
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(1 + random() % 24, 'x');
    for (char& c : text) {
      if (random() % 8 == 0) c = static_cast<char>(random());
    }
    check(text);
  }
}

}  // namespace
}  // namespace embd::wordpiece
