#include "formats/vectors/svs/vamana_directory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "formats/vectors/svs/specification_layout.h"

namespace embd::svs {
namespace {

const std::filesystem::path data = std::filesystem::path(EMBD_TEST_DATA) / "svs";

/// Returns the content of an opened index, to be written again. Lives as long as the index.
VamanaContent content_of(const VamanaDirectory& index) {
  const std::uint64_t row_bytes = index.data->dim() * element_bits(index.data->element_type()) / 8;
  return {
      .type = index.data->element_type(),
      .rows = index.data->rows(),
      .dim = index.data->dim(),
      .row = [&index, row_bytes](
                 std::uint64_t i) { return index.data->raw()->subspan(i * row_bytes, row_bytes); },
      .max_degree = index.graph.max_degree(),
      .neighbours = [&index](std::uint64_t v) { return index.graph.neighbours(v); },
      .entry_point = index.entry_point,
      .build = index.build,
      .search = index.search,
      .external_ids = index.external_ids};
}

void expect_same_graph(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.num_vertices(), b.num_vertices());
  EXPECT_EQ(a.max_degree(), b.max_degree());
  for (std::uint64_t v = 0; v < a.num_vertices(); ++v)
    EXPECT_TRUE(std::ranges::equal(a.neighbours(v), b.neighbours(v))) << v;
}

class VamanaWriterTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("vamana-") + GetParam());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_P(VamanaWriterTest, AnIndexWrittenAgainIsTheSame) {
  const auto index = open_vamana(data / GetParam());
  ASSERT_TRUE(index);
  const auto written = write_vamana(folder_ / "out.svs", content_of(*index));
  ASSERT_TRUE(written) << written.error().message();
  const auto back = open_vamana(folder_ / "out.svs");
  ASSERT_TRUE(back) << back.error().message();
  expect_same_graph(index->graph, back->graph);
  EXPECT_TRUE(std::ranges::equal(*index->data->raw(), *back->data->raw()));
  EXPECT_EQ(index->entry_point, back->entry_point);
  EXPECT_EQ(index->external_ids, back->external_ids);
  EXPECT_EQ(index->build.alpha, back->build.alpha);
  EXPECT_EQ(index->search.capacity, back->search.capacity);
}

TEST_P(VamanaWriterTest, TheSpecificationLayoutHoldsTheSameIndex) {
  const auto index = open_vamana(data / GetParam());
  ASSERT_TRUE(index);
  VamanaContent content = content_of(*index);
  content.search.window_size = 10;
  ASSERT_TRUE(write_specification_index(folder_ / "my.index.config", content,
                                        SpecificationDistance::inner_product));
  const auto back = open_specification_index(folder_ / "my.index.config");
  ASSERT_TRUE(back) << back.error().message();
  expect_same_graph(index->graph, back->graph);
  EXPECT_EQ(back->distance, SpecificationDistance::inner_product);
  EXPECT_EQ(back->vectors.external_ids, index->external_ids);
  EXPECT_TRUE(std::ranges::equal(*index->data->raw(), *back->vectors.data->raw()));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, VamanaWriterTest,
                         testing::Values("vamana_l2", "vamana_cosine", "vamana_l2_f16",
                                         "dynamic_l2"),
                         [](const auto& test) { return test.param; });

TEST(TomlFloat, IsNeverAnInteger) {
  EXPECT_EQ(toml_float(1.0F), "1.0");
  EXPECT_EQ(toml_float(1.2F), "1.2000000476837158");
  EXPECT_EQ(toml_float(1e20F), "1.0000000200408773e+20");
}

}  // namespace
}  // namespace embd::svs
