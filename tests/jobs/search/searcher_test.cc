#include "embd/searcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "base/path_text.h"
#include "embd/convert.h"
#include "embd/embed_file.h"
#include "embd/index.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

class SearcherTest : public test::TemporaryDirectory {
 protected:
  static constexpr std::size_t num_rows = 40;

  SearcherTest() : rows_(num_rows, 8) {
    for (std::size_t i = 0; i < rows_.values().size(); ++i)
      rows_.values()[i] = static_cast<float>((i * 7919) % 101) / 50 - 1;
  }
  /// The hits of vectors, coded as the rows are.
  static Result<RowHits> search(const Searcher& searcher, MatrixView vectors, std::size_t k,
                                const SearchOptions& options = {},
                                const RowFilter* filter = nullptr) {
    const auto queries = searcher.code_queries(vectors);
    if (!queries) return std::unexpected(queries.error());
    return searcher.search(*queries, k, options, filter);
  }

  Matrix rows_;
};

/// A set of vectors and every kind of index over it.
TEST_F(SearcherTest, FindsEachRowByItself) {
  ASSERT_TRUE(write_vectors(path("rows.npy"), rows_));
  for (const std::string& name : test::written({"rows.usearch", "rows.svs", "rows.config"}))
    ASSERT_TRUE(index_file(path("rows.npy"), path(name))) << name;
  for (const std::string& name :
       test::written({"rows.npy", "rows.usearch", "rows.svs", "rows.config"})) {
    for (const bool in_memory : {false, true}) {
      const auto searcher = Searcher::open(path(name), {.in_memory = in_memory});
      ASSERT_TRUE(searcher) << searcher.error().message();
      EXPECT_EQ(searcher->has_index(), name != "rows.npy");
      EXPECT_EQ(searcher->info().num_rows, num_rows);
      const auto hits = search(*searcher, rows_, 1);
      ASSERT_TRUE(hits) << hits.error().message();
      for (std::size_t row = 0; row < num_rows; ++row)
        EXPECT_EQ(hits->at(row).at(0).row, row) << name;
    }
  }
}

/// Rows and queries of any length, of which the index keeps the directions. That Index gives what
/// the package gives is a test of index.
TEST_F(SearcherTest, IntegersOfAnotherProgramAreSearchedAsItDoes) {
  const std::filesystem::path data = std::filesystem::path(EMBD_TEST_DATA) / "usearch";
  const auto set = open_vectors(data / "queries_main.npy").value();
  Matrix queries(set->info().num_rows, set->info().dim);
  ASSERT_TRUE(set->read(0, queries.rows(), queries.values()));
  for (const char* name : {"i8_l2sq.usearch", "i8_ip.usearch"}) {
    const Searcher searcher = Searcher::open(data / name).value();
    EXPECT_NE(searcher.length_note().find("i8"), std::string::npos) << name;
    const auto found = search(searcher, queries, 4);
    ASSERT_TRUE(found) << found.error().message();
    const auto expected = Index::open(data / name).value().search(queries, 4).value();
    for (std::size_t q = 0; q < queries.rows(); ++q) {
      ASSERT_EQ(found->at(q).size(), 4U);
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(found->at(q)[i].row, expected[q][i].slot) << name << " " << q << " " << i;
    }
  }
  EXPECT_EQ(Searcher::open(data / "i8_cos.usearch").value().length_note(), "");
}

TEST_F(SearcherTest, AnIndexOfCodesIsKnownBehindALink) {
  if (test::on_windows) GTEST_SKIP() << "no links on Windows";
  ASSERT_TRUE(write_vectors(path("rows.npy"), rows_));
  ASSERT_TRUE(index_file(path("rows.npy"), path("rows.usearch")));
  std::filesystem::create_directory(path("links"));
  std::filesystem::create_symlink("../rows.usearch", path("links/i.usearch"));
  EXPECT_TRUE(Index::open(path("links/i.usearch")));
  ASSERT_TRUE(write_vectors(path("rows.usearch.ranges.npy"), Matrix(2, 8)));
  for (const char* name : {"rows.usearch", "links/i.usearch"})
    EXPECT_EQ(Index::open(path(name)).error().code(), ErrorCode::unsupported) << name;
}

