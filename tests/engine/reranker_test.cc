#include "embd/reranker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "base/path_text.h"
#include "embd/convert_model.h"
#include "engine/kernels/kernels.h"
#include "tests/support/cross_encoder.h"
#include "tests/support/gzip.h"
#include "tests/support/npy.h"
#include "tests/support/split.h"
#include "tests/support/temporary_directory.h"

// Cross-encoders against the logits and scores that sentence-transformers computes in float64
// (tests/data/rerank), once for each table of kernels.

namespace embd {
namespace {

constexpr std::array models = {"bert_identity",   "bert_identity_before4",
                               "bert_saved_by_6", "bert_sigmoid",
                               "bert_three",      "xlmr_sigmoid"};

struct Golden {
  struct Row {
    std::string query;
    std::string text;
    std::vector<std::int32_t> ids;
    std::vector<std::uint8_t> types;
  };
  std::vector<Row> rows;
  std::vector<double> logits;
  std::vector<double> scores;

  std::vector<TextPair> pairs() const {
    std::vector<TextPair> pairs;
    for (const Row& row : rows) pairs.push_back({row.query, row.text});
    return pairs;
  }
};

Golden read_golden(const std::string& name) {
  const std::string base = text_of_path(test::golden_pairs / name);
  Golden golden;
  const std::string lines = testing::read_gzip(base + ".jsonl.gz");
  for (const std::string_view line : testing::split(lines, '\n')) {
    const auto row = nlohmann::json::parse(line);
    std::vector<std::int32_t> ids = row["ids"];
    // XLM-RoBERTa has no types: all are 0.
    const auto types = row.value("types", std::vector<std::uint8_t>(ids.size()));
    golden.rows.push_back({row["query"], row["text"], std::move(ids), types});
  }
  golden.logits = test::read_npy(base + ".logits.npy").as<double>();
  golden.scores = test::read_npy(base + ".scores.npy").as<double>();
  return golden;
}

/// Pairs whose places are their places in `pairs`, in another order.
std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, std::mt19937(3));
  return order;
}

class Pairs final : public PairSource {
 public:
  explicit Pairs(std::vector<TextPair> pairs) : pairs_(std::move(pairs)) {}
  Result<bool> next(std::string& first, std::string& second) override {
    if (next_ == pairs_.size()) return false;
    first = pairs_[next_].first;
    second = pairs_[next_++].second;
    return true;
  }

 private:
  std::vector<TextPair> pairs_;
  std::size_t next_ = 0;
};

class Sink final : public ScoreSink {
 public:
  Result<void> write(MatrixView of_logits, MatrixView of_scores,
                     std::span<const RowReport> of_reports) override {
    logits.insert(logits.end(), of_logits.values().begin(), of_logits.values().end());
    scores.insert(scores.end(), of_scores.values().begin(), of_scores.values().end());
    reports.insert(reports.end(), of_reports.begin(), of_reports.end());
    return {};
  }
  std::vector<float> logits;
  std::vector<float> scores;
  std::vector<RowReport> reports;
};

class RerankerTest : public test::TemporaryDirectory,
                     public ::testing::WithParamInterface<const kernels::Kernels*> {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    if (!GetParam()->supported()) GTEST_SKIP() << "this machine has no " << GetParam()->name;
    ::setenv("EMBD_KERNELS", GetParam()->name, 1);
  }
  void TearDown() override { ::unsetenv("EMBD_KERNELS"); }

  Reranker open(const std::string& name, const LoadOptions& options = {}) const {
    if (!std::filesystem::exists(path(name))) test::make_cross_encoder(name, path(name));
    auto model = Reranker::open(path(name), options);
    if (!model) throw std::runtime_error(model.error().message());
    return std::move(*model);
  }
};

