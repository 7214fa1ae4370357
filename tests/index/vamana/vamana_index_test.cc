#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "embd/index.h"
#include "tests/index/rows.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

constexpr std::size_t dim = 16;

Matrix random_matrix(std::size_t rows, std::uint32_t seed) {
  Matrix matrix(rows, dim);
  const std::vector<float> values = random_floats(rows * dim, seed);
  std::ranges::copy(values, matrix.data());
  return matrix;
}

std::vector<std::uint64_t> numbers(std::size_t count, std::uint64_t first) {
  std::vector<std::uint64_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

const IndexOptions options = {
    .kind = IndexKind::vamana, .metric = Metric::cos, .threads = 2, .degree = 16, .window = 40};

class VamanaIndexTest : public test::TemporaryDirectory {
 protected:
  std::string bytes_of(const std::filesystem::path& folder) const {
    std::string all;
    for (const char* name : {"config/svs_config.toml", "data/data_0.svs", "graph/graph_0.svs"}) {
      std::ifstream file(folder / name, std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }
};

TEST_F(VamanaIndexTest, ALibrarysIndexGivesItsOwnHits) {
  for (const auto& [name, metric] :
       {std::pair{"vamana_l2", Metric::l2sq}, std::pair{"vamana_l2_f16", Metric::l2sq},
        std::pair{"dynamic_l2", Metric::l2sq}, std::pair{"vamana_cosine", Metric::cos},
        std::pair{"vamana_ip", Metric::ip}}) {
    SCOPED_TRACE(name);
    const std::filesystem::path folder = std::filesystem::path(EMBD_TEST_DATA) / "svs" / name;
    const auto index = Index::open(folder, {.vectors = {}, .metric = metric});
    ASSERT_TRUE(index) << index.error().message();
    const test::Npy queries = test::read_npy(folder / "queries.npy");
    if (queries.dtype != "<f4") continue;
    const std::vector<float> values = queries.as<float>();
    const nlohmann::json expect = nlohmann::json::parse(std::ifstream(folder / "expect.json"));
    for (const auto& search : expect["searches"]) {
      const std::size_t k = search["k"];
      const auto hits = index->search(MatrixView(values.data(), queries.rows(), queries.cols()), k,
                                      {.window = search["window"], .capacity = search["capacity"]});
      ASSERT_TRUE(hits);
      const test::Npy ids =
          test::read_npy(folder / (search["tag"].get<std::string>() + "_ids.npy"));
      for (std::size_t q = 0; q < queries.rows(); ++q) {
        for (std::size_t i = 0; i < k; ++i)
          EXPECT_EQ((*hits)[q][i].id, ids.as<std::uint64_t>()[q * k + i]);
      }
    }
  }
}

TEST_F(VamanaIndexTest, TheFilesDoNotDependOnTheThreads) {
  const Matrix rows = random_matrix(400, 1);
  std::string first;
  for (const int threads : {1, 2, 8}) {
    IndexOptions some = options;
    some.threads = threads;
    const auto index = Index::build(rows, {}, some);
    ASSERT_TRUE(index) << index.error().message();
    ASSERT_TRUE(index->save(path("out.svs")));
    if (first.empty()) first = bytes_of(path("out.svs"));
    EXPECT_EQ(bytes_of(path("out.svs")), first) << threads;
  }
}

TEST_F(VamanaIndexTest, SavedAndOpenedItFindsTheSame) {
  const Matrix rows = random_matrix(300, 2);
  const Matrix queries = random_matrix(20, 3);
  const auto ids = numbers(300, 1000);
  const auto index = Index::build(rows, ids, options);
  ASSERT_TRUE(index);
  for (const char* name : {"out.svs", "out.config"}) {
    ASSERT_TRUE(index->save(path(name))) << name;
    const auto back = Index::open(path(name), {.vectors = {}, .metric = Metric::cos});
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(back->ids(), ids);
    EXPECT_EQ(*back->search(queries, 5), *index->search(queries, 5)) << name;
  }
}

TEST_F(VamanaIndexTest, TwoSeedIndexesOfTheSameRowsLieInOneFolder) {
  const auto index = Index::build(random_matrix(50, 8), {}, options);
  ASSERT_TRUE(index);
  for (const char* name : {"a.config", "b.config"}) ASSERT_TRUE(index->save(path(name)));
  for (const char* name : {"a.config", "b.config"}) {
    const auto back = Index::open(path(name));
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(back->ids(), index->ids());
  }
}

TEST_F(VamanaIndexTest, ItsRecipeStaysWithIt) {
  const Recipe recipe = {.model_sha256 = "ab12", .max_length = 256, .truncate_dim = dim};
  auto index = Index::build(random_matrix(50, 7), {}, options);
  ASSERT_TRUE(index);
  index->set_recipe(recipe);
  ASSERT_EQ(index->remove(numbers(3, 5)), 3U);  // so that saving makes a copy without them
  for (const char* name : {"out.svs", "out.config"}) {
    ASSERT_TRUE(index->save(path(name)));
    const auto back = Index::open(path(name));
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(back->info().recipe, recipe) << name;
  }
}

TEST_F(VamanaIndexTest, AddedRowsAreFoundAndRemovedOnesAreNot) {
  const Matrix rows = random_matrix(300, 4);
  auto index = Index::build(rows.view().slice(0, 200), numbers(200, 0), options);
  ASSERT_TRUE(index);
  ASSERT_TRUE(index->add(rows.view().slice(200, 100), numbers(100, 200)));
  EXPECT_EQ(index->info().num_rows, 300U);
  EXPECT_FALSE(index->add(rows.view().slice(0, 1), numbers(1, 7)));  // an id twice
  std::size_t found = 0;
  for (std::size_t i = 0; i < 300; ++i) found += index->search(rows.row(i), 1)->front().id == i;
  EXPECT_GE(found, 297U);

  ASSERT_EQ(index->remove(numbers(100, 50)), 100U);
  const auto expect_none_removed = [&](const Index& some) {
    EXPECT_EQ(some.info().num_rows, 200U);
    for (std::size_t i = 0; i < 300; ++i) {
      const auto hits = some.search(rows.row(i), 10);
      ASSERT_TRUE(hits);
      EXPECT_EQ(hits->size(), 10U);
      for (const Hit& hit : *hits) EXPECT_TRUE(hit.id < 50 || hit.id >= 150);
    }
  };
  expect_none_removed(*index);
  ASSERT_TRUE(index->save(path("out.svs")));
  const auto saved = Index::open(path("out.svs"), {.vectors = {}, .metric = Metric::cos});
  ASSERT_TRUE(saved) << saved.error().message();
  expect_none_removed(*saved);
  ASSERT_TRUE(index->compact());
  EXPECT_EQ(index->info().num_removed, 0U);
  expect_none_removed(*index);
}

TEST_F(VamanaIndexTest, AFilterLetsOnlyItsIdsThrough) {
  const Matrix rows = random_matrix(1500, 5);
  const auto index = Index::build(rows, {}, options);
  ASSERT_TRUE(index);
  for (const std::size_t count : {5, 1200}) {
    const auto filter = index->filter(numbers(count, 100));
    ASSERT_TRUE(filter);
    const auto hits = index->search(rows.row(3), 5, {.filter = &*filter});
    ASSERT_TRUE(hits);
    EXPECT_EQ(hits->size(), 5U);
    for (const Hit& hit : *hits) EXPECT_TRUE(hit.id >= 100 && hit.id < 100 + count);
  }
}

TEST_F(VamanaIndexTest, WhatItCannotBeIsRefused) {
  const Matrix rows = random_matrix(10, 6);
  IndexOptions wrong = options;
  wrong.metric = Metric::hamming;
  EXPECT_EQ(Index::build(rows, {}, wrong).error().code(), ErrorCode::unsupported);
  wrong = options;
  wrong.scalar = ElementType::b1;
  EXPECT_EQ(Index::build(rows, {}, wrong).error().code(), ErrorCode::unsupported);
  wrong = options;
  wrong.alpha = 2;
  EXPECT_EQ(Index::build(rows, {}, wrong).error().code(), ErrorCode::invalid_argument);
  for (const std::uint32_t degree : {0U, 32769U, UINT32_MAX}) {
    wrong = options;
    wrong.degree = degree;
    EXPECT_EQ(Index::build(rows, {}, wrong).error().code(), ErrorCode::invalid_argument);
  }
  wrong = options;
  wrong.scalar = ElementType::u8;
  EXPECT_EQ(Index::build(rows, {}, wrong).error().code(), ErrorCode::bad_value);
  EXPECT_EQ(Index::build(Matrix(0, dim), {}, options).error().code(), ErrorCode::invalid_argument);
}

TEST(VamanaIds, AnIdTwiceIsRefusedBeforeAnythingIsBuilt) {
  const std::vector<float> values = {1, 0, 0, 1, 1, 1};
  const MatrixView rows(values.data(), 3, 2);
  const std::vector<std::uint64_t> ids = {5, 6, 5};
  IndexOptions options;
  options.kind = IndexKind::vamana;
  EXPECT_EQ(Index::build(rows, ids, options).error().code(), ErrorCode::duplicate);
  options.multi = true;
  EXPECT_EQ(Index::build(rows, {}, options).error().code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace embd