TEST_F(SearcherTest, NoQueriesHaveNoHits) {
  ASSERT_TRUE(write_vectors(path("rows.npy"), rows_));
  for (const std::string& name : test::written({"rows.npy", "rows.usearch", "rows.svs"})) {
    if (name != "rows.npy") {
      ASSERT_TRUE(index_file(path("rows.npy"), path(name)));
    }
    const auto searcher = Searcher::open(path(name));
    ASSERT_TRUE(searcher);
    for (const bool exact : {false, true}) {
      const auto hits = search(*searcher, Matrix(0, 8), 3, {.exact = exact});
      ASSERT_TRUE(hits) << name << ": " << hits.error().message();
      EXPECT_TRUE(hits->empty());
    }
  }
  const auto shards = Searcher::open(std::vector{path("rows.npy"), path("rows.npy")});
  ASSERT_TRUE(shards);
  EXPECT_TRUE(search(*shards, Matrix(0, 8), 3).value().empty());
}

/// As in an index: no distance is made up for what has none.
TEST_F(SearcherTest, ARowThatIsNoPlaceIsRefusedByItsNumber) {
  ASSERT_TRUE(write_vectors(path("good.npy"), rows_));
  const auto good = Searcher::open(path("good.npy"));
  ASSERT_TRUE(good);
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    rows_.row(7)[3] = value;
    ASSERT_TRUE(write_vectors(path("bad.npy"), rows_));
    const auto opened = Searcher::open(path("bad.npy"));
    ASSERT_FALSE(opened) << value;
    EXPECT_EQ(opened.error().code(), ErrorCode::bad_value);
    EXPECT_EQ(opened.error().file(), path("bad.npy"));
    EXPECT_TRUE(opened.error().what().starts_with("row 7 contains")) << opened.error().what();
    const auto found = search(*good, rows_, 1);
    ASSERT_FALSE(found) << value;
    EXPECT_EQ(found.error().code(), ErrorCode::bad_value);
  }
}

TEST_F(SearcherTest, RowsThatShareAnIdAreToldApart) {
  std::vector<std::uint64_t> ids;
  for (std::size_t row = 0; row < num_rows; ++row) ids.push_back(row / 4);
  ASSERT_TRUE(write_vectors(path("rows.npy"), rows_, {.ids = ids}));
  ASSERT_TRUE(index_file(path("rows.npy"), path("rows.usearch"), {.index = {.multi = true}}));
  const auto searcher = Searcher::open(path("rows.usearch"));
  ASSERT_TRUE(searcher) << searcher.error().message();
  const auto hits = search(*searcher, rows_, 1);
  ASSERT_TRUE(hits);
  for (std::size_t row = 0; row < num_rows; ++row) {
    EXPECT_EQ(hits->at(row).at(0).row, row);
    EXPECT_EQ(id_text(searcher->ids(), row), std::to_string(row / 4));
  }
}

TEST_F(SearcherTest, AFilterLeavesOnlyItsIds) {
  ASSERT_TRUE(write_vectors(path("rows.npy"), rows_));
  ASSERT_TRUE(index_file(path("rows.npy"), path("rows.usearch")));
  const std::vector<std::string> wanted = {"3", "17", "no id"};
  for (const char* name : {"rows.npy", "rows.usearch"}) {
    const auto searcher = Searcher::open(path(name));
    ASSERT_TRUE(searcher);
    const auto filter = searcher->filter(wanted);
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->size(), 2U);
    const auto hits = search(*searcher, rows_, 10, {}, &*filter);
    ASSERT_TRUE(hits) << hits.error().message();
    for (const auto& of_query : *hits) {
      EXPECT_EQ(of_query.size(), 2U);
      for (const RowHit& hit : of_query) EXPECT_TRUE(hit.row == 3 || hit.row == 17);
    }
  }
}

