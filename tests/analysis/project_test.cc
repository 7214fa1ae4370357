#include "embd/map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/checksum.h"

namespace embd {
namespace {

/// Rows about `num_groups` centers, row i about center i % num_groups.
Matrix rows_in_groups(std::size_t num_rows, std::size_t num_groups, std::size_t dim) {
  std::mt19937 random(5);
  const auto real = [&random] { return static_cast<float>(random()) / 4294967296.0F - 0.5F; };
  Matrix centers(num_groups, dim);
  for (float& value : centers.values()) value = real();
  Matrix rows(num_rows, dim);
  for (std::size_t i = 0; i < num_rows; ++i)
    for (std::size_t j = 0; j < dim; ++j)
      rows.row(i)[j] = centers.row(i % num_groups)[j] + 0.5F * real();
  return rows;
}

float square_distance(std::span<const float> a, std::span<const float> b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

bool all_finite(const Matrix& plane) {
  return std::ranges::all_of(plane.values(), [](float value) { return std::isfinite(value); });
}

std::string hash_of(const Matrix& plane) {
  return sha256_hex(std::as_bytes(plane.values()));
}

TEST(Project, KeepsGroupsTogether) {
  constexpr std::size_t num_groups = 6;
  const Matrix rows = rows_in_groups(600, num_groups, 24);
  const Matrix plane = project(rows).value();
  ASSERT_EQ(plane.rows(), 600U);
  ASSERT_EQ(plane.cols(), 2U);
  for (std::size_t i = 0; i < plane.rows(); ++i) {
    std::size_t nearest = i == 0 ? 1 : 0;
    for (std::size_t j = 0; j < plane.rows(); ++j) {
      if (j != i && square_distance(plane.row(i), plane.row(j)) <
                        square_distance(plane.row(i), plane.row(nearest)))
        nearest = j;
    }
    EXPECT_EQ(nearest % num_groups, i % num_groups) << i;
  }
}

TEST(Project, IsTheSameOnAnyNumberOfThreads) {
  const Matrix rows = rows_in_groups(3000, 7, 33);
  const std::string one = hash_of(project(rows, {.threads = 1}).value());
  EXPECT_EQ(hash_of(project(rows, {.threads = 2}).value()), one);
  EXPECT_EQ(hash_of(project(rows, {.threads = 8}).value()), one);
}

// Also run with EMBD_KERNELS=portable.
TEST(Project, HasTheSameBitsEverywhere) {
  EXPECT_EQ(hash_of(project(rows_in_groups(1000, 7, 33)).value()),
            "caebc010bdf75941f3885692dc6497c9c39a04e24eaa65496b2616a6857e2332");
}

TEST(Project, FewRows) {
  for (const std::size_t num_rows : {0, 1, 2, 3, 4, 16, 17}) {
    const Matrix plane = project(rows_in_groups(num_rows, 2, 8)).value();
    EXPECT_EQ(plane.rows(), num_rows);
    EXPECT_EQ(plane.cols(), 2U);
    EXPECT_TRUE(all_finite(plane)) << num_rows;
    if (num_rows > 1) {
      EXPECT_GT(square_distance(plane.row(0), plane.row(1)), 0) << num_rows;
    }
  }
}

TEST(Project, EqualRowsAreNearEachOtherAndApart) {
  Matrix rows = rows_in_groups(200, 4, 16);
  for (std::size_t i = 0; i < 10; ++i) std::ranges::copy(rows.row(0), rows.row(20 * i).begin());
  const Matrix plane = project(rows).value();
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_GT(square_distance(plane.row(0), plane.row(20 * i)), 0) << i;
    EXPECT_LT(square_distance(plane.row(0), plane.row(20 * i)), 1) << i;
  }
}

TEST(Project, OnlyEqualRows) {
  for (const float value : {0.0F, 1.0F, -3e-20F, 1e18F}) {
    Matrix rows(300, 5);
    for (float& each : rows.values()) each = value;
    const Matrix plane = project(rows).value();
    EXPECT_TRUE(all_finite(plane)) << value;
  }
}

TEST(Project, LengthsOfRowsAreNothing) {
  Matrix rows = rows_in_groups(100, 3, 16);
  Matrix longer = rows;
  // The neighbours are those of the cosine; what differs is where the places begin.
  for (float& value : longer.values()) value *= 4;
  EXPECT_EQ(hash_of(project(rows).value()), hash_of(project(longer).value()));
}

TEST(Project, RefusesWhatIsNotFinite) {
  Matrix rows = rows_in_groups(20, 2, 8);
  rows.row(13)[2] = std::numeric_limits<float>::quiet_NaN();
  const auto plane = project(rows);
  ASSERT_FALSE(plane);
  EXPECT_EQ(plane.error().code(), ErrorCode::bad_value);
  EXPECT_NE(plane.error().message().find("13"), std::string::npos) << plane.error().message();
}

TEST(Project, RefusesOptionsOfNothing) {
  const Matrix rows = rows_in_groups(20, 2, 8);
  EXPECT_EQ(project(rows, {.neighbours = 0}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(project(rows, {.epochs = 0}).error().code(), ErrorCode::invalid_argument);
}

TEST(Project, Stops) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(project(rows_in_groups(50, 2, 8), {}, source.get_token()).error().code(),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace embd
