#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "embd/terms.h"
#include "tests/support/stemmer.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

using Rows = std::vector<std::uint64_t>;

TermIndex build(const std::vector<std::string_view>& texts,
                const TermOptions& options = {.kind = TermKind::words}) {
  return TermIndex::build(texts, options).value();
}

std::vector<TermHit> search(const TermIndex& index, std::string_view query, std::size_t k = 10,
                            const TermSearchOptions& options = {}) {
  return index.search(index.query(query).value().texts, k, options).value();
}

std::vector<std::uint64_t> rows(const std::vector<TermHit>& hits) {
  std::vector<std::uint64_t> all;
  for (const TermHit& hit : hits) all.push_back(hit.row);
  return all;
}

std::vector<std::uint64_t> found(const TermIndex& index, std::string_view query) {
  return rows(search(index, query));
}

/// Returns the scores of all rows, by the definition.
std::vector<float> slow_scores(const std::vector<std::vector<std::string>>& texts,
                               const std::vector<std::string>& query) {
  double total = 0;
  for (const auto& text : texts) total += static_cast<double>(text.size());
  const auto num_rows = static_cast<double>(texts.size());
  std::vector<float> sums(texts.size());
  for (const std::string& term : query) {
    const auto df = static_cast<double>(std::ranges::count_if(
        texts, [&](const auto& text) { return std::ranges::count(text, term) > 0; }));
    const double idf = std::log(1 + (num_rows - df + 0.5) / (df + 0.5));
    for (std::size_t row = 0; row < texts.size(); ++row) {
      const auto tf = static_cast<double>(std::ranges::count(texts[row], term));
      const double length = static_cast<double>(texts[row].size()) / (total / num_rows);
      if (tf > 0)
        sums[row] += static_cast<float>(idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * length)));
    }
  }
  return sums;
}

TEST(TermIndexBuilder, TakesRowsOfAnIndex) {
  const std::vector<std::string_view> texts = {"a cat sits on a cat",  "",      "the mat",
                                               "EMBD_KERNELS of embd", "a dog", "東京タワー"};
  const TermIndex index = build(texts);
  auto builder = TermIndexBuilder::create({.kind = TermKind::words}).value();
  const auto add = [&](std::string_view text) { EXPECT_TRUE(builder.add(text)); };
  add("a new dog");
  EXPECT_TRUE(builder.add_rows(index, 3, 3));
  add("a mat");
  EXPECT_TRUE(builder.add_rows(index, 0, 2));
  EXPECT_TRUE(builder.add_rows(index, 6, 0));
  const TermIndex other = build({"birds and dogs"});
  EXPECT_TRUE(builder.add_rows(other, 0, 1));
  EXPECT_TRUE(builder.add_rows(index, 2, 1));
  EXPECT_EQ(builder.num_rows(), 9U);
  EXPECT_EQ(builder.add_rows(index, 6, 1).error().code(), ErrorCode::invalid_argument);
  if (test::has_stemmer()) {
    const TermIndex stems = build(texts, {});
    EXPECT_EQ(builder.add_rows(stems, 0, 1).error().code(), ErrorCode::recipe_mismatch);
  }

  const TermIndex merged = std::move(builder).finish().value();
  EXPECT_TRUE(merged.check());
  const TermIndex whole = build({"a new dog", texts[3], texts[4], texts[5], "a mat", texts[0],
                                 texts[1], "birds and dogs", texts[2]});
  EXPECT_EQ(merged.info().num_postings, whole.info().num_postings);
  EXPECT_EQ(merged.info().average_length, whole.info().average_length);
  for (const char* query : {"cat", "dog mat", "embd", "東京", "EMBD_KERNELS birds"})
    EXPECT_EQ(search(merged, query), search(whole, query)) << query;
}

