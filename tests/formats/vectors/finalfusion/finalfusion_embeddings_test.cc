#include "formats/vectors/finalfusion/finalfusion_embeddings.h"

#include "tests/formats/vectors/finalfusion/fixture.h"

namespace embd::finalfusion {
namespace {

Embeddings open(const std::string& name) {
  auto embeddings = Embeddings::open(fixture(name));
  EXPECT_TRUE(embeddings) << embeddings.error().message();
  return std::move(embeddings).value();
}

class Lookup : public testing::TestWithParam<std::string> {};

TEST_P(Lookup, AsInTheReference) {
  const Json expected = read_json(fixture(GetParam() + ".expected.json"));
  const Embeddings embeddings = open(GetParam() + ".fifu");
  for (const Json& query : expected["lookups"]) {
    const std::string word = query["query"];
    SCOPED_TRACE(word);
    const auto found = embeddings.lookup(word);
    if (query["embedding"].is_null()) {
      ASSERT_FALSE(found);
      EXPECT_EQ(found.error().code(), ErrorCode::missing);
      continue;
    }
    ASSERT_TRUE(found) << found.error().message();
    if (query["word_index"].is_null()) {
      EXPECT_EQ(found->row, std::nullopt);
      EXPECT_EQ(found->subword_rows, query["subword_rows"].get<std::vector<std::uint64_t>>());
    } else {
      EXPECT_EQ(found->row, query["word_index"].get<std::uint64_t>());
      EXPECT_TRUE(found->subword_rows.empty());
    }
    expect_near(found->values, floats(query["embedding"]), 2e-6);
    expect_near({found->norm}, {query["norm"].get<float>()}, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Lookup, testing::ValuesIn(good_fixtures()),
                         [](const auto& test) { return test.param; });

void expect_words(const Result<std::vector<SimilarWord>>& found, const Json& expected) {
  if (expected.is_null()) {
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), ErrorCode::missing);
    return;
  }
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->size(), expected.size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    EXPECT_EQ((*found)[i].word, expected[i][0].get<std::string>());
    EXPECT_NEAR((*found)[i].similarity, expected[i][1].get<double>(), 1e-6);
  }
}

TEST(Similarity, AsInTheReference) {
  for (const std::string name : {"bucket_nd_norms", "simple_nd_norms_meta"}) {
    const Json expected = read_json(fixture(name + ".similar.json"));
    const Embeddings embeddings = open(name + ".fifu");
    for (const Json& query : expected["similar"]) {
      SCOPED_TRACE(query["query"].dump());
      expect_words(embeddings.similar(query["query"].get<std::string>(), query["k"]),
                   query["result"]);
    }
    for (const Json& query : expected["analogy"]) {
      SCOPED_TRACE(query["query"].dump());
      const auto words = query["query"].get<std::vector<std::string>>();
      expect_words(embeddings.analogy(words[0], words[1], words[2], query["k"]), query["result"]);
    }
  }
}

/// Products with a quantized matrix are taken from tables; they must be those of the rows it stands
/// for.
TEST(Similarity, OnQuantizedRows) {
  for (const std::string& name : good_fixtures()) {
    const Embeddings embeddings = open(name + ".fifu");
    if (embeddings.num_words() == 0) continue;
    SCOPED_TRACE(name);
    std::vector<float> query(embeddings.dim());
    for (std::size_t i = 0; i < query.size(); ++i) query[i] = 0.3F - 0.1F * static_cast<float>(i);
    const auto found = embeddings.similar_to(query, 1000);
    ASSERT_EQ(found.size(), embeddings.num_words());
    std::vector<float> row(embeddings.dim());
    for (std::size_t i = 0; i < found.size(); ++i) {
      embeddings.parts().storage.read(found[i].row, row);
      double product = 0;
      for (std::size_t j = 0; j < row.size(); ++j) product += double{row[j]} * query[j];
      EXPECT_NEAR(found[i].similarity, product, 1e-5);
      EXPECT_EQ(found[i].word, embeddings.word(found[i].row));
      if (i > 0) {
        EXPECT_GE(found[i - 1].similarity, found[i].similarity);
      }
    }
  }
}

TEST(Similarity, EqualOnesByWordAndFewerThanAsked) {
  const Embeddings embeddings = open("simple_nd.fifu");
  const std::vector<float> zero(embeddings.dim());
  const auto all = embeddings.similar_to(zero, 1000);
  EXPECT_EQ(all.size(), embeddings.num_words());
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &SimilarWord::word));
  EXPECT_TRUE(embeddings.similar_to(zero, 0).empty());
  const std::uint64_t skip[] = {all[0].row, all[2].row};
  const auto some = embeddings.similar_to(zero, 2, skip);
  ASSERT_EQ(some.size(), 2U);
  EXPECT_EQ(some[0].word, all[1].word);
  EXPECT_EQ(some[1].word, all[3].word);
}

TEST(Embeddings, RefusesAQueryThatIsNoUtf8) {
  const auto found = open("bucket_nd_norms.fifu").lookup("a\xff");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::invalid_utf8);
}

}  // namespace
}  // namespace embd::finalfusion
