#include "embd/model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "base/checksum.h"
#include "base/os/file_descriptor.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "embd/convert_model.h"
#include "embd/version.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/embd/embd_writer.h"
#include "tests/support/overflowing_weights.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/weights_with_metadata.h"

// The public Model over the small models of tests/data/embd, once for each table of kernels.

namespace embd {
namespace {

const std::filesystem::path fixtures = std::filesystem::path(EMBD_TEST_DATA) / "embd";

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

/// Words in a few alphabets, white space, emoji, and texts of no word at all.
std::vector<std::string> make_texts(std::size_t count) {
  const std::vector<std::string> words = {"the",   "cat",  "Über", "naïve", "東京", "42", "a",
                                          "hello", "sat.", "mat!", "\t",    "😀",   "-",  "world"};
  std::mt19937 random(3);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    const std::size_t length = random() % 4 == 0 ? random() % 60 : random() % 9;
    for (std::size_t w = 0; w < length; ++w) text += words[random() % words.size()] + " ";
    texts.push_back(text);
  }
  return texts;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

bool same_bytes(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

class VectorSource final : public TextSource {
 public:
  explicit VectorSource(const std::vector<std::string>& texts) : texts_(texts) {}
  Result<bool> next(std::string& text) override {
    if (next_ == texts_.size()) return false;
    text = texts_[next_++];
    return true;
  }

 private:
  const std::vector<std::string>& texts_;
  std::size_t next_ = 0;
};

class VectorIdSource final : public TokenIdSource {
 public:
  explicit VectorIdSource(const std::vector<std::span<const std::int32_t>>& texts)
      : texts_(texts) {}
  Result<bool> next(std::vector<std::int32_t>& ids) override {
    if (next_ == texts_.size()) return false;
    ids.assign(texts_[next_].begin(), texts_[next_].end());
    ++next_;
    return true;
  }

 private:
  const std::vector<std::span<const std::int32_t>>& texts_;
  std::size_t next_ = 0;
};

class VectorSink final : public RowSink {
 public:
  Result<void> write(MatrixView rows, std::span<const RowReport> row_reports) override {
    values.insert(values.end(), rows.values().begin(), rows.values().end());
    reports.insert(reports.end(), row_reports.begin(), row_reports.end());
    return {};
  }
  std::vector<float> values;
  std::vector<RowReport> reports;
};

using test::Metadata;

class ModelTest : public test::TemporaryDirectory,
                  public testing::WithParamInterface<const kernels::Kernels*> {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    if (!GetParam()->supported()) GTEST_SKIP() << "this machine has no " << GetParam()->name;
    ::setenv("EMBD_KERNELS", GetParam()->name, 1);
  }
  void TearDown() override { ::unsetenv("EMBD_KERNELS"); }

  /// A fixture with more entries in its metadata.
  std::filesystem::path with_metadata(const std::string& name, const Metadata& entries) {
    const std::filesystem::path file = path(std::to_string(num_files_++) + name);
    EXPECT_TRUE(test::copy_with_metadata(fixtures / name, file, entries));
    return file;
  }

  static Model open(const std::string& name) {
    auto model = Model::open(fixtures / name);
    if (!model) throw std::runtime_error(model.error().message());
    return std::move(*model);
  }

  int num_files_ = 0;
};

TEST_P(ModelTest, EveryFixtureGivesItsExpectedVectors) {
  for (const auto& entry : read_json(fixtures / "manifest.json")) {
    const std::string name = entry["file"];
    SCOPED_TRACE(name);
    LoadOptions options;
    if (!entry["vocab_file"].is_null()) {
      options.vocab = fixtures / entry["vocab_file"].get<std::string>();
    }
    const auto model = Model::open(fixtures / name, options);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model->instruction_set(), GetParam()->name);
    EXPECT_EQ(model->dim(), entry["config"]["hidden_size"].get<std::uint32_t>());
    EXPECT_EQ(model->max_length(), entry["config"]["max_seq_length"].get<std::uint32_t>());

    const auto cases = read_json(fixtures / entry["expected"]);
    for (const auto& expected : cases["cases"]) {
      const std::string text = expected["text"];
      SCOPED_TRACE(text);
      const auto tokens = model->tokenize(text);
      ASSERT_TRUE(tokens) << tokens.error().message();
      EXPECT_EQ(tokens->ids, expected["ids"].get<std::vector<std::int32_t>>());
      EXPECT_EQ(tokens->truncated, expected["truncated"].get<bool>());

      const auto values = expected["embedding"].get<std::vector<float>>();
      float largest = 1;
      for (const float v : values) largest = std::max(largest, std::abs(v));
      const auto row = model->encode(text);
      ASSERT_TRUE(row) << row.error().message();
      ASSERT_EQ(row->size(), values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR((*row)[i], values[i], 5e-6F * largest) << "component " << i;
      }
    }
  }
}

/// The promise of the project: a text has the same bytes in any batch, in any order, for any batch
/// size and number of threads.
TEST_P(ModelTest, ATextHasTheSameBytesInEveryBatch) {
  for (const char* name : {"plain.weights", "pooling_max.weights", "f16.weights"}) {
    SCOPED_TRACE(name);
    const Model model = open(name);
    const std::vector<std::string> texts = make_texts(150);
    std::vector<std::vector<float>> alone;
    for (const std::string& text : texts) alone.push_back(model.encode(text).value());

    std::mt19937 random(5);
    for (const std::size_t batch_tokens : {0, 1, 7, 64, 1000}) {
      for (const int threads : {1, 2, 5}) {
        std::vector<std::size_t> order(texts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, random);
        order.resize(1 + random() % order.size());
        std::vector<std::string_view> batch;
        for (const std::size_t i : order) batch.push_back(texts[i]);
        const auto rows = model.encode(batch, {.threads = threads, .batch_tokens = batch_tokens});
        ASSERT_TRUE(rows) << rows.error().message();
        for (std::size_t i = 0; i < order.size(); ++i) {
          ASSERT_TRUE(same_bytes(rows->row(i), alone[order[i]]))
              << "text " << order[i] << ", " << batch_tokens << " tokens, " << threads
              << " threads";
        }
      }
    }
  }
}

/// Its steps are shared by the threads then.
TEST_P(ModelTest, ALoneTextHasTheSameBytesForAnyThreads) {
  const std::vector<std::string> texts = make_texts(12);
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    SCOPED_TRACE(compute_name(compute));
    const auto model = Model::open(fixtures / "plain.weights", {.compute = compute});
    if (compute == Compute::bf16 && std::string_view(GetParam()->name) == "reference") {
      EXPECT_FALSE(model) << "the reference has no bf16";
      continue;
    }
    ASSERT_TRUE(model) << model.error().message();
    for (const std::string& text : texts) {
      const std::vector<float> one = *model->encode(text, {.threads = 1});
      for (const int threads : {0, 2, 4}) {
        ASSERT_TRUE(same_bytes(*model->encode(text, {.threads = threads}), one))
            << text << ", " << threads << " threads";
      }
    }
  }
}

