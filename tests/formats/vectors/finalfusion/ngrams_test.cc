#include "formats/vectors/finalfusion/words.h"

#include <gtest/gtest.h>

namespace embd::finalfusion {
namespace {

std::vector<std::string> ngrams_of(std::string_view word, std::size_t min_n, std::size_t max_n) {
  std::vector<std::string> out;
  Ngrams(word, "<", ">").for_each(min_n, max_n, [&](std::string_view n) { out.emplace_back(n); });
  return out;
}

TEST(Ngrams, LongestFirstAtEveryStart) {
  EXPECT_EQ(ngrams_of("hallo", 3, 6),
            (std::vector<std::string>{"<hallo", "<hall", "<hal", "<ha", "hallo>", "hallo", "hall",
                                      "hal", "allo>", "allo", "all", "llo>", "llo", "lo>"}));
  EXPECT_EQ(ngrams_of("日本", 3, 6), (std::vector<std::string>{"<日本>", "<日本", "日本>"}));
  EXPECT_EQ(ngrams_of("a", 1, 2), (std::vector<std::string>{"<a", "<", "a>", "a", ">"}));
  EXPECT_TRUE(ngrams_of("", 3, 6).empty());
}

struct HashCase {
  std::string ngram;
  std::uint64_t bucket_21;  // of 2^21
  std::uint64_t fasttext;   // of 2,000,000
};

TEST(Ngrams, BucketsOfTheReferences) {
  const HashCase cases[] = {
      {"<hallo", 1321513, 790189}, {"<hall", 1505861, 1974608},  {"<hal", 104120, 424092},
      {"<ha", 985859, 78104},      {"hallo>", 136555, 1003163},  {"hallo", 1006102, 196071},
      {"hall", 1892376, 161714},   {"<Tübin", 1576786, 1949711}, {"<Tübi", 788303, 1686907},
      {"<Tüb", 89399, 1153040},    {"<Tü", 641298, 563410},      {"<日本>", 1399076, 1313759},
      {"<日本", 1939817, 758587},  {"日本>", 1420395, 196157},   {"<a>", 1853253, 1087600},
  };
  for (const HashCase& c : cases) {
    EXPECT_EQ(finalfusion_hash(c.ngram) & ((1U << 21) - 1), c.bucket_21) << c.ngram;
    EXPECT_EQ(fasttext_hash(c.ngram) % 2000000, c.fasttext) << c.ngram;
  }
  EXPECT_EQ(finalfusion_hash("<ha"), 0x5af7dcc1c78f0b03U);
  EXPECT_EQ(fasttext_hash("<Tü"), 3850563410U);
}

TEST(Murmur3, HashesOfFloret) {
  const Hash128 hash = murmur3("<hallo>", 2166136261U);
  EXPECT_EQ(hash.low, 0xa963247e9529fc7bU);
  EXPECT_EQ(hash.high, 0xa36aefcf34adce87U);
}

/// Values of the reference implementation's own verification: the hash of hashes of every length.
TEST(Murmur3, VerificationValue) {
  std::string key;
  std::string hashes;
  for (int length = 0; length < 256; ++length) {
    const Hash128 hash = murmur3(key, 256 - length);
    hashes.append(reinterpret_cast<const char*>(&hash), sizeof(hash));
    key.push_back(static_cast<char>(length));
  }
  EXPECT_EQ(static_cast<std::uint32_t>(murmur3(hashes, 0).low), 0x6384BA69U);
}

}  // namespace
}  // namespace embd::finalfusion
