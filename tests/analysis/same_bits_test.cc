#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "embd/cluster.h"
#include "embd/dedupe.h"

// With EMBD_KERNELS the tests run once more with another set of kernels: the numbers are the same.
namespace embd {
namespace {

/// Rows made without the functions of the mathematics library, which differ from one to another:
/// each is one of 40 random rows and a little of its own.
Matrix mixed_rows(std::size_t num_rows, std::size_t dim) {
  std::mt19937_64 random(1);
  const auto draw = [&] {
    return static_cast<float>(static_cast<std::int64_t>(random() >> 40) - (1 << 23)) * 0x1p-23F;
  };
  Matrix rows(num_rows, dim);
  for (std::size_t row = 0; row < num_rows; ++row)
    for (std::size_t i = 0; i < dim; ++i)
      rows.row(row)[i] = row < 40 ? draw() : rows.row(row % 40)[i] + 0.6F * draw();
  return rows;
}

class Fingerprint {
 public:
  void add(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3; }
  void add(float value) { add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

std::uint64_t fingerprint(const Clusters& clusters) {
  Fingerprint print;
  for (const std::int32_t group : clusters.groups) print.add(static_cast<std::uint64_t>(group + 1));
  for (const float distance : clusters.distances) print.add(distance);
  for (const float value : clusters.centers.values()) print.add(value);
  return print.value();
}

TEST(SameBits, OfGroups) {
  const Matrix rows = mixed_rows(1500, 72);
  EXPECT_EQ(fingerprint(cluster_rows(rows, {.k = 20}).value()), 9993495795548050848U);
  EXPECT_EQ(fingerprint(cluster_rows(mixed_rows(400, 72)).value()), 15939421273885951173U);
  EXPECT_EQ(
      fingerprint(cluster_rows(rows, {.method = ClusterMethod::density, .min_size = 8}).value()),
      7161076066721554307U);
  EXPECT_EQ(
      fingerprint(
          cluster_rows(rows, {.method = ClusterMethod::density, .min_size = 8, .exact_rows = 100})
              .value()),
      7161076066721554307U);
}

TEST(SameBits, OfNearDuplicates) {
  const Matrix rows = mixed_rows(4200, 192);
  for (const std::uint64_t exact_rows : {10'000, 100}) {
    const Duplicates found =
        find_duplicates(rows, {.min_similarity = 0.83, .exact_rows = exact_rows}).value();
    Fingerprint print;
    for (const DuplicatePair& pair : found.pairs) {
      print.add(pair.row);
      print.add(pair.other);
      print.add(pair.similarity);
    }
    EXPECT_GT(found.pairs.size(), 100);
    EXPECT_LT(found.pairs.size(), 300'000);
    EXPECT_EQ(print.value(), 11473629593795025054U) << found.pairs.size();
  }
}

}  // namespace
}  // namespace embd