TEST_F(SearcherTest, AsksNoMoreThanThereIs) {
  ASSERT_TRUE(write_vectors(path("rows.npy"), rows_));
  for (const std::string& name : test::written({"rows.usearch", "rows.svs"})) {
    ASSERT_TRUE(index_file(path("rows.npy"), path(name)));
    const auto searcher = Searcher::open(path(name));
    ASSERT_TRUE(searcher);
    SearchOptions most;
    most.expansion = most.window = UINT32_MAX;
    const auto hits = search(*searcher, rows_.view().slice(0, 1), std::size_t{1} << 40, most);
    ASSERT_TRUE(hits) << hits.error().message();
    EXPECT_EQ(hits->at(0).size(), num_rows) << name;
  }
  EXPECT_FALSE(search(Searcher::open(path("rows.npy")).value(), rows_, 0));
}

TEST_F(SearcherTest, AnotherMetricThanTheIndexsIsAnError) {
  ASSERT_TRUE(write_vectors(path("rows.npy"), rows_));
  ASSERT_TRUE(index_file(path("rows.npy"), path("rows.usearch")));
  EXPECT_TRUE(Searcher::open(path("rows.usearch"), {.metric = Metric::cos}));
  const auto other = Searcher::open(path("rows.usearch"), {.metric = Metric::l2sq});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::invalid_argument);
}

/// Shards of several sizes, one of them empty, and a set of all their rows, some of which are
/// equal.
class ShardsTest : public SearcherTest {
 protected:
  ShardsTest() {
    // Rows in other shards that lie at the same distance from anything.
    for (const std::size_t row : {9U, 20U, 39U})
      std::ranges::copy(rows_.row(3), rows_.row(row).begin());
  }
  /// Writes rows [first, end) as `shard-N.EXTENSION`, indexed where that is one of an index.
  std::filesystem::path write(std::size_t first, std::size_t end, const std::string& extension,
                              const WriteOptions& options = {}) {
    const std::string name = "shard-" + std::to_string(count_++);
    const auto vectors = path(name + ".npy");
    EXPECT_TRUE(write_vectors(vectors, rows_.view().slice(first, end - first), options));
    if (extension == ".npy") return vectors;
    const auto index = path(name + extension);
    EXPECT_TRUE(index_file(vectors, index)) << index;
    return index;
  }
  std::vector<std::filesystem::path> write_all(const std::string& extension) {
    return {write(0, 7, extension), write(7, 8, extension), write(8, 25, extension),
            write(25, 40, extension)};
  }
  static RowHits find(const Searcher& searcher, MatrixView queries, std::size_t k,
                      const SearchOptions& options = {}, const RowFilter* filter = nullptr) {
    const auto hits = search(searcher, queries, k, options, filter);
    EXPECT_TRUE(hits) << hits.error().message();
    return hits.value_or(RowHits());
  }

  int count_ = 0;
};

TEST_F(ShardsTest, AreSearchedAsTheOneSetThatTheyMakeUp) {
  const auto whole = Searcher::open(write(0, num_rows, ".npy"));
  ASSERT_TRUE(whole);
  for (const std::string& extension : test::written({".npy", ".usearch", ".svs", ".config"})) {
    const auto shards = Searcher::open(write_all(extension));
    ASSERT_TRUE(shards) << shards.error().message();
    EXPECT_EQ(shards->info().num_rows, num_rows);
    const auto shard_rows = shards->shard_rows();
    EXPECT_EQ(std::accumulate(shard_rows.begin(), shard_rows.end(), std::uint64_t{0}), num_rows);
    for (const std::size_t k : {std::size_t{1}, std::size_t{5}, num_rows, std::size_t{1} << 40}) {
      for (const int threads : {1, 3, 64}) {
        const SearchOptions options = {.exact = true, .threads = threads};
        EXPECT_EQ(find(*shards, rows_, k, options), find(*whole, rows_, k, options))
            << extension << " k " << k;
        const MatrixView one = rows_.view().slice(3, 1);
        EXPECT_EQ(find(*shards, one, k, options), find(*whole, one, k, options));
      }
    }
    // So few rows that the graphs lead to all of them; rows at one distance come as they are met.
    const RowHits walked = find(*shards, rows_, 5);
    const RowHits compared = find(*whole, rows_, 5);
    for (std::size_t query = 0; query < num_rows; ++query) {
      EXPECT_TRUE(std::ranges::equal(walked[query], compared[query], {}, &RowHit::distance,
                                     &RowHit::distance))
          << extension << " query " << query;
    }
    EXPECT_EQ(id_text(shards->ids(), 26), "26");
  }
}

