#include "formats/weights/huggingface/bert_config.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace embd::huggingface {
namespace {

using Labels = std::vector<std::string>;

class ClassifierConfigTest : public test::TemporaryDirectory {
 protected:
  Result<ClassifierConfig> read_with(const std::string& config, const ClassifierFacts& facts) {
    std::ofstream(path("config.json")) << config;
    return read_classifier_config(directory(), facts);
  }
  /// Reads the settings of a model with one label.
  Result<ClassifierConfig> read(const std::string& config, const std::string& activation = "") {
    return read_with(config, {.activation = activation, .num_logits = 1, .num_token_types = 2});
  }
  /// Reads the settings of a model whose weights have this many logits.
  Result<ClassifierConfig> read_labels(const std::string& config, std::uint64_t num_logits) {
    return read_with(config, {.activation = "", .num_logits = num_logits, .num_token_types = 2});
  }
  static std::string with(const std::string& members) {
    return R"({"id2label": {"0": "LABEL_0"})" + (members.empty() ? "" : ", " + members) + "}";
  }
};

constexpr const char* identity = "torch.nn.modules.linear.Identity";
constexpr const char* sigmoid = "torch.nn.modules.activation.Sigmoid";

TEST_F(ClassifierConfigTest, LabelsAreInTheOrderOfTheirNumbers) {
  EXPECT_EQ(read_labels(R"({"id2label": {"10": "k", "0": "a", "1": "b", "2": "c", "3": "d",
                            "4": "e", "5": "f", "6": "g", "7": "h", "8": "i", "9": "j"}})",
                        11)
                ->labels,
            (Labels{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}));
  EXPECT_EQ(read_labels("{}", 2)->labels, (Labels{"LABEL_0", "LABEL_1"}));
}

TEST_F(ClassifierConfigTest, NumLabelsCountsWhereNoLabelHasAName) {
  EXPECT_EQ(read_labels(R"({"num_labels": 3})", 3)->labels,
            (Labels{"LABEL_0", "LABEL_1", "LABEL_2"}));
  EXPECT_EQ(read_labels(R"({"num_labels": 1, "id2label": null})", 1)->activation,
            ScoreActivation::sigmoid);
  EXPECT_EQ(read_labels(R"({"num_labels": 3, "id2label": {"0": "a"}})", 1)->labels, Labels{"a"});
}

TEST_F(ClassifierConfigTest, CountsThatDifferFromTheWeightsAreRefusedByName) {
  for (const auto& [config, key] :
       {std::pair{R"({"num_labels": 4294967295})", "num_labels: 4294967295"},
        {"{}", "neither id2label nor num_labels"},
        {R"({"id2label": {"0": "a", "1": "b"}})", "id2label: 2 labels"},
        {R"({"num_labels": 3, "type_vocab_size": 4294967295})", "type_vocab_size: 4294967295"}}) {
    const auto config_read = read_labels(config, 3);
    ASSERT_FALSE(config_read) << config;
    EXPECT_EQ(config_read.error().code(), ErrorCode::bad_value);
    EXPECT_NE(config_read.error().message().find(key), std::string::npos)
        << config_read.error().message();
  }
}

TEST_F(ClassifierConfigTest, LabelsThatAreNoListAreRefused) {
  for (const char* labels : {R"({"1": "a"})", R"({"0": "a", "2": "b"})", R"({"0": 1})"})
    EXPECT_EQ(read(std::string(R"({"id2label": )") + labels + "}").error().code(),
              ErrorCode::bad_value)
        << labels;
  for (const char* labels : {"[]", "{}", "3"})
    EXPECT_EQ(read(std::string(R"({"id2label": )") + labels + "}").error().code(),
              ErrorCode::bad_type)
        << labels;
}

/// An argument of sentence-transformers' own file, then the newer key, then the older one.
TEST_F(ClassifierConfigTest, TheFirstPlaceThatNamesAnActivationCounts) {
  const std::string newer =
      std::string(R"("sentence_transformers": {"activation_fn": ")") + identity + R"("})";
  const std::string older =
      std::string(R"("sbert_ce_default_activation_function": ")") + identity + '"';
  EXPECT_EQ(read(with(""))->activation, ScoreActivation::sigmoid);
  EXPECT_EQ(read_labels("{}", 2)->activation, ScoreActivation::identity);
  EXPECT_EQ(read(with(newer))->activation, ScoreActivation::identity);
  EXPECT_EQ(read(with(older))->activation, ScoreActivation::identity);
  EXPECT_EQ(read(with(newer), sigmoid)->activation, ScoreActivation::sigmoid);
  EXPECT_EQ(read(with(""), identity)->activation, ScoreActivation::identity);
  // The newer key that names none counts as well: the older one is not asked then.
  EXPECT_EQ(read(with(R"("sentence_transformers": {"activation_fn": null}, )" + older))->activation,
            ScoreActivation::sigmoid);
  EXPECT_EQ(read(with(R"("sentence_transformers": {"version": "4"}, )" + older))->activation,
            ScoreActivation::identity);
  EXPECT_EQ(read(with(R"("sbert_ce_default_activation_function": null)"))->activation,
            ScoreActivation::sigmoid);
}

TEST_F(ClassifierConfigTest, OtherActivationsAreRefusedByName) {
  for (const char* path : {"torch.nn.modules.activation.Tanh", "my.module.Act", "Sigmoid"}) {
    const auto config = read(with(""), path);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code(), ErrorCode::unsupported);
    EXPECT_NE(config.error().message().find(path), std::string::npos);
  }
  EXPECT_EQ(read(with(R"("sentence_transformers": {"activation_fn": 1})")).error().code(),
            ErrorCode::bad_type);
}

TEST_F(ClassifierConfigTest, EachTextOfAPairHasAType) {
  const auto types = [&](const std::string& stated, std::uint32_t least, std::uint64_t rows) {
    return read_with(
        with(stated),
        {.activation = "", .least_token_types = least, .num_logits = 1, .num_token_types = rows});
  };
  EXPECT_EQ(types(R"("type_vocab_size": 3)", 2, 3)->token_types, 3U);
  EXPECT_EQ(types("", 2, 2)->token_types, 2U);
  EXPECT_EQ(types(R"("type_vocab_size": 1)", 2, 1).error().code(), ErrorCode::unsupported);
  EXPECT_EQ(types(R"("type_vocab_size": 1)", 1, 1)->token_types, 1U);
}

}  // namespace
}  // namespace embd::huggingface