TEST_P(ModelTest, AllFormsOfEncodeAgree) {
  const Model model = open("plain.weights");
  const std::vector<std::string> texts = make_texts(700);
  const auto batch = views(texts);
  const auto rows = model.encode(batch);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->rows(), texts.size());
  ASSERT_EQ(rows->cols(), model.dim());

  std::vector<float> own(texts.size() * model.dim());
  std::vector<RowReport> reports(texts.size());
  const auto report = model.encode(batch, own, reports);
  ASSERT_TRUE(report);
  EXPECT_TRUE(same_bytes(own, rows->values()));

  VectorSource source(texts);
  VectorSink sink;
  const auto streamed = model.encode(source, sink, {.threads = 3, .batch_tokens = 50});
  ASSERT_TRUE(streamed);
  EXPECT_TRUE(same_bytes(sink.values, rows->values()));

  Report counted;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Tokens cut = model.tokenize(texts[i]).value();
    const Tokens whole = model.tokenize(texts[i], {.max_length = 0}).value();
    ASSERT_EQ(reports[i].tokens, whole.ids.size());
    ASSERT_EQ(reports[i].truncated, cut.truncated);
    ASSERT_EQ(cut.truncated, whole.ids.size() > model.max_length());
    ASSERT_EQ(sink.reports[i].tokens, reports[i].tokens);
    ++counted.rows;
    counted.tokens += cut.ids.size();
    counted.truncated_rows += cut.truncated ? 1 : 0;
  }
  for (const Report& got : {*report, *streamed}) {
    EXPECT_EQ(got.rows, counted.rows);
    EXPECT_EQ(got.tokens, counted.tokens);
    EXPECT_EQ(got.truncated_rows, counted.truncated_rows);
    EXPECT_GT(got.truncated_rows, 0U);
  }
}

/// Whatever the order, the threads and the batch.
TEST_P(ModelTest, TextsThatRepeatHaveTheBytesTheyHaveWithoutATable) {
  const Model model = open("plain.weights");
  const std::vector<std::string> different = make_texts(60);
  std::mt19937 random(77);
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back(different[random() % different.size()]);
  const auto batch = views(texts);
  const auto expected = model.encode(batch, {.threads = 1, .dedup = false});
  ASSERT_TRUE(expected);
  const std::set<std::string> distinct(texts.begin(), texts.end());
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t batch_tokens : {0, 1, 64, 1000}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, " << batch_tokens << " tokens");
      const EncodeOptions options = {.threads = threads, .batch_tokens = batch_tokens};
      std::vector<float> rows(expected->values().size());
      std::vector<RowReport> reports(texts.size());
      const auto report = model.encode(batch, rows, reports, options);
      ASSERT_TRUE(report);
      EXPECT_TRUE(same_bytes(rows, expected->values()));
      VectorSource source(texts);
      VectorSink sink;
      const auto streamed = model.encode(source, sink, options);
      ASSERT_TRUE(streamed);
      EXPECT_TRUE(same_bytes(sink.values, expected->values()));
      for (const Report& got : {*report, *streamed}) {
        EXPECT_EQ(got.rows, texts.size());
        // Different texts may have the same tokens.
        EXPECT_GE(got.repeated_rows, threads == 1 ? texts.size() - distinct.size() : 1);
      }
    }
  }

  // Windows, too, one by one.
  for (const Windows windows : {Windows::rows, Windows::mean}) {
    std::vector<float> without;
    for (const bool dedup : {false, true}) {
      VectorSource source(texts);
      VectorSink sink;
      const auto report = model.encode(
          source, sink,
          {.max_length = 8, .windows = windows, .stride = 3, .threads = 2, .dedup = dedup});
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->repeated_rows > 0, dedup);
      if (!dedup) without = sink.values;
      EXPECT_TRUE(same_bytes(sink.values, without));
    }
  }
}