TEST_P(RerankerTest, LogitsAndScoresAreThoseOfTheOracle) {
  for (const char* name : models) {
    SCOPED_TRACE(name);
    const Reranker model = open(name);
    const Golden golden = read_golden(name);
    const PairScores result = model.score(golden.pairs()).value();
    const std::size_t labels = model.labels().size();
    ASSERT_EQ(result.logits.values().size(), golden.logits.size());
    ASSERT_EQ(golden.logits.size(), golden.rows.size() * labels);
    double largest = 1;
    for (const double logit : golden.logits) largest = std::max(largest, std::abs(logit));
    for (std::size_t i = 0; i < golden.logits.size(); ++i) {
      EXPECT_NEAR(result.logits.values()[i], golden.logits[i], 5e-6 * largest) << i;
      // The table outside the promise is a little further off.
      const double of_sigmoid = GetParam()->name == std::string_view("reference") ? 3e-6 : 2e-6;
      const double bar =
          model.activation() == ScoreActivation::sigmoid ? of_sigmoid : 5e-6 * largest;
      EXPECT_NEAR(result.scores.values()[i], golden.scores[i], bar) << i;
    }
    const auto [least, most] = std::ranges::minmax(golden.logits);
    for (std::size_t i = 0; i < golden.logits.size(); ++i) {
      for (std::size_t j = 0; j < golden.logits.size(); ++j) {
        if (golden.logits[i] - golden.logits[j] <= 1e-5 * (most - least)) continue;
        EXPECT_GT(result.logits.values()[i], result.logits.values()[j]) << i << ' ' << j;
      }
    }
  }
}

TEST_P(RerankerTest, TokensAreThoseOfTheRealOne) {
  for (const char* name : models) {
    SCOPED_TRACE(name);
    const Reranker model = open(name);
    const Golden golden = read_golden(name);
    const std::vector<RowReport> reports = model.score(golden.pairs())->reports;
    std::size_t truncated = 0;
    for (std::size_t i = 0; i < golden.rows.size(); ++i) {
      const Golden::Row& row = golden.rows[i];
      const Tokens tokens = model.tokenize({row.query, row.text}).value();
      EXPECT_EQ(tokens.ids, row.ids);
      EXPECT_EQ(tokens.types, row.types);
      EXPECT_EQ(reports[i].tokens, tokens.whole_length);
      EXPECT_EQ(reports[i].truncated, tokens.truncated);
      truncated += tokens.truncated ? 1 : 0;
    }
    EXPECT_LT(truncated, golden.rows.size());
    EXPECT_EQ(model.max_length(), std::string_view(name) == "bert_saved_by_6" ? 40U : 48U);
  }
}

TEST_P(RerankerTest, APairHasTheSameBytesInEveryBatch) {
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    SCOPED_TRACE(compute_name(compute));
    if (GetParam()->name == std::string_view("reference") && compute != Compute::f32) continue;
    const Reranker model = open("bert_three", {.compute = compute});
    const Golden golden = read_golden("bert_three");
    const std::vector<TextPair> pairs = golden.pairs();
    const PairScores all = model.score(pairs).value();

    const std::vector<std::size_t> order = shuffled(pairs.size());
    std::vector<TextPair> mixed;
    for (const std::size_t i : order) mixed.push_back(pairs[i]);
    for (const ScoreOptions& options :
         {ScoreOptions{.threads = 2, .batch_tokens = 64}, ScoreOptions{.threads = 3},
          ScoreOptions{.batch_tokens = 1, .dedup = false}}) {
      const PairScores other = model.score(mixed, options).value();
      for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(other.logits.row(i), all.logits.row(order[i])));
    }
    for (std::size_t i = 0; i < pairs.size(); i += 7) {
      const PairScores alone = model.score({&pairs[i], 1}, {.threads = 2}).value();
      EXPECT_TRUE(std::ranges::equal(alone.logits.row(0), all.logits.row(i)));
    }

    Pairs source(pairs);
    Sink sink;
    EXPECT_EQ(model.score(source, sink)->rows, pairs.size());
    EXPECT_TRUE(std::ranges::equal(sink.logits, all.logits.values()));
    EXPECT_TRUE(std::ranges::equal(sink.scores, all.scores.values()));
    ASSERT_EQ(sink.reports.size(), all.reports.size());
    for (std::size_t i = 0; i < sink.reports.size(); ++i)
      EXPECT_EQ(sink.reports[i].tokens, all.reports[i].tokens);
  }
}