TEST_F(ShardsTest, MayBeOfSeveralKindsAndEmpty) {
  const auto whole = Searcher::open(write(0, num_rows, ".npy"));
  const std::vector<std::filesystem::path> paths = {
      write(0, 10, ".npy"), write(10, 10, ".npy"), write(10, 30, ".usearch"),
      write(30, 40, test::has_svs() ? ".svs" : ".usearch")};
  const auto shards = Searcher::open(paths);
  ASSERT_TRUE(shards) << shards.error().message();
  EXPECT_TRUE(shards->has_index());
  EXPECT_EQ(shards->info().format, "usearch");
  EXPECT_EQ(shards->info().dim, 8U);
  EXPECT_EQ(find(*shards, rows_, 9, {.exact = true}), find(*whole, rows_, 9));
}

TEST_F(ShardsTest, KeepTheirIds) {
  const std::vector<std::filesystem::path> paths = {
      write(0, 2, ".npy", {.ids = std::vector<std::uint64_t>{70, 3}}),
      write(2, 4, ".npy", {.ids = std::vector<std::string>{"c", "d"}})};
  const auto shards = Searcher::open(paths);
  ASSERT_TRUE(shards) << shards.error().message();
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_EQ(id_text(shards->ids(), row), std::vector<std::string>({"70", "3", "c", "d"})[row]);
}

TEST_F(ShardsTest, AFilterLeavesItsIdsOfEach) {
  const auto whole = Searcher::open(write(0, num_rows, ".npy"));
  const std::vector<std::string> wanted = {"3", "9", "20", "24"};
  for (const std::string& extension : test::written({".npy", ".usearch", ".svs"})) {
    const auto shards = Searcher::open(write_all(extension));
    ASSERT_TRUE(shards);
    const auto filter = shards->filter(wanted);
    ASSERT_TRUE(filter) << filter.error().message();
    EXPECT_TRUE(filter->contains(20) && !filter->contains(21));
    const RowHits hits = find(*shards, rows_, 10, {}, &*filter);
    const auto of_whole = whole->filter(wanted);
    ASSERT_TRUE(of_whole);
    EXPECT_EQ(hits, find(*whole, rows_, 10, {}, &*of_whole)) << extension;
    for (const auto& of_query : hits) EXPECT_EQ(of_query.size(), 4U);
  }
}

TEST_F(ShardsTest, ThatCannotBeComparedAreRefusedByName) {
  const auto refused = [&](const std::vector<std::filesystem::path>& paths, ErrorCode code,
                           const SearcherOptions& options = {}) {
    const auto shards = Searcher::open(paths, options);
    ASSERT_FALSE(shards);
    EXPECT_EQ(shards.error().code(), code) << shards.error().message();
    if (paths.empty()) return;
    EXPECT_NE(shards.error().message().find(text_of_path(paths.back())), std::string::npos)
        << shards.error().message();
  };
  refused({}, ErrorCode::invalid_argument);
  const auto first = write(0, 10, ".usearch");
  ASSERT_TRUE(
      index_file(write(10, 20, ".npy"), path("l2.usearch"), {.index = {.metric = Metric::l2sq}}));
  refused({first, path("l2.usearch")}, ErrorCode::invalid_argument);
  ASSERT_TRUE(write_vectors(path("wide.npy"), Matrix(3, 9)));
  refused({first, path("wide.npy")}, ErrorCode::bad_count);
  Recipe recipe;
  recipe.model_sha256 = "a";
  const auto of_a = write(0, 5, ".npy", {.recipe = recipe});
  recipe.model_sha256 = "b";
  const auto of_b = write(5, 9, ".npy", {.recipe = recipe});
  refused({first, of_a, of_b}, ErrorCode::recipe_mismatch);
  EXPECT_TRUE(Searcher::open(std::vector{first, of_a, of_b}, {.force = true}));
  recipe.model_sha256 = "a";
  recipe.output_type = "int8";
  refused({of_a, write(5, 9, ".npy", {.recipe = recipe})}, ErrorCode::invalid_argument);
}