TEST_P(ModelTest, TokenVectorsPoolToTheRow) {
  const Model model = open("plain.weights");
  const auto tokens = model.encode_tokens("hello world");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->rows(), model.tokenize("hello world")->ids.size());
  ASSERT_EQ(tokens->cols(), model.dim());

  const auto first = model.encode("hello world", {.pooling = Pooling::cls, .normalize = false});
  EXPECT_TRUE(same_bytes(*first, tokens->row(0)));
  const auto max = model.encode("hello world", {.pooling = Pooling::max, .normalize = false});
  const auto mean = model.encode("hello world", {.pooling = Pooling::mean, .normalize = false});
  for (std::size_t c = 0; c < model.dim(); ++c) {
    float largest = tokens->row(0)[c];
    double sum = 0;
    for (std::size_t t = 0; t < tokens->rows(); ++t) {
      largest = std::max(largest, tokens->row(t)[c]);
      sum += static_cast<double>(tokens->row(t)[c]);
    }
    EXPECT_EQ((*max)[c], largest);
    EXPECT_FLOAT_EQ((*mean)[c], static_cast<float>(sum / static_cast<double>(tokens->rows())));
  }
}

TEST_P(ModelTest, TruncateDimKeepsTheLeadingComponents) {
  const Model model = open("plain.weights");
  const auto whole = model.encode("the cat", {.normalize = false});
  const auto part = model.encode("the cat", {.normalize = false, .truncate_dim = 10});
  ASSERT_EQ(part->size(), 10U);
  EXPECT_TRUE(same_bytes(*part, std::span(*whole).first(10)));

  const auto normalized = model.encode("the cat", {.normalize = true, .truncate_dim = 10});
  double squares = 0;
  for (const float v : *normalized) squares += static_cast<double>(v) * static_cast<double>(v);
  EXPECT_NEAR(squares, 1, 1e-6);
}

TEST_P(ModelTest, PromptStandsBeforeTheText) {
  const Model model = open("plain.weights");
  EXPECT_TRUE(
      same_bytes(*model.encode("cat sat", {.prompt = "the "}), *model.encode("the cat sat")));
  EXPECT_EQ(model.tokenize("cat sat", {.prompt = "the "})->ids, model.tokenize("the cat sat")->ids);
}

