#include "engine/encoder/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace embd {
namespace {

TEST(DistanceBias, BucketsAreThoseOfTheFamily) {
  // The first distance of each bucket up to the query.
  constexpr std::int64_t first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  for (std::int64_t n = 0; n <= 1000; ++n) {
    const auto expected = static_cast<std::uint32_t>(std::ranges::upper_bound(first, n) -
                                                     std::ranges::begin(first) - 1);
    EXPECT_EQ(bucket_of(-n), expected) << n;
    EXPECT_EQ(bucket_of(n), expected + (n > 0 ? 16 : 0)) << n;
    // The definition by logarithms. At 16, 32 and 64 it is a whole number.
    const double steps =
        8 + std::log(std::max<double>(static_cast<double>(n), 1) / 8) / std::log(16) * 8;
    const auto defined =
        n < 8 ? n : std::min<std::int64_t>(15, static_cast<std::int64_t>(steps + 1e-9));
    EXPECT_EQ(expected, static_cast<std::uint32_t>(defined)) << n;
  }
}

}  // namespace
}  // namespace embd
