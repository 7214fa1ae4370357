#include "tokenizer/token_sink.h"

#include <gtest/gtest.h>

#include <numeric>

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;

Ids counted(std::int32_t count) {
  Ids ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

/// Tokens come one by one, or any number at once.
TEST(TokenSink, KeepsTheEndThatIsAskedFor) {
  for (const std::int32_t count : {0, 1, 5, 399, 400, 401, 1200, 5000}) {
    for (const std::int64_t limit : {0, 1, 3, 400, 700, 10000}) {
      for (const TruncationSide side : {TruncationSide::right, TruncationSide::left}) {
        for (const std::size_t piece : {1U, 7U, 400U, 4096U}) {
          const Ids all = counted(count);
          Ids ids = {-1};
          TokenSink sink({limit, side}, ids, nullptr, nullptr);
          for (std::span<const std::int32_t> rest = all; !rest.empty();) {
            const std::size_t size = std::min(piece, rest.size());
            sink.add(rest.first(size));
            rest = rest.subspan(size);
          }
          sink.finish();
          Ids expected = {-1};
          const auto kept = std::min<std::int64_t>(limit, count);
          if (side == TruncationSide::right) {
            expected.insert(expected.end(), all.begin(), all.begin() + kept);
          } else {
            expected.insert(expected.end(), all.end() - kept, all.end());
          }
          ASSERT_EQ(ids, expected) << count << " tokens, limit " << limit << ", by " << piece;
          EXPECT_EQ(sink.count(), count);
          EXPECT_EQ(sink.truncated(), count > limit);
        }
      }
    }
  }
}

TEST(TokenSink, OfAnArrayItAddsTheFirst) {
  Ids ids;
  TokenSink sink({}, ids, nullptr, nullptr);
  for (std::size_t i = 0; i < 1000; ++i) sink.add_first<3>(i % 4, {7, 8, 9});
  sink.finish();
  ASSERT_EQ(ids.size(), 1500U);
  EXPECT_EQ(Ids(ids.begin(), ids.begin() + 6), (Ids{7, 7, 8, 7, 8, 9}));
}

TEST(TokenSink, RangesCountFromBehindThePrompt) {
  const std::string_view text = "prompt and text";
  Ids ids;
  std::vector<ByteRange> ranges;
  TokenSink sink({}, ids, &ranges, text.data() + 7);
  for (const std::string_view part :
       {text.substr(0, 6), text.substr(4, 6), text.substr(11, 4), text.substr(3, 0)}) {
    sink.add(1);
    sink.add_range(part);
  }
  sink.finish();
  EXPECT_EQ(ranges, (std::vector<ByteRange>{{0, 0}, {0, 3}, {4, 8}, {0, 0}}));
}

}  // namespace
}  // namespace embd
