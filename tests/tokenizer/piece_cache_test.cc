#include "tokenizer/piece_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(PieceCache, KeepsShortWordsOfFewPieces) {
  PieceCache cache;
  const std::string longest(PieceCache::max_size, 'x');
  const Ids most(PieceCache::max_ids, 9);
  cache.store("a", Ids{1, 2});
  cache.store("b", Ids{});
  cache.store(longest, most);
  cache.store(longest + "x", Ids{1});
  cache.store("c", Ids(PieceCache::max_ids + 1, 1));
  const auto found = [&](std::string_view word) {
    const auto ids = cache.find(word);
    return ids ? std::optional(Ids(ids->begin(), ids->end())) : std::nullopt;
  };
  EXPECT_EQ(found("a"), (Ids{1, 2}));
  EXPECT_EQ(found("b"), Ids{});
  EXPECT_EQ(found(longest), most);
  EXPECT_EQ(found(longest + "x"), std::nullopt);
  EXPECT_EQ(found("c"), std::nullopt);
  EXPECT_EQ(found("d"), std::nullopt);
  cache.store("a", Ids{3});
  EXPECT_EQ(found("a"), Ids{3});
}

/// Both are padded with zeros.
TEST(PieceCache, TellsWordsThatEndWithZeros) {
  using namespace std::string_view_literals;
  PieceCache cache;
  cache.store("a\0"sv, Ids{1});
  EXPECT_FALSE(cache.find("a"));
  EXPECT_FALSE(cache.find("\0"sv));
  EXPECT_TRUE(cache.find("a\0"sv));
}

}  // namespace
}  // namespace embd