TEST_P(RerankerTest, AConvertedFileIsTheFolder) {
  const Reranker folder = open("bert_three");
  const Golden golden = read_golden("bert_three");
  ASSERT_TRUE(convert_model(path("bert_three"), path("three.weights"), {}));
  const Reranker file = Reranker::open(path("three.weights"), {.verify = true}).value();
  const Recipe recipe = file.recipe().value();
  EXPECT_EQ(recipe, folder.recipe().value());
  EXPECT_EQ(recipe.model_sha256.size(), 64U);
  EXPECT_EQ(recipe.max_length, 48U);
  EXPECT_EQ(recipe.truncate_dim, 3U);
  EXPECT_EQ(file.recipe({.max_length = 20, .prompt = "q: "})->max_length, 20U);
  EXPECT_EQ(file.labels(), (std::vector<std::string>{"contradiction", "entailment", "neutral"}));
  EXPECT_EQ(file.activation(), ScoreActivation::identity);
  EXPECT_TRUE(std::ranges::equal(file.score(golden.pairs())->logits.values(),
                                 folder.score(golden.pairs())->logits.values()));
  // The head stays in float32 where the encoder's matrices are stored as int8.
  ASSERT_TRUE(convert_model(path("bert_three"), path("int8.weights"), {.type = ElementType::i8}));
  const auto logits = Reranker::open(path("int8.weights"))->score(golden.pairs())->logits;
  for (std::size_t i = 0; i < golden.logits.size(); ++i)
    EXPECT_NEAR(logits.values()[i], golden.logits[i], 1.5) << i;
}

INSTANTIATE_TEST_SUITE_P(Tables, RerankerTest,
                         ::testing::ValuesIn(kernels::available_kernels().begin,
                                             kernels::available_kernels().end),
                         [](const auto& table) { return std::string(table.param->name); });

class RerankerOpenTest : public test::TemporaryDirectory {
 protected:
  std::filesystem::path folder(const std::string& name) const {
    test::make_cross_encoder(name, path(name));
    return path(name);
  }
  void replace(const std::filesystem::path& file, const std::string& from,
               const std::string& to) const {
    std::ifstream in(file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    std::ofstream(file, std::ios::binary) << text;
  }
};

/// All tables of kernels that give the same bytes.
TEST_F(RerankerOpenTest, APairHasTheSameBytesOnAllKernels) {
  const std::filesystem::path model = folder("bert_identity");
  const Golden golden = read_golden("bert_identity");
  const std::span tables(kernels::available_kernels().begin, kernels::available_kernels().end);
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    std::vector<float> first;
    std::size_t compared = 0;
    for (const kernels::Kernels* table : tables) {
      if (!table->supported() || std::string_view(table->name) == "reference") continue;
      ::setenv("EMBD_KERNELS", table->name, 1);
      const auto opened = Reranker::open(model, {.compute = compute});
      if (!opened) continue;  // has no products of this arithmetic
      const PairScores result =
          opened->score(golden.pairs(), {.activation = ScoreActivation::sigmoid}).value();
      std::vector<float> values(result.logits.values().begin(), result.logits.values().end());
      values.insert(values.end(), result.scores.values().begin(), result.scores.values().end());
      if (first.empty()) first = values;
      EXPECT_EQ(std::memcmp(first.data(), values.data(), values.size() * sizeof(float)), 0)
          << table->name;
      ++compared;
    }
    EXPECT_GT(compared, 0U);
  }
  ::unsetenv("EMBD_KERNELS");
}

TEST_F(RerankerOpenTest, AClassOfModelsIsRefusedByTheOther) {
  const auto sentences =
      Reranker::open(std::filesystem::path(EMBD_TEST_DATA) / "embd" / "plain.weights");
  ASSERT_FALSE(sentences);
  EXPECT_EQ(sentences.error().code(), ErrorCode::unsupported);
  EXPECT_NE(sentences.error().message().find("sentence embedding model"), std::string::npos);
  const auto pairs = Model::open(folder("bert_identity"));
  ASSERT_FALSE(pairs);
  EXPECT_EQ(pairs.error().code(), ErrorCode::unsupported);
  EXPECT_NE(pairs.error().message().find("bert_identity is a cross-encoder"), std::string::npos)
      << pairs.error().message();
  ASSERT_TRUE(convert_model(path("bert_identity"), path("pairs.weights"), {}));
  EXPECT_EQ(Model::open(path("pairs.weights")).error().code(), ErrorCode::unsupported);
}

