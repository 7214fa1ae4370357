#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/kmeans.h"
#include "blobs.h"
#include "embd/cluster.h"

namespace embd {
namespace {

/// True if rows are in one group exactly where they are about one direction.
bool is_by_blob(const std::vector<std::int32_t>& groups, std::size_t num_blobs) {
  std::set<std::int32_t> first(groups.begin(),
                               groups.begin() + static_cast<std::ptrdiff_t>(num_blobs));
  if (first.size() != num_blobs) return false;
  for (std::size_t row = 0; row < groups.size(); ++row)
    if (groups[row] != groups[row % num_blobs]) return false;
  return true;
}

TEST(Clusters, OfKMeansAreTheBlobs) {
  const Matrix rows = blob_rows(1200, 32, 9, 0.4, 1);
  const Clusters clusters = cluster_rows(rows, {.k = 9}).value();
  EXPECT_TRUE(is_by_blob(clusters.groups, 9));
  EXPECT_EQ(clusters.centers.rows(), 9);
  EXPECT_TRUE(std::ranges::is_sorted(clusters.sizes, std::greater()));
  double inertia = 0;
  for (std::size_t row = 0; row < 1200; ++row) {
    const auto group = static_cast<std::size_t>(clusters.groups[row]);
    EXPECT_NEAR(clusters.distances[row],
                cosine_distance(rows.row(row), clusters.centers.row(group)), 1e-6);
    inertia += clusters.distances[row];
    std::uint64_t nearer = 0;
    for (std::size_t other = 0; other < 1200; ++other)
      nearer += clusters.groups[other] == clusters.groups[row] &&
                        std::pair(clusters.distances[other], other) <
                            std::pair(clusters.distances[row], row)
                    ? 1U
                    : 0U;
    EXPECT_EQ(clusters.places[row], nearer);
  }
  EXPECT_NEAR(clusters.inertia, inertia, 1e-4);
}

TEST(Clusters, AutoFindsTheNumberOfBlobs) {
  const Matrix rows = blob_rows(1500, 32, 7, 0.5, 2);
  const Clusters clusters = cluster_rows(rows).value();
  EXPECT_TRUE(is_by_blob(clusters.groups, 7)) << clusters.sizes.size();
}

TEST(Clusters, OfDensityAreTheBlobsAndLeaveStrangersOut) {
  Matrix rows = blob_rows(600, 24, 5, 0.15, 3);
  const Matrix strangers = blob_rows(10, 24, 10, 0, 4);
  for (std::size_t i = 0; i < 10; ++i)
    std::ranges::copy(strangers.row(i), rows.row(590 + i).begin());
  const Clusters clusters =
      cluster_rows(rows, {.method = ClusterMethod::density, .min_size = 15}).value();
  ASSERT_EQ(clusters.sizes.size(), 5);
  const std::vector<std::int32_t> blobs(clusters.groups.begin(), clusters.groups.begin() + 590);
  EXPECT_TRUE(is_by_blob(blobs, 5));
  EXPECT_GT(std::ranges::count(clusters.groups, no_group), 0);
}

TEST(Clusters, AreTheSameOnAnyThreads) {
  const Matrix rows = blob_rows(5000, 20, 40, 1.2, 5);
  for (const ClusterMethod method : {ClusterMethod::kmeans, ClusterMethod::density}) {
    ClusterOptions options = {.method = method, .k = 25, .min_size = 5, .threads = 1};
    const Clusters expected = cluster_rows(rows, options).value();
    for (const int threads : {2, 8}) {
      options.threads = threads;
      const Clusters found = cluster_rows(rows, options).value();
      EXPECT_EQ(found.groups, expected.groups);
      EXPECT_EQ(found.distances, expected.distances);
      EXPECT_TRUE(std::ranges::equal(found.centers.values(), expected.centers.values()));
    }
  }
}

TEST(Clusters, OfOddSets) {
  const Matrix none(0, 4);
  EXPECT_EQ(cluster_rows(none).value().sizes.size(), 0);
  EXPECT_EQ(cluster_rows(none, {.method = ClusterMethod::density}).value().sizes.size(), 0);
  const Matrix one = blob_rows(1, 4, 1, 0, 6);
  EXPECT_EQ(cluster_rows(one).value().sizes, std::vector<std::uint64_t>{1});
  EXPECT_EQ(cluster_rows(one, {.method = ClusterMethod::density}).value().groups.front(), no_group);
  const Matrix equal = blob_rows(50, 4, 1, 0, 7);
  EXPECT_EQ(cluster_rows(equal, {.k = 5}).value().sizes, std::vector<std::uint64_t>{50});
  EXPECT_EQ(cluster_rows(equal).value().groups.size(), 50);
  EXPECT_EQ(cluster_rows(equal, {.method = ClusterMethod::density}).value().groups.size(), 50);
  const Matrix zeros(20, 4);
  EXPECT_EQ(cluster_rows(zeros, {.k = 3}).value().groups.size(), 20);

  const auto refused = cluster_rows(one, {.k = 2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  Matrix infinite = blob_rows(5, 4, 1, 1, 8);
  infinite.row(4)[0] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(cluster_rows(infinite).error().code(), ErrorCode::bad_value);
}

TEST(KMeans, OfBatchesIsNearlyAsGoodAsOfAllRows) {
  const Matrix matrix = blob_rows(8000, 16, 20, 1.0, 9);
  const CosineRows rows = CosineRows::create(matrix, 2).value();
  const KMeans all = kmeans(rows, {.k = 12, .threads = 2}, {}).value();
  const KMeans batches = kmeans(rows, {.k = 12, .threads = 2, .batch_above = 1000}, {}).value();
  EXPECT_LT(batches.inertia, 1.02 * all.inertia);
  const KMeans again = kmeans(rows, {.k = 12, .threads = 1, .batch_above = 1000}, {}).value();
  EXPECT_EQ(again.assignment.groups, batches.assignment.groups);
}

TEST(GroupNames, AreTheWordsThatTellAGroupFromTheOthers) {
  Clusters clusters;
  clusters.groups = {0, 0, 0, 1, 1, no_group};
  clusters.places = {1, 0, 2, 0, 1, 0};
  clusters.sizes = {3, 2};
  const std::vector<std::string_view> texts = {"The cat, the CAT sits.", "A cat and the dog.",
                                               "The cat purrs!",         "The market fell by 3 %.",
                                               "The market rose.",       "Xylophone"};
  const auto names = name_groups(clusters, texts, 2, 2).value();
  ASSERT_EQ(names.size(), 2);
  EXPECT_EQ(names[0].words.front(), "cat");
  EXPECT_EQ(names[1].words.front(), "market");
  const auto long_names = name_groups(clusters, texts, 10).value();
  for (const GroupName& name : long_names)
    for (const char* word : {"the", "and", "by"})
      EXPECT_EQ(std::ranges::count(name.words, word), 0) << word;
  EXPECT_EQ(names[0].central_rows, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(names[1].central_rows, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_FALSE(name_groups(clusters, std::span(texts).first(2)));
  EXPECT_TRUE(name_groups(clusters, {}).value()[0].words.empty());
}

}  // namespace
}  // namespace embd
