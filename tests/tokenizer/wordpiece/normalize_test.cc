#include "tokenizer/wordpiece/normalize.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "tests/tokenizer/wordpiece/table_tokenizer.h"

namespace embd::wordpiece {
namespace {

using testing::decode_with_replacement;
using testing::TableTokenizer;

const TableTokenizer& table() {
  static const TableTokenizer tokenizer(EMBD_TEST_DATA "/tokenizer/codepoints_class.tsv.gz",
                                        EMBD_TEST_DATA "/tokenizer/vocab.txt.gz");
  return tokenizer;
}

CharacterClass expected_class(char letter) {
  switch (letter) {
    case 'S':
      return CharacterClass::space;
    case 'C':
    case 'P':
      return CharacterClass::alone;
    case 'K':
    case 'H':
      return CharacterClass::word;
    default:
      return CharacterClass::dropped;
  }
}

struct Range {
  char32_t first;
  char32_t last;
};

/// Where the text differs from the real tokenizer's and no id can: the code points and what they
/// map to are in no token, so their word is unknown either way. One decomposition newer than
/// Unicode 9, and the lower case of letters newer than Unicode 15.
constexpr auto known_differences = std::to_array<Range>({{0x1c89, 0x1c89},
                                                         {0xa7cb, 0xa7cc},
                                                         {0xa7ce, 0xa7ce},
                                                         {0xa7d2, 0xa7d2},
                                                         {0xa7d4, 0xa7d4},
                                                         {0xa7da, 0xa7da},
                                                         {0xa7dc, 0xa7dc},
                                                         {0x10d50, 0x10d65},
                                                         {0x11938, 0x11938},
                                                         {0x16ea0, 0x16eb8}});

bool is_known_difference(char32_t c) {
  return std::ranges::any_of(known_differences,
                             [c](Range range) { return c >= range.first && c <= range.last; });
}

TEST(Normalizer, AgreesWithTheRealTokenizerOnEveryCodePoint) {
  const Normalizer normalizer(true);
  std::size_t checked = 0;
  std::size_t differences = 0;
  for (const TableTokenizer::Row& row : table().rows()) {
    for (char32_t c = row.first; c <= row.last; ++c, ++checked) {
      const NormalizedCharacter& character = normalizer[c];
      const CharacterClass expected = expected_class(row.character_class);
      std::u32string text;
      if (expected == CharacterClass::word || expected == CharacterClass::alone) {
        text = TableTokenizer::output(row, c);
      }
      const bool equal = character.character_class == expected &&
                         decode_with_replacement(character.text()) == text &&
                         character.code_points == text.size();
      if (equal || is_known_difference(c)) continue;
      ++differences;
      ADD_FAILURE() << "U+" << std::hex << static_cast<std::uint32_t>(c) << ", class "
                    << row.character_class << " expected; utf8proc " << utf8proc_version()
                    << ", Unicode " << utf8proc_unicode_version();
      ASSERT_LT(differences, 50U) << "and more";
    }
  }
  EXPECT_EQ(checked, 1'112'064U);
}

TEST(Normalizer, LowerCasesAndStripsMarks) {
  const Normalizer normalizer(true);
  EXPECT_EQ(normalizer[U'A'].text(), "a");
  EXPECT_EQ(normalizer[U'É'].text(), "e");
  EXPECT_EQ(normalizer[U'İ'].text(), "i");
  EXPECT_EQ(normalizer[U'ẞ'].text(), "ß");
  EXPECT_EQ(normalizer[U'ﬁ'].text(), "ﬁ");
  EXPECT_EQ(normalizer[U'각'].code_points, 3);
  EXPECT_EQ(normalizer[U'≠'].text(), "=");
  EXPECT_EQ(normalizer[U'≠'].character_class, CharacterClass::alone);
  EXPECT_EQ(normalizer[0x301].character_class, CharacterClass::dropped);
}

TEST(Normalizer, CasedKeepsCaseAndAccents) {
  const Normalizer normalizer(false);
  EXPECT_EQ(normalizer[U'A'].text(), "A");
  EXPECT_EQ(normalizer[U'É'].text(), "É");
  EXPECT_EQ(normalizer[U'각'].text(), "각");
  EXPECT_EQ(normalizer[0x301].character_class, CharacterClass::word);
  EXPECT_EQ(normalizer[U'≠'].character_class, CharacterClass::word);
  EXPECT_EQ(normalizer[0x37e].character_class, CharacterClass::alone);  // punctuation itself
  EXPECT_EQ(normalizer[0x37e].text(), "\u037e");
  EXPECT_EQ(normalizer[U'中'].character_class, CharacterClass::alone);
  EXPECT_EQ(normalizer[0].character_class, CharacterClass::dropped);
  EXPECT_EQ(normalizer[0xfffd].character_class, CharacterClass::dropped);
  EXPECT_EQ(normalizer[0x3000].character_class, CharacterClass::space);
}

TEST(Normalizer, ManyThreadsSeeOneMap) {
  const Normalizer normalizer(true);
  std::vector<const NormalizedCharacter*> seen(4);
  {
    std::vector<std::jthread> threads;
    for (auto& place : seen) {
      threads.emplace_back([&] {
        for (char32_t c = 0; c <= 0x2ffff; c += 256) place = &normalizer[c];
      });
    }
  }
  for (const NormalizedCharacter* place : seen) EXPECT_EQ(place, seen.front());
}

}  // namespace
}  // namespace embd::wordpiece