TEST_F(RerankerOpenTest, AMissingHeadIsAnError) {
  const std::filesystem::path model = folder("bert_identity");
  replace(model / "model.safetensors", "classifier.weight", "classified.weight");
  const auto without_classifier = Reranker::open(model);
  EXPECT_EQ(without_classifier.error().code(), ErrorCode::tensor_missing);
  EXPECT_EQ(without_classifier.error().what(), "classifier.weight");
  replace(model / "model.safetensors", "classified.weight", "classifier.weight");
  replace(model / "model.safetensors", "pooler.dense.bias", "pooled.dense.bias");
  EXPECT_EQ(Reranker::open(model).error().what(), "pooler.dense.bias");
}

TEST_F(RerankerOpenTest, LabelsAreAsManyAsTheClassifierHas) {
  const std::filesystem::path model = folder("bert_identity");
  replace(model / "config.json", R"("0": "LABEL_0")", R"("0": "no", "1": "yes")");
  const auto opened = Reranker::open(model);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::bad_value);
  EXPECT_NE(opened.error().message().find("id2label: 2 labels, but the weights have 1"),
            std::string::npos)
      << opened.error().message();
}

TEST_F(RerankerOpenTest, OtherActivationsAndEncodersAreRefusedByName) {
  const std::filesystem::path model = folder("bert_saved_by_6");
  const std::filesystem::path settings = model / "config_sentence_transformers.json";
  replace(settings, "linear.Identity", "activation.Tanh");
  const auto tanh = Reranker::open(model);
  EXPECT_EQ(tanh.error().code(), ErrorCode::unsupported);
  EXPECT_NE(tanh.error().message().find("activation.Tanh"), std::string::npos);
  replace(settings, "activation.Tanh", "linear.Identity");
  replace(settings, "CrossEncoder", "SparseEncoder");
  EXPECT_NE(Reranker::open(model).error().message().find("SparseEncoder"), std::string::npos);
  replace(settings, "SparseEncoder", "CrossEncoder");
  replace(model / "config.json", R"("model_type": "bert")", R"("model_type": "deberta-v2")");
  EXPECT_NE(Reranker::open(model).error().message().find("deberta-v2"), std::string::npos);
}

class RankTest : public RerankerOpenTest {
 protected:
  void SetUp() override {
    RerankerOpenTest::SetUp();
    model_ = Reranker::open(folder("bert_sigmoid")).value();
  }
  std::optional<Reranker> model_;
  const std::vector<std::string_view> documents_ = {
      "Der Zug nach Süden hat heute zwanzig Minuten Verspätung.",
      "a b c",
      "",
      "a b c",
      "how much is a ticket",
      "1 2 3"};
};

TEST_F(RankTest, TheBestIsFirstAndTiesKeepTheirOrder) {
  const std::string_view query = "how much?";
  const auto ranking = model_->rank(query, documents_).value();
  ASSERT_EQ(ranking.size(), documents_.size());
  std::vector<TextPair> pairs;
  for (const std::string_view document : documents_) pairs.push_back({query, document});
  const PairScores scored = model_->score(pairs).value();
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    EXPECT_EQ(ranking[i].logit, scored.logits.row(ranking[i].index)[0]);
    EXPECT_EQ(ranking[i].score, scored.scores.row(ranking[i].index)[0]);
    EXPECT_NE(ranking[i].score, ranking[i].logit);
    if (i > 0) {
      EXPECT_GE(ranking[i - 1].logit, ranking[i].logit);
    }
    if (ranking[i].index == 3) {
      EXPECT_EQ(ranking[i - 1].index, 1U);  // the same text
    }
  }
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}, std::size_t{100}}) {
    const auto best = model_->rank(query, documents_, k).value();
    ASSERT_EQ(best.size(), std::min(k, documents_.size()));
    EXPECT_TRUE(std::ranges::equal(best, std::span(ranking).first(best.size())));
  }
  EXPECT_TRUE(model_->rank(query, {})->empty());
}

