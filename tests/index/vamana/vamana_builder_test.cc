#include "index/vamana/vamana_builder.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/index/rows.h"

namespace embd::vamana {
namespace {

const auto any = [](std::size_t) { return true; };

constexpr std::size_t num_rows = 600;
constexpr std::size_t dim = 36;

struct Case {
  const char* name;
  Metric metric;
  float alpha;
};

class VamanaBuilder : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    auto created = Distance::create(GetParam().metric, ElementType::f32, dim);
    ASSERT_TRUE(created);
    distance_ = std::move(*created);
    entry_ = medoid(ElementType::f32, dim, rows_.view(), num_rows, any);
  }

  Graph build(int threads, const Codes* codes = nullptr) const {
    const StoredRows rows = rows_.view();
    return build_graph({{*distance_, rows}, codes}, num_rows, entry_,
                       {.max_degree = 16,
                        .prune_to = 12,
                        .window = 32,
                        .max_candidates = 96,
                        .alpha = GetParam().alpha,
                        .threads = threads},
                       {})
        .value();
  }

  /// How many of the 10 nearest rows of 50 queries a search finds, together.
  std::size_t num_found(const Graph& graph) const {
    const TestRows queries = encode_rows(ElementType::f32, random_floats(50 * dim, 6), dim);
    const auto exact =
        exact_search({*distance_, rows_.view(), num_rows}, queries.view(), 50, 10, 1).value();
    SearchScratch scratch;
    const StoredRows rows = rows_.view();
    std::size_t found = 0;
    for (std::size_t q = 0; q < 50; ++q) {
      search_graph<Purpose::results>(RowSpace{*distance_, rows},
                                     distance_->query(queries.view(), q), graph.view(), entry_,
                                     {100, 100}, scratch);
      for (const FoundRow& wanted : exact[q]) {
        found += std::ranges::count(scratch.buffer.slots().first(10), wanted.slot);
      }
    }
    return found;
  }

  TestRows rows_ = encode_rows(ElementType::f32, random_floats(num_rows* dim, 5), dim);
  std::optional<Distance> distance_;
  std::uint32_t entry_ = 0;
};

void expect_same(const Graph& one, const Graph& other) {
  for (std::uint32_t v = 0; v < num_rows; ++v)
    ASSERT_TRUE(std::ranges::equal(one.neighbours(v), other.neighbours(v))) << v;
}

TEST_P(VamanaBuilder, GivesTheSameGraphWithAnyNumberOfThreads) {
  const Graph one = build(1);
  for (const int threads : {2, 8}) expect_same(one, build(threads));
}

/// The metrics that rows can be rounded to codes for.
class VamanaBuilderWithCodes : public VamanaBuilder {};

TEST_P(VamanaBuilderWithCodes, GivesTheSameGraphWithAnyNumberOfThreads) {
  const Codes codes = Codes::create(*distance_, rows_.view(), num_rows, 2).value();
  const Graph one = build(1, &codes);
  for (const int threads : {2, 8}) expect_same(one, build(threads, &codes));
}

TEST_P(VamanaBuilderWithCodes, SearchesFindMostOfTheNearest) {
  const Codes codes = Codes::create(*distance_, rows_.view(), num_rows, 2).value();
  EXPECT_GE(num_found(build(2, &codes)), 450U);  // of 500
}

TEST_P(VamanaBuilderWithCodes, ScreenedSearchesGiveTheSame) {
  const StoredRows rows = rows_.view();
  const Codes codes = Codes::create(*distance_, rows, num_rows, 2).value();
  const Graph graph = build(2, &codes);
  const TestRows queries = encode_rows(ElementType::f32, random_floats(50 * dim, 6), dim);
  SearchScratch exact;
  SearchScratch screened;
  for (std::size_t q = 0; q < 50; ++q) {
    const Distance::Query query = distance_->query(queries.view(), q);
    search_graph<Purpose::results>(RowSpace{*distance_, rows}, query, graph.view(), entry_,
                                   {10, 20}, exact);
    screened.screen.set(codes, *distance_, query);
    search_graph<Purpose::results>(ScreenedSpace{{*distance_, rows}, screened.screen}, query,
                                   graph.view(), entry_, {10, 20}, screened);
    ASSERT_TRUE(std::ranges::equal(screened.buffer.slots(), exact.buffer.slots())) << q;
    ASSERT_TRUE(std::ranges::equal(screened.buffer.distances(), exact.buffer.distances())) << q;
  }
}

TEST_P(VamanaBuilder, EdgesLeadToOtherRowsOnce) {
  const Graph graph = build(2);
  for (std::uint32_t v = 0; v < num_rows; ++v) {
    const auto neighbours = graph.neighbours(v);
    EXPECT_LE(neighbours.size(), 16U);
    EXPECT_GE(neighbours.size(), 1U);
    const std::set<std::uint32_t> distinct(neighbours.begin(), neighbours.end());
    EXPECT_EQ(distinct.size(), neighbours.size());
    EXPECT_FALSE(distinct.contains(v));
    EXPECT_LT(*distinct.rbegin(), num_rows);
  }
}

TEST_P(VamanaBuilder, SearchesFindMostOfTheNearest) {
  EXPECT_GE(num_found(build(2)), 450U);  // of 500
}

constexpr Case l2sq = {"l2sq", Metric::l2sq, 1.2F};
constexpr Case cos = {"cos", Metric::cos, 0.95F};
constexpr Case ip = {"ip", Metric::ip, 0.95F};

std::string name_of(const testing::TestParamInfo<Case>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(Metrics, VamanaBuilder, testing::Values(l2sq, cos, ip), name_of);
INSTANTIATE_TEST_SUITE_P(Metrics, VamanaBuilderWithCodes, testing::Values(l2sq, cos), name_of);

TEST(Medoid, IsTheRowNearestToTheMean) {
  const TestRows rows = encode_rows(ElementType::f32, {0, 0, 10, 0, 4, 1, 0, 10, 10, 10}, 2);
  // The mean is (4.8, 4.2).
  EXPECT_EQ(medoid(ElementType::f32, 2, rows.view(), 5, any), 2U);
  EXPECT_NE(medoid(ElementType::f32, 2, rows.view(), 5, [](std::size_t i) { return i != 2; }), 2U);
  EXPECT_EQ(medoid(ElementType::f32, 2, rows.view(), 5, [](std::size_t) { return false; }), 2U);
}

}  // namespace
}  // namespace embd::vamana
