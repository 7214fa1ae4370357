#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "embd/convert_model.h"
#include "embd/model.h"
#include "embd/reranker.h"
#include "engine/kernels/kernels.h"
#include "tests/support/gzip.h"
#include "tests/support/npy.h"
#include "tests/support/split.h"
#include "tests/support/temporary_directory.h"

// Families of encoders besides BERT, from their folders to their vectors and logits, against ids of
// transformers and float64 references (tests/data/families).

namespace embd {
namespace {

const std::filesystem::path families = std::filesystem::path(EMBD_TEST_DATA) / "families";

/// The greatest difference from the reference, as a part of the largest value.
constexpr double vector_bar = 2e-6;
constexpr double logit_bar = 5e-6;

std::vector<nlohmann::json> read_cases(const std::string& name) {
  std::vector<nlohmann::json> cases;
  const std::string lines = testing::read_gzip(families / (name + ".jsonl.gz"));
  for (const std::string_view line : testing::split(lines, '\n'))
    cases.push_back(nlohmann::json::parse(line));
  return cases;
}

double largest_of(std::span<const double> values) {
  double largest = 1;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// A sentence model, its texts, their ids and their vectors.
struct Golden {
  explicit Golden(const std::string& name)
      : folder(families / name), rows(test::read_npy(families / (name + ".npy")).as<double>()) {
    for (const nlohmann::json& one : read_cases(name)) {
      texts.push_back(one["text"]);
      ids.push_back(one["ids"]);
    }
  }
  std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }

  std::filesystem::path folder;
  std::vector<double> rows;
  std::vector<std::string> texts;
  std::vector<std::vector<std::int32_t>> ids;
};

class FamilyTest : public test::TemporaryDirectory,
                   public ::testing::WithParamInterface<const char*> {
 protected:
  const Golden golden_ = Golden(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Networks, FamilyTest,
                         ::testing::Values("mpnet_mean", "mpnet_dot", "distilbert_mean",
                                           "distilbert_sinus_cls"),
                         [](const auto& network) { return std::string(network.param); });

TEST_P(FamilyTest, IdsAndVectorsAreThoseOfTheReference) {
  const auto model = Model::open(golden_.folder);
  ASSERT_TRUE(model) << model.error().message();
  const auto rows = model->encode(golden_.views());
  ASSERT_TRUE(rows) << rows.error().message();
  ASSERT_EQ(rows->values().size(), golden_.rows.size());
  const double bar = vector_bar * largest_of(golden_.rows);
  for (std::size_t i = 0; i < golden_.texts.size(); ++i) {
    EXPECT_EQ(model->tokenize(golden_.texts[i])->ids, golden_.ids[i]) << golden_.texts[i];
    for (std::size_t k = 0; k < rows->cols(); ++k)
      ASSERT_NEAR(rows->row(i)[k], golden_.rows[i * rows->cols() + k], bar) << golden_.texts[i];
  }
}

TEST_P(FamilyTest, ItsFileGivesTheSameBytes) {
  const std::filesystem::path file = path("model.weights");
  const auto converted = convert_model(golden_.folder, file, {.model_name = GetParam()});
  ASSERT_TRUE(converted) << converted.error().message();
  const auto from_file = Model::open(file, {.verify = true});
  ASSERT_TRUE(from_file) << from_file.error().message();
  const auto from_folder = Model::open(golden_.folder);
  EXPECT_EQ(from_file->recipe()->model_sha256, from_folder->recipe()->model_sha256);
  EXPECT_EQ(from_file->recipe()->tokenizer_sha256, from_folder->recipe()->tokenizer_sha256);
  EXPECT_TRUE(std::ranges::equal(from_file->encode(golden_.views())->values(),
                                 from_folder->encode(golden_.views())->values()));
}

/// int8 and bf16 round the weights of these wild models, but the vectors keep their direction.
TEST_P(FamilyTest, TheSameBytesOnAllKernelsInEveryArithmetic) {
  const kernels::KernelList tables = kernels::available_kernels();
  const auto exact = Model::open(golden_.folder)->encode(golden_.views());
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8}) {
    SCOPED_TRACE(static_cast<int>(compute));
    std::vector<float> first;
    for (const kernels::Kernels* table : std::span(tables.begin, tables.end)) {
      if (!table->supported() || table->name == std::string_view("reference")) continue;
      if (compute == Compute::bf16 && table->products(kernels::Arithmetic::bf16) == nullptr)
        continue;
      ::setenv("EMBD_KERNELS", table->name, 1);
      const auto model = Model::open(golden_.folder, {.compute = compute});
      const auto rows = model->encode(golden_.views());
      ::unsetenv("EMBD_KERNELS");
      const std::vector<float> values(rows->values().begin(), rows->values().end());
      if (first.empty()) first = values;
      EXPECT_EQ(std::memcmp(values.data(), first.data(), first.size() * sizeof(float)), 0)
          << table->name;
    }
    double dot = 0;
    double squares = 0;
    double exact_squares = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      dot += static_cast<double>(first[i]) * exact->values()[i];
      squares += static_cast<double>(first[i]) * first[i];
      exact_squares += static_cast<double>(exact->values()[i]) * exact->values()[i];
    }
    EXPECT_GT(dot / std::sqrt(squares * exact_squares), 0.99);
  }
}

class FamilyPairsTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Networks, FamilyPairsTest,
                         ::testing::Values("mpnet_cross", "distilbert_cross"),
                         [](const auto& network) { return std::string(network.param); });

TEST_P(FamilyPairsTest, IdsAndLogitsAreThoseOfTheReference) {
  const std::string name = GetParam();
  const auto model = Reranker::open(families / name);
  ASSERT_TRUE(model) << model.error().message();
  const std::vector<nlohmann::json> cases = read_cases(name);
  const auto logits = test::read_npy(families / (name + ".logits.npy")).as<double>();
  ASSERT_EQ(logits.size(), cases.size());
  const double bar = logit_bar * largest_of(logits);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string query = cases[i]["query"];
    const std::string text = cases[i]["text"];
    const TextPair pair = {query, text};
    EXPECT_EQ(model->tokenize(pair)->ids, cases[i]["ids"].get<std::vector<std::int32_t>>());
    const auto scores = model->score(std::span(&pair, 1));
    ASSERT_TRUE(scores) << scores.error().message();
    EXPECT_NEAR(scores->logits.values()[0], logits[i], bar) << query;
    // The slope of the sigmoid is at most a quarter.
    EXPECT_NEAR(scores->scores.values()[0], 1 / (1 + std::exp(-logits[i])), bar / 4 + 1e-6);
  }
}

/// A copy of a folder in which single settings are changed.
class FamilySettingsTest : public test::TemporaryDirectory {
 protected:
  /// Expects the error about a setting after `change` was applied to a file of the folder.
  void expect_refused(const char* name, const char* file, const nlohmann::json& change,
                      std::string_view what) {
    SCOPED_TRACE(what);
    const std::filesystem::path folder = path("folder");
    std::filesystem::remove_all(folder);
    std::filesystem::copy(families / name, folder, std::filesystem::copy_options::recursive);
    if (change.is_null()) {
      std::filesystem::remove(folder / file);
    } else {
      auto settings = nlohmann::json::parse(std::ifstream(folder / file));
      settings.merge_patch(change);
      std::ofstream(folder / file) << settings;
    }
    const auto model = Model::open(folder);
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message().find(what), std::string::npos) << model.error().message();
  }
};

TEST_F(FamilySettingsTest, OthersThanThoseOfTheClassAreRefusedByName) {
  expect_refused("mpnet_mean", "config.json", {{"relative_attention_num_buckets", 16}},
                 "relative_attention_num_buckets: 16, expected 32");
  expect_refused("mpnet_mean", "config.json", {{"hidden_act", "relu"}}, "hidden_act: relu");
  expect_refused("mpnet_mean", "tokenizer.json", nullptr, "MPNetTokenizer needs a tokenizer.json");
  expect_refused("mpnet_mean", "tokenizer_config.json", {{"extra_special_tokens", {"<x>"}}},
                 "\"<x>\", a token besides");
  expect_refused("distilbert_mean", "config.json", {{"activation", "relu"}}, "activation: relu");
  expect_refused("distilbert_mean", "config.json", {{"n_heads", 5}}, "n_heads: 5 does not divide");
}

/// The token is looked for in what normalization makes of a text, and the others in the text.
TEST(MpnetTokens, TheUnknownTokenIsFoundInTheNormalizedText) {
  const auto model = Model::open(families / "mpnet_mean");
  ASSERT_TRUE(model) << model.error().message();
  constexpr std::int32_t unk = 3;
  const auto count = [&](std::string_view text) {
    return std::ranges::count(model->tokenize(text)->ids, unk);
  };
  using namespace std::string_view_literals;
  for (const std::string_view text : {"<unk>"sv, "<UNK>"sv, "a<Unk>b"sv, "<\u00DCNK>"sv,
                                      "<u\0nk>"sv, "\u226Eunk>"sv, "<unk>\u0301"sv})
    EXPECT_EQ(count(text), 1) << text;
  for (const std::string_view text : {"< unk>"sv, "<un k>"sv, "unk"sv, "<unk"sv, "<u\u4E2Dnk>"sv})
    EXPECT_EQ(count(text), 0) << text;
  EXPECT_EQ(count("<<unk><unk>>"), 2);
  const auto tokens = model->tokenize("a <\u00DCNK>");
  ASSERT_EQ(tokens->ids.size(), 4U);
  EXPECT_EQ(tokens->ranges[2], (ByteRange{2, 8}));
  EXPECT_EQ(model->decode(tokens->ids).value(), "a");
}

}  // namespace
}  // namespace embd
