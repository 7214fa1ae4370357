#include "analysis/near_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "blobs.h"

namespace embd {
namespace {

std::vector<NearPair> collect(const auto& find) {
  std::vector<NearPair> pairs;
  const NearPairSink sink = [&](std::span<const NearPair> some) -> Result<void> {
    pairs.insert(pairs.end(), some.begin(), some.end());
    return {};
  };
  EXPECT_TRUE(find(sink));
  return pairs;
}

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::vector<NearPair> all_pairs(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                float most) {
  std::vector<NearPair> pairs;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto query = rows.distance().query(rows.stored(), chosen[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const float distance = rows.distance()(query, rows.stored(), chosen[j]);
      if (distance <= most) pairs.push_back({chosen[i], chosen[j], distance});
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

TEST(NearPairs, AreThoseOfAllPairs) {
  // With bounds (many values, many rows) and without; some rows or all; few pairs left and many.
  for (const auto& [num_rows, dim] : {std::pair{900, 20}, {5000, 200}}) {
    Matrix matrix = blob_rows(static_cast<std::size_t>(num_rows), static_cast<std::size_t>(dim),
                              static_cast<std::size_t>(num_rows) / 4, 0.2, 1);
    std::ranges::fill(matrix.row(7), 0.0F);
    for (float& value : matrix.row(9)) value *= 1e-25F;
    const CosineRows rows = CosineRows::create(matrix, 2).value();
    std::vector<std::uint32_t> some;
    for (std::uint32_t row = 0; row < rows.size(); row += 3) some.push_back(row);
    for (const auto& chosen : {numbers(rows.size()), some}) {
      for (const float most : {0.05F, 0.1F, 0.9F}) {
        const auto expected = all_pairs(rows, chosen, most);
        EXPECT_FALSE(expected.empty());
        for (const int threads : {1, 3}) {
          EXPECT_EQ(collect([&](const NearPairSink& sink) {
                      return find_near_pairs({rows, chosen}, most, threads, sink, {});
                    }),
                    expected)
              << num_rows << " " << chosen.size() << " " << most;
        }
      }
    }
  }
}

TEST(NearPairs, BetweenTwoSets) {
  const Matrix all = blob_rows(6000, 192, 2000, 0.25, 2);
  const MatrixView left = all.view().slice(0, 1000);
  const MatrixView right = all.view().slice(1000, 5000);
  const CosineRows rows = CosineRows::create(left, 1).value();
  const CosineRows others = CosineRows::create(right, 1).value();
  std::vector<NearPair> expected;
  for (std::uint32_t a = 0; a < 1000; ++a) {
    const auto query = rows.distance().query(rows.stored(), a);
    for (std::uint32_t b = 0; b < 5000; ++b) {
      const float distance = rows.distance()(query, others.stored(), b);
      if (distance <= 0.08F) expected.push_back({a, b, distance});
    }
  }
  EXPECT_GT(expected.size(), 1000);
  EXPECT_EQ(collect([&](const NearPairSink& sink) {
              return find_near_pairs_between({rows, numbers(1000)}, others, 0.08F, 2, sink, {});
            }),
            expected);
}

TEST(CosineBounds, AreNoLessThanTheCosines) {
  const Matrix matrix = blob_rows(300, 256, 20, 0.5, 3);
  const CosineRows rows = CosineRows::create(matrix, 1).value();
  const Matrix directions = long_directions(rows, CosineBounds::width - 1);
  const CosineBounds bounds = CosineBounds::create(rows, numbers(300), directions, 1).value();
  double sum_of_gaps = 0;
  for (std::size_t a = 0; a < 300; ++a) {
    for (std::size_t b = 0; b < 300; ++b) {
      double bound = 0;
      for (std::size_t i = 0; i < CosineBounds::width; ++i)
        bound += static_cast<double>(bounds.rows(a)[i]) * bounds.rows(b)[i];
      const double cosine = 1 - cosine_distance(matrix.row(a), matrix.row(b));
      EXPECT_GE(bound + CosineBounds::slack(256), cosine);
      sum_of_gaps += bound - cosine;
    }
  }
  // The directions of twenty blobs are among them: little is left of a row beside them.
  EXPECT_LT(sum_of_gaps / 90'000, 0.25);
}

}  // namespace
}  // namespace embd
