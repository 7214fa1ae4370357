#include "index/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "rows.h"

namespace embd {
namespace {

/// All pairs, sorted.
std::vector<FoundRow> brute_force(const Distance& distance, const Distance::Query& query,
                                  const StoredRows& rows, std::size_t num_rows, std::size_t k,
                                  const RowChoice& choice) {
  std::vector<FoundRow> all;
  for (std::uint32_t slot = 0; slot < num_rows; ++slot) {
    if (choice.accepts(slot)) all.push_back({distance(query, rows, slot), slot});
  }
  std::ranges::sort(all);
  all.resize(std::min(k, all.size()));
  return all;
}

TEST(Exact, FindsTheNearestOnAnyNumberOfThreads) {
  constexpr std::size_t kDim = 24;
  constexpr std::size_t kRows = 2500;
  const auto distance = Distance::create(Metric::cos, ElementType::f32, kDim).value();
  // Coarse values, so that many distances are equal.
  std::vector<float> values = random_floats(kRows * kDim, 1);
  for (float& value : values) value = value > 0 ? 1.0F : -1.0F;
  const TestRows rows = encode_rows(ElementType::f32, values, kDim);
  std::vector<bool> removed(kRows);
  for (std::size_t i = 0; i < kRows; i += 7) removed[i] = true;
  const RowChoice choice = {.removed = &removed};

  for (const std::size_t num_queries : {1, 3, 64, 150}) {
    const TestRows queries =
        encode_rows(ElementType::f32, random_floats(num_queries * kDim, 2), kDim);
    for (const std::size_t k : {1, 10, 3000}) {
      std::vector<std::vector<FoundRow>> expected;
      for (std::size_t q = 0; q < num_queries; ++q) {
        expected.push_back(brute_force(distance, distance.query(queries.view(), q), rows.view(),
                                       kRows, k, choice));
      }
      for (const int threads : {1, 2, 5}) {
        EXPECT_EQ(exact_search({distance, rows.view(), kRows, choice}, queries.view(), num_queries,
                               k, threads)
                      .value(),
                  expected)
            << num_queries << " queries, k " << k << ", " << threads << " threads";
      }
    }
  }
}

TEST(Exact, SearchesOnlyTheGivenSlots) {
  constexpr std::size_t kDim = 10;
  const auto distance = Distance::create(Metric::l2sq, ElementType::i8, kDim).value();
  const TestRows rows = encode_rows(ElementType::i8, random_floats(600 * kDim, 3), kDim);
  std::vector<std::uint64_t> slots;
  for (std::uint64_t slot = 1; slot < 600; slot += 2) slots.push_back(slot);
  const IdFilter filter(slots, 600);
  const RowChoice choice = {.filter = &filter};
  const Distance::Query query = distance.query(rows.view(), 0);
  EXPECT_EQ(exact_search({distance, rows.view(), 600, choice}, query, slots, 12),
            brute_force(distance, query, rows.view(), 600, 12, choice));
  EXPECT_TRUE(exact_search({distance, rows.view(), 600, choice}, query, {}, 12).empty());
}

/// A filter of few rows is looked at row by row, one of many while all rows pass by.
TEST(Exact, FiltersOfAnySizeGiveWhatComparingAllPairsGives) {
  constexpr std::size_t kDim = 24;
  constexpr std::size_t kRows = 900;
  const TestRows queries = encode_rows(ElementType::f32, random_floats(5 * kDim, 4), kDim);
  const TestRows rows = encode_rows(ElementType::f32, random_floats(kRows * kDim, 5), kDim);
  for (const Metric metric : {Metric::cos, Metric::l2sq, Metric::ip}) {
    const auto distance = Distance::create(metric, ElementType::f32, kDim).value();
    for (const std::size_t step : {1, 3, 50, 1000}) {
      std::vector<std::uint64_t> slots;
      for (std::uint64_t slot = 1; slot < kRows; slot += step) slots.push_back(slot);
      const IdFilter filter(slots, kRows);
      const RowChoice choice = {.filter = &filter};
      const auto found =
          exact_search({distance, rows.view(), kRows, choice}, queries.view(), 5, 7, 2).value();
      for (std::size_t q = 0; q < 5; ++q) {
        EXPECT_EQ(found[q], brute_force(distance, distance.query(queries.view(), q), rows.view(),
                                        kRows, 7, choice))
            << metric_name(metric) << " every " << step;
      }
    }
  }
}

TEST(Exact, RowsInSeveralPiecesOfMemoryAreFoundAsRowsInOne) {
  constexpr std::size_t kDim = 24;
  constexpr std::size_t kRows = 3000;
  const TestRows queries = encode_rows(ElementType::f32, random_floats(5 * kDim, 6), kDim);
  const TestRows rows = encode_rows(ElementType::f32, random_floats(kRows * kDim, 7), kDim);
  const auto distance = Distance::create(Metric::cos, ElementType::f32, kDim).value();
  std::vector<TestRows> memory;
  std::vector<RowPiece> pieces;
  for (const std::size_t first : {0, 1, 70, 71, 1999}) {
    const StoredRows copy = memory.emplace_back(rows).view();
    pieces.push_back({first, {copy.row(first), copy.stride}});
  }
  for (const std::size_t step : {1, 3, 50}) {
    std::vector<std::uint64_t> slots;
    for (std::uint64_t slot = 0; slot < kRows; slot += step) slots.push_back(slot);
    const IdFilter filter(slots, kRows);
    const RowChoice choice = {.filter = step == 1 ? nullptr : &filter};
    for (const int threads : {1, 3})
      EXPECT_EQ(exact_search({distance, {}, kRows, choice, pieces}, queries.view(), 5, 40, threads)
                    .value(),
                exact_search({distance, rows.view(), kRows, choice}, queries.view(), 5, 40, threads)
                    .value())
          << "every " << step;
  }
}

/// Rows that all lie at one place in memory, so that more than 2^32 of them need none.
TEST(Exact, RowNumbersMayBeLongerThan32Bits) {
  const auto distance = Distance::create(Metric::l2sq, ElementType::f32, 4).value();
  const TestRows row = encode_rows(ElementType::f32, random_floats(4, 4), 4);
  const StoredRows rows = {row.view().data, 0, nullptr};
  const std::vector<std::uint64_t> slots = {3, 0x1'0000'0002, 0x1'0000'0003, 0x2'0000'0003};
  const IdFilter filter(slots, 0x2'0000'0010);
  const RowChoice choice = {.filter = &filter};
  const auto found =
      exact_search({distance, rows, 0x2'0000'0010, choice}, row.view(), 1, 9, 1).value();
  ASSERT_EQ(found[0].size(), slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) EXPECT_EQ(found[0][i], (FoundRow{0, slots[i]}));
}

TEST(Exact, NothingToFind) {
  const auto distance = Distance::create(Metric::ip, ElementType::f32, 4).value();
  const TestRows queries = encode_rows(ElementType::f32, random_floats(8, 4), 4);
  const auto found = exact_search({distance, {}, 0}, queries.view(), 2, 10, 2).value();
  EXPECT_EQ(found, std::vector<std::vector<FoundRow>>(2));
  EXPECT_TRUE(exact_search({distance, queries.view(), 2}, {}, 0, 10, 2).value().empty());
}

}  // namespace
}  // namespace embd