TEST(TermIndex, FindsNamesNumbersAndWords) {
  if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
  const TermIndex index = build({"Set EMBD_KERNELS to choose kernels", "Pi is 3.14", "I don't know",
                                 "東京タワーへ行く", "The kernel of embd", "version 3.2"},
                                {.kind = TermKind::stems});
  EXPECT_EQ(found(index, "EMBD_KERNELS"), Rows({0, 4}));
  EXPECT_EQ(found(index, "3.14"), Rows({1}));
  EXPECT_EQ(found(index, "don't"), Rows({2}));
  EXPECT_EQ(found(index, "东京"), Rows({}));
  EXPECT_EQ(found(index, "東京"), Rows({3}));
  EXPECT_EQ(found(index, "知道"), Rows({}));
  EXPECT_EQ(found(index, "the of and"), Rows({}));
  EXPECT_EQ(found(index, "unknown"), Rows({}));
  EXPECT_EQ(found(index, ""), Rows({}));
}

TEST(TermIndex, DescribesItself) {
  if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
  const TermIndex index =
      build({"a cat and a cat", "", "the dogs and cats"}, {.kind = TermKind::stems});
  const TermIndexInfo info = index.info();
  EXPECT_EQ(info.num_rows, 3U);
  EXPECT_EQ(info.num_terms, 2U);
  EXPECT_EQ(info.num_postings, 3U);
  EXPECT_DOUBLE_EQ(info.average_length, 4.0 / 3);
  EXPECT_EQ(info.recipe.kind, TermKind::stems);
  EXPECT_EQ(info.recipe.stemmer, Stemmer::english);
  EXPECT_EQ(info.recipe.stemmer_release, "2.2.0");
  EXPECT_FLOAT_EQ(index.weight("cat"), static_cast<float>(std::log(1 + 1.5 / 2.5)));
  EXPECT_EQ(index.weight("cats"), 0);
  const TermIndex of_words = build({"Cats"}, {.stemmer = Stemmer::none});
  EXPECT_EQ(of_words.info().recipe.kind, TermKind::words);
  EXPECT_EQ(found(of_words, "cats"), Rows({0}));
}

TEST(TermIndex, HasRowsWithoutTerms) {
  const TermIndex index = build({"", "word", "", "?!"});
  EXPECT_EQ(index.num_rows(), 4U);
  EXPECT_EQ(found(index, "word"), Rows({1}));
  const TermIndex empty = build({});
  EXPECT_EQ(empty.num_rows(), 0U);
  EXPECT_EQ(found(empty, "word"), Rows({}));
  const TermIndex of_empty = build({"", ""});
  EXPECT_EQ(of_empty.num_rows(), 2U);
  EXPECT_EQ(found(of_empty, "word"), Rows({}));
}

TEST(TermIndex, ScoresByTheFormula) {
  std::mt19937 random(7);
  std::vector<std::vector<std::string>> terms(200);
  std::vector<std::string> texts;
  for (auto& text : terms) {
    std::string joined;
    for (std::size_t i = random() % 30; i > 0; --i) {
      text.push_back("t" + std::to_string(random() % 5 * (random() % 8)));
      joined += text.back() + " ";
    }
    texts.push_back(joined);
  }
  const TermIndex index = build({texts.begin(), texts.end()});
  const std::vector<std::string> query = {"t4", "t0", "t21", "t4", "unknown"};
  const std::vector<float> expected = slow_scores(terms, query);
  std::vector<std::uint64_t> all(texts.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all.size() - 1 - i;
  const std::vector<float> scores = index.scores(query, all).value();
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(scores[i], expected[all[i]], 1e-6) << all[i];

  const std::vector<TermHit> hits = index.search(query, 1000).value();
  EXPECT_EQ(hits.size(), static_cast<std::size_t>(
                             std::ranges::count_if(expected, [](float s) { return s > 0; })));
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_EQ(hits[i].score, scores[all.size() - 1 - hits[i].row]);
    if (i > 0) {
      EXPECT_TRUE(hits[i - 1].score > hits[i].score ||
                  (hits[i - 1].score == hits[i].score && hits[i - 1].row < hits[i].row));
    }
  }
  const std::vector<TermHit> best = index.search(query, 7).value();
  EXPECT_TRUE(std::ranges::equal(best, std::span(hits).first(7)));
}

TEST(TermIndex, CountsATermOfTheQueryAsOftenAsItOccurs) {
  const TermIndex index = build({"one two", "two three three"});
  const std::vector<std::uint64_t> all = {0, 1};
  const auto once = index.scores(std::vector<std::string>{"two"}, all).value();
  const auto twice = index.scores(std::vector<std::string>{"two", "two"}, all).value();
  EXPECT_EQ(twice[0], once[0] + once[0]);
  EXPECT_EQ(twice[1], once[1] + once[1]);
}

