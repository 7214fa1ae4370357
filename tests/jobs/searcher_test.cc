#include "embd/searcher.h"

#include <gtest/gtest.h>

#include <fstream>

#include "embd/convert.h"
#include "embd/embed_file.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class SearcherTest : public test::TemporaryDirectory {
 protected:
  static constexpr std::size_t num_rows = 40;

  SearcherTest() : rows_(num_rows, 8) {
    for (std::size_t i = 0; i < rows_.values().size(); ++i)
      rows_.values()[i] = static_cast<float>((i * 7919) % 101) / 50 - 1;
  }
  std::filesystem::path file(const char* name) const { return path(name); }

  Matrix rows_;
};

/// A set of vectors and every kind of index over it.
TEST_F(SearcherTest, FindsEachRowByItself) {
  ASSERT_TRUE(write_vectors(file("rows.npy"), rows_));
  for (const char* name : {"rows.usearch", "rows.svs", "rows.config"})
    ASSERT_TRUE(index_file(file("rows.npy"), file(name))) << name;
  for (const char* name : {"rows.npy", "rows.usearch", "rows.svs", "rows.config"}) {
    for (const bool in_memory : {false, true}) {
      const auto searcher = Searcher::open(file(name), {.in_memory = in_memory});
      ASSERT_TRUE(searcher) << searcher.error().message();
      EXPECT_EQ(searcher->has_index(), std::string(name) != "rows.npy");
      EXPECT_EQ(searcher->info().num_rows, num_rows);
      const auto hits = searcher->search(rows_, 1);
      ASSERT_TRUE(hits) << hits.error().message();
      for (std::size_t row = 0; row < num_rows; ++row)
        EXPECT_EQ(hits->at(row).at(0).row, row) << name;
    }
  }
}

TEST_F(SearcherTest, RowsThatShareAnIdAreToldApart) {
  std::vector<std::uint64_t> ids;
  for (std::size_t row = 0; row < num_rows; ++row) ids.push_back(row / 4);
  ASSERT_TRUE(write_vectors(file("rows.npy"), rows_, {.ids = ids}));
  ASSERT_TRUE(index_file(file("rows.npy"), file("rows.usearch"), {.index = {.multi = true}}));
  const auto searcher = Searcher::open(file("rows.usearch"));
  ASSERT_TRUE(searcher) << searcher.error().message();
  const auto hits = searcher->search(rows_, 1);
  ASSERT_TRUE(hits);
  for (std::size_t row = 0; row < num_rows; ++row) {
    EXPECT_EQ(hits->at(row).at(0).row, row);
    EXPECT_EQ(id_text(searcher->ids(), row), std::to_string(row / 4));
  }
}

TEST_F(SearcherTest, AFilterLeavesOnlyItsIds) {
  ASSERT_TRUE(write_vectors(file("rows.npy"), rows_));
  ASSERT_TRUE(index_file(file("rows.npy"), file("rows.usearch")));
  const std::vector<std::string> wanted = {"3", "17", "no id"};
  for (const char* name : {"rows.npy", "rows.usearch"}) {
    const auto searcher = Searcher::open(file(name));
    ASSERT_TRUE(searcher);
    const auto filter = searcher->filter(wanted);
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->size(), 2U);
    const auto hits = searcher->search(rows_, 10, {}, &*filter);
    ASSERT_TRUE(hits) << hits.error().message();
    for (const auto& of_query : *hits) {
      EXPECT_EQ(of_query.size(), 2U);
      for (const RowHit& hit : of_query) EXPECT_TRUE(hit.row == 3 || hit.row == 17);
    }
  }
}

TEST_F(SearcherTest, AsksNoMoreThanThereIs) {
  ASSERT_TRUE(write_vectors(file("rows.npy"), rows_));
  for (const char* name : {"rows.usearch", "rows.svs"}) {
    ASSERT_TRUE(index_file(file("rows.npy"), file(name)));
    const auto searcher = Searcher::open(file(name));
    ASSERT_TRUE(searcher);
    SearchOptions most;
    most.expansion = most.window = UINT32_MAX;
    const auto hits = searcher->search(rows_.view().slice(0, 1), std::size_t{1} << 40, most);
    ASSERT_TRUE(hits) << hits.error().message();
    EXPECT_EQ(hits->at(0).size(), num_rows) << name;
  }
  EXPECT_FALSE(Searcher::open(file("rows.npy")).value().search(rows_, 0));
}

TEST_F(SearcherTest, AnotherMetricThanTheIndexsIsAnError) {
  ASSERT_TRUE(write_vectors(file("rows.npy"), rows_));
  ASSERT_TRUE(index_file(file("rows.npy"), file("rows.usearch")));
  EXPECT_TRUE(Searcher::open(file("rows.usearch"), {.metric = Metric::cos}));
  const auto other = Searcher::open(file("rows.usearch"), {.metric = Metric::l2sq});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::invalid_argument);
}

TEST_F(SearcherTest, TextsOfRowsComeFromAnyFormatOfTexts) {
  std::ofstream(file("texts.csv")) << "id,text\n1,\"first, line\"\n2,second\n";
  const RowHits hits = {{{1, 0.5F}}, {{0, 0.1F}, {1, 0.2F}}};
  const auto texts = read_row_texts(file("texts.csv"), hits, 2);
  ASSERT_TRUE(texts) << texts.error().message();
  EXPECT_EQ(texts->at(0), "first, line");
  EXPECT_EQ(texts->at(1), "second");
  EXPECT_EQ(read_row_texts(file("texts.csv"), hits, 3).error().code(), ErrorCode::bad_count);
}

}  // namespace
}  // namespace embd
