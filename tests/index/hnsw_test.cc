#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <thread>

#include "embd/index.h"
#include "index/certificate.h"
#include "index/hnsw/graph.h"
#include "rows.h"

namespace embd {
namespace {

std::filesystem::path scratch_file(const std::string& name) {
  // Cases run beside one another, each in its own process.
  return std::filesystem::path(testing::TempDir()) /
         ("hnsw_test-" + std::to_string(::getpid()) + "-" + name);
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string saved(const Index& index, const std::string& name) {
  const auto path = scratch_file(name);
  EXPECT_TRUE(index.save(path));
  std::string bytes = file_bytes(path);
  std::filesystem::remove(path);
  return bytes;
}

/// Rows in clusters, as embeddings lie.
std::vector<float> clustered(std::size_t count, std::size_t dim, std::uint32_t seed) {
  const std::vector<float> centers = random_floats(20 * dim, 99);
  std::vector<float> values = random_floats(count * dim, seed, -0.7F, 0.7F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += centers[(i / dim) % 20 * dim + i % dim];
  }
  return values;
}

MatrixView view(const std::vector<float>& values, std::size_t dim) {
  return {values.data(), values.size() / dim, dim};
}

double recall(const Index& index, MatrixView queries, std::size_t k,
              const SearchOptions& options = {}) {
  SearchOptions exact = options;
  exact.exact = true;
  const auto found = index.search(queries, k, options).value();
  const auto expected = index.search(queries, k, exact).value();
  std::size_t common = 0;
  std::size_t all = 0;
  for (std::size_t q = 0; q < found.size(); ++q) {
    std::set<std::uint64_t> nearest;
    for (const Hit& hit : expected[q]) nearest.insert(hit.id);
    for (const Hit& hit : found[q]) common += nearest.count(hit.id);
    all += expected[q].size();
  }
  return static_cast<double>(common) / static_cast<double>(all);
}

TEST(LevelGenerator, DrawsTheLevelsOfThePackage) {
  hnsw::LevelGenerator generator(16);
  std::vector<int> above;  // slots on level 1 or higher
  std::vector<int> levels;
  for (int slot = 0; slot < 266; ++slot) {
    levels.push_back(generator.next());
    if (levels.back() > 0) above.push_back(slot);
  }
  above.resize(9);
  EXPECT_EQ(above, (std::vector<int>{3, 57, 62, 73, 82, 93, 110, 117, 207}));
  EXPECT_EQ(levels[265], 2);
  EXPECT_EQ(std::ranges::max(levels), 2);
}

TEST(LevelGenerator, CountsThePowersOfTheConnectivity) {
  for (const std::uint32_t connectivity : {2U, 3U, 5U, 16U, 24U, 64U, 1000U}) {
    hnsw::LevelGenerator generator(connectivity);
    std::uint64_t state = 0x5692161d100b05e5;
    for (int i = 0; i < 200'000; ++i) {
      state += 0x9E3779B97F4A7C15;
      std::uint64_t x = state;
      x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
      x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
      x ^= x >> 31;
      const double uniform = 1.0 - static_cast<double>(x) / 0x1p64;
      const auto expected = static_cast<int>(-std::log(uniform) / std::log(connectivity));
      ASSERT_EQ(generator.next(), expected) << "of " << connectivity << ", draw " << i;
    }
  }
}

class HnswBuild : public testing::TestWithParam<std::tuple<Metric, ElementType, std::size_t>> {};

TEST_P(HnswBuild, GivesTheSameFileOnAnyNumberOfThreadsAndFindsNeighbours) {
  const auto [metric, scalar, dim] = GetParam();
  constexpr std::size_t kRows = 1200;
  const std::vector<float> values = clustered(kRows, dim, 1);
  const std::vector<float> queries = clustered(40, dim, 2);
  IndexOptions options;
  options.metric = metric;
  options.scalar = scalar;
  options.connectivity = 8;
  options.expansion_add = 48;
  std::string first;
  for (const int threads : {1, 2, 8}) {
    options.threads = threads;
    const auto index = Index::build(view(values, dim), {}, options);
    ASSERT_TRUE(index) << index.error().message();
    const std::string bytes = saved(*index, "threads");
    if (first.empty()) {
      first = bytes;
      SearchOptions search;
      search.threads = 1;
      EXPECT_GT(recall(*index, view(queries, dim), 10, search), metric == Metric::ip ? 0.8 : 0.9);
    }
    EXPECT_TRUE(bytes == first) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HnswBuild,
                         testing::Values(std::tuple(Metric::cos, ElementType::f32, 48),
                                         std::tuple(Metric::l2sq, ElementType::f32, 33),
                                         std::tuple(Metric::ip, ElementType::f32, 40),
                                         std::tuple(Metric::cos, ElementType::f16, 48),
                                         std::tuple(Metric::l2sq, ElementType::bf16, 7),
                                         std::tuple(Metric::cos, ElementType::i8, 48)),
                         [](const auto& param) {
                           return std::string(metric_name(std::get<0>(param.param))) + "_" +
                                  std::string(element_name(std::get<1>(param.param)));
                         });

struct Filled {
  static constexpr std::size_t kDim = 16;
  static constexpr std::size_t kRows = 600;
  std::vector<float> values = clustered(kRows, kDim, 3);
  Index index = build();

  Index build() const {
    IndexOptions options;
    options.metric = Metric::l2sq;
    options.connectivity = 6;
    options.threads = 1;
    std::vector<std::uint64_t> ids(kRows);
    for (std::size_t i = 0; i < kRows; ++i) ids[i] = 1000 + i;
    return Index::build(view(values, kDim), ids, options).value();
  }
  std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * kDim, kDim);
  }
};

TEST(Hnsw, FindsEachOfItsRows) {
  const Filled filled;
  std::size_t found = 0;
  for (std::size_t i = 0; i < Filled::kRows; ++i) {
    const auto hits = filled.index.search(filled.row(i), 1).value();
    found += hits.size() == 1 && hits[0] == Hit{1000 + i, 0.0F};
  }
  EXPECT_EQ(found, Filled::kRows);
}

TEST(Hnsw, ResultsDependNeitherOnThreadsNorOnTheBatch) {
  const Filled filled;
  const std::vector<float> queries = clustered(40, Filled::kDim, 4);
  SearchOptions options;
  options.threads = 1;
  const auto expected = filled.index.search(view(queries, Filled::kDim), 7, options).value();
  options.threads = 4;
  EXPECT_EQ(filled.index.search(view(queries, Filled::kDim), 7, options).value(), expected);
  for (std::size_t q = 0; q < 40; ++q) {
    EXPECT_EQ(filled.index.search(view(queries, Filled::kDim).row(q), 7).value(), expected[q]);
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t q = 0; q < 40; ++q) {
        EXPECT_EQ(filled.index.search(view(queries, Filled::kDim).row(q), 7).value(), expected[q]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Hnsw, RemovedRowsAreNotFoundAndTheirPlacesAreUsedAgain) {
  Filled filled;
  std::vector<std::uint64_t> gone;
  for (std::uint64_t i = 0; i < 200; ++i) gone.push_back(1000 + 3 * i);
  EXPECT_EQ(filled.index.remove(gone).value(), 200);
  EXPECT_EQ(filled.index.remove(gone).value(), 0);
  EXPECT_EQ(filled.index.info().num_rows, 400);
  EXPECT_EQ(filled.index.info().num_removed, 200);
  for (std::size_t i = 0; i < Filled::kRows; i += 3) {
    const auto hits = filled.index.search(filled.row(i), 10).value();
    for (const Hit& hit : hits) {
      EXPECT_NE(hit.id % 3, 1000 % 3) << hit.id;
    }
  }
  ASSERT_TRUE(filled.index.compact());
  std::vector<float> again(200 * Filled::kDim);
  for (std::size_t i = 0; i < 200; ++i) {
    std::ranges::copy(filled.row(3 * i), again.begin() + i * Filled::kDim);
  }
  ASSERT_TRUE(filled.index.add(view(again, Filled::kDim), gone, 1));
  EXPECT_EQ(filled.index.info().num_rows, 600);
  EXPECT_EQ(filled.index.info().num_removed, 0);
  const auto path = scratch_file("reused");
  ASSERT_TRUE(filled.index.save(path));
  const auto loaded = Index::open(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  SearchOptions options;
  options.threads = 1;
  EXPECT_GT(recall(*loaded, view(filled.values, Filled::kDim), 10, options), 0.95);
}

TEST(Hnsw, AnIndexThatGrowsIsTheSameOnAnyNumberOfThreads) {
  const std::vector<float> more = clustered(300, Filled::kDim, 5);
  std::vector<std::uint64_t> ids(300);
  for (std::size_t i = 0; i < 300; ++i) ids[i] = i;
  std::string first;
  for (const int threads : {1, 3}) {
    Filled filled;
    ASSERT_TRUE(filled.index.remove(std::vector<std::uint64_t>{1001, 1500}));
    ASSERT_TRUE(filled.index.add(view(more, Filled::kDim), ids, threads));
    const std::string bytes = saved(filled.index, "grown");
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first);
  }
}

TEST(Hnsw, FilteredSearchReturnsTheNearestOfTheFilter) {
  const Filled filled;
  for (const std::size_t step : {2, 100}) {    // walked, and compared one by one
    std::vector<std::uint64_t> allowed = {7};  // not there
    for (std::size_t i = 0; i < Filled::kRows; i += step) allowed.push_back(1000 + i);
    const IdFilter filter = filled.index.filter(allowed).value();
    EXPECT_EQ(filter.size(), allowed.size() - 1);
    SearchOptions options;
    options.filter = &filter;
    options.threads = 1;
    const std::vector<float> queries = clustered(30, Filled::kDim, 6);
    const auto found = filled.index.search(view(queries, Filled::kDim), 5, options).value();
    for (const auto& hits : found) {
      EXPECT_EQ(hits.size(), 5);
      for (const Hit& hit : hits) EXPECT_EQ((hit.id - 1000) % step, 0);
    }
    EXPECT_GT(recall(filled.index, view(queries, Filled::kDim), 5, options), 0.95);
  }
}

TEST(Hnsw, ACertificateMeasuresRecall) {
  Filled filled;
  ASSERT_TRUE(filled.index.remove(std::vector<std::uint64_t>{1000, 1007}));
  SearchOptions options;
  options.threads = 1;
  options.expansion = 600;
  const Certificate wide = certify(filled.index, 100, options).value();
  EXPECT_EQ(wide.queries, 100);
  EXPECT_EQ(wide.recall, 1.0);
  options.expansion = 1;
  const Certificate narrow = certify(filled.index, 10'000, options).value();
  EXPECT_EQ(narrow.queries, 598);
  EXPECT_LT(narrow.recall, 1.0);
  EXPECT_GT(narrow.recall, 0.5);
}

TEST(Hnsw, ReadsItsRowsByPlace) {
  Filled filled;
  ASSERT_TRUE(filled.index.remove(std::vector<std::uint64_t>{1001}));
  std::vector<float> rows(2 * Filled::kDim);
  ASSERT_TRUE(filled.index.read_rows(0, 2, rows));
  EXPECT_TRUE(std::ranges::equal(std::span(rows).first(Filled::kDim), filled.row(0)));
  EXPECT_TRUE(std::ranges::equal(std::span(rows).subspan(Filled::kDim), filled.row(2)));
  EXPECT_EQ(filled.index.ids()[1], 1002);
  EXPECT_FALSE(filled.index.read_rows(598, 2, rows));
}

TEST(Hnsw, ReadsItsRowsById) {
  Filled filled;
  ASSERT_TRUE(filled.index.remove(std::vector<std::uint64_t>{1001}));
  const std::vector<std::uint64_t> ids = {1599, 1000, 1002, 1000};
  EXPECT_EQ(filled.index.contains(ids).value(), std::vector<bool>(4, true));
  EXPECT_EQ(filled.index.contains(std::vector<std::uint64_t>{1001, 1002, 5000}).value(),
            (std::vector<bool>{false, true, false}));
  std::vector<float> rows(ids.size() * Filled::kDim);
  ASSERT_TRUE(filled.index.read_rows_of(ids, rows));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(std::span(rows).subspan(i * Filled::kDim, Filled::kDim),
                                   filled.row(ids[i] - 1000)));
  }
  const auto missing = filled.index.read_rows_of(std::vector<std::uint64_t>{1002, 1001},
                                                 std::span(rows).first(2 * Filled::kDim));
  EXPECT_EQ(missing.error().message(), "invalid argument: id 1001 is not in the index");
  EXPECT_EQ(filled.index.read_rows_of(ids, std::span(rows).first(Filled::kDim)).error().code(),
            ErrorCode::invalid_argument);
}

TEST(Hnsw, ReadsTheLastOfSeveralRowsOfAnId) {
  Index index = Index::build(MatrixView(nullptr, 0, 2), {}, {.multi = true}).value();
  const std::vector<float> values = {1, 0, 0, 1, 1, 1};
  ASSERT_TRUE(index.add({values.data(), 3, 2}, std::vector<std::uint64_t>{5, 5, 6}));
  std::vector<float> row(2);
  ASSERT_TRUE(index.read_rows_of(std::vector<std::uint64_t>{5}, row));
  EXPECT_EQ(row, (std::vector<float>{0, 1}));
}

TEST(Hnsw, AViewSearchesAlikeAndCannotBeChanged) {
  const Filled filled;
  const auto path = scratch_file("view");
  ASSERT_TRUE(filled.index.save(path));
  Index mapped = Index::view(path).value();
  EXPECT_TRUE(mapped.info().immutable);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(mapped.search(filled.row(i), 9).value(),
              filled.index.search(filled.row(i), 9).value());
  }
  EXPECT_EQ(mapped.add(view(filled.values, Filled::kDim), {}).error().code(),
            ErrorCode::unsupported);
  EXPECT_EQ(mapped.remove(std::vector<std::uint64_t>{1000}).error().code(), ErrorCode::unsupported);
  EXPECT_EQ(mapped.compact().error().code(), ErrorCode::unsupported);
}

TEST(Hnsw, ASearchBesideCodesFindsTheSameToTheBit) {
  constexpr std::size_t kDim = 200;
  const std::vector<float> values = clustered(1500, kDim, 5);
  const std::vector<float> queries = clustered(60, kDim, 6);
  for (const Metric metric : {Metric::cos, Metric::l2sq}) {
    for (const ElementType scalar : {ElementType::f32, ElementType::f16}) {
      IndexOptions options;
      options.metric = metric;
      options.scalar = scalar;
      options.connectivity = 8;
      Index index = Index::build(view(values, kDim), {}, options).value();
      const std::vector<std::uint64_t> gone = {3, 4, 5, 700};
      ASSERT_TRUE(index.remove(gone));
      const std::vector<std::uint64_t> fresh = {3, 5000, 5001, 5002, 5003};
      ASSERT_TRUE(index.add(view(queries, kDim).slice(0, fresh.size()), fresh));
      const auto path = scratch_file("codes");
      ASSERT_TRUE(index.save(path));
      const Index mapped = Index::view(path).value();  // compares rows alone
      for (const std::uint32_t expansion : {10U, 40U}) {
        const SearchOptions search = {.expansion = expansion, .threads = 2};
        EXPECT_EQ(index.search(view(queries, kDim), 10, search).value(),
                  mapped.search(view(queries, kDim), 10, search).value());
      }
      std::filesystem::remove(path);
    }
  }
}

TEST(Hnsw, TheMetricOfBitsIsHammingUnlessAnotherIsAskedFor) {
  const std::vector<float> values = clustered(30, 8, 7);
  const auto built_for = [&](const IndexOptions& options) {
    return Index::build(view(values, 8), {}, options).value().info();
  };
  EXPECT_EQ(built_for({}).metric, Metric::cos);
  EXPECT_EQ(built_for({}).scalar, ElementType::f32);
  EXPECT_EQ(built_for({.scalar = ElementType::b1}).metric, Metric::hamming);
  EXPECT_EQ(built_for({.metric = Metric::jaccard, .scalar = ElementType::b1}).metric,
            Metric::jaccard);
  const auto refused =
      Index::build(view(values, 8), {}, {.metric = Metric::cos, .scalar = ElementType::b1});
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
}

TEST(Hnsw, TheLargestNumberCannotBeAnId) {
  const std::vector<float> values = clustered(2, 8, 7);
  const std::vector<std::uint64_t> ids = {1, UINT64_MAX};
  const auto refused = Index::build(view(values, 8), ids);
  EXPECT_EQ(refused.error().code(), ErrorCode::bad_value);
  EXPECT_NE(refused.error().message().find("18446744073709551615"), std::string::npos);
}

TEST(Hnsw, SeveralRowsMayShareAnIdInAMultiIndex) {
  const std::vector<float> values = clustered(30, 8, 7);
  const std::vector<std::uint64_t> ids(30, 5);
  EXPECT_EQ(Index::build(view(values, 8), ids).error().code(), ErrorCode::duplicate);
  IndexOptions options;
  options.multi = true;
  Index index = Index::build(view(values, 8), ids, options).value();
  EXPECT_EQ(index.search(view(values, 8).row(0), 4).value().size(), 4);
  EXPECT_EQ(index.remove(std::vector<std::uint64_t>{5}).value(), 30);
  EXPECT_TRUE(index.search(view(values, 8).row(0), 4).value().empty());
}

TEST(Hnsw, AnEmptyIndexIsSavedOpenedAndExtended) {
  const Index empty = Index::build(MatrixView(nullptr, 0, 12), {}).value();
  EXPECT_TRUE(empty.search(std::vector<float>(12, 1.0F), 3).value().empty());
  const auto path = scratch_file("empty");
  ASSERT_TRUE(empty.save(path));
  EXPECT_EQ(std::filesystem::file_size(path), 8 + 64 + 40);
  Index opened = Index::open(path).value();
  const std::vector<float> values = clustered(5, 12, 8);
  ASSERT_TRUE(opened.add(view(values, 12), {}));
  EXPECT_EQ(opened.search(view(values, 12).row(4), 1).value().front().id, 4);
}

TEST(Hnsw, AFirstAddThatIsStoppedLeavesNothing) {
  const std::vector<float> values = clustered(300, 8, 9);
  const std::vector<std::uint64_t> ids = {7};
  Index index = Index::build(view({}, 8), {}).value();
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = index.add(view(values, 8), {}, 1, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::cancelled);
  EXPECT_EQ(index.info().num_rows, 0);
  ASSERT_TRUE(index.search(view(values, 8).row(0), 3).value().empty());

  ASSERT_TRUE(index.add(view(values, 8), {}));
  EXPECT_EQ(saved(index, "again"), saved(Index::build(view(values, 8), {}).value(), "at once"));
  EXPECT_TRUE(index.remove(ids));
  EXPECT_TRUE(index.add(view(values, 8).slice(7, 1), ids, 1, stop.get_token())) << "it has rows";
  EXPECT_EQ(index.info().num_rows, 300);
}

TEST(Hnsw, RowsOfAnIdAreFoundThroughAnyChanges) {
  constexpr std::size_t kDim = 8;
  const std::vector<float> values = clustered(600, kDim, 4);
  const MatrixView rows = view(values, kDim);
  for (const bool multi : {false, true}) {
    IndexOptions options;
    options.multi = multi;
    // So few that the table of ids is made anew several times.
    Index index = Index::build(rows.slice(0, 20), {}, options).value();
    std::multiset<std::uint64_t> expected;
    for (std::uint64_t id = 0; id < 20; ++id) expected.insert(id);
    std::mt19937_64 random(7);
    for (std::size_t step = 0; step < 300; ++step) {
      const std::uint64_t id = random() % 300;
      if (random() % 3 == 0) {
        const std::vector<std::uint64_t> twice = {id, 1000, id};
        EXPECT_EQ(index.remove(twice).value(), expected.erase(id));
      } else if (const auto added = index.add(rows.slice(200 + step, 1), {&id, 1}); added) {
        expected.insert(id);
      } else {
        EXPECT_EQ(added.error().code(), ErrorCode::duplicate);
        EXPECT_TRUE(!multi && expected.contains(id));
      }
      std::vector<std::uint64_t> ids = index.ids();
      std::ranges::sort(ids);
      ASSERT_TRUE(std::ranges::equal(ids, expected)) << step;
    }
    for (std::uint64_t id = 0; id < 300; ++id) {
      const IdFilter filter = index.filter({&id, 1}).value();
      SearchOptions search;
      search.filter = &filter;
      search.exact = true;
      EXPECT_EQ(index.search(rows.row(0), 600, search).value().size(), expected.count(id)) << id;
    }
  }
}

TEST(Hnsw, RowsThatAreReplacedOneByOneTakeNoMoreRoomAndAreFound) {
  constexpr std::size_t kDim = 16;
  constexpr std::size_t kRows = 1024;
  const std::vector<float> values = clustered(3 * kRows, kDim, 6);
  const MatrixView rows = view(values, kDim);
  Index index = Index::build(rows.slice(0, kRows), {}).value();
  std::uint64_t most_removed = 0;
  for (std::size_t i = 0; i < 2 * kRows; ++i) {
    const std::uint64_t id = i % kRows;
    ASSERT_EQ(index.remove({&id, 1}).value(), 1);
    ASSERT_TRUE(index.add(rows.slice(kRows + i, 1), {&id, 1}));
    most_removed = std::max(most_removed, index.info().num_removed);
  }
  EXPECT_EQ(index.info().num_rows, kRows);
  EXPECT_LE(most_removed, kRows / 128);
  std::size_t found = 0;
  for (std::uint64_t id = 0; id < kRows; ++id) {
    const auto hits = index.search(rows.row(2 * kRows + id), 1).value();
    if (!hits.empty() && hits.front().id == id) ++found;
  }
  EXPECT_GE(found, kRows * 99 / 100);
}

TEST(Hnsw, RefusesWhatMakesNoSense) {
  const std::vector<float> values = clustered(10, 8, 9);
  const Index index = Index::build(view(values, 8), {}).value();
  EXPECT_EQ(index.search(std::vector<float>(7), 1).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(index.search(std::vector<float>(8), 0).error().code(), ErrorCode::invalid_argument);
  std::vector<float> infinite(8);
  infinite[3] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(index.search(infinite, 1).error().code(), ErrorCode::bad_value);
  EXPECT_EQ(Index::build(view(values, 8), std::vector<std::uint64_t>{1, 2}).error().code(),
            ErrorCode::invalid_argument);
  std::vector<std::uint64_t> ids(10);
  for (std::size_t i = 0; i < 10; ++i) ids[i] = ~std::uint64_t{0} - i;
  EXPECT_EQ(Index::build(view(values, 8), ids).error().code(), ErrorCode::bad_value);
  IndexOptions options;
  options.connectivity = 1;
  EXPECT_EQ(Index::build(view(values, 8), {}, options).error().code(), ErrorCode::invalid_argument);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Index::build(view(values, 8), {}, {}, stop.get_token()).error().code(),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace embd
