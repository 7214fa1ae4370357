#include "analysis/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>

namespace embd {
namespace {

TEST(PrincipalComponents, FindsTheAxesOfASpread) {
  // Rows on an ellipse in the plane of the second and third values.
  Matrix rows(200, 4);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / 200;
    rows.row(i)[0] = 7;
    rows.row(i)[1] = static_cast<float>(3 * std::cos(angle));
    rows.row(i)[2] = static_cast<float>(1 + std::sin(angle));
  }
  const auto places = principal_components(rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    EXPECT_NEAR(places[0][i], rows.row(i)[1], 1e-5) << i;
    EXPECT_NEAR(places[1][i], rows.row(i)[2] - 1, 1e-5) << i;
  }
}

TEST(PrincipalComponents, OfEqualRowsAreZero) {
  Matrix rows(5, 3);
  for (float& value : rows.values()) value = 0.25F;
  for (const auto& axis : principal_components(rows)) EXPECT_EQ(axis, std::vector<float>(5));
}

TEST(PrincipalComponents, OfNoRowsAreNone) {
  EXPECT_TRUE(principal_components(Matrix(0, 3))[0].empty());
}

}  // namespace
}  // namespace embd