TEST_F(RankTest, LogitsOrderWhatAnActivationRoundsTogether) {
  const auto raw = model_->rank("q", documents_, 6, {.activation = ScoreActivation::identity});
  const auto activated = model_->rank("q", documents_, 6);
  for (std::size_t i = 0; i < raw->size(); ++i) {
    EXPECT_EQ((*raw)[i].index, (*activated)[i].index);
    EXPECT_EQ((*raw)[i].score, (*raw)[i].logit);
  }
}

TEST_F(RankTest, SeveralLabelsAreNoRanking) {
  const Reranker three = Reranker::open(folder("bert_three")).value();
  EXPECT_EQ(three.rank("q", documents_).error().code(), ErrorCode::invalid_argument);
}

TEST_F(RankTest, OptionsAreChecked) {
  const TextPair pair = {"a b c d e f", "g h i"};
  const std::span<const TextPair> pairs(&pair, 1);
  const auto code = [&](const ScoreOptions& options) {
    const auto result = model_->score(pairs, options);
    return result ? std::string_view("good") : describe(result.error().code());
  };
  // Three special tokens, and one token of each text.
  EXPECT_EQ(model_->least_length(), 5U);
  EXPECT_EQ(code({.max_length = 5}), "good");
  EXPECT_EQ(code({.max_length = 4}), describe(ErrorCode::invalid_argument));
  EXPECT_EQ(code({.max_length = 65}), describe(ErrorCode::invalid_argument));
  EXPECT_EQ(code({.prompt_name = "no such"}), describe(ErrorCode::invalid_argument));
  EXPECT_EQ(code({.threads = -1}), describe(ErrorCode::invalid_argument));
  const TextPair broken = {"a", "b\xff"};
  const auto strict = model_->score({&broken, 1}, {.strict_utf8 = true});
  EXPECT_EQ(strict.error().code(), ErrorCode::invalid_utf8);

  // With a prompt the first text is another one.
  const TextPair prompted = {"query: a b c d e f", "g h i"};
  EXPECT_EQ(model_->score(pairs, {.prompt = "query: "})->logits.row(0)[0],
            model_->score({&prompted, 1})->logits.row(0)[0]);
  // The two ends of a pair of 12 tokens.
  EXPECT_EQ(model_->tokenize(pair, {.max_length = 7})->ids, model_->tokenize({"a b", "g h"})->ids);
  EXPECT_EQ(model_->tokenize(pair, {.max_length = 7, .truncation_side = TruncationSide::left})->ids,
            model_->tokenize({"e f", "h i"})->ids);
  EXPECT_EQ(model_->tokenize(pair, {.max_length = 0})->ids.size(), 12U);

  // A cut is reported, or refused.
  const std::vector<TextPair> two = {{"a", "b"}, pair};
  const auto reports = model_->score(two, {.max_length = 7})->reports;
  EXPECT_FALSE(reports[0].truncated);
  EXPECT_TRUE(reports[1].truncated);
  EXPECT_EQ(reports[1].tokens, 12U);
  const ScoreOptions refusing = {.max_length = 7, .refuse_truncated = true};
  const auto refused = model_->score(two, refusing);
  EXPECT_EQ(refused.error().code(), ErrorCode::bad_value);
  EXPECT_EQ(refused.error().line(), 2U);
  Pairs source(two);
  Sink sink;
  EXPECT_EQ(model_->score(source, sink, refusing).error().line(), 2U);
  EXPECT_TRUE(model_->score(two, {.refuse_truncated = true}));
  const std::vector<std::string_view> documents = {"b", "g h i"};
  const auto ranking = model_->rank("a b c", documents, 2, {.max_length = 8}).value();
  for (const RankedDocument& document : ranking) EXPECT_EQ(document.truncated, document.index == 1);

  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(model_->score(pairs, {}, stop.get_token()).error().code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace embd