/// Texts of rows 0, 1 and 2, whose ids are 7, 8 and 9.
class RowTextsTest : public SearcherTest {
 protected:
  void SetUp() override {
    SearcherTest::SetUp();
    EXPECT_TRUE(write_vectors(path("rows.npy"), rows_.view().slice(0, 3),
                              {.ids = std::vector<std::uint64_t>{7, 8, 9}}));
    std::ofstream(path("texts.csv")) << "id,text\n9,last\n7,\"first, line\"\n8,second\n";
    std::ofstream(path("two.csv")) << "id,text\n7,first\n9,last\n";
    std::ofstream(path("double.csv")) << "id,text\n7,first\n8,second\n9,last\n8,again\n";
  }
  Result<RowTexts> read(const char* name, const InputOptions& input, const RowHits* hits) const {
    return Searcher::open(path("rows.npy")).value().texts({{path(name)}, input}, hits);
  }
  const RowHits hits_ = {{{1, 0.5F}}, {{0, 0.1F}, {1, 0.2F}}};
};

TEST_F(RowTextsTest, AreThoseOfTheRowsInTheirOrder) {
  for (const RowHits* hits : {&hits_, static_cast<const RowHits*>(nullptr)}) {
    const auto texts = read("texts.csv", {}, hits);
    ASSERT_TRUE(texts) << texts.error().message();
    EXPECT_EQ((*texts)[0], "last");
    EXPECT_EQ((*texts)[1], "first, line");
    EXPECT_EQ(read("two.csv", {}, hits).error().code(), ErrorCode::bad_count);
    EXPECT_EQ(read("double.csv", {}, hits).error().code(), ErrorCode::bad_count);
  }
}

TEST_F(RowTextsTest, AreThoseWithTheRowsIdsWhereAFieldHoldsIds) {
  for (const RowHits* hits : {&hits_, static_cast<const RowHits*>(nullptr)}) {
    const auto texts = read("texts.csv", {.id_field = "id"}, hits);
    ASSERT_TRUE(texts) << texts.error().message();
    EXPECT_EQ((*texts)[0], "first, line");
    EXPECT_EQ((*texts)[1], "second");
    const auto without = read("two.csv", {.id_field = "id"}, hits);
    ASSERT_FALSE(without);
    EXPECT_EQ(without.error().code(), ErrorCode::missing);
    EXPECT_NE(without.error().message().find("\"8\""), std::string::npos);
    EXPECT_EQ(without.error().file(), text_of_path(path("two.csv")));
    EXPECT_EQ(read("double.csv", {.id_field = "id"}, hits).error().code(), ErrorCode::duplicate);
  }
}

TEST_F(RowTextsTest, AreThoseOfTheSetWhereNoFileIsNamed) {
  EXPECT_TRUE(Searcher::open(path("rows.npy")).value().texts()->empty());
  const auto writer = create_vectors(path("rows.parquet"), 8, {.parquet = {.texts = true}});
  ASSERT_TRUE(writer) << writer.error().message();
  const std::vector<std::string> written = {"zero", "one", ""};
  ASSERT_TRUE((*writer)->row_texts()->set_texts(written));
  ASSERT_TRUE((*writer)->append(rows_.view().slice(0, 3), {}));
  ASSERT_TRUE((*writer)->finish());
  const auto searcher =
      Searcher::open(std::vector{path("rows.parquet"), path("rows.parquet")}).value();
  const auto texts = searcher.texts();
  ASSERT_TRUE(texts) << texts.error().message();
  for (std::size_t row = 0; row < 6; ++row) EXPECT_EQ((*texts)[row], written[row % 3]);
  const RowHits hits = {{{4, 0.5F}, {0, 0.6F}}};
  EXPECT_EQ((*searcher.texts({}, &hits))[4], "one");
  // One shard without texts, and there are none.
  EXPECT_TRUE(
      Searcher::open(std::vector{path("rows.parquet"), path("rows.npy")}).value().texts()->empty());
}

