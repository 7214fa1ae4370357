#include "index/codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "rows.h"

namespace embd {
namespace {

constexpr std::size_t kRows = 200;
constexpr Metric kMetrics[] = {Metric::cos, Metric::l2sq};
constexpr ElementType kTypes[] = {ElementType::f32, ElementType::f16, ElementType::bf16};

/// How many of the rows a screen at `radius` rules out; fails if it rules out one within it.
std::size_t ruled_out(const Codes& codes, const Distance& distance, const StoredRows& rows,
                      const Distance::Query& query, float radius) {
  std::vector<std::uint32_t> slots(kRows);
  std::iota(slots.begin(), slots.end(), 0U);
  std::vector<float> distances(kRows);
  distance.gather(query, rows, slots, distances.data());
  CodeScreen screen;
  screen.set(codes, distance, query);
  std::vector<std::uint32_t> kept = slots;
  std::vector<float> room(kRows);
  kept.resize(screen.keep_within(radius, kept, room.data()));
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  for (const std::uint32_t slot : slots) {
    // One without a distance is never within it; whether it is kept does not matter.
    if (distances[slot] <= radius) {
      EXPECT_TRUE(std::ranges::binary_search(kept, slot))
          << metric_name(distance.metric()) << ' ' << element_name(distance.type()) << " row "
          << slot << " at " << distances[slot] << " and a radius of " << radius;
    }
  }
  return kRows - kept.size();
}

/// All rows as queries, each with the distances that occur as radii.
std::size_t ruled_out_of_all(Metric metric, ElementType type, std::size_t dim,
                             const std::vector<float>& values, bool cached_norms) {
  const auto distance = Distance::create(metric, type, dim).value();
  TestRows rows = encode_rows(type, values, dim, 2);
  if (cached_norms && distance.uses_norms()) {
    for (std::size_t i = 0; i < kRows; ++i) {
      rows.norms.push_back(distance.inverse_norm(rows.view().row(i)));
    }
  }
  const Codes codes = Codes::create(distance, rows.view(), kRows, 2).value();
  std::size_t total = 0;
  for (std::size_t q = 0; q < kRows; q += 10) {
    const Distance::Query query = distance.query(rows.view(), q);
    for (std::uint32_t other = 0; other < kRows; other += 20) {
      const float radius = distance(query, rows.view(), other);
      total += ruled_out(codes, distance, rows.view(), query, radius);
    }
  }
  return total;
}

TEST(CodeScreen, RulesOutFarRowsAndNoneWithinTheRadius) {
  for (const Metric metric : kMetrics) {
    for (const ElementType type : kTypes) {
      for (const std::size_t dim : {32, 33, 64, 100, 384, 1000}) {
        for (const float shift : {0.0F, 3.0F}) {  // about the origin, and in a narrow cone
          std::vector<float> values = random_floats(kRows * dim, 7);
          for (float& value : values) value += shift;
          const std::size_t total = ruled_out_of_all(metric, type, dim, values, dim % 2 == 0);
          // 20 queries × 10 radii × 200 rows; about half lie beyond a radius, most of them clearly.
          EXPECT_GT(total, 40000 / 4) << metric_name(metric) << ' ' << dim << ' ' << shift;
        }
      }
    }
  }
}

TEST(CodeScreen, KeepsRowsOfWhichNothingCanBeSaid) {
  constexpr std::size_t kDim = 48;
  constexpr float kMost = std::numeric_limits<float>::max();
  const std::vector<float> odd = {0.0F,
                                  -0.0F,
                                  kMost,
                                  -kMost,
                                  1e-40F,
                                  1e-23F,
                                  1e23F,
                                  std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN()};
  for (const Metric metric : kMetrics) {
    for (const ElementType type : kTypes) {
      std::vector<float> values = random_floats(kRows * kDim, 8);
      for (std::size_t row = 0; row < kRows; row += 3) {
        const float value = odd[row / 3 % odd.size()];
        // Whole rows of it, and single values of it among others.
        const std::size_t step = row % 2 == 0 ? 1 : 17;
        for (std::size_t i = 0; i < kDim; i += step) values[row * kDim + i] = value;
      }
      ruled_out_of_all(metric, type, kDim, values, true);
    }
  }
}

TEST(CodeScreen, EqualRowsAreAtNoDistance) {
  constexpr std::size_t kDim = 40;
  const std::vector<float> row = random_floats(kDim, 9);
  std::vector<float> values;
  for (std::size_t i = 0; i < kRows; ++i) values.insert(values.end(), row.begin(), row.end());
  for (const Metric metric : kMetrics) {
    EXPECT_EQ(ruled_out_of_all(metric, ElementType::f32, kDim, values, false), 0U);
  }
}

TEST(CodeScreen, RefreshedCodesCoverAllRows) {
  constexpr std::size_t kDim = 128;
  const auto distance = Distance::create(Metric::cos, ElementType::f32, kDim).value();
  const TestRows rows = encode_rows(ElementType::f32, random_floats(kRows * kDim, 10), kDim);
  std::optional<Codes> codes;
  for (std::uint32_t slot = 0; slot < kRows; ++slot) {
    ASSERT_TRUE(CodeScreen::refresh(codes, distance, rows.view(), slot + 1, {&slot, 1}, 1));
  }
  ASSERT_TRUE(codes);
  EXPECT_GT(2 * codes->num_centered(), kRows / 2);
  const Distance::Query query = distance.query(rows.view(), 5);
  EXPECT_GT(ruled_out(*codes, distance, rows.view(), query, 0.5F), kRows / 2);
}

TEST(CodeScreen, NoneForOtherMetricsAndTypes) {
  const auto suits = [](Metric metric, ElementType type, std::size_t dim) {
    return CodeScreen::suits(Distance::create(metric, type, dim).value());
  };
  EXPECT_TRUE(suits(Metric::cos, ElementType::f32, 384));
  EXPECT_FALSE(suits(Metric::ip, ElementType::f32, 384));
  EXPECT_FALSE(suits(Metric::cos, ElementType::i8, 384));
  EXPECT_TRUE(suits(Metric::cos, ElementType::f32, 96));
  EXPECT_FALSE(suits(Metric::cos, ElementType::f32, 95));
  EXPECT_FALSE(suits(Metric::cos, ElementType::f16, 96));
  std::optional<Codes> codes;
  const auto distance = Distance::create(Metric::ip, ElementType::f32, 64).value();
  ASSERT_TRUE(CodeScreen::refresh(codes, distance, {}, 0, {}, 1));
  EXPECT_FALSE(codes);
}

}  // namespace
}  // namespace embd
