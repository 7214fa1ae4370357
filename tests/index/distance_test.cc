#include "index/distances/distance.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "rows.h"

namespace embd {
namespace {

using distances::Kernels;

constexpr ElementType kTypes[] = {ElementType::f32,  ElementType::f64,  ElementType::f16,
                                  ElementType::bf16, ElementType::i8,   ElementType::u8,
                                  ElementType::e5m2, ElementType::e4m3, ElementType::e3m2,
                                  ElementType::e2m3, ElementType::b1};
constexpr Metric kMetrics[] = {
    Metric::cos,      Metric::ip,       Metric::l2sq,    Metric::pearson,   Metric::hamming,
    Metric::tanimoto, Metric::sorensen, Metric::jaccard, Metric::haversine, Metric::divergence};
constexpr std::size_t kDims[] = {1, 2, 7, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100, 384, 385};

std::vector<std::uint32_t> slots(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

TEST(Distance, AgreesWithDoublePrecisionForEveryMetricAndType) {
  constexpr std::size_t kRows = 19;
  int pairs = 0;
  for (const Metric metric : kMetrics) {
    for (const ElementType type : kTypes) {
      for (const std::size_t dim : kDims) {
        const auto distance = Distance::create(metric, type, dim);
        if (!distance) continue;
        ++pairs;
        const float low = metric == Metric::divergence ? 0.0F : -1.0F;
        const TestRows rows = encode_rows(type, random_floats(kRows * dim, 1, low), dim, 3);
        const Distance::Query query = distance->query(rows.view(), 0);
        std::vector<float> found(kRows);
        distance->gather(query, rows.view(), slots(kRows), found.data());
        for (std::size_t i = 0; i < kRows; ++i) {
          const double expected =
              distances::plain_distance(metric, type, rows.view().row(0), rows.view().row(i), dim);
          // A sum rounds in proportion to its terms, however small it comes out.
          const bool sum = metric == Metric::l2sq || metric == Metric::ip;
          const double terms = sum ? std::max(std::abs(expected), static_cast<double>(dim)) : 1;
          if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(found[i]));
          } else {
            EXPECT_NEAR(found[i], expected, 1e-6 + 1.5e-7 * terms)
                << metric_name(metric) << " " << element_name(type) << " dim " << dim << " row "
                << i;
          }
        }
      }
    }
  }
  EXPECT_GT(pairs, 400);
}

TEST(Distance, IntegersAreExact) {
  const std::size_t dim = 257;
  std::vector<std::byte> bytes(2 * dim);
  std::int64_t dot = 0;
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    const int a = i % 3 == 0 ? -128 : 127;
    const int b = i % 2 == 0 ? -128 : 127;
    bytes[i] = static_cast<std::byte>(a);
    bytes[dim + i] = static_cast<std::byte>(b);
    dot += a * b;
    squares += (a - b) * (a - b);
  }
  const StoredRows rows = {bytes.data(), dim, nullptr};
  const auto ip = Distance::create(Metric::ip, ElementType::i8, dim).value();
  const auto l2 = Distance::create(Metric::l2sq, ElementType::i8, dim).value();
  EXPECT_EQ(ip(ip.query(rows, 0), rows, 1), 1.0F - static_cast<float>(dot));
  EXPECT_EQ(l2(l2.query(rows, 0), rows, 1), static_cast<float>(squares));
}

TEST(Distance, ZeroRowsAndCosine) {
  const std::vector<float> values = {0, 0, 0, 1, 2, 3};
  const TestRows rows = encode_rows(ElementType::f32, values, 3);
  const auto cos = Distance::create(Metric::cos, ElementType::f32, 3).value();
  const StoredRows view = rows.view();
  EXPECT_EQ(cos(cos.query(view, 0), view, 0), 0.0F);
  EXPECT_EQ(cos(cos.query(view, 0), view, 1), 1.0F);
  EXPECT_EQ(cos(cos.query(view, 1), view, 0), 1.0F);
  EXPECT_NEAR(cos(cos.query(view, 1), view, 1), 0.0F, 2e-7);
}

TEST(Distance, TileAndGatherAndCachedNormsGiveTheSameBits) {
  constexpr std::size_t kRows = 29;
  constexpr std::size_t kQueries = 11;
  for (const Metric metric : {Metric::cos, Metric::ip, Metric::l2sq}) {
    for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16,
                                   ElementType::i8, ElementType::u8, ElementType::e4m3}) {
      for (const std::size_t dim : kDims) {
        const auto distance = Distance::create(metric, type, dim).value();
        TestRows rows = encode_rows(type, random_floats(kRows * dim, 2), dim, 1);
        const TestRows queries = encode_rows(type, random_floats(kQueries * dim, 3), dim);
        std::vector<float> tile(kQueries * kRows);
        distance.tile(queries.view(), kQueries, rows.view(), 0, kRows, {tile.data(), kRows});
        std::vector<float> cached(kQueries * kRows);
        for (std::size_t i = 0; i < kRows; ++i) {
          rows.norms.push_back(distance.inverse_norm(rows.view().row(i)));
        }
        distance.tile(queries.view(), kQueries, rows.view(), 0, kRows, {cached.data(), kRows});
        for (std::size_t q = 0; q < kQueries; ++q) {
          std::vector<float> line(kRows);
          distance.gather(distance.query(queries.view(), q), rows.view(), slots(kRows),
                          line.data());
          for (std::size_t r = 0; r < kRows; ++r) {
            const auto bits = std::bit_cast<std::uint32_t>(line[r]);
            ASSERT_EQ(bits, std::bit_cast<std::uint32_t>(tile[q * kRows + r]));
            ASSERT_EQ(bits, std::bit_cast<std::uint32_t>(cached[q * kRows + r]));
          }
        }
      }
    }
  }
}