class SearcherColumnsTest : public SearcherTest {
 protected:
  static constexpr std::size_t num = 4;
  /// Writes rows with a column of texts and two of numbers, or what of these is in `sections`.
  void write(const char* name) {
    const std::vector<NumberColumn> numbers = {{.name = "year", .type = ElementType::i32},
                                               {.name = "weight", .type = ElementType::f32}};
    const auto writer =
        create_vectors(path(name), 8, {.columns = numbers, .text_columns = {"level"}, .cvc = {}});
    ASSERT_TRUE(writer) << writer.error().message();
    const std::vector<std::span<const std::string>> texts = {levels_};
    ASSERT_TRUE((*writer)->table()->set_columns(
        std::vector{std::as_bytes(std::span(years_)), std::as_bytes(std::span(weights_))}));
    ASSERT_TRUE((*writer)->table()->set_text_columns(texts));
    const auto appended = (*writer)->append(rows_.view().slice(0, num), {});
    ASSERT_TRUE(appended) << appended.error().message();
    ASSERT_TRUE((*writer)->finish());
  }
  /// The rows that pass, as a search over all finds them.
  static std::vector<std::uint64_t> rows(const Searcher& searcher,
                                         const RowConditions& conditions) {
    const auto filter = searcher.filter(conditions);
    EXPECT_TRUE(filter) << filter.error().message();
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < searcher.info().num_rows; ++row)
      if (filter->contains(row)) rows.push_back(row);
    EXPECT_EQ(filter->size(), rows.size());
    return rows;
  }
  using Rows = std::vector<std::uint64_t>;

  const std::vector<std::string> levels_ = {"ERROR", "7", "", "ERROR"};
  const std::vector<std::int32_t> years_ = {1999, 7, -3, 2024};
  const std::vector<float> weights_ = {0.1F, 2, 1e20F, -0.0F};
};

TEST_F(SearcherColumnsTest, ValuesAreComparedAsTextsOrAsNumbers) {
  for (const char* name : {"rows.parquet", "rows.jsonl"}) {
    write(name);
    const auto searcher = Searcher::open(path(name)).value();
    EXPECT_EQ(searcher.columns(), (std::vector<std::string>{"level", "year", "weight"})) << name;
    const auto with = [&](const char* column, std::vector<std::string> values) {
      return rows(searcher, {.columns = {{column, std::move(values)}}});
    };
    EXPECT_EQ(with("level", {"ERROR"}), (Rows{0, 3})) << name;
    EXPECT_EQ(with("level", {"7"}), (Rows{1}));
    EXPECT_EQ(with("level", {"7.0", "error", "\"ERROR\""}), (Rows{}));
    EXPECT_EQ(with("level", {"", "ERROR", "ERROR"}), (Rows{0, 2, 3}));
    EXPECT_EQ(with("level", {}), (Rows{}));
    EXPECT_EQ(with("year", {"7", "-3.0", "2.024e3"}), (Rows{1, 2, 3}));
    EXPECT_EQ(with("year", {"07", "7 7", "null", "", "seven"}), (Rows{}));
    EXPECT_EQ(with("weight", {"0.1"}), (Rows{0}));
    EXPECT_EQ(with("weight", {"0.100000001"}), (Rows{0}));  // the same float32
    EXPECT_EQ(with("weight", {"0.10001"}), (Rows{}));
    EXPECT_EQ(with("weight", {"2", "1e20", "0"}), (Rows{1, 2, 3}));
    EXPECT_EQ(searcher.columns_json(1).value(), R"({"level":"7","year":7,"weight":2})") << name;
    EXPECT_EQ(searcher.columns_json(4).error().code(), ErrorCode::invalid_argument);
  }
}

