#include "embd/hybrid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "embd/convert.h"
#include "embd/searcher.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

std::vector<std::uint64_t> rows_of(const std::vector<FusedRow>& fused) {
  std::vector<std::uint64_t> rows;
  for (const FusedRow& row : fused) rows.push_back(row.row);
  return rows;
}

TEST(FuseRows, WeighsDistancesAndTermScoresOnOneScale) {
  const auto fused = fuse_rows({{.row = 7, .distance = 0.5F, .term_score = 1},
                                {.row = 3, .distance = 0.25F, .term_score = 0},
                                {.row = 9, .distance = 1, .term_score = 4}},
                               10);
  ASSERT_EQ(rows_of(fused), (std::vector<std::uint64_t>{3, 7, 9}));
  EXPECT_FLOAT_EQ(fused[0].score, 0.6F);  // the nearest, no term
  EXPECT_FLOAT_EQ(fused[1].score, 0.6F * (0.5F / 0.75F) + 0.4F * 0.25F);
  EXPECT_FLOAT_EQ(fused[2].score, 0.4F);  // the farthest, best terms
  EXPECT_EQ(fused[2].distance, 1);
  EXPECT_EQ(fused[2].term_score, 4);
}

TEST(FuseRows, EqualRowsAreInTheirOrderAndTheBestAreKept) {
  std::vector<FusedRow> rows;
  for (std::uint64_t row = 9; row > 0; --row) rows.push_back({.row = row, .distance = 0.5F});
  const auto fused = fuse_rows(rows, 4);
  EXPECT_EQ(rows_of(fused), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  for (const FusedRow& row : fused) EXPECT_EQ(row.score, 0);
  EXPECT_TRUE(fuse_rows({}, 3).empty());
}

/// The scale cancels whatever is linear, so metrics need no rule of their own.
TEST(FuseRows, ALinearMapOfDistancesChangesNoOrder) {
  std::vector<FusedRow> rows;
  for (std::uint64_t row = 0; row < 50; ++row)
    rows.push_back({.row = row,
                    .distance = static_cast<float>(row * 37 % 50),
                    .term_score = static_cast<float>(row * 11 % 17)});
  const auto expected = rows_of(fuse_rows(rows, 50));
  for (FusedRow& row : rows) row.distance = 256 * row.distance - 1024;
  EXPECT_EQ(rows_of(fuse_rows(rows, 50)), expected);
}

/// Distances that float can distinguish are in their order, although their scores are not.
TEST(FuseRows, WithoutTermsTheOrderIsThatOfTheDistances) {
  std::vector<FusedRow> rows = {{.row = 0, .distance = 1}};
  float distance = 0.5F;
  for (std::uint64_t row = 20; row > 0; --row) {
    rows.push_back({.row = row, .distance = distance});
    distance = std::nextafter(distance, 1.0F);
  }
  const auto fused = fuse_rows(rows, 21);
  for (std::size_t i = 0; i + 1 < fused.size(); ++i)
    EXPECT_LT(fused[i].distance, fused[i + 1].distance);
}

TEST(FuseRows, NumbersThatAreNotFiniteAreTheWorst) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
  const auto fused = fuse_rows({{.row = 0, .distance = infinite, .term_score = 1},
                                {.row = 1, .distance = no_number, .term_score = 3},
                                {.row = 2, .distance = 0.5F, .term_score = 2},
                                {.row = 3, .distance = 0.75F, .term_score = 2}},
                               4);
  EXPECT_EQ(rows_of(fused), (std::vector<std::uint64_t>{2, 1, 3, 0}));
}

/// 200 rows with texts, which are also in a term index. A row's text says its number in words.
class HybridSearch : public test::TemporaryDirectory {
 protected:
  static constexpr std::size_t num_rows = 200;

