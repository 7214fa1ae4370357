#include "analysis/neighbour_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "blobs.h"

namespace embd {
namespace {

TEST(NeighbourGraph, IsThatOfAllPairs) {
  const Matrix matrix = blob_rows(400, 20, 7, 0.7, 1);
  const CosineRows rows = CosineRows::create(matrix, 1).value();
  for (const int threads : {1, 3}) {
    const NeighbourGraph graph = neighbour_graph(rows, 5, {.threads = threads}, {}).value();
    ASSERT_EQ(graph.k, 5);
    for (std::size_t row = 0; row < 400; ++row) {
      std::vector<std::pair<double, std::uint32_t>> all;
      for (std::uint32_t other = 0; other < 400; ++other)
        if (other != row)
          all.emplace_back(cosine_distance(matrix.row(row), matrix.row(other)), other);
      std::ranges::sort(all);
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(graph.rows_of(row)[i], all[i].second) << row;
        EXPECT_NEAR(graph.distances_of(row)[i], all[i].first, 1e-6) << row;
      }
    }
  }
}

TEST(NeighbourGraph, OfAnIndexHasNearlyAllAndTheSameOnAnyThreads) {
  const Matrix matrix = blob_rows(3000, 24, 30, 0.8, 2);
  const CosineRows rows = CosineRows::create(matrix, 1).value();
  const NeighbourGraph exact = neighbour_graph(rows, 10, {}, {}).value();
  const NeighbourGraph found = neighbour_graph(rows, 10, {.exact_rows = 100}, {}).value();
  const NeighbourGraph again =
      neighbour_graph(rows, 10, {.exact_rows = 100, .threads = 4}, {}).value();
  EXPECT_EQ(found.rows, again.rows);
  EXPECT_EQ(found.distances, again.distances);
  std::size_t common = 0;
  for (std::size_t row = 0; row < 3000; ++row)
    for (const std::uint32_t other : found.rows_of(row))
      common += std::ranges::count(exact.rows_of(row), other);
  EXPECT_GT(common, 29'500);
}

TEST(NeighbourGraph, OfFewRowsHasAllOthers) {
  const Matrix one = blob_rows(1, 3, 1, 0, 3);
  EXPECT_EQ(neighbour_graph(CosineRows::create(one, 1).value(), 4, {}, {}).value().k, 0);
  const Matrix none;
  EXPECT_EQ(neighbour_graph(CosineRows::create(none, 1).value(), 4, {}, {}).value().rows.size(), 0);
  const Matrix equal = blob_rows(6, 3, 1, 0, 4);
  const auto graph = neighbour_graph(CosineRows::create(equal, 1).value(), 9, {}, {}).value();
  EXPECT_EQ(graph.k, 5);
  for (std::uint32_t row = 0; row < 6; ++row) {
    std::vector<std::uint32_t> others = {0, 1, 2, 3, 4, 5};
    std::erase(others, row);
    EXPECT_TRUE(std::ranges::equal(graph.rows_of(row), others)) << row;
  }
}

TEST(CosineRows, NamesARowThatHasNoDistance) {
  Matrix rows = blob_rows(5, 3, 1, 1, 5);
  rows.row(3)[1] = std::nanf("");
  const auto refused = CosineRows::create(rows, 1);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().what().starts_with("row 3 contains the value nan,"))
      << refused.error().what();
}

}  // namespace
}  // namespace embd