TEST_F(SearcherColumnsTest, ValuesHaveAnOrder) {
  using enum Relation;
  for (const char* name : {"rows.parquet", "rows.jsonl"}) {
    write(name);
    const auto searcher = Searcher::open(path(name)).value();
    const auto with = [&](const char* column, Relation relation, const char* value) {
      return rows(searcher, {.columns = {{column, {value}, relation}}});
    };
    EXPECT_EQ(with("year", greater_equal, "1999"), (Rows{0, 3})) << name;
    EXPECT_EQ(with("year", greater, "1999.0"), (Rows{3}));
    EXPECT_EQ(with("year", less, "6.5"), (Rows{2}));
    EXPECT_EQ(with("year", less_equal, "7e0"), (Rows{1, 2}));
    EXPECT_EQ(with("year", less, "-3"), (Rows{}));
    EXPECT_EQ(with("year", not_equal, "7.0"), (Rows{0, 2, 3}));
    EXPECT_EQ(with("year", not_equal, "seven"), (Rows{0, 1, 2, 3}));
    EXPECT_EQ(with("year", greater, "9007199254740993"), (Rows{}));
    // 0.1 is rounded to float32 first, as all values are.
    EXPECT_EQ(with("weight", less_equal, "0.1"), (Rows{0, 3}));
    EXPECT_EQ(with("weight", less, "0.1"), (Rows{3}));
    EXPECT_EQ(with("weight", greater, "0.1"), (Rows{1, 2}));
    EXPECT_EQ(with("weight", less, "1e300"), (Rows{0, 1, 2, 3}));
    // Texts have the order of their bytes, also where they look like numbers.
    EXPECT_EQ(with("level", less, "A"), (Rows{1, 2}));
    EXPECT_EQ(with("level", greater_equal, "7"), (Rows{0, 1, 3}));
    EXPECT_EQ(with("level", less, "10"), (Rows{2}));
    EXPECT_EQ(with("level", not_equal, "ERROR"), (Rows{1, 2}));
  }
}

TEST_F(SearcherColumnsTest, AnOrderNeedsOneValueOfTheColumnsKind) {
  write("rows.parquet");
  const auto searcher = Searcher::open(path("rows.parquet")).value();
  const auto error_of = [&](ColumnCondition condition) {
    const auto filter = searcher.filter({.columns = {std::move(condition)}});
    EXPECT_FALSE(filter);
    return filter ? std::string() : std::string(filter.error().what());
  };
  EXPECT_EQ(
      error_of({"year", {"seven"}, Relation::less}),
      R"(the column "year" holds numbers, but "seven" is none, expected a number to compare with)");
  EXPECT_NE(error_of({"year", {"null"}, Relation::less}), "");
  EXPECT_EQ(error_of({"year", {"1", "2"}, Relation::less}),
            R"(the condition "year" < has 2 values, expected one)");
  EXPECT_NE(error_of({"level", {}, Relation::greater}), "");
}

TEST(ParseConditionTest, TheFirstRelationEndsTheName) {
  const auto parsed = [](std::string_view text) {
    const auto found = parse_condition(text);
    return found ? std::tuple(found->column, found->relation, found->values.at(0))
                 : std::tuple(std::string(), Relation::equal, std::string("refused"));
  };
  using enum Relation;
  EXPECT_EQ(parsed("year=1"), std::tuple("year", equal, "1"));
  EXPECT_EQ(parsed("year!=1"), std::tuple("year", not_equal, "1"));
  EXPECT_EQ(parsed("year<1"), std::tuple("year", less, "1"));
  EXPECT_EQ(parsed("year<=1"), std::tuple("year", less_equal, "1"));
  EXPECT_EQ(parsed("year>1"), std::tuple("year", greater, "1"));
  EXPECT_EQ(parsed("year>=1"), std::tuple("year", greater_equal, "1"));
  EXPECT_EQ(parsed("a b!c=x>=y"), std::tuple("a b!c", equal, "x>=y"));
  EXPECT_EQ(parsed("level="), std::tuple("level", equal, ""));
  for (const char* wrong : {"", "level", "=1", "level!", ">=1"})
    EXPECT_EQ(std::get<2>(parsed(wrong)), "refused") << wrong;
}