  HybridSearch() : rows_(num_rows, 8) {
    for (std::size_t i = 0; i < rows_.values().size(); ++i)
      rows_.values()[i] = static_cast<float>((i * 7919) % 1013) / 500 - 1;
    for (std::size_t row = 0; row < num_rows; ++row) {
      texts_.push_back("row" + std::to_string(row));
      if (row % 3 == 0) texts_.back() += " third third";
      if (row % 5 == 0) texts_.back() += " fifth";
      if (row % 50 == 7) texts_.back() += " rare";
    }
  }
  void SetUp() override {
    TemporaryDirectory::SetUp();
    const std::vector<std::string_view> texts(texts_.begin(), texts_.end());
    terms_.emplace(TermIndex::build(texts, {.kind = TermKind::words}).value());
    ASSERT_TRUE(terms_->save(path("rows.terms")));
    ASSERT_TRUE(write_vectors(path("rows.npy"), rows_));
  }
  Searcher open(const std::vector<std::filesystem::path>& paths) const {
    auto searcher = Searcher::open(paths, {.terms = path("rows.terms")});
    EXPECT_TRUE(searcher) << searcher.error().message();
    return std::move(*searcher);
  }
  Queries queries_of(const Searcher& searcher, const std::vector<std::string_view>& texts) const {
    Matrix vectors(texts.size(), 8);
    for (std::size_t i = 0; i < texts.size(); ++i)
      std::ranges::copy(rows_.row(i + 60), vectors.row(i).begin());
    Queries queries = searcher.code_queries(vectors).value();
    EXPECT_TRUE(searcher.add_terms(texts, nullptr, queries));
    return queries;
  }
  /// Fuses the best 100 of both lists, of the rows that `is_allowed` allows, by what the searches
  /// for vectors and for terms alone find.
  template <class IsAllowed>
  std::vector<FusedRow> expected(const Searcher& searcher, const Queries& queries, std::size_t q,
                                 std::string_view text, const IsAllowed& is_allowed) const {
    const auto near = searcher.search(queries, num_rows, {.exact = true}).value()[q];
    const auto found = terms_->search(terms_->query(text).value().texts, num_rows).value();
    std::vector<FusedRow> rows;
    std::vector<std::uint64_t> candidates;
    for (std::size_t i = 0, kept = 0; i < near.size() && kept < 100; ++i) {
      if (!is_allowed(near[i].row)) continue;
      ++kept;
      candidates.push_back(near[i].row);
    }
    for (std::size_t i = 0, kept = 0; i < found.size() && kept < 100; ++i) {
      if (!is_allowed(found[i].row)) continue;
      ++kept;
      if (std::ranges::find(candidates, found[i].row) == candidates.end())
        candidates.push_back(found[i].row);
    }
    for (const std::uint64_t row : candidates) {
      const auto distance = std::ranges::find(near, row, &RowHit::row);
      const auto score = std::ranges::find(found, row, &TermHit::row);
      rows.push_back({.row = row,
                      .distance = distance->distance,
                      .term_score = score == found.end() ? 0 : score->score});
    }
    return fuse_rows(rows, 12);
  }

  Matrix rows_;
  std::vector<std::string> texts_;
  std::optional<TermIndex> terms_;
};

TEST_F(HybridSearch, FusesTheBestOfBothLists) {
  const std::vector<std::string_view> texts = {"the third", "fifth rare row12", "unknown words"};
  ASSERT_TRUE(
      index_file(path("rows.npy"), path("rows.usearch"), {.index = {.scalar = ElementType::f32}}));
  ASSERT_TRUE(write_vectors(path("first.npy"), rows_.view().slice(0, 70)));
  ASSERT_TRUE(write_vectors(path("second.npy"), rows_.view().slice(70, 130)));
  for (const auto& paths : {std::vector{path("rows.npy")},
                            {path("rows.usearch")},
                            {path("first.npy"), path("second.npy")}}) {
    const Searcher searcher = open(paths);
    const Queries queries = queries_of(searcher, texts);
    const auto fused = searcher.search_both(queries, 12, {.expansion = 200});
    ASSERT_TRUE(fused) << fused.error().message();
    for (std::size_t q = 0; q < texts.size(); ++q)
      EXPECT_EQ(fused->at(q),
                expected(searcher, queries, q, texts[q], [](std::uint64_t) { return true; }))
          << paths[0] << " " << texts[q];
    EXPECT_EQ(fused->at(1)[0].row % 50, 7) << "the rare term decides";
  }
}

/// The rows of a term index are those that an index still has, in the order of their slots.
TEST_F(HybridSearch, RowsThatWereRemovedFromAnIndexHaveNoTerms) {
  Matrix more(num_rows + num_rows / 20, 8);  // in front of every 20 rows one that is removed
  std::vector<std::uint64_t> removed;
  for (std::size_t row = 0, i = 0; row < num_rows; ++row, ++i) {
    if (row % 20 == 0) removed.push_back(i++);
    std::ranges::copy(rows_.row(row), more.row(i).begin());
  }
  Index index = Index::build(more, {}, {.metric = Metric::l2sq}).value();
  ASSERT_EQ(index.remove(removed).value(), removed.size());
  ASSERT_TRUE(index.save(path("some.usearch")));
  const Searcher searcher = open({path("some.usearch")});
  const Queries queries = queries_of(searcher, {"third fifth"});
  const auto fused = searcher.search_both(queries, 12, {.exact = true}).value().front();
  EXPECT_EQ(fused, expected(searcher, queries, 0, "third fifth", [](auto) { return true; }));
  const auto near = searcher.search(queries, 1, {.exact = true}).value().front();
  EXPECT_EQ(near.front(), (RowHit{.row = 60, .distance = 0}));
}