TEST_P(ModelTest, PromptsHaveTheNamesOfTheConfiguration) {
  const auto path = with_metadata("plain.weights", {{"prompt.query", "the "},
                                                    {"prompt.topic", "a mat "},
                                                    {"default_prompt_name", "topic"},
                                                    {"truncation_side", "left"}});
  const Model model = Model::open(path).value();
  EXPECT_EQ(model.prompts(),
            (std::vector<Prompt>{{"query", "the "}, {"document", ""}, {"topic", "a mat "}}));
  EXPECT_EQ(model.default_prompt_name(), "topic");
  const auto ids = [&](const EncodeOptions& options) {
    return model.tokenize("cat sat", options)->ids;
  };
  const Model plain = open("plain.weights");
  EXPECT_EQ(ids({.prompt_name = "query"}), plain.tokenize("the cat sat")->ids);
  EXPECT_EQ(ids({.prompt_name = "document"}), plain.tokenize("cat sat")->ids);
  EXPECT_EQ(ids({.prompt = ""}), plain.tokenize("cat sat")->ids);
  EXPECT_EQ(ids({.prompt = "hello "}), plain.tokenize("hello cat sat")->ids);
  EXPECT_EQ(ids({}), plain.tokenize("a mat cat sat")->ids);
  EXPECT_TRUE(same_bytes(*model.encode("cat sat"), *plain.encode("a mat cat sat")));
  EXPECT_EQ(
      ids({.max_length = 4}),
      plain.tokenize("a mat cat sat", {.max_length = 4, .truncation_side = TruncationSide::left})
          ->ids);
  EXPECT_EQ(model.recipe()->prompt, "a mat ");
  EXPECT_EQ(model.recipe({.prompt_name = "query"})->prompt, "the ");

  const auto unknown = model.encode("cat", {.prompt_name = "passage"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(unknown.error().message().find("expected one of query, document, topic"),
            std::string::npos);
  EXPECT_EQ(model.encode("cat", {.prompt = "", .prompt_name = "query"}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(plain.prompts(), (std::vector<Prompt>{{"query", ""}, {"document", ""}}));
  EXPECT_EQ(plain.default_prompt_name(), "");

  for (const Metadata& wrong :
       {Metadata{{"default_prompt_name", "topic"}}, Metadata{{"truncation_side", "top"}}}) {
    const auto refused = Model::open(with_metadata("plain.weights", wrong));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::metadata_value);
  }
}

TEST_P(ModelTest, TheConfigurationsCutComesAfterNormalizing) {
  const Model whole = open("plain.weights");
  const Model cut = Model::open(with_metadata("plain.weights", {{"truncate_dim", "10"}})).value();
  EXPECT_EQ(cut.dim(), 10U);
  const std::vector<std::string> texts = make_texts(20);
  const Matrix rows = cut.encode(views(texts)).value();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto row = whole.encode(texts[i]).value();
    EXPECT_TRUE(same_bytes(rows.row(i), std::span(row).first(10)));
  }
  EXPECT_EQ(cut.recipe()->truncate_dim, 10U);
  EXPECT_TRUE(same_bytes(*cut.encode("the cat", {.truncate_dim = 10}), *cut.encode("the cat")));
  // Vectors that the caller cuts further are normalized again.
  EXPECT_TRUE(same_bytes(*cut.encode("the cat", {.truncate_dim = 4}),
                         *whole.encode("the cat", {.truncate_dim = 4})));
  EXPECT_TRUE(same_bytes(*cut.encode("the cat", {.truncate_dim = 11}),
                         *whole.encode("the cat", {.truncate_dim = 11})));
  EXPECT_TRUE(
      same_bytes(*cut.encode("the cat", {.truncate_dim = cut.hidden()}), *whole.encode("the cat")));
  EXPECT_EQ(cut.encode("the cat", {.truncate_dim = cut.hidden() + 1}).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(Model::open(with_metadata("plain.weights", {{"truncate_dim", "37"}})).error().code(),
            ErrorCode::metadata_contradiction);
}

TEST_P(ModelTest, MaxLengthCutsBeforeTheLastToken) {
  const Model model = open("plain.weights");
  const std::string text = "the cat sat on the mat and the cat sat on the mat";
  const auto whole = model.tokenize(text, {.max_length = 0});
  const auto cut = model.tokenize(text, {.max_length = 5});
  ASSERT_GT(whole->ids.size(), 5U);
  ASSERT_EQ(cut->ids.size(), 5U);
  EXPECT_TRUE(cut->truncated);
  EXPECT_TRUE(std::equal(cut->ids.begin(), cut->ids.end() - 1, whole->ids.begin()));
  EXPECT_EQ(cut->ids.back(), whole->ids.back());
  EXPECT_EQ(model.encode_tokens(text, {.max_length = 5})->rows(), 5U);
}

TEST_P(ModelTest, TheLeftSideIsCutIfAsked) {
  const Model model = open("plain.weights");
  const std::string text = "the cat on a mat hello dog a cat on the mat";  // words of one token
  const Tokens whole = model.tokenize(text, {.max_length = 0}).value();
  const EncodeOptions options = {.max_length = 7, .truncation_side = TruncationSide::left};
  const Tokens cut = model.tokenize(text, options).value();
  ASSERT_EQ(cut.ids.size(), 7U);
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.whole_length, whole.ids.size());
  EXPECT_EQ(cut.ids.front(), whole.ids.front());
  EXPECT_TRUE(std::equal(cut.ids.end() - 6, cut.ids.end(), whole.ids.end() - 6));
  const std::string_view kept = std::string_view(text).substr(cut.ranges[1].begin);
  EXPECT_TRUE(same_bytes(*model.encode(text, options), *model.encode(kept, {.max_length = 7})));
  EXPECT_EQ(model.recipe(options)->truncation_side, TruncationSide::left);
  EXPECT_EQ(model.recipe()->truncation_side, TruncationSide::right);
}

TEST_P(ModelTest, IdsGiveTheVectorsOfTheirTexts) {
  const Model model = open("plain.weights");
  const std::vector<std::string> texts = make_texts(40);
  std::vector<Tokens> tokens;
  std::vector<std::span<const std::int32_t>> ids;
  for (const std::string& text : texts) tokens.push_back(model.tokenize(text).value());
  for (const Tokens& of_text : tokens) ids.emplace_back(of_text.ids);
  const Matrix expected = model.encode(views(texts)).value();
  EXPECT_TRUE(same_bytes(model.encode_ids(ids)->values(), expected.values()));

  const EncodeOptions options = {
      .pooling = Pooling::cls, .normalize = false, .truncate_dim = 5, .threads = 2};
  Matrix rows(texts.size(), 5);
  std::vector<RowReport> reports(texts.size());
  const Report report = model.encode_ids(ids, rows.values(), reports, options).value();
  EXPECT_EQ(report.rows, texts.size());
  EXPECT_TRUE(same_bytes(rows.values(), model.encode(views(texts), options)->values()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(reports[i].tokens, tokens[i].ids.size());
    EXPECT_FALSE(reports[i].truncated);
  }
  EXPECT_EQ(model.encode_ids({})->rows(), 0U);
}

TEST_P(ModelTest, IdsAreCutAsTheirTextsAre) {
  const Model model = open("plain.weights");
  const std::vector<std::string> texts = make_texts(40);
  std::vector<Tokens> tokens;
  std::vector<std::span<const std::int32_t>> ids;
  for (const std::string& text : texts)
    tokens.push_back(model.tokenize(text, {.max_length = 0}).value());
  for (const Tokens& of_text : tokens) ids.emplace_back(of_text.ids);
  for (const TruncationSide side : {TruncationSide::right, TruncationSide::left}) {
    const EncodeOptions options = {.max_length = 6, .truncation_side = side, .threads = 2};
    VectorSource source(texts);
    VectorSink expected;
    const Report report = model.encode(source, expected, options).value();
    EXPECT_GT(report.truncated_rows, 0U);
    EXPECT_LT(report.truncated_rows, texts.size());
    VectorIdSource id_source(ids);
    VectorSink sink;
    const Report of_ids = model.encode_ids(id_source, sink, options).value();
    EXPECT_EQ(of_ids.tokens, report.tokens);
    EXPECT_EQ(of_ids.truncated_rows, report.truncated_rows);
    EXPECT_TRUE(same_bytes(sink.values, expected.values));
    ASSERT_EQ(sink.reports.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(sink.reports[i].tokens, expected.reports[i].tokens);
      EXPECT_EQ(sink.reports[i].truncated, expected.reports[i].truncated);
    }
    EXPECT_TRUE(same_bytes(model.encode_ids(ids, options)->values(), expected.values));
  }
}

TEST_P(ModelTest, IdsThatTheModelDoesNotHaveAreRefused) {
  const Model model = open("plain.weights");
  const auto refusal = [&](std::vector<std::int32_t> ids, const EncodeOptions& options = {}) {
    const std::vector<std::span<const std::int32_t>> texts = {ids};
    const auto rows = model.encode_ids(texts, options);
    VectorIdSource source(texts);
    VectorSink sink;
    const auto streamed = model.encode_ids(source, sink, options);
    EXPECT_EQ(rows.has_value(), streamed.has_value());
    if (!rows && !streamed) {
      EXPECT_EQ(rows.error().message(), streamed.error().message());
    }
    if (rows) return std::string();
    EXPECT_EQ(rows.error().code(), ErrorCode::invalid_argument);
    return rows.error().message();
  };
  const auto size = static_cast<std::int32_t>(model.vocab_size());
  EXPECT_NE(refusal({1, size}).find("token 1: the token id is 200, expected 0 to 199"),
            std::string::npos);
  EXPECT_NE(refusal({1, 2, -1}).find("token 2: the token id is -1"), std::string::npos);
  EXPECT_NE(refusal({}).find("no token ids"), std::string::npos);
  EXPECT_NE(refusal({1}, {.prompt = ""}), "");
  EXPECT_NE(refusal({1}, {.prompt_name = "query"}), "");
  EXPECT_NE(refusal({1}, {.strict_utf8 = true}), "");
  EXPECT_NE(refusal({1}, {.max_length = 5, .windows = Windows::mean}), "");
}

TEST_P(ModelTest, StrictRefusesWhatIsNotUtf8) {
  const Model model = open("plain.weights");
  const std::vector<std::string_view> texts = {"fine", "the\xff cat", "\xc0"};
  ASSERT_TRUE(model.encode(texts));
  const auto refused = model.encode(texts, {.threads = 2, .strict_utf8 = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(refused.error().offset(), 3U);
  EXPECT_EQ(refused.error().line(), 2U);
  EXPECT_EQ(model.tokenize(texts[1], {.strict_utf8 = true}).error().offset(), 3U);
  EXPECT_EQ(model.encode_tokens(texts[2], {.strict_utf8 = true}).error().offset(), 0U);
}

TEST_P(ModelTest, AVectorThatIsNotFiniteIsRefusedWithTheNumberOfItsText) {
  if (std::string_view(GetParam()->name) == "reference") GTEST_SKIP() << "its sums do not overflow";
  const auto plain = fixtures / "no_checksums.weights";
  const std::vector<std::int32_t> cat = Model::open(plain)->tokenize("cat")->ids;
  ASSERT_EQ(cat.size(), 3U);
  test::write_overflowing(plain, path("cat.weights"), cat[1]);
  const Model model = Model::open(path("cat.weights")).value();
  const std::vector<std::string> texts = {"the dog", "a", "the dog", "one cat sat", "the"};
  const auto expect_refused = [](const auto& result, std::uint64_t number) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::bad_value);
    EXPECT_EQ(result.error().line(), number) << result.error().message();
  };
  const auto stream = [&](const EncodeOptions& options) {
    VectorSource source(texts);
    VectorSink sink;
    return model.encode(source, sink, options);
  };
  ASSERT_TRUE(model.encode(std::vector<std::string_view>{"the dog", "a", "the"}));
  for (const Compute compute : {Compute::f32, Compute::int8, Compute::bf16}) {
    const Model narrow = Model::open(path("cat.weights"), {.compute = compute}).value();
    expect_refused(narrow.encode(views(texts)), 4);
  }
  for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::max})
    expect_refused(model.encode(views(texts), {.pooling = pooling, .normalize = false}), 4);
  expect_refused(model.encode("cat"), 1);
  expect_refused(model.encode_tokens("cat"), 1);
  expect_refused(model.encode_ids(std::vector<std::span<const std::int32_t>>{cat}), 1);
  expect_refused(stream({}), 4);
  expect_refused(stream({.threads = 2, .batch_tokens = 1}), 4);
  // The number is that of the text, not of the window.
  std::string dogs;
  for (int i = 0; i < 20; ++i) dogs += "the dog ";
  const std::vector<std::string> long_texts = {dogs, dogs + "cat"};
  for (const Windows windows : {Windows::rows, Windows::mean}) {
    VectorSource source(long_texts);
    VectorSink sink;
    expect_refused(model.encode(source, sink, {.max_length = 10, .windows = windows}), 2);
  }
}

TEST_P(ModelTest, OptionsOutsideTheModelsLimitsAreRefused) {
  const Model model = open("plain.weights");
  const EncodeOptions refused[] = {
      {.max_length = 2},
      {.max_length = model.max_positions() + 1},
      {.truncate_dim = model.dim() + 1},
      {.threads = -1},
      {.threads = 1 << 20},
      {.batch_tokens = SIZE_MAX},
      {.max_length = 0},
  };
  for (const EncodeOptions& options : refused) {
    const auto row = model.encode("a", options);
    ASSERT_FALSE(row);
    EXPECT_EQ(row.error().code(), ErrorCode::invalid_argument);
    EXPECT_FALSE(model.recipe(options));
  }
  const std::vector<std::string_view> texts = {"a", "b"};
  std::vector<float> room(2 * model.dim() - 1);
  EXPECT_EQ(model.encode(texts, room, {}).error().code(), ErrorCode::invalid_argument);
  room.resize(2 * model.dim());
  std::vector<RowReport> reports(1);
  EXPECT_EQ(model.encode(texts, room, reports).error().code(), ErrorCode::invalid_argument);
}

TEST_P(ModelTest, NoTextsAreNoRows) {
  const Model model = open("plain.weights");
  const auto rows = model.encode(std::span<const std::string_view>());
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->rows(), 0U);
  EXPECT_EQ(rows->cols(), model.dim());
}