TEST(RowConditionsTest, EqualValuesOfAColumnAreAlternatives) {
  RowConditions conditions;
  for (const char* text : {"a=1", "b=2", "a=3", "a>=1", "a>=2", "a!=5", "a!=6"})
    conditions.add(parse_condition(text).value());
  ASSERT_EQ(conditions.columns.size(), 6U);
  EXPECT_EQ(conditions.columns[0].values, (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(conditions.columns[4].values, (std::vector<std::string>{"5"}));
}

TEST_F(SearcherColumnsTest, AllConditionsAreMet) {
  write("rows.parquet");
  const auto searcher = Searcher::open(path("rows.parquet"), {.filters = true}).value();
  const ColumnCondition level = {"level", {"ERROR"}};
  EXPECT_EQ(rows(searcher, {}), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(rows(searcher, {.columns = {level, {"year", {"2024", "7"}}}}), (Rows{3}));
  EXPECT_EQ(rows(searcher, {.ids = {{"0", "1"}}, .columns = {level}}), (Rows{0}));
  EXPECT_EQ(rows(searcher, {.columns = {{"year", {"0"}, Relation::greater},
                                        {"year", {"2000"}, Relation::less},
                                        level}}),
            (Rows{0}));
  EXPECT_EQ(rows(searcher, {.ids = std::vector<std::string>(), .columns = {level}}), (Rows{}));
  const auto unknown = searcher.filter({.columns = {{"levl", {"x"}}}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(unknown.error().message().find("level, year, weight"), std::string::npos);
}

TEST_F(SearcherColumnsTest, ShardsHaveTheColumnsThatAllHave) {
  write("a.parquet");
  write("b.jsonl");
  ASSERT_TRUE(write_vectors(path("plain.npy"), rows_));
  const auto both = Searcher::open(std::vector{path("a.parquet"), path("b.jsonl")}).value();
  EXPECT_EQ(rows(both, {.columns = {{"level", {"ERROR"}}}}), (Rows{0, 3, 4, 7}));
  EXPECT_EQ(both.columns_json(6).value(), R"({"level":"","year":-3,"weight":1e+20})");
  const auto with_plain = Searcher::open(std::vector{path("a.parquet"), path("plain.npy")}).value();
  EXPECT_TRUE(with_plain.columns().empty());
  EXPECT_EQ(with_plain.columns_json(0).value(), "");
  EXPECT_FALSE(with_plain.filter({.columns = {{"level", {"ERROR"}}}}));
}

TEST_F(SearcherColumnsTest, SectionsOfACvcFileAreColumns) {
  const auto writer = create_vectors(path("rows.cvc"), 8, {}).value();
  const char* metadata[] = {R"({"level":"ERROR","n":1.0,"ok":true})", "{}",
                            R"({"level":"ERROR","n":2})"};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(writer->row_sections()->begin_section(metadata[i]));
    ASSERT_TRUE(writer->append(rows_.view().slice(2 * i, 2), {}));
  }
  ASSERT_TRUE(writer->finish());
  const auto searcher = Searcher::open(path("rows.cvc")).value();
  EXPECT_EQ(rows(searcher, {.columns = {{"level", {"ERROR"}}}}), (Rows{0, 1, 4, 5}));
  EXPECT_EQ(rows(searcher, {.columns = {{"n", {"1", "3"}}}}), (Rows{0, 1}));
  EXPECT_EQ(rows(searcher, {.columns = {{"ok", {"true"}}}}), (Rows{0, 1}));
  EXPECT_EQ(rows(searcher, {.columns = {{"ok", {"null"}}}}), (Rows{2, 3, 4, 5}));
  EXPECT_EQ(rows(searcher, {.columns = {{"ok", {"true"}, Relation::not_equal}}}),
            (Rows{2, 3, 4, 5}));
  EXPECT_EQ(rows(searcher, {.columns = {{"n", {"1"}, Relation::greater_equal}}}),
            (Rows{0, 1, 4, 5}));
  EXPECT_EQ(rows(searcher, {.columns = {{"n", {"-1"}, Relation::greater}}}), (Rows{0, 1, 4, 5}));
  EXPECT_EQ(rows(searcher, {.columns = {{"ok", {"1"}, Relation::less}}}), (Rows{}));
  EXPECT_EQ(searcher.columns_json(1).value(), R"({"level":"ERROR","n":1,"ok":true})");
  EXPECT_EQ(searcher.columns_json(2).value(), R"({"level":null,"n":null,"ok":null})");
}

}  // namespace
}  // namespace embd
