#include "engine/loaded_model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/os/mapped_file.h"
#include "engine/embed.h"
#include "engine/feeds.h"

// Foundations of a class of models other than Model: a file's bytes, inputs of any sort, a head of
// its own.

namespace embd {
namespace {

const std::filesystem::path fixtures = std::filesystem::path(EMBD_TEST_DATA) / "embd";

/// Two numbers a text: the sums of the first components of the first and the last token.
class EndsHead final : public Head {
 public:
  std::size_t width() const noexcept override { return 2; }
  void apply(MatrixView rows, std::vector<float>&, std::span<float> out) const override {
    const auto sum = [](std::span<const float> row) { return row[0] + row[1] + row[2]; };
    out[0] = sum(rows.row(0));
    out[1] = sum(rows.row(rows.rows() - 1));
  }
};

class LoadedModelTest : public testing::Test {
 protected:
  /// Over bytes in memory: no path is known.
  static std::unique_ptr<const LoadedModel> load(const char* name, HashKeeper keep = {}) {
    static std::vector<MappedFile> maps;
    maps.push_back(MappedFile::open(fixtures / name).value());
    return LoadedModel::load(WeightFile::from_bytes(maps.back().bytes()).value(), Compute::f32,
                             std::move(keep))
        .value();
  }

  static std::vector<float> run(const LoadedModel& model, const Inputs& inputs, const RunPlan& plan,
                                std::span<RowReport> reports = {}) {
    const EndsHead head;
    std::vector<float> rows(inputs.size() * head.width());
    SpanFeed feed(inputs, rows, reports, model.feed_options(plan, head));
    const auto report = model.run(feed, plan, head, {});
    EXPECT_TRUE(report) << report.error().message();
    return rows;
  }

  static RunPlan plan_of(const LoadedModel& model, const RunOptions& options = {}) {
    return plan_run(options, model.spec(), 2).value();
  }
};

TEST_F(LoadedModelTest, IsTheModelOfItsFile) {
  const auto loaded = load("plain.weights");
  const Model model = Model::open(fixtures / "plain.weights").value();
  const std::vector<std::string_view> texts = {"the cat", "", "a mat, a hat"};
  const EncodePlan plan = plan_encoding({}, loaded->spec(), 2).value();
  Matrix rows(texts.size(), plan.pooling.dim);
  ASSERT_TRUE(
      embed(*loaded, std::span<const std::string_view>(texts), rows.values(), {}, plan, {}));
  const Matrix expected = model.encode(texts).value();
  EXPECT_EQ(std::memcmp(rows.data(), expected.data(), expected.values().size_bytes()), 0);
  EXPECT_EQ(loaded->sha256(), model.recipe()->model_sha256);
  EXPECT_EQ(loaded->tokenizer().hash(), model.recipe()->tokenizer_sha256);
}

TEST_F(LoadedModelTest, ItsHashMayBeKept) {
  int computed = 0;
  const auto kept = load("plain.weights", [](const auto&) { return std::string("kept"); });
  EXPECT_EQ(kept->sha256(), "kept");
  const auto counted = load("plain.weights", [&](const auto& compute) {
    ++computed;
    return compute();
  });
  EXPECT_EQ(counted->sha256(), load("plain.weights")->sha256());
  EXPECT_EQ(counted->sha256().size(), 64U);
  EXPECT_EQ(computed, 1);
}

/// A pair's row depends on neither its batch nor the threads, and a pair is not its two texts in
/// one: the types of its tokens differ.
TEST_F(LoadedModelTest, PairsGoThroughAHeadOfTheirOwn) {
  const auto model = load("plain.weights");
  const std::vector<std::string> words = {"the", "cat", "sat", "on", "a", "mat", "hello", "world"};
  std::mt19937 random(5);
  std::vector<std::pair<std::string, std::string>> texts(60);
  for (auto& [first, second] : texts) {
    for (auto i = random() % 8; i > 0; --i) first += words[random() % words.size()] + " ";
    for (auto i = random() % 40; i > 0; --i) second += words[random() % words.size()] + " ";
  }
  std::vector<TextPair> pairs;
  for (const auto& [first, second] : texts) pairs.push_back({first, second});
  std::vector<RowReport> reports(pairs.size());
  const auto all = run(*model, std::span<const TextPair>(pairs), plan_of(*model), reports);
  for (const RunOptions& options : {RunOptions{.threads = 2, .batch_tokens = 64},
                                    RunOptions{.batch_tokens = 1, .dedup = false}}) {
    const RunPlan plan = plan_of(*model, options);
    EXPECT_EQ(run(*model, std::span<const TextPair>(pairs), plan), all);
  }
  TokenizerWorker tokenizer(model->tokenizer());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const RunPlan plan = plan_of(*model);
    const auto alone = run(*model, std::span<const TextPair>(&pairs[i], 1), plan);
    EXPECT_TRUE(std::ranges::equal(alone, std::span(all).subspan(i * 2, 2)));

    // The same as tokens that the caller made.
    const Tokens tokens = tokenizer.tokenize(pairs[i], plan.text).value();
    EXPECT_EQ(reports[i].tokens, tokens.whole_length);
    EXPECT_EQ(reports[i].truncated, tokens.truncated);
    const TokenSpan span = {.ids = tokens.ids, .types = tokens.types};
    EXPECT_EQ(run(*model, std::span<const TokenSpan>(&span, 1), plan), alone);
    const TokenSpan untyped = {.ids = tokens.ids};
    EXPECT_NE(run(*model, std::span<const TokenSpan>(&untyped, 1), plan), alone);
  }
}

/// Equal ids of other types are another input, also where repeated ones are looked for.
TEST_F(LoadedModelTest, RepeatedInputsHaveTheSameTypes) {
  const auto model = load("plain.weights");
  const std::vector<std::int32_t> ids = {101, 9, 102, 9, 102};
  const std::vector<std::uint8_t> types = {0, 0, 0, 1, 1};
  const std::vector<TokenSpan> inputs = {
      {.ids = ids}, {.ids = ids, .types = types}, {.ids = ids}, {.ids = ids, .types = types}};
  const auto with = [&](bool dedup) {
    return run(*model, std::span<const TokenSpan>(inputs), plan_of(*model, {.dedup = dedup}));
  };
  const auto rows = with(true);
  EXPECT_EQ(rows, with(false));
  EXPECT_NE(rows[0], rows[2]);
  EXPECT_EQ(rows[0], rows[4]);
  EXPECT_EQ(rows[2], rows[6]);
}

/// Tokens that are too many are cut as their text would be: the special ones stay.
TEST_F(LoadedModelTest, GivenTokensAreCutInsideTheTemplate) {
  const auto model = load("plain.weights");
  std::string text;
  for (int i = 0; i < 60; ++i) text += i % 3 == 0 ? "cat " : "the mat ";
  TokenizerWorker tokenizer(model->tokenizer());
  const Tokens whole = tokenizer.tokenize(std::string_view(text), {}).value();
  for (const TruncationSide side : {TruncationSide::right, TruncationSide::left}) {
    const RunPlan plan = plan_of(*model, {.max_length = 11, .truncation_side = side});
    const std::string_view view = text;
    const TokenSpan span = {.ids = whole.ids};
    RowReport report;
    EXPECT_EQ(run(*model, std::span<const TokenSpan>(&span, 1), plan, {&report, 1}),
              run(*model, std::span<const std::string_view>(&view, 1), plan));
    EXPECT_EQ(report.tokens, whole.ids.size());
    EXPECT_TRUE(report.truncated);
  }
}

}  // namespace
}  // namespace embd
