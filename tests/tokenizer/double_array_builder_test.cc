#include "tokenizer/double_array.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "base/checksum.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"

namespace embd {
namespace {

using Units = std::vector<std::uint32_t>;
using Keys = std::vector<std::string_view>;

DoubleArray over(const Units& units) {
  return DoubleArray(std::as_bytes(std::span(units)));
}

/// Returns the message of `check` about units; empty if it finds nothing.
std::string complaint(const Units& units, const Keys& keys) {
  const auto checked = check_double_array(units, keys);
  return checked ? "" : checked.error().what();
}

std::vector<std::string> random_keys(std::size_t count, std::size_t longest, int num_letters) {
  std::mt19937 random(1);
  std::vector<std::string> keys(count);
  for (std::string& key : keys) {
    key.resize(1 + random() % longest);
    for (char& c : key) c = static_cast<char>(1 + random() % static_cast<unsigned>(num_letters));
  }
  return keys;
}

/// Builds a trie of keys, finds each of them, and finds nothing else.
void check_keys(const std::vector<std::string>& texts) {
  const Keys keys(texts.begin(), texts.end());
  const Units units = build_double_array(keys).value();
  const DoubleArray trie = over(units);
  std::map<std::string_view, std::uint32_t> last;
  for (std::size_t i = 0; i < keys.size(); ++i) last[keys[i]] = static_cast<std::uint32_t>(i);
  for (const auto& [key, number] : last) {
    ASSERT_EQ(trie.find(key), number);
    const std::string_view shorter = key.substr(0, key.size() - 1);
    ASSERT_EQ(trie.find(shorter),
              last.contains(shorter) ? last.at(shorter) : DoubleArray::no_number);
    const std::string longer = std::string(key) + "\x01";
    ASSERT_EQ(trie.find(longer), last.contains(longer) ? last.at(longer) : DoubleArray::no_number);
  }
  EXPECT_EQ(complaint(units, keys), "");
}

TEST(BuildDoubleArray, FindsEveryKeyAndNothingElse) {
  check_keys({"a"});
  check_keys({"a", "ab", "abc", "b", "\xff\xff"});
  check_keys(random_keys(1000, 3, 3));
  check_keys(random_keys(20000, 8, 255));
  check_keys({std::string(100000, 'x'), std::string(99999, 'x')});
}

TEST(BuildDoubleArray, LetsTheLastOfEqualKeysCountAndLeavesOutEmptyOnes) {
  const Keys keys = {"a", "", "b", "a", "a", "b"};
  const Units units = build_double_array(keys).value();
  EXPECT_EQ(over(units).find("a"), 4U);
  EXPECT_EQ(over(units).find("b"), 5U);
  EXPECT_EQ(over(units).find(""), DoubleArray::no_number);
  EXPECT_EQ(complaint(units, keys), "");
}

TEST(BuildDoubleArray, MakesATrieOfNoKeys) {
  const Units units = build_double_array({}).value();
  EXPECT_EQ(over(units).find("a"), DoubleArray::no_number);
  EXPECT_EQ(complaint(units, {}), "");
}

TEST(BuildDoubleArray, RefusesAByteZero) {
  using namespace std::string_view_literals;
  const auto built = build_double_array(Keys{"a", "b\0c"sv});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::bad_value);
  EXPECT_EQ(built.error().what(), "token 1 contains a byte 0, which a trie cannot hold");
}

/// Above 2^21 units, offsets are multiples of 256.
TEST(BuildDoubleArray, ReachesFarUnits) {
  const std::vector<std::string> texts = random_keys(700000, 8, 255);
  const Keys keys(texts.begin(), texts.end());
  const Units units = build_double_array(keys).value();
  EXPECT_GT(units.size(), std::size_t{1} << 21);
  EXPECT_EQ(complaint(units, keys), "");
}

/// Files hold these units: others for the same pieces would be another file.
TEST(BuildDoubleArray, GivesTheSameBytesEverywhere) {
  const auto tables = testing::golden_tokenizer_json().tables();
  const Units units = build_double_array(tables.texts).value();
  EXPECT_EQ(sha256_hex(std::as_bytes(std::span(units))),
            "5fe0a4a5fda597e406ccb1de417cdd3a1b0464230758bbfb81b00d2c7f89ac57");
}

TEST(CheckDoubleArray, SeesEveryChangedUnit) {
  const Keys keys = {"a", "ab", "abc", "b", "ba", "cab", "a\xff"};
  const Units good = build_double_array(keys).value();
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const std::uint32_t bit : {0, 1, 6, 8, 9, 10, 12, 30, 31}) {
      Units units = good;
      units[i] ^= 1U << bit;
      // The root's offset of 0 may be multiplied by 256.
      if (i == 0 && bit == 9 && DoubleArray::offset_of(units[0]) == DoubleArray::offset_of(good[0]))
        continue;
      EXPECT_NE(complaint(units, keys), "") << "unit " << i << ", bit " << bit;
    }
  }
}

TEST(CheckDoubleArray, SeesOtherKeys) {
  const Keys keys = {"a", "ab", "b"};
  const Units units = build_double_array(keys).value();
  EXPECT_EQ(complaint(units, {"a", "ab", "c"}),
            "the trie of the tokenizer does not contain token 2, \"c\", at its place");
  EXPECT_EQ(complaint(units, {"ab", "a", "b"}),
            "the trie of the tokenizer does not contain token 0, \"ab\", at its place");
  EXPECT_EQ(complaint(units, {"a", "ab"}),
            "unit 2 of the trie of the tokenizer belongs to no token");
  EXPECT_NE(complaint({}, keys), "");
  EXPECT_NE(complaint(Units(units.begin(), units.begin() + 98), keys), "");
}

/// Two units of one base would share their children, so that "ca" were a key, too.
TEST(CheckDoubleArray, SeesASharedBase) {
  const Keys keys = {"ba", "ca"};
  Units units = build_double_array(keys).value();
  const std::uint32_t root = DoubleArray::offset_of(units[0]);
  const std::uint32_t b = root ^ 'b';
  const std::uint32_t c = root ^ 'c';
  const std::uint32_t base_of_b = b ^ DoubleArray::offset_of(units[b]);
  units[c] = (units[c] & 0xffU) | (c ^ base_of_b) << 10;
  EXPECT_EQ(over(units).find("ca"), over(units).find("ba"));
  EXPECT_NE(complaint(units, keys), "");
  EXPECT_NE(complaint(units, {"ba", "cb"}), "");
}

TEST(DoubleArray, StaysWithinAnyBytes) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    Units units(random() % 70);
    for (std::uint32_t& unit : units) {
      unit = static_cast<std::uint32_t>(random());
      // Labels and offsets that lead somewhere, more often than not.
      if (random() % 4 != 0) unit = (unit & 0x103U) | (unit >> 20 & 63U) << 10;
    }
    const DoubleArray trie = over(units);
    for (int i = 0; i < 20; ++i) {
      std::string key(random() % 300, '\0');
      for (char& c : key) c = static_cast<char>(random() % 4);
      const std::uint32_t number = trie.find(key);
      EXPECT_LE(number, DoubleArray::no_number);
    }
  }
  EXPECT_EQ(DoubleArray().find("a"), DoubleArray::no_number);
  EXPECT_EQ(DoubleArray().find(""), DoubleArray::no_number);
}

}  // namespace
}  // namespace embd
