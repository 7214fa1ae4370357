#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "blobs.h"
#include "embd/dedupe.h"

namespace embd {
namespace {

/// Rows of which rows 10 i + 5 are near rows 10 i, and rows 20 i + 7 copies of rows 20 i.
Matrix rows_with_duplicates(std::size_t num_rows, std::size_t dim) {
  Matrix rows = blob_rows(num_rows, dim, num_rows, 0, 1);
  const Matrix noise = blob_rows(num_rows, dim, 1, 0.2, 2);
  for (std::size_t row = 0; row + 7 < num_rows; row += 10) {
    for (std::size_t i = 0; i < dim; ++i)
      rows.row(row + 5)[i] = rows.row(row)[i] + 0.2F * (noise.row(row)[i] - noise.row(row + 1)[i]);
    if (row % 20 == 0) std::ranges::copy(rows.row(row), rows.row(row + 7).begin());
  }
  return rows;
}

TEST(Duplicates, ArePairsWithARepresentativeEach) {
  const Matrix rows = rows_with_duplicates(2000, 64);
  const Duplicates found = find_duplicates(rows).value();
  ASSERT_EQ(found.representatives.size(), 2000);
  EXPECT_EQ(found.num_kept(), 2000 - 200 - 100);
  EXPECT_EQ(found.pairs.size(), 300);
  EXPECT_FALSE(found.recall);
  EXPECT_TRUE(std::ranges::is_sorted(
      found.pairs, {}, [](const DuplicatePair& pair) { return std::pair(pair.row, pair.other); }));
  for (const DuplicatePair& pair : found.pairs) {
    EXPECT_EQ(pair.other, pair.row / 10 * 10);
    EXPECT_EQ(found.representatives[pair.row], pair.other);
    EXPECT_EQ(pair.similarity == 1, pair.row % 10 == 7);
  }
}

TEST(Duplicates, KeepTheLongest) {
  const Matrix rows = rows_with_duplicates(40, 64);
  std::vector<std::uint64_t> lengths(40, 10);
  lengths[5] = 12;
  lengths[7] = 12;
  const Duplicates found = find_duplicates(rows, {.keep = Keep::longest}, lengths).value();
  EXPECT_EQ(found.representatives[0], 5);
  EXPECT_EQ(found.representatives[5], 5);
  EXPECT_EQ(found.representatives[7], 5);
  EXPECT_EQ(found.representatives[15], 10);
  EXPECT_EQ(find_duplicates(rows, {.keep = Keep::longest}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_FALSE(find_duplicates(rows, {.keep = Keep::longest}, std::span(lengths).first(3)));
}

TEST(Duplicates, ByAnIndexAreNearlyAllAndTheSameOnAnyThreads) {
  const Matrix rows = rows_with_duplicates(3000, 64);
  const Duplicates exact = find_duplicates(rows).value();
  const Duplicates found = find_duplicates(rows, {.exact_rows = 100, .threads = 1}).value();
  EXPECT_EQ(found.pairs, exact.pairs);
  ASSERT_TRUE(found.recall);
  EXPECT_EQ(found.recall->found, found.recall->pairs);
  EXPECT_GT(found.recall->pairs, 50);
  const Duplicates again = find_duplicates(rows, {.exact_rows = 100, .threads = 4}).value();
  EXPECT_EQ(again.pairs, found.pairs);
  EXPECT_EQ(again.representatives, found.representatives);
}

TEST(Duplicates, OfManyCopiesTakeNoTime) {
  Matrix rows = blob_rows(20'000, 16, 1, 0, 3);
  rows.row(11'000)[0] += 100;
  const Duplicates found = find_duplicates(rows).value();
  EXPECT_EQ(found.num_kept(), 2);
  EXPECT_EQ(found.pairs.size(), 19'998);
}

TEST(Duplicates, OfOddSets) {
  EXPECT_EQ(find_duplicates(Matrix()).value().num_kept(), 0);
  EXPECT_EQ(find_duplicates(Matrix(1, 4)).value().num_kept(), 1);
  EXPECT_EQ(find_duplicates(Matrix(5, 4)).value().num_kept(), 1);
  EXPECT_EQ(find_duplicates(Matrix(5, 4), {.exact_rows = 0}).value().num_kept(), 1);
  Matrix rows = blob_rows(5, 4, 5, 1, 4);
  EXPECT_EQ(find_duplicates(rows, {.min_similarity = -1}).value().num_kept(), 1);
  EXPECT_EQ(find_duplicates(rows, {.min_similarity = 1.5}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_FALSE(find_duplicates(rows, {.min_similarity = std::nan("")}));
  rows.row(2)[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(find_duplicates(rows).error().code(), ErrorCode::bad_value);
}

TEST(Leaks, AreAllCopiesAtSimilarityOneWhateverTheirLength) {
  for (const std::size_t dim : {3, 64, 384}) {
    for (const float scale : {1.0F, 20.0F, 0.01F}) {
      Matrix rows = blob_rows(300, dim, 300, 0, 5);
      for (float& value : rows.values()) value *= scale;
      for (const std::uint64_t exact_rows : {0, 1000}) {
        const DedupeOptions options = {.min_similarity = 1, .exact_rows = exact_rows};
        const Leaks found = find_leaks(rows, rows, options).value();
        std::size_t num_copies = 0;
        for (const DuplicatePair& pair : found.pairs)
          if (pair.row == pair.other && pair.similarity == 1) ++num_copies;
        EXPECT_EQ(num_copies, 300) << dim << " " << scale << " " << exact_rows;
      }
    }
  }
}

TEST(Leaks, AreTheRowsThatAreInTheOtherSet) {
  const Matrix all = rows_with_duplicates(1000, 64);
  const MatrixView train = all.view().slice(0, 995);
  const MatrixView test = all.view().slice(995, 5);
  Matrix leaked(3, 64);
  std::ranges::copy(all.row(20), leaked.row(1).begin());
  std::ranges::copy(all.row(11), leaked.row(2).begin());
  std::ranges::copy(all.row(995), leaked.row(0).begin());
  for (const std::uint64_t exact_rows : {0, 10'000}) {
    const Leaks found = find_leaks(leaked, train, {.exact_rows = exact_rows}).value();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (const DuplicatePair& pair : found.pairs) pairs.emplace_back(pair.row, pair.other);
    EXPECT_EQ(pairs, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                         {0, 990}, {1, 20}, {1, 25}, {1, 27}, {2, 11}}));
    EXPECT_EQ(found.recall.has_value(), exact_rows == 0);
  }
  EXPECT_TRUE(find_leaks(Matrix(), train).value().pairs.empty());
  EXPECT_TRUE(find_leaks(test, Matrix(0, 64)).value().pairs.empty());
  EXPECT_EQ(find_leaks(test, Matrix(3, 8)).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace embd