struct NamedSums {
  const char* type_name;
  ElementType type;
  distances::Sums Kernels::* sums;
};
constexpr NamedSums kSums[] = {{"f32", ElementType::f32, &Kernels::f32},
                               {"f16", ElementType::f16, &Kernels::f16},
                               {"bf16", ElementType::bf16, &Kernels::bf16},
                               {"i8", ElementType::i8, &Kernels::i8},
                               {"u8", ElementType::u8, &Kernels::u8}};

void expect_same_floats(const std::vector<float>& a, const std::vector<float>& b,
                        const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(a[i]), std::bit_cast<std::uint32_t>(b[i]))
        << what << " at " << i << ": " << a[i] << " and " << b[i];
  }
}

TEST(Distance, AnUnknownNameOfKernelsIsAnError) {
  ::setenv("EMBD_KERNELS", "abacus", 1);
  const auto distance = Distance::create(Metric::cos, ElementType::f32, 8);
  ::unsetenv("EMBD_KERNELS");
  ASSERT_FALSE(distance);
  EXPECT_EQ(distance.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(distance.error().message().find("abacus"), std::string::npos);
}

TEST(DistanceKernels, EveryTableGivesTheSameBits) {
  constexpr std::size_t kRows = 23;
  const Kernels& reference = distances::kPortableKernels;
  const auto list = distances::all_kernels();
  int compared = 0;
  for (const Kernels* const* it = list.begin; it != list.end; ++it) {
    const Kernels& table = **it;
    if (!table.supported() || &table == &reference) continue;
    ++compared;
    for (const auto& [type_name, type, sums] : kSums) {
      for (const std::size_t dim : kDims) {
        const std::string what =
            std::string(table.name) + " " + type_name + " " + std::to_string(dim);
        const TestRows rows = encode_rows(type, random_floats(kRows * dim, 4), dim, 5);
        const distances::RowArray array = {rows.bytes.data(), rows.stride};
        for (distances::Pairwise distances::Sums::* op :
             {&distances::Sums::dot, &distances::Sums::l2sq}) {
          std::vector<float> expected(kRows * kRows);
          std::vector<float> found(kRows * kRows);
          (reference.*sums.*op).tile(array, kRows, array, kRows, dim, {expected.data(), kRows});
          (table.*sums.*op).tile(array, kRows, array, kRows, dim, {found.data(), kRows});
          expect_same_floats(found, expected, what + " tile");
          for (std::size_t count = 0; count <= kRows; ++count) {
            std::vector<float> some(count);
            (table.*sums.*op)
                .gather(rows.view().row(1), array, slots(kRows).data(), count, dim, some.data());
            expect_same_floats(some, {expected.begin() + kRows, expected.begin() + kRows + count},
                               what + " gather");
          }
        }
      }
    }
    const TestRows bits = encode_rows(ElementType::b1, random_floats(kRows * 300, 5), 300, 1);
    for (const std::size_t bytes : {1, 7, 8, 9, 37}) {
      std::vector<std::uint32_t> expected(2 * kRows);
      std::vector<std::uint32_t> found(2 * kRows);
      const distances::RowArray array = {bits.bytes.data(), bits.stride};
      reference.bits(bits.bytes.data(), array, slots(kRows).data(), kRows, bytes, expected.data());
      table.bits(bits.bytes.data(), array, slots(kRows).data(), kRows, bytes, found.data());
      EXPECT_EQ(found, expected);
    }
    for (const std::size_t dim : kDims) {
      const TestRows rows = encode_rows(ElementType::i8, random_floats(kRows * dim, 8), dim, 3);
      std::vector<std::int16_t> query(dim);
      for (std::size_t i = 0; i < dim; ++i) query[i] = static_cast<std::int16_t>(i * 7919);
      const distances::RowArray array = {rows.bytes.data(), rows.stride};
      for (std::size_t count = 0; count <= kRows; ++count) {
        std::vector<float> expected(count);
        std::vector<float> found(count);
        reference.dot_i16_i8(query.data(), array, slots(kRows).data(), count, dim, expected.data());
        table.dot_i16_i8(query.data(), array, slots(kRows).data(), count, dim, found.data());
        expect_same_floats(found, expected, std::string(table.name) + " dot_i16_i8");
      }
    }
    const std::vector<float> values = random_floats(200, 6);
    std::vector<std::uint32_t> expected(200);
    std::vector<std::uint32_t> found(200);
    for (const float bound : {-2.0F, -0.9F, 0.0F, 2.0F}) {
      const std::size_t count = reference.below(values.data(), 200, bound, expected.data());
      ASSERT_EQ(table.below(values.data(), 200, bound, found.data()), count);
      EXPECT_TRUE(std::equal(found.begin(), found.begin() + count, expected.begin()));
    }
  }
  RecordProperty("tables", compared);
}

TEST(Distance, RefusesPairsWithoutMeaning) {
  EXPECT_EQ(Distance::create(Metric::cos, ElementType::b1, 8).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(Distance::create(Metric::hamming, ElementType::f32, 8).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(Distance::create(Metric::haversine, ElementType::f32, 3).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(Distance::create(Metric::divergence, ElementType::i8, 8).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(Distance::create(Metric::cos, ElementType::i32, 8).error().code(),
            ErrorCode::unsupported);
  EXPECT_EQ(Distance::create(Metric::cos, ElementType::f32, 0).error().code(),
            ErrorCode::bad_count);
}

}  // namespace
}  // namespace embd