TEST_P(ModelTest, StopsWhenTold) {
  const Model model = open("plain.weights");
  const std::vector<std::string> texts = make_texts(50);
  std::stop_source stop;
  stop.request_stop();
  const auto rows = model.encode(views(texts), {}, stop.get_token());
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code(), ErrorCode::cancelled);
  EXPECT_EQ(model.encode_tokens(texts[0], {}, stop.get_token()).error().code(),
            ErrorCode::cancelled);
}

TEST_P(ModelTest, ManyThreadsShareOneModel) {
  const Model model = open("plain.weights");
  const std::vector<std::string> texts = make_texts(60);
  const auto expected = model.encode(views(texts), {.threads = 1});
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&, caller] {
        const auto rows = model.encode(views(texts), {.threads = 1 + caller % 3});
        if (!rows || !same_bytes(rows->values(), expected->values())) ++wrong;
        const auto one = model.encode(texts[static_cast<std::size_t>(caller)]);
        if (!one || !same_bytes(*one, expected->row(static_cast<std::size_t>(caller)))) ++wrong;
        if (!model.recipe()) ++wrong;
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(ModelTest, RecipeSaysWhatVectorsAreMadeWith) {
  const Model model = open("plain.weights");
  const Recipe recipe = model.recipe().value();
  const auto file = MappedFile::open(fixtures / "plain.weights");
  EXPECT_EQ(recipe.model_sha256, sha256_hex(file->bytes()));
  EXPECT_EQ(recipe.tokenizer_sha256.size(), 64U);
  EXPECT_EQ(recipe.max_length, model.max_length());
  EXPECT_EQ(recipe.pooling, Pooling::mean);
  EXPECT_TRUE(recipe.normalize);
  EXPECT_EQ(recipe.truncate_dim, model.dim());
  EXPECT_EQ(recipe.model_name, model.name());
  EXPECT_EQ(recipe.compute, "f32");
  EXPECT_EQ(recipe.instruction_set, GetParam()->name);
  EXPECT_EQ(recipe.embd_version, version());

  const Recipe other = model
                           .recipe({.max_length = 7,
                                    .pooling = Pooling::max,
                                    .normalize = false,
                                    .truncate_dim = 9,
                                    .prompt = "query: "})
                           .value();
  EXPECT_EQ(other.max_length, 7U);
  EXPECT_EQ(other.pooling, Pooling::max);
  EXPECT_FALSE(other.normalize);
  EXPECT_EQ(other.truncate_dim, 9U);
  EXPECT_EQ(other.prompt, "query: ");
  EXPECT_EQ(other.model_sha256, recipe.model_sha256);
}

TEST_P(ModelTest, RecipeKeepsTheHashWhereItIsTold) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("embd-model-hash-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  const auto record = folder / "hashes";
  const auto path = fixtures / "plain.weights";
  const std::string hash = open("plain.weights").recipe()->model_sha256;
  for (int i = 0; i < 2; ++i) {
    const Model model = Model::open(path, {.hash_record = record}).value();
    EXPECT_FALSE(i == 0 && std::filesystem::exists(record)) << "before anybody asked";
    EXPECT_EQ(model.recipe()->model_sha256, hash);
  }
  // A checkout lies longer than a hash is waited for, but not everywhere can it be kept.
  const auto file = FileDescriptor::open(path).value();
  EXPECT_EQ(std::filesystem::exists(record), stamp_of(file) && is_at_rest(file));
  std::filesystem::remove_all(folder);
}

/// The text of a window: words that are tokens of their own are cut between tokens.
std::string words(std::size_t first, std::size_t count) {
  static const std::vector<std::string> all = {"the", "cat", "on", "a", "mat", "hello", "dog"};
  std::string text;
  for (std::size_t i = first; i < first + count; ++i) text += all[i % all.size()] + " ";
  return text;
}

TEST_P(ModelTest, ALongTextIsItsWindows) {
  const Model model = open("plain.weights");
  const std::size_t tokens = model.tokenize(words(0, 50), {.max_length = 0})->ids.size() - 2;
  ASSERT_EQ(tokens, 50U) << "every word is one token";

  // Windows of 10 tokens have room for 8 of the text; they begin at 0, 5, 10, … and the last one
  // that is needed begins at 45.
  const std::vector<std::string> texts = {"cat", words(0, 50), "", words(3, 8), words(3, 9)};
  const EncodeOptions options = {.max_length = 10, .windows = Windows::rows, .stride = 5};
  std::vector<std::string> parts = {"cat"};
  for (std::size_t first = 0; first < 45; first += 5)
    parts.push_back(words(first, std::min<std::size_t>(8, 50 - first)));
  parts.push_back(words(45, 5));
  parts.insert(parts.end(), {"", words(3, 8), words(3, 8), words(8, 4)});
  const Matrix expected = model.encode(views(parts), {.max_length = 10}).value();

  for (const std::size_t batch_tokens : {0, 7, 100}) {
    VectorSource source(texts);
    VectorSink sink;
    EncodeOptions batched = options;
    batched.batch_tokens = batch_tokens;
    const Report report = model.encode(source, sink, batched).value();
    EXPECT_TRUE(same_bytes(sink.values, expected.values()));
    EXPECT_EQ(report.rows, parts.size());
    EXPECT_EQ(report.truncated_rows, 0U);
    ASSERT_EQ(sink.reports.size(), parts.size());
    EXPECT_EQ(sink.reports[4].window, 3U);
    EXPECT_EQ(sink.reports[4].windows, 10U);
    EXPECT_EQ(sink.reports[4].tokens, 10U);
    EXPECT_EQ(sink.reports.back().tokens, 6U);
  }

  // The prompt stands before each window and takes its room.
  EncodeOptions prompted = options;
  prompted.prompt = "hello ";
  VectorSource source(texts);
  VectorSink sink;
  ASSERT_TRUE(model.encode(source, sink, prompted));
  EXPECT_EQ(sink.reports[1].windows, 10U);
  const auto second = model.encode(words(5, 7), {.max_length = 10, .prompt = "hello "}).value();
  EXPECT_TRUE(same_bytes(std::span(sink.values).subspan(2 * model.dim(), model.dim()), second));
}

TEST_P(ModelTest, AMeanOfWindowsIsOneRow) {
  const Model model = open("plain.weights");
  const std::vector<std::string> texts = {"cat", words(0, 20)};
  const EncodeOptions options = {.max_length = 10, .windows = Windows::mean};
  std::vector<RowReport> reports(2);
  Matrix rows(2, model.dim());
  const Report report = model.encode(views(texts), rows.values(), reports, options).value();
  EXPECT_EQ(report.rows, 2U);
  EXPECT_EQ(reports[1].windows, 3U);
  EXPECT_EQ(reports[1].tokens, 22U);
  EXPECT_FALSE(reports[1].truncated);
  EXPECT_TRUE(same_bytes(rows.row(0), *model.encode("cat")));

  std::vector<double> mean(model.dim());
  for (const std::string& part : {words(0, 8), words(8, 8), words(16, 4)}) {
    const auto row = model.encode(part).value();
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(row[i]);
  }
  double length = 0;
  for (const double v : mean) length += v * v;
  for (std::size_t i = 0; i < mean.size(); ++i)
    EXPECT_NEAR(rows.row(1)[i], mean[i] / std::sqrt(length), 1e-6);
  EXPECT_TRUE(same_bytes(*model.encode(texts[1], options), rows.row(1)));
}

TEST_P(ModelTest, WindowsThatCannotBeAreRefused) {
  const Model model = open("plain.weights");
  const std::vector<std::string> texts = {words(0, 50)};
  const auto code = [&](const EncodeOptions& options) {
    VectorSource source(texts);
    VectorSink sink;
    const auto report = model.encode(source, sink, options);
    return report ? std::nullopt : std::optional(report.error().code());
  };
  EXPECT_EQ(code({.max_length = 10, .windows = Windows::rows, .stride = 8}), std::nullopt);
  EXPECT_EQ(code({.max_length = 10, .windows = Windows::rows, .stride = 9}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code({.stride = 1}), ErrorCode::invalid_argument);
  EXPECT_EQ(
      code({.max_length = 10, .truncation_side = TruncationSide::left, .windows = Windows::rows}),
      ErrorCode::invalid_argument);
  EXPECT_EQ(code({.max_length = 4, .prompt = "the cat", .windows = Windows::rows}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(model.encode(views(texts), {.windows = Windows::rows}).error().code(),
            ErrorCode::invalid_argument);
}

TEST_P(ModelTest, AFolderOpensAsAModel) {
  const WeightFile file = WeightFile::open(fixtures / "plain.weights").value();
  const ModelSpec& spec = file.spec();
  nlohmann::json header;
  std::string data;
  for (const Tensor& tensor : file.tensors()) {
    const std::size_t begin = data.size();
    data += as_text(tensor.data);
    header[std::string(tensor.name)] = {
        {"dtype", "F32"}, {"shape", tensor.shape.view()}, {"data_offsets", {begin, data.size()}}};
  }
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(path(name), std::ios::binary) << text;
  };
  std::string header_size(8, '\0');
  const std::uint64_t size = header.dump().size();
  std::memcpy(header_size.data(), &size, sizeof size);
  write("model.safetensors", header_size + header.dump() + data);
  write("config.json", nlohmann::json({{"model_type", "bert"},
                                       {"hidden_size", spec.hidden},
                                       {"num_hidden_layers", spec.num_layers},
                                       {"num_attention_heads", spec.num_heads},
                                       {"intermediate_size", spec.intermediate},
                                       {"vocab_size", spec.vocab_size},
                                       {"max_position_embeddings", spec.max_positions}})
                           .dump());
  std::string vocab;
  for (const std::string_view token : file.vocab()) vocab += std::string(token) + "\n";
  write("vocab.txt", vocab);

  const auto model = Model::open(directory());
  ASSERT_TRUE(model) << model.error().message();
  const std::vector<std::string> texts = make_texts(30);
  EXPECT_TRUE(
      same_bytes(model->encode(views(texts))->values(),
                 open("plain.weights").encode(views(texts), {.normalize = false})->values()));
  EXPECT_EQ(model->max_length(), spec.max_positions);
  ASSERT_TRUE(convert_model(directory(), path("out.weights")));
  EXPECT_EQ(model->recipe()->model_sha256,
            Model::open(path("out.weights"))->recipe()->model_sha256);
  EXPECT_EQ(Model::open(directory() / "nothing").error().code(), ErrorCode::not_found);
}

TEST_P(ModelTest, SaysHowLargeItIs) {
  const ModelSize size = open("plain.weights").size();
  EXPECT_EQ(size.layers, 2);
  EXPECT_EQ(size.heads, 3);
  EXPECT_EQ(size.hidden, 36);
  EXPECT_EQ(size.intermediate, 72);
  EXPECT_EQ(size.multiplications_a_token(), 2 * (4 * 36 * 36 + 2 * 36 * 72));
  EXPECT_EQ(size.file_bytes, std::filesystem::file_size(fixtures / "plain.weights"));
  constexpr std::uint64_t tables = 36 * (200 + 40 + 2 + 2);
  constexpr std::uint64_t layer = 4 * (36 * 36 + 36) + 2 * 36 * 72 + 72 + 36 + 4 * 36;
  EXPECT_EQ(size.parameters, tables + 2 * layer);
}

TEST_P(ModelTest, SurvivesAMove) {
  Model model = open("plain.weights");
  const auto before = model.encode("the cat");
  const Model moved = std::move(model);
  EXPECT_TRUE(same_bytes(*moved.encode("the cat"), *before));
}

TEST_P(ModelTest, TokensHaveTheirStrings) {
  const Model model = open("plain.weights");
  const Tokens tokens = model.tokenize("").value();
  ASSERT_EQ(tokens.ids.size(), 2U);
  EXPECT_EQ(model.token(tokens.ids[0]), "[CLS]");
  EXPECT_EQ(model.token(tokens.ids[1]), "[SEP]");
  EXPECT_EQ(model.token(-1), "");
  EXPECT_EQ(model.token(static_cast<std::int32_t>(model.vocab_size())), "");
}

TEST_P(ModelTest, TokensSayTheirText) {
  const Model model = open("plain.weights");
  const Tokens tokens = model.tokenize("The cat sat.").value();
  EXPECT_EQ(model.decode(tokens.ids).value(), "the cat sat.");
  EXPECT_TRUE(model.decode(tokens.ids, false)->starts_with("[CLS] the cat"));
  EXPECT_EQ(model.decode(std::vector<std::int32_t>{-1}).error().code(),
            ErrorCode::invalid_argument);

  const std::span<const std::int32_t> ids = tokens.ids;
  EXPECT_TRUE(model.are_own_ids(ids));
  EXPECT_TRUE(model.are_own_ids(model.tokenize("")->ids));
  EXPECT_FALSE(model.are_own_ids({}));
  EXPECT_FALSE(model.are_own_ids(ids.first(ids.size() - 1)));
  EXPECT_FALSE(model.are_own_ids(ids.subspan(1)));
  std::vector<std::int32_t> foreign = tokens.ids;
  foreign[1] = static_cast<std::int32_t>(model.vocab_size());
  EXPECT_FALSE(model.are_own_ids(foreign));
}

/// Models of odd shapes: one hash for an arithmetic, whatever the table, the processor and the
/// compiler.
TEST_P(ModelTest, SmallModelsHaveTheHashOfTheirArithmetic) {
  if (std::string_view(GetParam()->name) == "reference") GTEST_SKIP() << "its bytes are its own";
  const std::vector<std::string> texts = make_texts(60);
  for (const auto& [compute, expected] :
       {std::pair(Compute::f32, "9bf7195f5845c8f75c9ffd521aa6930a20ce8a1d44e236466b41aa30685cab8e"),
        {Compute::bf16, "ab92d8def467e03c418888846f06671549fb7adc3511450ec112666eb21d0010"},
        {Compute::int8, "48db19841e16f7c3571a78b62638459211815d2c75d5c5ccd8aca0fde0084712"}}) {
    SCOPED_TRACE(compute_name(compute));
    Sha256 hash;
    for (const auto& entry : read_json(fixtures / "manifest.json")) {
      LoadOptions options = {.compute = compute};
      if (!entry["vocab_file"].is_null()) {
        options.vocab = fixtures / entry["vocab_file"].get<std::string>();
      }
      const auto model = Model::open(fixtures / entry["file"].get<std::string>(), options);
      ASSERT_TRUE(model) << model.error().message();
      const auto rows = model->encode(views(texts));
      ASSERT_TRUE(rows) << rows.error().message();
      hash.update(std::as_bytes(rows->values()));
    }
    EXPECT_EQ(hash.hex(), expected);
  }
}

TEST_P(ModelTest, NarrowArithmeticStaysCloseAndTheSameInEveryBatch) {
  const std::vector<std::string> texts = make_texts(60);
  for (const std::string name : {"plain.weights", "int8.weights", "mixed_types.weights"}) {
    const Matrix exact = *open(name).encode(views(texts));
    for (const Compute compute : {Compute::bf16, Compute::int8}) {
      SCOPED_TRACE(name + ", " + std::string(compute_name(compute)));
      const auto model = Model::open(fixtures / name, {.compute = compute});
      const auto arithmetic =
          compute == Compute::int8 ? kernels::Arithmetic::int8 : kernels::Arithmetic::bf16;
      const kernels::Products* products = GetParam()->products(arithmetic);
      if (products == nullptr) {
        ASSERT_FALSE(model);
        EXPECT_EQ(model.error().code(), ErrorCode::invalid_argument);
        EXPECT_NE(model.error().message().find("bf16"), std::string::npos);
        continue;
      }
      ASSERT_TRUE(model) << model.error().message();
      EXPECT_EQ(model->compute(), compute);
      EXPECT_EQ(model->recipe()->compute, recipe_name(compute));
      EXPECT_EQ(model->instruction_set(), GetParam()->name);
      EXPECT_EQ(model->recipe()->instruction_set, GetParam()->name);

      const Matrix rows = *model->encode(views(texts));
      const Matrix small = *model->encode(views(texts), {.threads = 1, .batch_tokens = 5});
      EXPECT_TRUE(same_bytes(small.values(), rows.values()));
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const double cosine =
            std::inner_product(rows.row(i).begin(), rows.row(i).end(), exact.row(i).begin(), 0.0);
        EXPECT_GT(cosine, 0.99) << texts[i];
        ASSERT_TRUE(same_bytes(*model->encode(texts[i]), rows.row(i))) << texts[i];
      }
      EXPECT_FALSE(same_bytes(rows.values(), exact.values()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, ModelTest,
                         testing::ValuesIn(kernels::available_kernels().begin,
                                           kernels::available_kernels().end),
                         [](const auto& table) { return std::string(table.param->name); });

TEST(ModelOpen, RefusesWhatItCannotDo) {
  EXPECT_EQ(Model::open(fixtures / "nothing.weights").error().code(), ErrorCode::not_found);
  ::setenv("EMBD_KERNELS", "abacus", 1);
  const auto model = Model::open(fixtures / "plain.weights");
  ::unsetenv("EMBD_KERNELS");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(model.error().message().find("abacus"), std::string::npos);
  EXPECT_NE(model.error().message().find("reference"), std::string::npos);
}

TEST(ModelOpen, AVocabularyOutsideTheFileMustBeGiven) {
  EXPECT_EQ(Model::open(fixtures / "external_vocab.weights").error().code(),
            ErrorCode::vocabulary_missing);
  EXPECT_TRUE(Model::open(fixtures / "external_vocab.weights",
                          {.vocab = fixtures / "external_vocab.vocab.txt"}));
}

}  // namespace
}  // namespace embd
