#include "embd/rerank.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "embd/parts.h"
#include "embd/vectors.h"
#include "jobs/search/row_texts.h"
#include "tests/support/cross_encoder.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

class RerankTest : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    test::make_cross_encoder("bert_sigmoid", path("model"));
    model_ = Reranker::open(path("model")).value();
  }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }

  std::optional<Reranker> model_;
};

TEST_F(RerankTest, AFileOfPairsBecomesAFileOfScores) {
  std::ofstream lines(path("pairs.jsonl"));
  for (int i = 0; i < 300; ++i)
    lines << R"({"query":"how much )" << i % 7 << R"(","text":"a ticket )" << i << R"("})" << '\n';
  lines.close();
  std::uint64_t rows = 0;
  double share = 0;
  ScorePairsOptions options;
  options.progress = [&](const EmbedProgress& progress) {
    EXPECT_GE(progress.rows, rows);
    rows = progress.rows;
    share = progress.share.value_or(0);
  };
  const auto report =
      score_pairs_file(*model_, path("pairs.jsonl"), {path("a.jsonl")}, {}, options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->rows, 300U);
  EXPECT_EQ(rows, 300U);
  EXPECT_EQ(share, 1);
  rows = 0;
  options.score.threads = 3;
  options.score.batch_tokens = 20;
  ASSERT_TRUE(score_pairs_file(*model_, path("pairs.jsonl"), {path("b.jsonl")}, {}, options));
  EXPECT_EQ(content("a.jsonl"), content("b.jsonl"));
}

TEST_F(RerankTest, AStoppedJobLeavesNothing) {
  std::ofstream(path("pairs.jsonl")) << R"({"query":"a","text":"b"})" << '\n';
  std::stop_source stop;
  stop.request_stop();
  const auto report =
      score_pairs_file(*model_, path("pairs.jsonl"), {path("a.jsonl")}, {}, {}, stop.get_token());
  EXPECT_EQ(report.error().code(), ErrorCode::cancelled);
  EXPECT_FALSE(std::filesystem::exists(path("a.jsonl")));
}

TEST_F(RerankTest, AFileOfScoresIsReadAsRowsOfThem) {
  std::ofstream(path("pairs.csv")) << "key,query,text\nx,how much,a ticket\ny,a,b\n";
  const std::vector<std::filesystem::path> outputs = {path("a.jsonl"), path("a.parquet")};
  const InputOptions texts = {.id_field = "key"};
  const auto report = score_pairs_file(*model_, path("pairs.csv"), outputs, texts);
  ASSERT_TRUE(report) << report.error().message();
  const std::vector<TextPair> pairs = {{"how much", "a ticket"}, {"a", "b"}};
  const PairScores expected = model_->score(pairs).value();
  for (const auto& output : outputs) {
    const auto scores = open_vectors(output).value();
    EXPECT_EQ(scores->info().kind, RowKind::scores);
    ASSERT_EQ(scores->info().dim, 2U);
    ASSERT_EQ(scores->info().num_rows, 2U);
    EXPECT_EQ(scores->ids().value(), Ids(std::vector<std::string>{"x", "y"}));
    std::vector<float> rows(4);
    ASSERT_TRUE(scores->read(0, 2, rows));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(rows[2 * i], expected.scores.row(i)[0]);
      EXPECT_EQ(rows[2 * i + 1], expected.logits.row(i)[0]);
    }
    EXPECT_EQ(scores->recipe().value()->model_sha256, model_->recipe().value().model_sha256);
  }
}

TEST_F(RerankTest, PartsOfAFileBecomeTheWhole) {
  std::ofstream lines(path("pairs.jsonl"));
  for (int i = 0; i < 50; ++i)
    lines << R"({"query":"how much )" << i % 7 << R"(","text":"a ticket )" << i << R"("})" << '\n';
  lines.close();
  std::vector<std::filesystem::path> manifests;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto output = path("part" + std::to_string(i) + ".jsonl");
    const auto done = score_pairs_file(*model_, path("pairs.jsonl"), {output}, {},
                                       {.part = InputPart{.index = i, .count = 3}});
    ASSERT_TRUE(done) << done.error().message();
    manifests.push_back(part_manifest_path(output));
    EXPECT_EQ(read_part_manifest(manifests.back())->kind, RowKind::scores);
  }
  const auto joined = join_parts(manifests, path("joined.jsonl"));
  ASSERT_TRUE(joined) << joined.error().message();
  EXPECT_TRUE(joined->problems.empty());
  ASSERT_TRUE(score_pairs_file(*model_, path("pairs.jsonl"), {path("whole.jsonl")}));
  EXPECT_EQ(content("joined.jsonl"), content("whole.jsonl"));
}

TEST_F(RerankTest, AFormatWithoutScoresIsRefused) {
  std::ofstream(path("pairs.jsonl")) << R"({"query":"a","text":"b"})" << '\n';
  const auto report = score_pairs_file(*model_, path("pairs.jsonl"), {path("a.npy")});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(score_pairs_file(*model_, path("pairs.jsonl"), {}).error().code(),
            ErrorCode::invalid_argument);
}

TEST_F(RerankTest, HitsAreRankedByTheirTexts) {
  std::ofstream(path("texts.txt")) << "-\n-\n-\n-\na ticket\n-\n-\nthe house\n-\na b c\n";
  const RowHits hits = {{{9, 0.1F}, {4, 0.2F}, {7, 0.3F}}, {{7, 0.5F}}, {}};
  RowTextsBuilder builder(10, &hits);
  ASSERT_TRUE(builder.read_in_order(path("texts.txt"), {}, 0, 10));
  const RowTexts texts = std::move(builder).finish();
  const std::vector<std::string_view> queries = {"how much", "a", "b"};
  const RankedRows ranked = rank_hits(*model_, {queries, hits, texts}, 2).value();
  ASSERT_EQ(ranked.size(), 3U);
  ASSERT_EQ(ranked[0].size(), 2U);
  EXPECT_GE(ranked[0][0].logit, ranked[0][1].logit);
  const std::vector<std::string_view> documents = {"a b c", "a ticket", "the house"};
  const auto expected = model_->rank("how much", documents, 2).value();
  for (std::size_t i = 0; i < 2; ++i) {
    const RowHit& hit = hits[0][expected[i].index];
    EXPECT_EQ(ranked[0][i], (RankedRow{hit.row, hit.distance, expected[i].score, expected[i].logit,
                                       expected[i].truncated}));
  }
  EXPECT_EQ(ranked[1].size(), 1U);
  EXPECT_TRUE(ranked[2].empty());
}

TEST_F(RerankTest, HitsNeedQueriesAndTexts) {
  const std::vector<std::string_view> queries = {"a"};
  const RowHits hits = {{{1, 0.1F}}};
  EXPECT_EQ(rank_hits(*model_, {queries, hits, {}}, 1).error().code(), ErrorCode::missing);
  EXPECT_EQ(rank_hits(*model_, {{}, hits, {}}, 1).error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace embd