/// An index of more rows than are summed at a time. A row has the word "rare" if it is a multiple
/// of 5000, and "common" if it is odd.
TermIndex large_index() {
  auto builder = TermIndexBuilder::create({.kind = TermKind::words}).value();
  for (int i = 0; i < 40000; ++i) {
    std::string text = i % 5000 == 0 ? "rare " : "";
    if (i % 2 == 1) text += "common";
    EXPECT_TRUE(builder.add(text));
  }
  EXPECT_EQ(builder.num_rows(), 40000U);
  return std::move(builder).finish().value();
}

TEST(TermIndex, FindsRowsInAllWindows) {
  const TermIndex index = large_index();
  EXPECT_EQ(found(index, "rare"), Rows({0, 5000, 10000, 15000, 20000, 25000, 30000, 35000}));
  EXPECT_EQ(rows(search(index, "common", 3)), Rows({1, 3, 5}));
}

TEST(TermIndex, FindsOnlyAllowedRows) {
  const TermIndex index = large_index();
  const std::vector<std::uint64_t> allowed = {0, 3, 4999, 5000, 16384, 35000, 39999};
  const TermSearchOptions options = {.rows = allowed};
  EXPECT_EQ(rows(search(index, "rare", 10, options)), Rows({0, 5000, 35000}));
  EXPECT_EQ(rows(search(index, "rare common", 2, options)), Rows({0, 5000}));
  EXPECT_EQ(rows(search(index, "common", 10, options)), Rows({3, 4999, 39999}));
  const auto hits = search(index, "common rare", 10, options);
  for (const TermHit& hit : hits) {
    EXPECT_EQ(index.scores(index.query("common rare").value().texts, std::vector{hit.row}).value(),
              std::vector{hit.score});
  }
  EXPECT_TRUE(search(index, "rare", 10, {.rows = std::span<const std::uint64_t>()}).empty());
}

TEST(TermIndex, RefusesWrongArguments) {
  const TermIndex index = build({"one", "two"});
  const std::vector<std::string> query = {"one"};
  const std::vector<std::uint64_t> outside = {2};
  const std::vector<std::uint64_t> descending = {1, 0};
  const std::vector<std::uint64_t> repeated = {1, 1};
  for (const Error& error :
       {index.search(query, 0).error(), index.search(query, 1, {.rows = outside}).error(),
        index.search(query, 1, {.rows = descending}).error(),
        index.search(query, 1, {.rows = repeated}).error(), index.scores(query, outside).error()})
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.message();
}

TEST(TermIndex, CountsATermAtMost65535Times) {
  std::string text;
  for (int i = 0; i < 70000; ++i) text += "word ";
  const TermIndex index = build({text + "other", "word"});
  EXPECT_DOUBLE_EQ(index.info().average_length, (65535.0 + 1 + 1) / 2);
  EXPECT_TRUE(index.check());
}

class TermIndexOfTokens : public test::TemporaryDirectory {};

TEST_F(TermIndexOfTokens, NeedsTheModelOfItsTokens) {
  const auto folder = std::filesystem::path(EMBD_TEST_DATA);
  const Model model = Model::open(folder / "embd/plain.weights").value();
  const Model other = Model::open(folder / "embd/cased.weights").value();
  const std::string text(model.token(model.tokenize("a").value().ids[1]));
  const TermIndex built = build({"a b", "b"}, {.kind = TermKind::tokens, .model = &model});
  ASSERT_TRUE(built.save(path("x.terms")));
  const TermIndex index = TermIndex::open(path("x.terms")).value();
  EXPECT_EQ(index.info().recipe.kind, TermKind::tokens);
  EXPECT_EQ(index.info().recipe.tokenizer_sha256, model.recipe().value().tokenizer_sha256);
  EXPECT_EQ(index.query("a", &model).value().texts, std::vector{text});
  EXPECT_EQ(index.query("a").error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(index.query("a", &other).error().code(), ErrorCode::recipe_mismatch);
}

}  // namespace
}  // namespace embd
