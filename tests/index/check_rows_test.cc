#include "index/check_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace embd {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(CheckRows, NamesTheFirstRowWithAValueThatIsNotFinite) {
  // More values than a thread takes at a time.
  Matrix rows(3000, 100);
  EXPECT_TRUE(check_rows(rows, Metric::cos));
  for (const float wrong : {nan, -nan, infinity, -infinity}) {
    for (const std::size_t row : {std::size_t{0}, std::size_t{2621}, std::size_t{2999}}) {
      rows.row(row)[row % 100] = wrong;
      const auto checked = check_rows(rows, Metric::cos);
      ASSERT_FALSE(checked) << row;
      EXPECT_EQ(checked.error().code(), ErrorCode::bad_value);
      EXPECT_TRUE(checked.error().what().contains("row " + std::to_string(row) + " contains "))
          << checked.error().what();
      rows.row(row)[row % 100] = -std::numeric_limits<float>::max();
    }
  }
  EXPECT_TRUE(check_rows(rows, Metric::cos));
}

TEST(CheckRows, AllowsTheLengthsWhoseDistancesAreFinite) {
  const float longest = std::sqrt(0x1p125F);
  Matrix rows(2, 4);
  rows.row(1)[2] = longest;
  EXPECT_TRUE(check_rows(rows, Metric::ip));
  rows.row(1)[2] = std::nextafter(longest, infinity);
  EXPECT_TRUE(check_rows(rows, Metric::cos));
  for (const Metric metric : {Metric::l2sq, Metric::ip}) {
    const auto checked = check_rows(rows, metric);
    ASSERT_FALSE(checked);
    EXPECT_TRUE(checked.error().what().contains("row 1 has the length 6.522e+18"))
        << checked.error().what();
  }
  for (float& value : rows.row(0)) value = 0.75F * longest;
  EXPECT_FALSE(check_rows(rows, Metric::l2sq));
  for (float& value : rows.row(0)) value = 0.5F * longest;
  rows.row(1)[2] = longest;
  EXPECT_TRUE(check_rows(rows, Metric::l2sq));
}

TEST(CheckRows, TakesNoRows) {
  EXPECT_TRUE(check_rows(Matrix(), Metric::l2sq));
  EXPECT_TRUE(check_rows(Matrix(3, 0), Metric::ip));
}

}  // namespace
}  // namespace embd
