#include "tokenizer/unigram/word_reader.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "tests/tokenizer/unigram/tokenizer_json.h"

namespace embd::unigram {
namespace {

using Words = std::vector<std::string>;

const Normalizer& nmt_nfkc() {
  static const Normalizer normalizer(
      CharacterMap::create(as_bytes(testing::golden_tokenizer_json().character_map())).value());
  return normalizer;
}

/// Words, with "_" for the word mark.
Words words(std::string_view text, const WordOptions& options, bool begins_text = true,
            const Normalizer& normalizer = nmt_nfkc()) {
  WordReader reader(normalizer, options, text, begins_text);
  Words result;
  Word word;
  for (word.clear(false); reader.next(word); word.clear(false)) {
    std::string shown(word.text());
    for (std::size_t at; (at = shown.find(word_mark)) != std::string::npos;) {
      shown.replace(at, word_mark.size(), "_");
    }
    result.push_back(shown);
  }
  EXPECT_FALSE(reader.next(word));
  return result;
}

constexpr WordOptions in_words;
constexpr WordOptions in_spaces{.layout = Layout::spaces};

TEST(WordReader, SeparatesWordsByWhiteSpace) {
  EXPECT_EQ(words("a b", in_words), (Words{"_a", "_b"}));
  EXPECT_EQ(words("  a\t\n b  ", in_words), (Words{"_a", "_b"}));
  EXPECT_EQ(words("a\u0085b", in_words), (Words{"_a", "_b"}));
  EXPECT_EQ(words("a\u2581b\u200bc", in_words), (Words{"_a", "_b", "_c"}));
  EXPECT_EQ(words("\ufdfa", in_words).size(), 4U);
  for (const char* nothing : {"", " ", "\u2581", "\u200b", "\ufeff", "\ufffd", "\xff", "\x01"}) {
    EXPECT_EQ(words(nothing, in_words), Words{});
    EXPECT_EQ(words(nothing, in_spaces), Words{});
  }
}

TEST(WordReader, MakesSpacesWordMarks) {
  EXPECT_EQ(words("a b", in_spaces), (Words{"_a", "_b"}));
  EXPECT_EQ(words(" a   b  ", in_spaces), (Words{"_a", "_b"}));
  EXPECT_EQ(words("a\u0085b", in_spaces), (Words{"_a\u0085b"}));
  EXPECT_EQ(words("a \u0085 \u0085", in_spaces), (Words{"_a"}));
  EXPECT_EQ(words("a \u0085 \u0085 b", in_spaces), (Words{"_a", "_\u0085", "_\u0085", "_b"}));
}

TEST(WordReader, StripsAndMergesOnlyIfAsked) {
  constexpr WordOptions kept{.layout = Layout::spaces, .strip_right = false};
  EXPECT_EQ(words("a ", kept), (Words{"_a", "_"}));
  EXPECT_EQ(words(" ", kept), (Words{"_"}));
  EXPECT_EQ(words("", kept), (Words{}));
  constexpr WordOptions apart{
      .layout = Layout::spaces, .strip_right = false, .merge_spaces = false};
  EXPECT_EQ(words("a  b ", apart), (Words{"_a", "_", "_b", "_"}));
  constexpr WordOptions stripped{.layout = Layout::spaces, .merge_spaces = false};
  EXPECT_EQ(words("a  b  ", stripped), (Words{"_a", "_", "_b"}));
}

TEST(WordReader, PrependsAsTheSchemeSays) {
  constexpr WordOptions never{.prepend_scheme = PrependScheme::never};
  EXPECT_EQ(words("a b", never), (Words{"a", "b"}));
  constexpr WordOptions first{.layout = Layout::spaces, .prepend_scheme = PrependScheme::first};
  EXPECT_EQ(words("a b", first), (Words{"_a", "_b"}));
  EXPECT_EQ(words("a b", first, false), (Words{"a", "_b"}));
  EXPECT_EQ(words(" a b", first, false), (Words{"_a", "_b"}));
}

TEST(WordReader, SplitsBeforeWordMarksOnlyIfAsked) {
  const Normalizer none{CharacterMap()};
  EXPECT_EQ(words("a\u2581b \u2581c\u2581", in_words, true, none), (Words{"_a", "_b", "_c", "_"}));
  EXPECT_EQ(words("a\u2581b \u2581c\u2581", in_spaces, true, none),
            (Words{"_a", "_b", "_", "_c", "_"}));
  constexpr WordOptions whole_words{.split = false};
  EXPECT_EQ(words("a\u2581b \u2581c\u2581", whole_words, true, none), (Words{"_a_b", "_c_"}));
  constexpr WordOptions whole{.layout = Layout::spaces, .split = false};
  EXPECT_EQ(words("a b  c", whole), (Words{"_a_b_c"}));
}

TEST(Word, KnowsWhereItsPiecesComeFrom) {
  const std::string text = "\u0001ab\u2122\u0301c\u00e9\u0001";
  WordReader reader(nmt_nfkc(), in_words, text, true);
  Word word;
  word.clear(true);
  ASSERT_TRUE(reader.next(word));
  ASSERT_EQ(word.text(), "\u2581abTMc\u00e9");
  const auto range = [&](std::string_view source) {
    const std::ptrdiff_t begin = source.data() - text.data();
    return std::pair(begin, begin + std::ssize(source));
  };
  using Range = std::pair<std::ptrdiff_t, std::ptrdiff_t>;
  EXPECT_EQ(range(word.take_source(4)), Range(1, 2));   // ▁a
  EXPECT_EQ(range(word.take_source(2)), Range(2, 8));   // bT: all of the cluster
  EXPECT_EQ(range(word.take_source(1)), Range(3, 8));   // M
  EXPECT_EQ(range(word.take_source(1)), Range(8, 9));   // c
  EXPECT_EQ(range(word.take_source(1)), Range(9, 11));  // a byte of é
  EXPECT_EQ(range(word.take_source(1)), Range(9, 11));
  word.clear(true);
  word.append_mark();
  EXPECT_EQ(word.take_source(3).data(), nullptr);
}

}  // namespace
}  // namespace embd::unigram