TEST_F(HybridSearch, AFilterAppliesToBothLists) {
  const Searcher searcher = open({path("rows.npy")});
  const Queries queries = queries_of(searcher, {"third fifth"});
  std::vector<std::string> ids;
  for (std::size_t row = 0; row < num_rows; row += 4) ids.push_back(std::to_string(row));
  const RowFilter filter = searcher.filter(ids).value();
  const auto fused = searcher.search_both(queries, 12, {}, &filter);
  ASSERT_TRUE(fused) << fused.error().message();
  EXPECT_EQ(fused->front(), expected(searcher, queries, 0, "third fifth",
                                     [](std::uint64_t row) { return row % 4 == 0; }));
  const auto best = searcher.search_terms(queries, num_rows, &filter);
  ASSERT_TRUE(best) << best.error().message();
  EXPECT_FALSE(best->front().empty());
  for (const TermHit& hit : best->front()) EXPECT_EQ(hit.row % 4, 0U);
  const RowFilter nothing = searcher.filter(std::vector<std::string>()).value();
  EXPECT_TRUE(searcher.search_both(queries, 5, {}, &nothing).value().front().empty());
  EXPECT_TRUE(searcher.search_terms(queries, 5, &nothing).value().front().empty());
}

/// A query of which no term is known, or of stop words only, is a search with vectors.
TEST_F(HybridSearch, AnEmptyListLeavesTheOtherAlone) {
  const Searcher searcher = open({path("rows.npy")});
  const Queries queries = queries_of(searcher, {"nobody knows", "of the"});
  const auto near = searcher.search(queries, 12).value();
  const auto fused = searcher.search_both(queries, 12).value();
  for (std::size_t q = 0; q < 2; ++q) {
    ASSERT_EQ(fused[q].size(), near[q].size());
    for (std::size_t i = 0; i < near[q].size(); ++i) {
      EXPECT_EQ(fused[q][i].row, near[q][i].row);
      EXPECT_EQ(fused[q][i].distance, near[q][i].distance);
      EXPECT_EQ(fused[q][i].term_score, 0);
    }
  }
  EXPECT_TRUE(searcher.search_terms(queries, 12).value()[0].empty());
}

TEST_F(HybridSearch, TermsNeedNoVectors) {
  const Searcher searcher = open({path("rows.npy")});
  const std::vector<std::string_view> texts = {"Fifth"};
  const Queries queries = searcher.term_queries(texts).value();
  EXPECT_TRUE(queries.have_terms());
  EXPECT_FALSE(queries.have_vectors());
  EXPECT_EQ(queries.size(), 1U);
  const auto best = searcher.search_terms(queries, 3);
  ASSERT_TRUE(best) << best.error().message();
  EXPECT_EQ(best->front(), terms_->search(terms_->query("fifth").value().texts, 3).value());
  EXPECT_EQ(searcher.search(queries, 3).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(searcher.search_both(queries, 3).error().code(), ErrorCode::invalid_argument);
}

TEST_F(HybridSearch, WrongCallsAreRefused) {
  const Searcher searcher = open({path("rows.npy")});
  Queries queries = searcher.code_queries(rows_.view().slice(0, 2)).value();
  const auto code_of = [](const auto& result) { return result.error().code(); };
  EXPECT_EQ(code_of(searcher.search_terms(queries, 3)), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(searcher.search_both(queries, 3)), ErrorCode::invalid_argument);
  const std::vector<std::string_view> one = {"third"};
  EXPECT_EQ(code_of(searcher.add_terms(one, nullptr, queries)), ErrorCode::invalid_argument);
  const std::vector<std::string_view> two = {"third", "fifth"};
  ASSERT_TRUE(searcher.add_terms(two, nullptr, queries));
  EXPECT_EQ(code_of(searcher.search_both(queries, 0)), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(searcher.search_terms(queries, 0)), ErrorCode::invalid_argument);
  const Searcher other = open({path("rows.npy")});
  EXPECT_EQ(code_of(other.search_both(queries, 3)), ErrorCode::invalid_argument);
  const Searcher without = Searcher::open(path("rows.npy")).value();
  EXPECT_EQ(without.terms(), nullptr);
  EXPECT_EQ(code_of(without.term_queries(two)), ErrorCode::invalid_argument);
}

TEST_F(HybridSearch, ATermIndexOfOtherRowsIsRefused) {
  ASSERT_TRUE(write_vectors(path("fewer.npy"), rows_.view().slice(0, 70)));
  const auto opened = Searcher::open(path("fewer.npy"), {.terms = path("rows.terms")});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::bad_count);
  const std::string message = opened.error().message();
  for (const char* part : {"rows.terms", "fewer.npy", "200", "70"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace
}  // namespace embd
